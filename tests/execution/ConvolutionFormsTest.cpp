// Convolutions in formats, steps and sizes that choose among forms and meet the edges of their
// tiles, as compiled code against the reference interpreter: by whatever target is tested, the
// device "cuda" above all.
#include "tests/execution/SweepHarness.h"

#include "ir/builder/GraphMath.h"
#include "ir/interfaces/ConvolutionShape.h"

#include <catch2/catch.hpp>

using namespace keratin;
using namespace keratin::ir;
using namespace keratin::tests;
using namespace mlir;

using Values = std::vector<Value>;

namespace {

DimExpr d(int64_t symbol) { return DimExpr::symbol(symbol); }

// A forward convolution; images are padded so that each has as many outputs as its stride leaves.
struct Problem {
  bool channelsFirst = false;
  DimExpr batch = 2;
  std::vector<DimExpr> image;
  std::vector<int64_t> window;
  DimExpr groups = 1, channels = 1, filters = 1; // of a group
  int64_t stride = 1, dilation = 1;
  keratin_dtype_t dtype = KERATIN_DTYPE_FLOAT32;
  Elements elements = Elements::Any;
};

struct Built {
  Shape x, filter, y;
  GraphMath::ConvolutionWindows windows;
};

Built build(const Problem &problem) {
  Built result;
  std::string digits;
  std::vector<DimExpr> outputs, taps;
  for (size_t j = 0; j < problem.window.size(); ++j) {
    digits += char('0' + j);
    taps.push_back(problem.window[j]);
    outputs.push_back(*ceildiv(problem.image[j], problem.stride));
    result.windows.low.push_back((problem.window[j] - 1) * problem.dilation / 2);
  }
  // "b01gc,01gcf->b01gf", "bgc01,01gcf->bgf01"
  auto letters = [&](const char *channels) {
    return problem.channelsFirst ? "b" + (channels + digits) : "b" + digits + channels;
  };
  result.windows.dims = letters("gc") + "," + digits + "gcf->" + letters("gf");
  auto shape = [&](const std::vector<DimExpr> &places, const DimExpr &inner) {
    Shape dims = {problem.batch};
    if (problem.channelsFirst)
      dims.insert(dims.end(), {problem.groups, inner});
    dims.insert(dims.end(), places.begin(), places.end());
    if (!problem.channelsFirst)
      dims.insert(dims.end(), {problem.groups, inner});
    return dims;
  };
  result.x = shape(problem.image, problem.channels);
  result.y = shape(outputs, problem.filters);
  result.filter = Shape(taps.begin(), taps.end());
  result.filter.insert(result.filter.end(), {problem.groups, problem.channels, problem.filters});
  size_t count = problem.window.size();
  result.windows.strides.assign(count, problem.stride);
  result.windows.dilation.assign(count, problem.dilation);
  result.windows.xDilation.assign(count, 1);
  result.windows.reversed.assign(count, false);
  return result;
}

enum class Part { Forward, Data, Filter };

// Of x and the filter; of dy and the filter; of x and dy.
SweepCase caseOf(const Problem &problem, Part part) {
  Built built = build(problem);
  const char *names[] = {"y", "dx", "dfilter"};
  SweepInput x = {built.x, problem.dtype, problem.elements};
  SweepInput filter = {built.filter, problem.dtype, problem.elements};
  SweepInput dy = {built.y, problem.dtype, problem.elements};
  std::vector<SweepInput> inputs = part == Part::Forward ? std::vector<SweepInput>{x, filter}
                                   : part == Part::Data  ? std::vector<SweepInput>{dy, filter}
                                                         : std::vector<SweepInput>{x, dy};
  std::string label = built.windows.dims + " " + toString(built.x) + " " + toString(built.filter) +
                      " " + dtypeName(problem.dtype) + " " + names[int(part)];
  return {label, inputs, [=](GraphMath &math, ValueRange xs) -> Values {
            if (part == Part::Forward)
              return {math.convolution(xs[0], xs[1], built.windows, built.y)};
            // The rules of gradients say which convolution it is; the forward one goes.
            auto zeros = [&](const Shape &shape) {
              return math.splat(0, getTensorType(shape, getElementType(xs[0])));
            };
            Value ofX = part == Part::Data ? zeros(built.x) : xs[0];
            Value ofFilter = part == Part::Data ? xs[1] : zeros(built.filter);
            Value y = math.convolution(ofX, ofFilter, built.windows, built.y);
            auto op = y.getDefiningOp<ConvolutionOp>();
            SmallVector<Value> gradients;
            (void)op.buildVjp(math.builder(), {xs[part == Part::Data ? 0 : 1]}, gradients);
            Value unused = gradients[part == Part::Data ? 1 : 0];
            unused.getDefiningOp()->erase();
            op.erase();
            (part == Part::Data ? ofX : ofFilter).getDefiningOp()->erase();
            return {gradients[part == Part::Data ? 0 : 1]};
          }};
}

void checkAll(llvm::ArrayRef<Problem> problems, std::vector<Symbols> calls = {},
              bool hasTf32Products = false) {
  std::vector<SweepCase> cases;
  for (const Problem &problem : problems)
    for (Part part : {Part::Forward, Part::Data, Part::Filter})
      cases.push_back(caseOf(problem, part));
  Sweep sweep;
  sweep.hasTf32Products = hasTf32Products;
  if (calls.empty())
    sweep.calls.resize(1);
  else
    sweep.calls = std::move(calls);
  sweep.check(cases, 3);
  CHECK(sweep.refused.empty());
}

} // namespace

