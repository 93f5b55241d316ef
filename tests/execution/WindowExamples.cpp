#include "tests/execution/WindowExamples.h"

using namespace keratin;
using namespace keratin::ir;
using namespace keratin::tests;
using namespace mlir;

using Steps = std::vector<int64_t>;

// "d0; 2*d1": sizes as they are printed.
static Shape shape(StringRef text) {
  Shape dims;
  SmallVector<StringRef> parts;
  text.split(parts, ';', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts)
    dims.push_back(DimExpr::parse(std::string_view(part.trim())).value());
  return dims;
}

static Steps orOnes(const Steps &steps, size_t count) {
  return steps.empty() ? Steps(count, 1) : steps;
}

//===-- Convolutions --------------------------------------------------------------------------===//

Value ConvolutionExample::build(GraphMath &math, Value xValue, Value filterValue) const {
  return math.convolution(xValue, filterValue, windows, y);
}

namespace {
// What differs from windows at every element, without padding, forward.
struct Options {
  Steps strides = {};
  const char *low = "";
  Steps dilation = {}, xDilation = {};
  std::vector<bool> reversed = {};
};
} // namespace

static ConvolutionExample convolution(const char *label, const char *dims, const char *x,
                                      const char *filter, const char *y,
                                      const Options &options = {}) {
  size_t count = llvm::count_if(StringRef(dims).split(',').first, llvm::isDigit);
  ConvolutionExample example{label, shape(x), shape(filter), shape(y), {}};
  GraphMath::ConvolutionWindows &windows = example.windows;
  auto copy = [](auto &to, const auto &from) { to.assign(from.begin(), from.end()); };
  windows.dims = dims;
  copy(windows.strides, orOnes(options.strides, count));
  copy(windows.dilation, orOnes(options.dilation, count));
  copy(windows.xDilation, orOnes(options.xDilation, count));
  windows.low = shape(options.low);
  windows.low.resize(count, 0);
  windows.reversed.assign(count, false);
  copy(windows.reversed,
       options.reversed.empty() ? std::vector<bool>(count, false) : options.reversed);
  return example;
}

std::vector<ConvolutionExample> keratin::tests::convolutionExamples() {
  return {
      convolution("vectors", "0,0->0", "5", "3", "3"),
      convolution("channels last", "b01c,01cf->b01f", "2;4;3;2", "2;2;2;3", "2;3;2;3"),
      convolution("channels first", "bc01,01cf->bf01", "2;2;4;3", "2;2;2;3", "2;3;3;2"),
      convolution("any order", "1cb0,f0c1->0f1b", "3;2;2;4", "3;2;2;2", "3;3;2;2"),
      convolution("padded", "b0c,0cf->b0f", "1;4;2", "3;2;2", "1;4;2", {{}, "1"}),
      convolution("padded far", "b0c,0cf->b0f", "1;3;1", "2;1;2", "1;12;2", {{}, "5"}),
      convolution("padded below zero", "b0c,0cf->b0f", "1;6;1", "2;1;1", "1;3;1", {{}, "-2"}),
      convolution("strides", "b01c,01cf->b01f", "1;6;5;1", "3;2;1;2", "1;3;2;2", {{2, 3}, "1;0"}),
      convolution("dilation", "b0c,0cf->b0f", "2;7;2", "3;2;1", "2;4;1", {{}, "1", {2}}),
      convolution("strides and dilation", "b0c,0cf->b0f", "1;9;1", "3;1;2", "1;4;2",
                  {{2}, "2", {3}}),
      convolution("dilated x", "b0c,0cf->b0f", "1;3;2", "3;2;2", "1;6;2", {{}, "2", {}, {2}}),
      convolution("dilated x and strides", "b0c,0cf->b0f", "1;4;1", "4;1;1", "1;3;1",
                  {{3}, "1", {2}, {2}}),
      convolution("reversed", "b01c,01cf->b01f", "1;4;4;1", "3;2;1;2", "1;2;4;2",
                  {{}, "0;1", {}, {}, {true, false}}),
      convolution("reversed, all steps", "b0c,0cf->b0f", "1;5;1", "3;1;2", "1;4;2",
                  {{2}, "3", {2}, {3}, {true}}),
      convolution("depthwise", "b01g,01gf->b01gf", "1;4;3;3", "2;2;3;2", "1;3;2;3;2"),
      convolution("depthwise of one", "b01g,01g->b01g", "2;3;3;4", "3;3;4", "2;3;3;4", {{}, "1;1"}),
      convolution("groups", "b0gc,0gcf->b0gf", "2;4;2;3", "2;2;3;2", "2;3;2;2"),
      convolution("groups in front", "gb0c,g0cf->gb0f", "2;1;4;2", "2;3;2;2", "2;1;2;2"),
      convolution("three dimensions", "b012c,012cf->b012f", "1;3;2;3;1", "2;2;2;1;2", "1;2;2;3;2",
                  {{1, 1, 1}, "0;1;1"}),
      convolution("three dimensions, dilated x", "b012c,012cf->b012f", "1;2;2;1;1", "2;2;1;1;2",
                  "1;5;4;2;2", {{}, "1;1;0", {}, {3, 2, 2}}),
      convolution("filter larger than x", "b0c,0cf->b0f", "1;2;1", "5;1;2", "1;3;2", {{}, "2"}),
      convolution("filter as wide as x", "c0b,c0f->0bf", "2;5;2", "2;4;3", "2;2;3"),
      convolution("no filters", "b0c,0c->b0", "2;4;3", "2;3", "2;3"),
      convolution("no channels", "b0,0f->b0f", "2;4", "2;3", "2;3;3"),
      convolution("point", "b01c,01cf->b01f", "1;2;2;3", "1;1;3;2", "1;2;2;2"),
      convolution("strided point", "b01c,01cf->b01f", "1;4;3;2", "1;1;2;2", "1;2;2;2", {{2, 2}}),
      convolution("beside x", "b0c,0cf->b0f", "1;2;1", "2;1;1", "1;3;1", {{}, "-5"}),
      convolution("empty batch", "b0c,0cf->b0f", "0;4;2", "2;2;3", "0;3;3"),
      convolution("no windows", "b0c,0cf->b0f", "2;1;2", "2;2;3", "2;0;3"),
      convolution("empty x", "b0c,0cf->b0f", "1;0;2", "2;2;3", "1;2;3", {{}, "2"}),
      convolution("empty filter", "b0c,0cf->b0f", "1;3;2", "0;2;3", "1;4;3"),
      convolution("no depth", "b0c,0cf->b0f", "1;3;0", "2;0;3", "1;2;3"),
      convolution("unknown batch", "b0c,0cf->b0f", "d0;5;2", "3;2;2", "d0;3;2", {{2}, "1"}),
      convolution("unknown width", "b01c,01cf->b01f", "1;d0;d1;2", "3;2;2;2",
                  "1;ceildiv(d0, 2);d1;2",
                  {{2, 1}, "floordiv(max(2*ceildiv(d0, 2) + 1 - d0, 0), 2);0"}),
      convolution("unknown filter", "c0b,c0f->0bf", "2;d0 + 2;2", "2;d0;2", "3;2;2"),
      convolution("unknown and dilated", "b0c,0cf->b0f", "d1;d0;1", "3;1;2", "d1;2*d0;2",
                  {{}, "2", {}, {2}, {true}}),
      convolution("unknown channels", "b0c,0cf->b0f", "2;4;d0", "2;d0;d1", "2;3;d1"),
      convolution("unknown groups", "b0g,0gf->b0gf", "1;4;d0", "3;d0;2", "1;4;d0;2", {{}, "1"}),
  };
}

std::vector<ConvolutionExample> keratin::tests::largeConvolutionExamples() {
  return {
      convolution("3x3", "b01c,01cf->b01f", "2;11;13;20", "3;3;20;37", "2;11;13;37", {{}, "1;1"}),
      convolution("3x3 by two", "b01c,01cf->b01f", "1;15;17;9", "3;3;9;16", "1;8;9;16",
                  {{2, 2}, "1;1"}),
      convolution("7x7 by two", "b01c,01cf->b01f", "1;30;31;3", "7;7;3;32", "1;15;16;32",
                  {{2, 2}, "2;3"}),
      convolution("data gradient by two", "b01c,01fc->b01f", "1;8;9;16", "3;3;9;16", "1;15;17;9",
                  {{}, "1;1", {}, {2, 2}, {true, true}}),
      convolution("filter gradient", "c01b,c01f->01bf", "2;15;17;9", "2;8;9;16", "3;3;9;16",
                  {{}, "1;1", {2, 2}}),
      convolution("channels first", "bc01,01cf->bf01", "2;20;11;13", "3;3;20;18", "2;18;11;13",
                  {{}, "1;1"}),
      convolution("depthwise", "b01g,01gf->b01gf", "1;9;10;37", "3;3;37;1", "1;9;10;37;1",
                  {{}, "1;1"}),
      convolution("depthwise by two", "b01g,01gf->b01gf", "2;9;10;19", "5;3;19;2", "2;5;5;19;2",
                  {{2, 2}, "2;0"}),
      convolution("groups", "b01gc,01gcf->b01gf", "1;9;8;3;17", "3;3;3;17;18", "1;7;6;3;18"),
      convolution("one dimension", "b0c,0cf->b0f", "3;200;5", "9;5;33", "3;200;33", {{}, "8"}),
      convolution("three dimensions", "b012c,012cf->b012f", "1;6;7;9;4", "3;3;3;4;17", "1;6;7;9;17",
                  {{}, "1;1;1"}),
      convolution("unknown", "b01c,01cf->b01f", "d0;d1 + 7;d2 + 9;5", "3;3;5;19",
                  "d0;d1 + 7;d2 + 9;19", {{}, "1;1"}),
      convolution("dilated", "b01c,01cf->b01f", "1;20;21;6", "3;3;6;17", "1;20;21;17",
                  {{}, "3;3", {3, 3}}),
  };
}

//===-- Sums and choices ----------------------------------------------------------------------===//

bool WindowExample::hasDilation() const {
  return llvm::any_of(xDilation, [](int64_t step) { return step != 1; });
}