TEST_CASE("depthwise convolutions", "[convolution]") {
  std::vector<Problem> problems;
  for (bool channelsFirst : {false, true}) {
    problems.push_back({channelsFirst, 2, {17, 19}, {3, 3}, 8});
    problems.push_back({channelsFirst, 1, {17, 20}, {3, 3}, 36, 1, 1, 2});
    problems.push_back({channelsFirst, 1, {18, 16}, {3, 2}, 7, 1, 2, 1, 2});
    problems.push_back({channelsFirst, 1, {32, 9}, {5, 5}, 4, 1, 1, 3, 2});
    problems.push_back({channelsFirst, 1, {300}, {4}, 12});
    problems.push_back({channelsFirst, 1, {7, 8, 9}, {2, 3, 2}, 4, 1, 1, 2});
  }
  checkAll(problems);
}

TEST_CASE("depthwise convolutions of unknown sizes", "[convolution]") {
  checkAll({{false, d(0), {18, 19}, {3, 3}, 8},
            {true, d(0), {d(1), d(2)}, {3, 3}, 5},
            {false, 2, {d(1), d(2)}, {3, 3}, 8, 1, 1, 2},
            {false, d(0), {d(1)}, {3}, 32}},
           {{{0, 2}, {1, 40}, {2, 9}}, {{0, 1}, {1, 7}, {2, 33}}, {{0, 0}, {1, 3}, {2, 1}}});
}

TEST_CASE("convolutions as products", "[convolution]") {
  std::vector<Problem> problems;
  for (bool channelsFirst : {false, true}) {
    problems.push_back({channelsFirst, 2, {7, 9}, {3, 3}, 1, 20, 36});
    problems.push_back({channelsFirst, 1, {11, 8}, {3, 3}, 1, 9, 33, 2});
    problems.push_back({channelsFirst, 1, {16, 7}, {5, 2}, 1, 4, 12, 3, 2});
    problems.push_back({channelsFirst, 1, {7, 6}, {3, 3}, 3, 5, 20, 2});
    problems.push_back({channelsFirst, 3, {30}, {9}, 1, 6, 16});
    problems.push_back({channelsFirst, 1, {4, 5, 6}, {2, 3, 2}, 1, 8, 16, 2});
  }
  checkAll(problems);
}

TEST_CASE("convolutions as products of unknown sizes", "[convolution]") {
  checkAll({{false, d(0), {10, 9}, {3, 3}, 1, 8, 12},
            {true, d(0), {d(1), d(2)}, {3, 3}, 1, 6, 8, 2},
            {false, 2, {d(1), 9}, {3, 3}, 1, d(0), 16},
            {false, 1, {d(2)}, {3}, d(0), 5, d(1)}},
           {{{0, 4}, {1, 20}, {2, 9}}, {{0, 3}, {1, 5}, {2, 17}}, {{0, 0}, {1, 3}, {2, 1}}});
}

TEST_CASE("filters whose gradients blocks share", "[convolution]") {
  checkAll({{false, 4, {16, 16}, {3, 3}, 1, 8, 8},
            {true, 4, {16, 16}, {3, 3}, 1, 4, 12},
            {false, d(0), {20, 20}, {3, 3}, 1, 8, 20, 2}},
           {{{0, 3}, {1, 1}, {2, 1}}, {{0, 1}, {1, 1}, {2, 1}}});
}

TEST_CASE("convolutions of all dtypes", "[convolution]") {
  std::vector<Problem> problems;
  for (keratin_dtype_t dtype :
       {KERATIN_DTYPE_FLOAT16, KERATIN_DTYPE_BFLOAT16, KERATIN_DTYPE_FLOAT64, KERATIN_DTYPE_INT8}) {
    problems.push_back({false, 1, {17, 16}, {3, 3}, 8, 1, 1, 1, 1, dtype});
    problems.push_back({false, 1, {5, 6}, {3, 3}, 1, 8, 24, 2, 1, dtype});
  }
  checkAll(problems);
}

// Many places and filters: tiles as large as warpgroups want them.
TEST_CASE("convolutions of halves in large tiles", "[convolution]") {
  std::vector<Problem> problems;
  for (bool channelsFirst : {false, true})
    problems.push_back({channelsFirst,
                        d(0),
                        {d(1), d(2)},
                        {3, 3},
                        1,
                        8,
                        72,
                        1,
                        1,
                        channelsFirst ? KERATIN_DTYPE_BFLOAT16 : KERATIN_DTYPE_FLOAT16});
  checkAll(problems, {{{0, 2}, {1, 9}, {2, 8}}, {{0, 1}, {1, 3}, {2, 17}}});
}

TEST_CASE("convolutions in tf32", "[convolution]") {
  std::vector<Problem> problems;
  for (bool channelsFirst : {false, true}) {
    problems.push_back({channelsFirst, 2, {7, 9}, {3, 3}, 1, 20, 36});
    problems.push_back({channelsFirst, 1, {11, 8}, {3, 3}, 1, 9, 33, 2});
    problems.push_back({channelsFirst, 1, {7, 6}, {3, 3}, 3, 5, 20, 2});
    problems.push_back({channelsFirst, d(0), {d(1), d(2)}, {3, 3}, 1, 8, 24});
  }
  // Direct: in float32.
  problems.push_back({false, 2, {17, 19}, {3, 3}, 8});
  for (Problem &problem : problems)
    problem.elements = Elements::Fine;
  checkAll(problems, {{{0, 3}, {1, 9}, {2, 11}}}, /*hasTf32Products=*/true);
}