Value WindowExample::buildSum(GraphMath &math, Value xValue) const {
  return math.windowSum(xValue, window, strides, low, xDilation, y);
}

Value WindowExample::buildMax(GraphMath &math, Value xValue) const {
  return math.windowMax(xValue, window, strides, low, y);
}

Value WindowExample::buildPick(GraphMath &math, Value xValue, Value v) const {
  OpBuilder &b = math.builder();
  return b.create<WindowPickOp>(math.location(), getTensorType(y, getElementType(v)), xValue, v,
                                window, strides, DimsAttr::get(b.getContext(), low));
}

Value WindowExample::buildScatter(GraphMath &math, Value xValue, Value v) const {
  OpBuilder &b = math.builder();
  return b.create<WindowScatterOp>(math.location(), getTensorType(x, getElementType(v)), xValue, v,
                                   window, strides, DimsAttr::get(b.getContext(), low));
}

static WindowExample windows(const char *label, const char *x, const char *y, Steps window,
                             Steps strides = {}, const char *low = "", Steps xDilation = {}) {
  size_t rank = window.size();
  WindowExample example{
      label,     shape(x), shape(y), window, orOnes(strides, rank), orOnes(xDilation, rank),
      shape(low)};
  example.low.resize(rank, 0);
  return example;
}

std::vector<WindowExample> keratin::tests::windowExamples() {
  return {
      windows("vector", "5", "3", {3}),
      windows("scalar", "", "", {}),
      windows("apart", "2;6", "2;3", {1, 2}, {1, 2}),
      windows("with gaps", "7", "3", {2}, {3}),
      windows("padded", "2;5;3", "2;3;3", {1, 3, 1}, {1, 2, 1}, "0;1;0"),
      windows("padded far", "3", "7", {2}, {}, "4"),
      windows("padded below zero", "6", "3", {2}, {}, "-2"),
      windows("image", "2;4;5;2", "2;2;3;2", {1, 2, 2, 1}, {1, 2, 2, 1}, "0;0;1;0"),
      windows("channels first", "1;2;4;4", "1;2;3;3", {1, 1, 2, 2}),
      windows("overlapping", "1;5;4;2", "1;5;4;2", {1, 3, 3, 1}, {}, "0;1;1;0"),
      windows("rank 5", "1;3;4;3;2", "1;2;2;3;2", {1, 2, 2, 3, 1}, {1, 2, 2, 1, 1}, "0;1;0;1;0"),
      windows("every dimension", "3;2;3", "2;2;2", {2, 2, 2}, {1, 1, 2}, "0;1;1"),
      windows("larger than x", "2;3", "2;2", {5, 7}, {1, 2}, "2;3"),
      windows("far larger than x", "3", "2", {1000000000}, {}, "999999999"),
      windows("empty", "0;3", "0;2", {1, 2}),
      windows("no windows", "2;3", "2;0", {1, 4}),
      windows("of nothing", "0", "3", {2}, {}, "1"),
      windows("one element", "1;1", "1;1", {1, 1}),
      windows("unknown batch", "d0;4", "d0;2", {1, 3}, {1, 2}, "0;1"),
      windows("unknown width", "2;d0;d1;2", "2;ceildiv(d0, 2);ceildiv(d1, 2);2", {1, 2, 3, 1},
              {1, 2, 2, 1}, "0;0;1;0"),
      windows("unknown padding", "d0", "d0 + 2*d1", {3}, {}, "d1"),
      windows("dilated", "4", "7", {3}, {}, "1", {2}),
      windows("dilated and strides", "2;5", "2;4", {2, 4}, {1, 2}, "1;3", {2, 3}),
      windows("dilated, unknown", "d0;3", "2*d0;3", {3, 1}, {}, "1;0", {2, 1}),
  };
}

std::vector<WindowExample> keratin::tests::largeWindowExamples() {
  return {
      windows("2x2", "2;14;18;37", "2;7;9;37", {1, 2, 2, 1}, {1, 2, 2, 1}),
      windows("3x3 by two", "1;15;17;20", "1;8;9;20", {1, 3, 3, 1}, {1, 2, 2, 1}, "0;1;1;0"),
      windows("3x3", "1;9;33;17", "1;9;33;17", {1, 3, 3, 1}, {}, "0;1;1;0"),
      windows("channels first", "2;5;20;40", "2;5;10;20", {1, 1, 2, 2}, {1, 1, 2, 2}),
      windows("channels first 3x3", "1;3;17;35", "1;3;17;35", {1, 1, 3, 3}, {}, "0;0;1;1"),
      windows("long vector", "1000", "991", {10}),
      windows("global", "3;8;8;19", "3;1;1;19", {1, 8, 8, 1}),
      windows("unknown", "d0;d1 + 5;d2 + 6;18", "d0;d1 + 5;d2 + 6;18", {1, 3, 2, 1}, {}, "0;1;0;0"),
      windows("gradient by two", "1;8;9;20", "1;15;17;20", {1, 3, 3, 1}, {}, "0;1;1;0",
              {1, 2, 2, 1}),
  };
}
