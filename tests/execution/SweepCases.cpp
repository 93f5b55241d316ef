#include "tests/execution/SweepCases.h"

#include "ir/builder/MatrixMath.h"
#include "ir/reference/HostConversions.h"
#include "tests/execution/GivenGradientExamples.h"
#include "tests/execution/LoopExamples.h"
#include "tests/execution/WindowExamples.h"

#include <numeric>

using namespace keratin;
using namespace keratin::ir;
using namespace keratin::tests;
using namespace mlir;

using Axes = std::vector<int64_t>;
using Values = std::vector<Value>;

std::vector<keratin_dtype_t> keratin::tests::allDtypes() {
  return {KERATIN_DTYPE_FLOAT32,  KERATIN_DTYPE_FLOAT64, KERATIN_DTYPE_FLOAT16,
          KERATIN_DTYPE_BFLOAT16, KERATIN_DTYPE_INT32,   KERATIN_DTYPE_INT64,
          KERATIN_DTYPE_INT8,     KERATIN_DTYPE_INT16,   KERATIN_DTYPE_UINT8,
          KERATIN_DTYPE_UINT16,   KERATIN_DTYPE_UINT32,  KERATIN_DTYPE_UINT64,
          KERATIN_DTYPE_BOOL};
}

static std::vector<keratin_dtype_t> numberDtypes() {
  std::vector<keratin_dtype_t> dtypes = allDtypes();
  dtypes.pop_back();
  return dtypes;
}

static std::vector<keratin_dtype_t> integerDtypes() {
  return {KERATIN_DTYPE_INT32, KERATIN_DTYPE_INT64,  KERATIN_DTYPE_INT8,   KERATIN_DTYPE_INT16,
          KERATIN_DTYPE_UINT8, KERATIN_DTYPE_UINT16, KERATIN_DTYPE_UINT32, KERATIN_DTYPE_UINT64};
}

// The next dtype each time: instances times dtypes would be too many to compile.
static keratin_dtype_t nextOf(const std::vector<keratin_dtype_t> &dtypes, size_t &counter) {
  return dtypes[counter++ % dtypes.size()];
}

static DimExpr d(int64_t id) { return DimExpr::symbol(id); }

// "d0, 2*d1": a shape as it is printed.
static Shape shape(StringRef text) {
  Shape dims;
  SmallVector<StringRef> parts;
  text.split(parts, ';', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts)
    dims.push_back(DimExpr::parse(std::string_view(part.trim())).value());
  return dims;
}

// Shapes of every rank, with sizes 0 and 1 and unknown ones.
static std::vector<Shape> shapes() {
  return {shape(""),         shape("1"),         shape("0"),         shape("37"),
          shape("d0"),       shape("3;5"),       shape("1;19"),      shape("d0;1"),
          shape("d1;d0"),    shape("2;0;3"),     shape("4;1;9"),     shape("d0;5;d2"),
          shape("2;3;1;17"), shape("d0;d1;1;4"), shape("2;1;3;2;5"), shape("d1;2;d0;1;3")};
}

static Axes iotaAxes(size_t rank) {
  Axes axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

static std::string axesText(ArrayRef<int64_t> axes) {
  std::string text = "[";
  for (int64_t axis : axes)
    text += std::to_string(axis) + " ";
  return text + "]";
}

static Type elementType(GraphMath &math, keratin_dtype_t dtype) {
  return elementTypeOf(dtype, math.builder().getContext());
}

//===-- Creation ------------------------------------------------------------------------------===//

static std::vector<SweepCase> constantCases() {
  std::vector<SweepCase> cases;
  for (keratin_dtype_t dtype : allDtypes())
    for (const char *dims : {"", "0", "7", "2;3"}) {
      SweepInput input{shape(dims), dtype, Elements::Special};
      cases.push_back(
          {std::string("constant ") + dtypeName(dtype) + " (" + dims + ")",
           {},
           [=](GraphMath &math, ValueRange) -> Values {
             HostTensor value = sweepTensor(input, {}, 7);
             auto type = getTensorType(input.shape, elementType(math, dtype));
             return {math.builder().create<ConstantOp>(math.location(), toElements(value, type))};
           }});
    }
  return cases;
}

static std::vector<SweepCase> iotaCases() {
  std::vector<SweepCase> cases;
  size_t counter = 0;
  for (const Shape &dims : shapes())
    for (int64_t axis = 0; axis < int64_t(dims.size()); ++axis) {
      keratin_dtype_t dtype = nextOf(numberDtypes(), counter);
      cases.push_back({"iota " + toString(dims) + " axis " + std::to_string(axis),
                       {{dims, KERATIN_DTYPE_BOOL}},
                       [=](GraphMath &math, ValueRange) -> Values {
                         auto type = getTensorType(dims, elementType(math, dtype));
                         return {math.iota(type, axis)};
                       }});
    }
  for (keratin_dtype_t dtype : numberDtypes()) // wraps and rounds
    cases.push_back({std::string("iota (5000,) ") + dtypeName(dtype),
                     {},
                     [=](GraphMath &math, ValueRange) -> Values {
                       return {math.iota(getTensorType({5000}, elementType(math, dtype)), 0)};
                     }});
  return cases;
}

static std::vector<SweepCase> dimCases() {
  std::vector<SweepCase> cases;
  for (keratin_dtype_t dtype : numberDtypes())
    cases.push_back(
        {std::string("dim ") + dtypeName(dtype),
         {{shape("d0;4;d2"), KERATIN_DTYPE_FLOAT32}},
         [=](GraphMath &math, ValueRange xs) -> Values {
           Values results;
           for (int64_t axis : {0, 1, 2})
             results.push_back(math.builder().create<DimOp>(
                 math.location(), getTensorType({}, elementType(math, dtype)), xs[0], axis));
           // As an operand too, not only as a result.
           auto type = getTensorType(getShape(xs[0]), elementType(math, dtype));
           results.push_back(math.broadcastScalar(results[2], getShape(type)));
           return results;
         }});
  return cases;
}

static std::vector<SweepCase> randomBitsCases() {
  std::vector<SweepCase> cases;
  for (const Shape &dims : shapes())
    cases.push_back({"random_bits " + toString(dims),
                     {{{}, KERATIN_DTYPE_INT64, Elements::Special}, {dims, KERATIN_DTYPE_BOOL}},
                     [=](GraphMath &math, ValueRange xs) -> Values {
                       auto type = getTensorType(dims, elementType(math, KERATIN_DTYPE_UINT32));
                       return {math.builder().create<RandomBitsOp>(math.location(), type, xs[0],
                                                                   0x123456789abcdef)};
                     }});
  // From a line on, alone and among others.
  for (const Shape &dims : shapes())
    cases.push_back(
        {"random_bits from a line " + toString(dims),
         {{{}, KERATIN_DTYPE_INT64}, {{}, KERATIN_DTYPE_INT64}, {dims, KERATIN_DTYPE_BOOL}},
         [=](GraphMath &math, ValueRange xs) -> Values {
           auto type = getTensorType(dims, elementType(math, KERATIN_DTYPE_UINT32));
           Value line = math.mul(xs[1], xs[1]);
           Value bits = math.builder().create<RandomBitsOp>(math.location(), type, xs[0], line,
                                                            0x123456789abcdef);
           return {bits, math.add(bits, bits)};
         }});
  return cases;
}

//===-- Moves ---------------------------------------------------------------------------------===//

namespace {
// A move as a list of cases: each instance for its own dtype, a few for all.
class Moves {
public:
  explicit Moves(const char *op) : op(op) {}
  using Build = std::function<Value(GraphMath &, ValueRange)>;

  void add(const std::string &label, const Shape &dims, Build build, int64_t smallest = 0,
           std::vector<SweepInput> more = {}) {
    std::vector<SweepInput> inputs{{dims, nextOf(allDtypes(), counter), Elements::Special}};
    inputs.insert(inputs.end(), more.begin(), more.end());
    cases.push_back({std::string(op) + " " + toString(dims) + " " + label, inputs,
                     [=](GraphMath &math, ValueRange xs) -> Values { return {build(math, xs)}; },
                     smallest});
  }
  std::vector<SweepCase> cases;

private:
  const char *op;
  size_t counter = 0;
};
} // namespace

static std::vector<SweepCase> reshapeCases() {
  Moves moves("reshape");
  auto add = [&](const char *from, const char *to, int64_t smallest = 0) {
    moves.add(
        std::string("to (") + to + ")", shape(from),
        [to = shape(to)](GraphMath &math, ValueRange xs) { return math.reshape(xs[0], to); },
        smallest);
  };
  add("2;3", "3;2");
  add("6", "2;1;3");
  add("", "1;1");
  add("1;1", "");
  add("0;3", "0");
  add("d0;4", "4*d0");
  add("d0;d1;6", "d0;2;3*d1");
  add("d0;1;d2", "d0;d2");
  add("d0", "1;d0;1");
  add("2;3;4;5", "120");
  return moves.cases;
}

static std::vector<SweepCase> broadcastCases() {
  Moves moves("broadcast");
  auto add = [&](const char *from, const char *to, Axes dims) {
    moves.add(std::string("to (") + to + ") " + axesText(dims), shape(from),
              [=, to = shape(to)](GraphMath &math, ValueRange xs) -> Value {
                return math.builder().create<BroadcastOp>(
                    math.location(), getTensorType(to, getElementType(xs[0])), xs[0], dims);
              });
  };
  for (int i = 0; i < 3; ++i) { // each for several dtypes
    add("", "", {});
    add("", "3;5", {});
    add("5", "3;5", {1});
    add("3", "3;5", {0});
    add("1;5", "3;5", {0, 1});
    add("3;1", "3;5", {0, 1});
    add("1;1", "3;5", {0, 1});
    add("2;3", "2;4;3", {0, 2});
    add("2;1;4", "2;3;4", {0, 1, 2});
    add("d0", "d0;17", {0});
    add("d0", "4;d0", {1});
    add("1", "d0", {0});
    add("", "d0;d2", {});
    add("1;d2", "d0;d2", {0, 1});
    add("d0;1;d1", "d0;d2;d1", {0, 1, 2});
    add("2;1", "0;2;5", {1, 2});
    add("1", "0", {0});
    add("3;1;2", "3;2;4;2;2", {0, 2, 4});
    add("d1;1;d0", "d1;2;d2;d0;3", {0, 1, 3});
  }
  return moves.cases;
}

static std::vector<SweepCase> transposeCases() {
  Moves moves("transpose");
  for (const Shape &dims : shapes()) {
    Axes permutation = iotaAxes(dims.size());
    int taken = 0;
    do {
      // Of the 24 and 120 of high ranks, some.
      if (dims.size() > 3 && taken++ % (dims.size() == 4 ? 3 : 13))
        continue;
      moves.add(axesText(permutation), dims, [=](GraphMath &math, ValueRange xs) -> Value {
        return math.builder().create<TransposeOp>(math.location(), xs[0], permutation);
      });
    } while (std::next_permutation(permutation.begin(), permutation.end()));
  }
  // Blocks of a vector's size and what is left of them, on either side and around other dimensions.
  auto addLarge = [&](const char *dims, Axes permutation) {
    moves.add(std::string("large ") + dims + ", " + axesText(permutation), shape(dims),
              [=](GraphMath &math, ValueRange xs) { return math.transpose(xs[0], permutation); });
  };
  addLarge("45;70", {1, 0});
  addLarge("16;32", {1, 0});
  addLarge("130;17", {1, 0});
  addLarge("19;3;33", {1, 2, 0});
  addLarge("19;3;33", {2, 1, 0});
  addLarge("2;18;1;21;3", {0, 3, 4, 2, 1});
  addLarge("d0;37;d1;20", {3, 0, 2, 1});
  return moves.cases;
}

static std::vector<SweepCase> sliceCases() {
  Moves moves("slice");
  auto add = [&](const char *from, const char *starts, const char *sizes, Axes strides,
                 int64_t smallest = 0) {
    moves.add(
        std::string("at (") + starts + ") of (" + sizes + ") by " + axesText(strides), shape(from),
        [=, starts = shape(starts), sizes = shape(sizes)](GraphMath &math, ValueRange xs) {
          return math.slice(xs[0], starts, sizes, strides);
        },
        smallest);
  };
  for (int i = 0; i < 3; ++i) {
    add("", "", "", {});
    add("40", "3", "30", {1});
    add("40", "1", "13", {3});
    add("5;4", "1;0", "2;2", {2, 3});
    add("3", "1", "0", {1});
    add("0;2", "0;1", "0;1", {1, 1});
    add("2;2;1;3", "0;1;0;0", "2;1;1;2", {1, 1, 1, 2});
    add("d0", "1", "d0 - 1", {1}, 1);
    add("d0;d2", "0;0", "ceildiv(d0, 2);d2", {2, 1});
    add("d0;d2", "0;1", "d0;ceildiv(d2 - 1, 2)", {1, 2}, 1);
    add("d0", "d0 - 1", "1", {1}, 1);
    add("d1;4;d0;2", "0;1;0;0", "d1;2;d0;1", {1, 2, 1, 1});
    add("2;3;4;2;5", "1;0;1;0;2", "1;2;3;2;2", {1, 2, 1, 1, 2});
  }
  return moves.cases;
}

static std::vector<SweepCase> padCases() {
  Moves moves("pad");
  auto add = [&](const char *from, const char *low, Axes interior, const char *to) {
    moves.add(std::string("low (") + low + ") interior " + axesText(interior) + " to (" + to + ")",
              shape(from), [=, low = shape(low), to = shape(to)](GraphMath &math, ValueRange xs) {
                return math.pad(xs[0], low, interior, to);
              });
  };
  for (int i = 0; i < 3; ++i) {
    add("", "", {}, "");
    add("2;3", "1;0", {1, 2}, "5;8");
    add("20", "3", {0}, "41");
    add("0;2", "1;0", {2, 0}, "3;2");
    add("1;2;1;2", "0;0;1;1", {0, 1, 0, 0}, "1;3;2;3");
    add("d0", "2", {1}, "2*d0 + 3");
    add("d0;d2", "1;0", {0, 0}, "d0 + 2;d2");
    add("d0;d2", "0;3", {0, 0}, "d0;d2 + 5");
    add("2;1;3;2;2", "0;1;0;2;0", {0, 0, 1, 0, 1}, "3;2;5;4;3");
  }
  // What all lanes share must not be read for rows of zeros: its place may lie outside.
  for (keratin_dtype_t dtype : {KERATIN_DTYPE_FLOAT32, KERATIN_DTYPE_INT8}) {
    SweepInput column{shape("d0"), dtype}, table{shape("7"), dtype};
    SweepInput indices{shape("d0"), KERATIN_DTYPE_INT32, Elements::Index, DimExpr(7)};
    auto spread = [](GraphMath &math, Value x) {
      return math.pad(math.broadcast(x, shape("d0;d2"), {0}), shape("1;2"), {0, 0},
                      shape("d0 + 3;d2 + 4"));
    };
    std::string of = std::string(" ") + dtypeName(dtype);
    moves.cases.push_back(
        {"pad a spread column" + of, {column}, [=](GraphMath &math, ValueRange xs) -> Values {
           return {spread(math, xs[0])};
         }});
    moves.cases.push_back({"pad a spread column of picked elements" + of,
                           {table, indices},
                           [=](GraphMath &math, ValueRange xs) -> Values {
                             return {spread(math, math.gather(xs[0], xs[1]))};
                           }});
  }
  return moves.cases;
}

static std::vector<SweepCase> concatenateCases() {
  std::vector<SweepCase> cases;
  auto add = [&](std::vector<const char *> parts, int64_t axis, keratin_dtype_t dtype) {
    std::vector<SweepInput> inputs;
    std::string label = std::string("concatenate ") + dtypeName(dtype);
    for (const char *part : parts) {
      inputs.push_back({shape(part), dtype, Elements::Special});
      label += std::string(" (") + part + ")";
    }
    cases.push_back({label, inputs, [=](GraphMath &math, ValueRange xs) -> Values {
                       return {math.builder().create<ConcatenateOp>(math.location(), xs, axis)};
                     }});
  };
  size_t counter = 0;
  for (int i = 0; i < 3; ++i) {
    add({"2;1", "2;3", "2;0"}, 1, nextOf(allDtypes(), counter));
    add({"5"}, 0, nextOf(allDtypes(), counter));
    add({"30", "17", "1"}, 0, nextOf(allDtypes(), counter));
    add({"d0;2", "3;2", "d1;2"}, 0, nextOf(allDtypes(), counter));
    add({"d0;d1", "d0;2", "d0;d2"}, 1, nextOf(allDtypes(), counter));
    add({"1;2;2", "1;1;2"}, 1, nextOf(allDtypes(), counter));
    add({"0", "0"}, 0, nextOf(allDtypes(), counter));
    add({"2;1;d0;3", "2;4;d0;3"}, 1, nextOf(allDtypes(), counter));
    add({"2;1;3;2;2", "2;1;3;1;2"}, 3, nextOf(allDtypes(), counter));
  }
  return cases;
}

static std::vector<SweepCase> reverseCases() {
  Moves moves("reverse");
  for (const Shape &dims : shapes())
    for (unsigned subset = 0; subset < 1u << dims.size(); ++subset) {
      if (dims.size() > 3 && subset % 5)
        continue;
      Axes axes;
      for (unsigned axis = 0; axis < dims.size(); ++axis)
        if (subset >> axis & 1)
          axes.push_back(axis);
      moves.add(axesText(axes), dims, [=](GraphMath &math, ValueRange xs) -> Value {
        return math.builder().create<ReverseOp>(math.location(), xs[0], axes);
      });
    }
  return moves.cases;
}

static std::vector<SweepCase> gatherCases() {
  Moves moves("gather");
  auto add = [&](const char *from, const char *places, keratin_dtype_t dtype, int64_t smallest) {
    SweepInput indices{shape(places), dtype, Elements::Index, shape(from)[0]};
    moves.add(std::string("at (") + places + ") " + dtypeName(dtype), shape(from),
              [](GraphMath &math, ValueRange xs) { return math.gather(xs[0], xs[1]); }, smallest,
              {indices});
  };
  for (keratin_dtype_t dtype : {KERATIN_DTYPE_INT64, KERATIN_DTYPE_INT32, KERATIN_DTYPE_UINT8}) {
    add("4;2", "3", dtype, 0);
    add("4", "", dtype, 0);
    add("3;2", "2;2", dtype, 0);
    add("3", "0", dtype, 0);
    add("3;0", "2", dtype, 0);
    add("d0;2", "d2", dtype, 1);
    add("d0;d1", "5;d2", dtype, 1);
    add("20;35", "50", dtype, 0);
    add("7;2;d0;3", "d1", dtype, 0);
    add("3;2;2;1;2", "", dtype, 0);
  }
  return moves.cases;
}

template <typename Op>
static std::vector<SweepCase> scatterCases(const std::vector<keratin_dtype_t> &dtypes) {
  std::vector<SweepCase> cases;
  size_t counter = 0;
  auto add = [&](const char *places, const char *updates, const char *to, int64_t smallest) {
    keratin_dtype_t dtype = nextOf(dtypes, counter);
    SweepInput indices{shape(places), counter % 2 ? KERATIN_DTYPE_INT64 : KERATIN_DTYPE_INT32,
                       Elements::Index, shape(to)[0]};
    cases.push_back({std::string(Op::getOperationName()) + " " + dtypeName(dtype) + " (" + updates +
                         ") to (" + to + ")",
                     {indices, {shape(updates), dtype, Elements::Any}},
                     [to = shape(to)](GraphMath &math, ValueRange xs) -> Values {
                       auto type = getTensorType(to, getElementType(xs[1]));
                       return {math.builder().create<Op>(math.location(), type, xs[0], xs[1])};
                     },
                     smallest});
  };
  for (int i = 0; i < 5; ++i) {
    add("3", "3;2", "4;2", 0);
    add("", "", "3", 0);
    add("0", "0;2", "2;2", 0);
    add("2;1", "2;1", "2", 0);
    add("d0", "d0;d2", "d1;d2", 1);
    add("200", "200;3", "5;3", 0);
    add("d0;d1", "d0;d1;2;d2", "6;2;d2", 0);
  }
  return cases;
}

static std::vector<SweepCase> scatterAddCases() {
  return scatterCases<ScatterAddOp>(numberDtypes());
}
static std::vector<SweepCase> scatterLastCases() {
  return scatterCases<ScatterLastOp>(integerDtypes());
}

static std::vector<SweepCase> scatterMaxCases() {
  return scatterCases<ScatterMaxOp>(numberDtypes());
}
static std::vector<SweepCase> scatterMinCases() {
  return scatterCases<ScatterMinOp>(numberDtypes());
}

static std::vector<SweepCase> dynamicSliceCases() {
  Moves moves("dynamic_slice");
  auto add = [&](const char *from, const char *sizes, keratin_dtype_t dtype) {
    std::vector<SweepInput> starts;
    for (auto [whole, part] : llvm::zip(shape(from), shape(sizes)))
      starts.push_back({{}, dtype, Elements::Index, *sub(*ir::add(whole, 1), part)});
    moves.add(
        std::string("of (") + sizes + ") " + dtypeName(dtype), shape(from),
        [sizes = shape(sizes)](GraphMath &math, ValueRange xs) -> Value {
          return math.builder().create<DynamicSliceOp>(
              math.location(), getTensorType(sizes, getElementType(xs[0])), xs[0], xs.drop_front());
        },
        0, starts);
  };
  for (keratin_dtype_t dtype : {KERATIN_DTYPE_INT64, KERATIN_DTYPE_INT32, KERATIN_DTYPE_INT8}) {
    add("4;3", "2;2", dtype);
    add("3", "1", dtype);
    add("3", "0", dtype);
    add("", "", dtype);
    add("d0 + 2;2", "2;2", dtype);
    add("d0 + 3;d2", "d0;d2", dtype);
    add("2;30;4", "1;20;3", dtype);
  }
  return moves.cases;
}

static std::vector<SweepCase> sparseDotCases() {
  std::vector<SweepCase> cases;
  size_t counter = 0;
  for (const char *sizes :
       {"5;3;4;7", "9;6;2;40", "4;2;3;1", "d0;3;5;d2", "0;2;3;4", "4;2;3;0", "3;1;6;130"}) {
    Shape dims = shape(sizes); // elements, rows, columns, columns of x
    for (int i = 0; i < 3; ++i) {
      keratin_dtype_t dtype = nextOf(numberDtypes(), counter);
      cases.push_back({std::string("sparse_dot ") + sizes + " " + dtypeName(dtype),
                       {{{dims[0]}, KERATIN_DTYPE_INT64, Elements::Index, dims[1]},
                        {{dims[0]}, KERATIN_DTYPE_INT64, Elements::Index, dims[2]},
                        {{dims[0]}, dtype, Elements::Any},
                        {{dims[2], dims[3]}, dtype, Elements::Any},
                        {{dims[1]}, KERATIN_DTYPE_BOOL}},
                       [=](GraphMath &math, ValueRange xs) -> Values {
                         auto type = getTensorType({dims[1], dims[3]}, getElementType(xs[3]));
                         return {math.builder().create<SparseDotOp>(math.location(), type, xs[0],
                                                                    xs[1], xs[2], xs[3])};
                       }});
    }
  }
  return cases;
}

//===-- Factorizations ------------------------------------------------------------------------===//

static std::vector<keratin_dtype_t> floatDtypes() {
  return {KERATIN_DTYPE_FLOAT32, KERATIN_DTYPE_FLOAT64, KERATIN_DTYPE_FLOAT16,
          KERATIN_DTYPE_BFLOAT16};
}

// Of a few blocks, of unknown size, of nothing.
static std::vector<SweepCase> choleskyCases() {
  std::vector<SweepCase> cases;
  size_t counter = 0;
  for (const char *sizes : {"1;1", "5;5", "2;3;4;4", "d0;d0", "d1;6;6", "2;d0;d0", "0;0", "2;0;0",
                            "0;3;3", "40;40", "2;70;70"})
    for (int i = 0; i < 2; ++i) {
      keratin_dtype_t dtype = nextOf(floatDtypes(), counter);
      cases.push_back({std::string("cholesky ") + sizes + " " + dtypeName(dtype),
                       {{shape(sizes), dtype, Elements::Small}},
                       [](GraphMath &math, ValueRange xs) -> Values {
                         Value square = matrixProduct(math, xs[0], xs[0], {false, true});
                         Value x = math.add(square, unitMatrices(math, square));
                         return {
                             math.builder().create<CholeskyOp>(math.location(), x.getType(), x)};
                       }});
    }
  return cases;
}

// Of real numbers, half or whole, and to real numbers.
static std::vector<SweepCase> realFftCases() {
  std::vector<SweepCase> cases;
  for (const char *sizes : {"2", "7", "64", "d1;96", "3;134", "d0"})
    for (bool inverse : {false, true}) {
      const Shape dims = shape(sizes);
      const SweepInput part{dims, inverse ? KERATIN_DTYPE_FLOAT32 : KERATIN_DTYPE_FLOAT64,
                            Elements::Small};
      auto fft = [=](GraphMath &g, Value re, Value im) {
        return g.builder().create<FftOp>(g.location(), re, im, inverse);
      };
      const std::string name = std::string(sizes) + (inverse ? " inverse" : "");
      cases.push_back({"fft of reals " + name, {part}, [=](GraphMath &g, ValueRange xs) -> Values {
                         auto op = fft(g, xs[0], g.zeroLike(xs[0]));
                         return {op.getYRe(), op.getYIm()};
                       }});
      cases.push_back(
          {"half a fft of reals " + name, {part}, [=](GraphMath &g, ValueRange xs) -> Values {
             auto op = fft(g, xs[0], g.zeroLike(xs[0]));
             Shape half = dims;
             half.back() = add(*floordiv(half.back(), DimExpr(2)), DimExpr(1)).value();
             if (!half.back().isConstant()) // which 0 has none of
               half.back() = *floordiv(dims.back(), DimExpr(2));
             const Shape starts(dims.size(), DimExpr(0));
             const std::vector<int64_t> strides(dims.size(), 1);
             return {g.slice(op.getYRe(), starts, half, strides),
                     g.slice(op.getYIm(), starts, half, strides)};
           }});
      cases.push_back(
          {"fft to reals " + name, {part, part}, [=](GraphMath &g, ValueRange xs) -> Values {
             return {fft(g, xs[0], xs[1]).getYRe()};
           }});
    }
  return cases;
}

// One stage and several, small ones and prime ones, lengths without small factors, unknown ones.
static std::vector<SweepCase> fftCases() {
  std::vector<SweepCase> cases;
  size_t counter = 0;
  for (const char *sizes : {"1", "0", "2", "5", "0;6", "3;0", "2;3;32", "d1;48", "3;61", "2;96",
                            "4096", "d1;67", "2;134", "d0", "d1;d0", "2;1000", "d1;2;64"}) {
    ++counter;
    for (bool inverse : {false, true}) {
      const keratin_dtype_t dtype =
          (counter + inverse) % 2 ? KERATIN_DTYPE_FLOAT64 : KERATIN_DTYPE_FLOAT32;
      const SweepInput part{shape(sizes), dtype, Elements::Small};
      cases.push_back(
          {std::string("fft ") + sizes + " " + dtypeName(dtype) + (inverse ? " inverse" : ""),
           {part, part},
           [=](GraphMath &math, ValueRange xs) -> Values {
             auto op = math.builder().create<FftOp>(math.location(), xs[0], xs[1], inverse);
             return {op.getYRe(), op.getYIm()};
           }});
    }
  }
  for (SweepCase &one : realFftCases())
    cases.push_back(std::move(one));
  return cases;
}

static std::vector<SweepCase> triangularSolveCases() {
  std::vector<SweepCase> cases;
  size_t counter = 0;
  for (auto [a, b] : {std::pair("1;1", "1;3"), std::pair("5;5", "5;1"), std::pair("2;4;4", "2;4;7"),
                      std::pair("d0;d0", "d0;d2"), std::pair("d1;3;3", "d1;3;2"),
                      std::pair("0;0", "0;2"), std::pair("3;3", "3;0"), std::pair("70;70", "70;9")})
    for (int form = 0; form < 8; ++form) {
      keratin_dtype_t dtype = nextOf(floatDtypes(), ++counter);
      const bool lower = form & 1, transposed = form & 2, unit = form & 4;
      cases.push_back({std::string("triangular_solve ") + a + " " + b + " " + dtypeName(dtype) +
                           " " + std::to_string(form),
                       {{shape(a), dtype, Elements::Small}, {shape(b), dtype, Elements::Small}},
                       [=](GraphMath &math, ValueRange xs) -> Values {
                         // Of ones on the diagonal beside such numbers, a few dozen rows would make
                         // anything.
                         Value scaled = math.scale(xs[0], 0.125);
                         return {math.builder().create<TriangularSolveOp>(
                             math.location(), xs[1].getType(), withDiagonal(math, scaled, 2), xs[1],
                             lower, transposed, unit)};
                       }});
    }
  return cases;
}

static std::vector<SweepCase> luCases() {
  std::vector<SweepCase> cases;
  size_t counter = 0;
  for (const char *sizes : {"1;1", "5;5", "3;7", "7;3", "2;3;4;4", "d0;d0", "d0;d2", "d1;6;5",
                            "0;0", "0;3", "3;0", "40;40", "36;70", "2;70;36"})
    for (int i = 0; i < 2; ++i) {
      keratin_dtype_t dtype = nextOf(floatDtypes(), counter);
      cases.push_back({std::string("lu ") + sizes + " " + dtypeName(dtype),
                       {{shape(sizes), dtype, Elements::Small}},
                       [=](GraphMath &math, ValueRange xs) -> Values {
                         Shape rows = getShape(xs[0]);
                         rows.pop_back();
                         auto op = math.builder().create<LuOp>(
                             math.location(), xs[0].getType(),
                             getTensorType(rows, math.builder().getI64Type()), xs[0]);
                         return {op.getFactors(), op.getPermutation()};
                       }});
    }
  return cases;
}

// Of a few panels, of unknown size, of nothing.
static const char *const rectangles[] = {"1;1",    "5;5", "3;7", "7;3",  "2;3;4;4", "d0;d2",  "0;0",
                                         "d1;6;5", "0;3", "3;0", "4;40", "36;70",   "2;70;36"};

static std::vector<SweepCase> qrCases() {
  std::vector<SweepCase> cases;
  size_t counter = 0;
  for (const char *sizes : rectangles)
    for (int i = 0; i < 2; ++i) {
      keratin_dtype_t dtype = nextOf(floatDtypes(), counter);
      cases.push_back({std::string("qr ") + sizes + " " + dtypeName(dtype),
                       {{shape(sizes), dtype, Elements::Small}},
                       [=](GraphMath &math, ValueRange xs) -> Values {
                         Shape q = getShape(xs[0]), r = q;
                         const size_t rank = q.size();
                         q[rank - 1] = r[rank - 2] = *min(q[rank - 2], q[rank - 1]);
                         Type element = getElementType(xs[0]);
                         auto op =
                             math.builder().create<QrOp>(math.location(), getTensorType(q, element),
                                                         getTensorType(r, element), xs[0]);
                         return {op.getQ(), op.getR()};
                       }});
    }
  return cases;
}

static std::vector<SweepCase> eighCases() {
  std::vector<SweepCase> cases;
  size_t counter = 0;
  for (const char *sizes : {"1;1", "5;5", "2;3;4;4", "d0;d0", "d1;6;6", "0;0", "0;3;3", "20;20"})
    for (int i = 0; i < 2; ++i) {
      keratin_dtype_t dtype = nextOf(floatDtypes(), counter);
      cases.push_back({std::string("eigh ") + sizes + " " + dtypeName(dtype),
                       {{shape(sizes), dtype, Elements::Small}},
                       [](GraphMath &math, ValueRange xs) -> Values {
                         Shape values = getShape(xs[0]);
                         values.pop_back();
                         auto op = math.builder().create<EighOp>(
                             math.location(), getTensorType(values, getElementType(xs[0])),
                             xs[0].getType(), xs[0]);
                         return {op.getValues(), op.getVectors()};
                       }});
    }
  return cases;
}

static std::vector<SweepCase> svdCases() {
  std::vector<SweepCase> cases;
  size_t counter = 0;
  for (const char *sizes : rectangles)
    for (int i = 0; i < 2; ++i) {
      keratin_dtype_t dtype = nextOf(floatDtypes(), counter);
      cases.push_back({std::string("svd ") + sizes + " " + dtypeName(dtype),
                       {{shape(sizes), dtype, Elements::Small}},
                       [=](GraphMath &math, ValueRange xs) -> Values {
                         Shape u = getShape(xs[0]), s = u, vt = u;
                         const size_t rank = u.size();
                         u[rank - 1] = vt[rank - 2] = *min(u[rank - 2], u[rank - 1]);
                         s.pop_back();
                         s.back() = u.back();
                         Type element = getElementType(xs[0]);
                         auto op = math.builder().create<SvdOp>(
                             math.location(), getTensorType(u, element), getTensorType(s, element),
                             getTensorType(vt, element), xs[0]);
                         return {op.getU(), op.getS(), op.getVt()};
                       }});
    }
  return cases;
}

//===-- Sizes that are computed ---------------------------------------------------------------===//

// Followed by an op of the size, and by one that has it without reading the result.
static std::vector<SweepCase> truncateCases() {
  Moves moves("truncate");
  // Several cases share a function: each computes a size of its own.
  int64_t symbol = 10;
  auto add = [&](const char *from, int64_t axis) {
    Shape whole = shape(from), part = whole;
    part[size_t(axis)] = DimExpr::symbol(symbol++);
    std::vector<SweepInput> size{
        {{}, KERATIN_DTYPE_INT64, Elements::Index, *ir::add(whole[size_t(axis)], 1)}};
    std::vector<SweepInput> inputs{{whole, KERATIN_DTYPE_FLOAT32, Elements::Special}, size[0]};
    moves.cases.push_back({"truncate " + toString(whole) + " along " + std::to_string(axis), inputs,
                           [=](GraphMath &math, ValueRange xs) -> Values {
                             Value y = math.builder().create<TruncateOp>(
                                 math.location(), getTensorType(part, getElementType(xs[0])), xs[0],
                                 xs[1], uint64_t(axis));
                             auto vector =
                                 getTensorType({part[size_t(axis)]}, math.builder().getF32Type());
                             return {y, math.neg(y), math.splat(2.0, vector)};
                           }});
    part[size_t(axis)] = DimExpr::symbol(symbol++);
    moves.add(
        "along " + std::to_string(axis), whole,
        [=](GraphMath &math, ValueRange xs) -> Value {
          return math.builder().create<TruncateOp>(math.location(),
                                                   getTensorType(part, getElementType(xs[0])),
                                                   xs[0], xs[1], uint64_t(axis));
        },
        0, size);
  };
  for (int i = 0; i < 3; ++i) {
    add("5", 0);
    add("0", 0);
    add("4;3", 0);
    add("4;3", 1);
    add("2;40;3", 1);
    add("d0", 0);
    add("d0;d1;2", 1);
    add("300;d1", 0);
  }
  return moves.cases;
}

static std::vector<SweepCase> ctcBeamSearchCases() {
  std::vector<SweepCase> cases;
  size_t counter = 0;
  std::vector<keratin_dtype_t> floats = allDtypes();
  floats.resize(4);
  auto add = [&](const char *logits, int64_t width, int64_t paths) {
    Shape x = shape(logits), rows{x[0], paths};
    keratin_dtype_t length = counter % 2 ? KERATIN_DTYPE_INT64 : KERATIN_DTYPE_UINT8;
    keratin_dtype_t dtype = nextOf(floats, counter);
    // One length more than there are frames is left out: sizes of 0 have no such element.
    cases.push_back({"ctc_beam_search " + toString(x) + " width " + std::to_string(width),
                     {{x, dtype, Elements::Any}, {{x[0]}, length, Elements::Index, x[1]}},
                     [=](GraphMath &math, ValueRange xs) -> Values {
                       OpBuilder &b = math.builder();
                       auto search = b.create<CtcBeamSearchOp>(
                           math.location(),
                           TypeRange{getTensorType({x[0], paths, x[1]}, b.getI64Type()),
                                     getTensorType(rows, b.getI64Type()),
                                     getTensorType(rows, getElementType(xs[0]))},
                           xs[0], xs[1], uint64_t(width));
                       return {search.getLabels(), search.getCounts(),
                               search.getLogProbabilities()};
                     },
                     1});
  };
  for (int i = 0; i < 3; ++i) {
    add("2;4;3", 5, 1);
    add("1;6;4", 1, 1);
    add("3;2;1", 4, 1);
    add("0;3;2", 2, 2);
    add("d0;5;3", 7, 1);
    add("d0;d1;4", 3, 1);
    add("5;12;6", 40, 1);
  }
  return cases;
}

static std::vector<SweepCase> checkRangeCases() {
  std::vector<SweepCase> cases;
  size_t counter = 0;
  std::vector<keratin_dtype_t> dtypes = numberDtypes();
  dtypes.erase(dtypes.begin(), dtypes.begin() + 4); // the integers
  for (const Shape &dims : shapes())
    cases.push_back({"check_range " + toString(dims),
                     {{dims, nextOf(dtypes, counter), Elements::Index, DimExpr(100)}},
                     [](GraphMath &math, ValueRange xs) -> Values {
                       MLIRContext *context = math.builder().getContext();
                       return {math.builder().create<CheckRangeOp>(
                           math.location(), xs[0].getType(), xs[0],
                           DimsAttr::get(context, Shape{0}), DimsAttr::get(context, Shape{100}),
                           "sweep: outside [0, 100)")};
                     }});
  return cases;
}

static std::vector<SweepCase> dynamicUnsliceCases() {
  Moves moves("dynamic_unslice");
  auto add = [&](const char *from, const char *sizes, keratin_dtype_t dtype) {
    std::vector<SweepInput> starts;
    for (auto [part, whole] : llvm::zip(shape(from), shape(sizes)))
      starts.push_back({{}, dtype, Elements::Index, *sub(*ir::add(whole, 1), part)});
    moves.add(
        std::string("in (") + sizes + ") " + dtypeName(dtype), shape(from),
        [sizes = shape(sizes)](GraphMath &math, ValueRange xs) -> Value {
          return math.builder().create<DynamicUnsliceOp>(
              math.location(), getTensorType(sizes, getElementType(xs[0])), xs[0], xs.drop_front());
        },
        0, starts);
  };
  for (keratin_dtype_t dtype : {KERATIN_DTYPE_INT64, KERATIN_DTYPE_INT32, KERATIN_DTYPE_INT8}) {
    add("2;2", "4;3", dtype);
    add("", "", dtype);
    add("0", "3", dtype);
    add("d0", "d0 + 1", dtype);
    add("d0;d2", "d0 + 3;d2", dtype);
    add("1;20;3", "2;30;4", dtype);
  }
  return moves.cases;
}

//===-- Reductions and scans ------------------------------------------------------------------===//

// All subsets of the axes; ranks 0 to 3 for every dtype the op takes, beyond for one each.
template <typename Op>
static std::vector<SweepCase> reductionCases(const char *name, std::vector<keratin_dtype_t> dtypes,
                                             Elements elements) {
  std::vector<SweepCase> cases;
  size_t counter = 0;
  auto add = [&](const Shape &dims, keratin_dtype_t dtype) {
    cases.push_back({std::string(name) + " " + dtypeName(dtype) + " " + toString(dims),
                     {{dims, dtype, elements}},
                     [](GraphMath &math, ValueRange xs) -> Values {
                       Values results;
                       unsigned rank = getTensorType(xs[0]).getRank();
                       for (unsigned subset = 0; subset < 1u << rank; ++subset) {
                         Axes axes;
                         for (unsigned axis = 0; axis < rank; ++axis)
                           if (subset >> axis & 1)
                             axes.push_back(axis);
                         results.push_back(math.builder().create<Op>(math.location(), xs[0], axes));
                       }
                       return results;
                     }});
  };
  for (const Shape &dims : shapes())
    add(dims, nextOf(dtypes, counter));
  for (keratin_dtype_t dtype : dtypes)
    add(shape("d0;5;d2"), dtype);
  for (const char *dims : {"1030", "5000", "70;9", "3;d2;11;d0"})
    add(shape(dims), nextOf(dtypes, counter));
  return cases;
}

template <typename Op, Elements elements = Elements::Any>
static std::vector<SweepCase> numberReductionCases() {
  std::vector<SweepCase> cases =
      reductionCases<Op>(Op::getOperationName().data(), numberDtypes(), elements);
  std::vector<SweepCase> special =
      reductionCases<Op>(Op::getOperationName().data(),
                         {KERATIN_DTYPE_FLOAT32, KERATIN_DTYPE_FLOAT64}, Elements::Special);
  cases.insert(cases.end(), special.begin() + 4, special.end());
  return cases;
}

template <typename Op> static std::vector<SweepCase> boolReductionCases() {
  return reductionCases<Op>(Op::getOperationName().data(), {KERATIN_DTYPE_BOOL}, Elements::Any);
}

template <typename Op> static std::vector<SweepCase> argReductionCases() {
  std::vector<SweepCase> cases;
  size_t counter = 0;
  for (Elements elements : {Elements::Any, Elements::Special})
    for (const Shape &dims : shapes()) {
      keratin_dtype_t dtype = nextOf(allDtypes(), counter);
      if (llvm::is_contained(dims, DimExpr(0)))
        continue;
      for (int64_t axis = 0; axis < int64_t(dims.size()); ++axis)
        cases.push_back({std::string(Op::getOperationName()) + " " + dtypeName(dtype) + " " +
                             toString(dims) + " axis " + std::to_string(axis),
                         {{dims, dtype, elements}},
                         [=](GraphMath &math, ValueRange xs) -> Values {
                           return {math.builder().create<Op>(math.location(), xs[0], axis)};
                         },
                         /*smallest=*/1});
    }
  return cases;
}

// Of few numbers, so that there are ties; of special ones; and of long lines.
static std::vector<SweepCase> topKCases() {
  std::vector<SweepCase> cases;
  size_t counter = 0;
  auto add = [&](const char *from, const char *k, Elements elements, int64_t smallest) {
    keratin_dtype_t dtype = nextOf(allDtypes(), counter);
    Shape dims = shape(from), result = dims;
    result.back() = shape(k)[0];
    cases.push_back({std::string("top_k ") + dtypeName(dtype) + " (" + from + ") k " + k,
                     {{dims, dtype, elements}},
                     [=](GraphMath &math, ValueRange xs) -> Values {
                       auto type = getTensorType(result, math.builder().getI64Type());
                       return {math.builder().create<TopKOp>(math.location(), type, xs[0])};
                     },
                     smallest});
  };
  for (Elements elements : {Elements::Any, Elements::Special})
    for (int i = 0; i < 7; ++i) {
      add("7", "3", elements, 0);
      add("1", "1", elements, 0);
      add("2;3;40", "5", elements, 0);
      add("3;17", "17", elements, 0);
      add("0;5", "2", elements, 0);
      add("2;5", "0", elements, 0);
      add("d0;d1", "2", elements, 2);
      add("2;d1", "d1", elements, 1);
      add("2;700", "40", elements, 0);
      add("2;700", "700", elements, 0);
      add("3;64", "2", elements, 0);
      add("9000", "500", elements, 0);
      add("9;2", "2", elements, 0);
    }
  return cases;
}

template <typename Op> static std::vector<SweepCase> scanCases() {
  std::vector<SweepCase> cases;
  size_t counter = 0;
  for (const Shape &dims : shapes())
    for (int64_t axis = 0; axis < int64_t(dims.size()); ++axis) {
      keratin_dtype_t dtype = nextOf(numberDtypes(), counter);
      cases.push_back({std::string(Op::getOperationName()) + " " + dtypeName(dtype) + " " +
                           toString(dims) + " axis " + std::to_string(axis),
                       {{dims, dtype, Elements::Any}},
                       [=](GraphMath &math, ValueRange xs) -> Values {
                         Values results;
                         for (bool exclusive : {false, true})
                           for (bool reverse : {false, true})
                             results.push_back(math.builder().create<Op>(math.location(),
                                                                         xs[0].getType(), xs[0],
                                                                         axis, exclusive, reverse));
                         return results;
                       }});
    }
  return cases;
}

template <typename Op>
static std::vector<SweepCase> runningCases(const std::vector<keratin_dtype_t> &dtypes) {
  std::vector<SweepCase> cases;
  size_t counter = 0;
  for (const Shape &dims : shapes())
    for (int64_t axis = 0; axis < int64_t(dims.size()); ++axis) {
      keratin_dtype_t dtype = nextOf(dtypes, counter);
      cases.push_back({std::string(Op::getOperationName()) + " " + dtypeName(dtype) + " " +
                           toString(dims) + " axis " + std::to_string(axis),
                       {{dims, dtype, Elements::Any}},
                       [=](GraphMath &math, ValueRange xs) -> Values {
                         Values results;
                         for (bool reverse : {false, true})
                           results.push_back(math.builder().create<Op>(
                               math.location(), xs[0].getType(), xs[0], axis, reverse));
                         return results;
                       }});
    }
  return cases;
}

static std::vector<SweepCase> cummaxCases() { return runningCases<CummaxOp>(numberDtypes()); }
static std::vector<SweepCase> cumminCases() { return runningCases<CumminOp>(numberDtypes()); }
static std::vector<SweepCase> cumlogsumexpCases() {
  return runningCases<CumlogsumexpOp>(floatDtypes());
}

static std::vector<SweepCase> linearRecurrenceCases() {
  std::vector<SweepCase> cases;
  size_t counter = 0;
  for (const Shape &dims : shapes())
    for (int64_t axis = 0; axis < int64_t(dims.size()); ++axis) {
      keratin_dtype_t dtype = nextOf(numberDtypes(), counter);
      cases.push_back({std::string("linear_recurrence ") + dtypeName(dtype) + " " + toString(dims) +
                           " axis " + std::to_string(axis),
                       {{dims, dtype, Elements::Small}, {dims, dtype, Elements::Any}},
                       [=](GraphMath &math, ValueRange xs) -> Values {
                         return {math.linearRecurrence(xs[0], xs[1], axis, false),
                                 math.linearRecurrence(xs[0], xs[1], axis, true)};
                       }});
    }
  return cases;
}

//===-- Contractions --------------------------------------------------------------------------===//

// Dimensions of a and b by letters: those that both have are contracted, or batched if they stand
// behind the colon.
static SweepCase contraction(StringRef text, keratin_dtype_t dtype,
                             const std::map<char, DimExpr> &sizes, Elements elements) {
  StringRef a = text.split(',').first, rest = text.split(',').second;
  StringRef b = rest.split(':').first, batch = rest.split(':').second;
  std::vector<SweepInput> inputs(2, {{}, dtype, elements});
  for (char letter : a)
    inputs[0].shape.push_back(sizes.at(letter));
  for (char letter : b)
    inputs[1].shape.push_back(sizes.at(letter));
  Axes aBatch, bBatch, aContract, bContract;
  for (char letter : batch) {
    aBatch.push_back(a.find(letter));
    bBatch.push_back(b.find(letter));
  }
  for (char letter : a)
    if (b.contains(letter) && !batch.contains(letter)) {
      aContract.push_back(a.find(letter));
      bContract.push_back(b.find(letter));
    }
  return {"dot_general " + text.str() + " " + dtypeName(dtype) + " " + toString(inputs[0].shape) +
              " " + toString(inputs[1].shape),
          inputs, [=](GraphMath &math, ValueRange xs) -> Values {
            return {math.dotGeneral(xs[0], xs[1], aBatch, bBatch, aContract, bContract)};
          }};
}

static std::vector<SweepCase> dotGeneralCases() {
  std::vector<const char *> texts = {"mk,kn",
                                     "km,kn",
                                     "mk,nk",
                                     "km,nk",
                                     "k,k",
                                     "m,n",
                                     ",",
                                     "m,",
                                     ",n",
                                     "k,kn",
                                     "mk,k",
                                     "bmk,bkn:b",
                                     "bkm,bkn:b",
                                     "bmk,bnk:b",
                                     "mbk,bkn:b",
                                     "mkb,kbn:b",
                                     "bk,bk:b",
                                     "b,b:b",
                                     "b,bn:b",
                                     "bm,b:b",
                                     "bm,bn:b",
                                     "bcmk,bckn:bc",
                                     "bcmk,cbkn:bc",
                                     "cbmk,bckn:bc",
                                     "mkl,lkn",
                                     "mkl,kln",
                                     "klm,nkl",
                                     "lmk,kn",
                                     "lmk,nk",
                                     "mlk,kn",
                                     "mk,knl",
                                     "mk,nlk",
                                     "bmlk,bkn:b",
                                     "bmk,bknl:b",
                                     "kml,nkb",
                                     "mkn,k",
                                     "bcmkl,blckn:bc",
                                     "mlkbc,kcb:b"};
  std::vector<std::map<char, DimExpr>> sizes = {
      {{'m', 5}, {'n', 7}, {'k', 9}, {'l', 3}, {'b', 2}, {'c', 3}},
      {{'m', d(0)}, {'n', 17}, {'k', d(2)}, {'l', 2}, {'b', d(1)}, {'c', 2}},
      {{'m', 1}, {'n', d(2)}, {'k', 4}, {'l', d(1)}, {'b', 3}, {'c', d(0)}}};
  std::vector<SweepCase> cases;
  size_t counter = 0;
  for (const char *text : texts)
    for (const auto &assignment : sizes)
      cases.push_back(
          contraction(text, nextOf(numberDtypes(), counter), assignment, Elements::Any));
  for (keratin_dtype_t dtype : numberDtypes())
    for (const char *text : {"mk,kn", "bmk,bnk:b"})
      cases.push_back(contraction(text, dtype, sizes[1], Elements::Any));
  for (keratin_dtype_t dtype : {KERATIN_DTYPE_FLOAT32, KERATIN_DTYPE_FLOAT64})
    for (const char *text : {"mk,kn", "bmk,bnk:b", "mk,k", "km,nk"})
      cases.push_back(contraction(text, dtype, sizes[1], Elements::Special));
  for (keratin_dtype_t dtype : {KERATIN_DTYPE_FLOAT32, KERATIN_DTYPE_FLOAT64, KERATIN_DTYPE_FLOAT16,
                                KERATIN_DTYPE_BFLOAT16})
    for (const char *text : {"mk,kn", "km,nk"})
      cases.push_back(contraction(text, dtype, {{'m', 37}, {'n', 67}, {'k', 130}},
                                  Elements::Any)); // several panels
  for (const char *text : {"mk,kn", "mk,k", "k,kn"}) {
    cases.push_back(
        contraction(text, KERATIN_DTYPE_FLOAT32, {{'m', 3}, {'n', 4}, {'k', 0}}, Elements::Any));
    cases.push_back(
        contraction(text, KERATIN_DTYPE_FLOAT32, {{'m', 0}, {'n', 0}, {'k', 3}}, Elements::Any));
  }
  return cases;
}

//===-- Windows -------------------------------------------------------------------------------===//

static SweepCase convolution(const ConvolutionExample &example, keratin_dtype_t dtype,
                             Elements elements) {
  return {"convolution " + example.label + " " + dtypeName(dtype),
          {{example.x, dtype, elements}, {example.filter, dtype, elements}},
          [example](GraphMath &math, ValueRange xs) -> Values {
            return {example.build(math, xs[0], xs[1])};
          },
          1};
}

static std::vector<SweepCase> convolutionCases() {
  std::vector<SweepCase> cases;
  size_t counter = 0;
  for (const ConvolutionExample &example : convolutionExamples()) {
    cases.push_back(convolution(example, KERATIN_DTYPE_FLOAT32, Elements::Any));
    for (int i = 0; i < 2; ++i)
      cases.push_back(convolution(example, nextOf(numberDtypes(), counter), Elements::Any));
  }
  for (const ConvolutionExample &example : largeConvolutionExamples())
    for (keratin_dtype_t dtype : {KERATIN_DTYPE_FLOAT32, nextOf(numberDtypes(), counter)})
      cases.push_back(convolution(example, dtype, Elements::Any));
  for (const ConvolutionExample &example : convolutionExamples())
    if (example.label == "padded" || example.label == "strides" || example.label == "depthwise")
      cases.push_back(convolution(example, KERATIN_DTYPE_FLOAT32, Elements::Special));
  return cases;
}

using BuildWindows = Value (*)(const WindowExample &, GraphMath &, ValueRange);

// Operands have the shapes that are given.
static std::vector<SweepCase> windowCases(const char *op, bool dilated,
                                          std::vector<const Shape WindowExample::*> operands,
                                          BuildWindows build) {
  std::vector<SweepCase> cases;
  size_t counter = 0;
  auto add = [&](const WindowExample &example, keratin_dtype_t dtype, Elements elements) {
    if (example.hasDilation() && !dilated)
      return;
    std::vector<SweepInput> inputs;
    for (auto operand : operands)
      inputs.push_back({example.*operand, dtype, elements});
    cases.push_back(
        {std::string(op) + " " + example.label + " " + dtypeName(dtype), inputs,
         [=](GraphMath &math, ValueRange xs) -> Values { return {build(example, math, xs)}; }, 1});
  };
  for (const WindowExample &example : windowExamples()) {
    add(example, KERATIN_DTYPE_FLOAT32, Elements::Any);
    for (int i = 0; i < 2; ++i)
      add(example, nextOf(numberDtypes(), counter), Elements::Any);
  }
  for (const WindowExample &example : largeWindowExamples()) {
    add(example, KERATIN_DTYPE_FLOAT32, Elements::Special);
    for (int i = 0; i < 2; ++i)
      add(example, nextOf(numberDtypes(), counter), Elements::Any);
  }
  return cases;
}

static std::vector<SweepCase> windowSumCases() {
  return windowCases("window_sum", true, {&WindowExample::x},
                     [](const WindowExample &example, GraphMath &math, ValueRange xs) {
                       return example.buildSum(math, xs[0]);
                     });
}

static std::vector<SweepCase> windowMaxCases() {
  return windowCases("window_max", false, {&WindowExample::x},
                     [](const WindowExample &example, GraphMath &math, ValueRange xs) {
                       return example.buildMax(math, xs[0]);
                     });
}

static std::vector<SweepCase> windowPickCases() {
  return windowCases("window_pick", false, {&WindowExample::x, &WindowExample::x},
                     [](const WindowExample &example, GraphMath &math, ValueRange xs) {
                       return example.buildPick(math, xs[0], xs[1]);
                     });
}

static std::vector<SweepCase> windowScatterCases() {
  return windowCases("window_scatter", false, {&WindowExample::x, &WindowExample::y},
                     [](const WindowExample &example, GraphMath &math, ValueRange xs) {
                       return example.buildScatter(math, xs[0], xs[1]);
                     });
}

//===-- Graph ---------------------------------------------------------------------------------===//

static std::vector<SweepCase> requireCases() {
  return {{"require",
           {{shape("d0;4"), KERATIN_DTYPE_FLOAT32}},
           [](GraphMath &math, ValueRange xs) -> Values {
             OpBuilder &b = math.builder();
             auto dims = [&](DimExpr dim) { return DimsAttr::get(b.getContext(), {dim}); };
             return {b.create<RequireOp>(math.location(), xs[0].getType(), xs[0],
                                         Requirement::AtLeast, dims(d(0)), dims(DimExpr(0)),
                                         b.getStringAttr("not negative"))};
           }}};
}

static std::vector<SweepCase> dependCases() {
  return {{"depend",
           {{shape("d0;4"), KERATIN_DTYPE_FLOAT32}, {shape("3"), KERATIN_DTYPE_INT32}},
           [](GraphMath &math, ValueRange xs) -> Values {
             return {math.builder().create<DependOp>(math.location(), xs[0].getType(), xs[0],
                                                     xs.drop_front())};
           }}};
}

static std::vector<SweepCase> delayCases() {
  return {{"delay",
           {{shape("d0;4"), KERATIN_DTYPE_FLOAT32}, {shape("3"), KERATIN_DTYPE_INT32}},
           [](GraphMath &math, ValueRange xs) -> Values {
             return {
                 math.builder().create<DelayOp>(math.location(), xs[0].getType(), xs[0], xs[1])};
           }}};
}

// Of two operands.
static std::vector<SweepCase> givenGradientCases(const char *name,
                                                 Value (*build)(GraphMath &, Value, Value)) {
  return {
      {name,
       {{shape("d0;4"), KERATIN_DTYPE_FLOAT32}, {shape("d0;4"), KERATIN_DTYPE_FLOAT32}},
       [build](GraphMath &math, ValueRange xs) -> Values { return {build(math, xs[0], xs[1])}; }}};
}
static std::vector<SweepCase> checkpointCases() {
  return givenGradientCases("checkpoint", buildCheckpoint);
}
static std::vector<SweepCase> customGradientCases() {
  std::vector<SweepCase> cases = givenGradientCases("custom_gradient", buildCustomGradient);
  llvm::append_range(cases, givenGradientCases("custom_jvp", buildCustomJvp));
  return cases;
}

static std::vector<SweepCase> enterRankCases() {
  return {{"enter_rank",
           {{shape("d0;4"), KERATIN_DTYPE_FLOAT32}},
           [](GraphMath &math, ValueRange xs) -> Values { return {math.enterRank(xs[0])}; }}};
}

static std::vector<SweepCase> leaveRankCases() {
  return {{"leave_rank",
           {{shape("d0;4"), KERATIN_DTYPE_FLOAT32}},
           [](GraphMath &math, ValueRange xs) -> Values { return {math.leaveRank(xs[0])}; }}};
}

static std::vector<SweepCase> averageRanksCases() {
  return {{"average_ranks",
           {{shape("4"), KERATIN_DTYPE_FLOAT32}, {shape("d0;4"), KERATIN_DTYPE_FLOAT32}},
           [](GraphMath &math, ValueRange xs) -> Values {
             return {math.builder().create<AverageRanksOp>(math.location(), xs[0].getType(), xs[0],
                                                           xs[1], ArrayRef<int64_t>{0})};
           }}};
}

static std::vector<SweepCase> printCases() {
  return {{"print",
           {{shape("0"), KERATIN_DTYPE_FLOAT32}},
           [](GraphMath &math, ValueRange xs) -> Values {
             return {math.builder().create<PrintOp>(math.location(), xs[0].getType(), xs[0],
                                                    math.builder().getStringAttr("op sweep:"))};
           }}};
}

// Of one rank; shard_test and rank_ops_test have several.
static std::vector<SweepCase> allReduceCases() {
  std::vector<SweepCase> cases;
  for (RankReduction reduction :
       {RankReduction::Sum, RankReduction::Max, RankReduction::Before, RankReduction::Mean})
    cases.push_back({"all_reduce " + stringifyRankReduction(reduction).str(),
                     {{shape("d0;3"), KERATIN_DTYPE_FLOAT32}},
                     [=](GraphMath &math, ValueRange xs) -> Values {
                       return {math.allReduce(xs[0], reduction)};
                     }});
  return cases;
}

static std::vector<SweepCase> allGatherCases() {
  return {{"all_gather",
           {{shape("d0;3"), KERATIN_DTYPE_FLOAT32}},
           [](GraphMath &math, ValueRange xs) -> Values {
             return {math.allGather(xs[0], 1, DimExpr(3))};
           }}};
}

static std::vector<SweepCase> reduceScatterCases() {
  std::vector<SweepCase> cases;
  for (RankReduction reduction : {RankReduction::Sum, RankReduction::Min})
    cases.push_back({"reduce_scatter " + stringifyRankReduction(reduction).str(),
                     {{shape("d0;3"), KERATIN_DTYPE_FLOAT32}},
                     [=](GraphMath &math, ValueRange xs) -> Values {
                       return {math.reduceScatter(xs[0], reduction, 1, DimExpr(3))};
                     }});
  return cases;
}

static std::vector<SweepCase> movedCases(const std::string &label,
                                         const std::function<Value(GraphMath &, Value)> &build) {
  return {{label,
           {{shape("d0;3"), KERATIN_DTYPE_FLOAT32}},
           [=](GraphMath &math, ValueRange xs) -> Values { return {build(math, xs[0])}; }}};
}

static std::vector<SweepCase> broadcastFromCases() {
  return movedCases("broadcast_from",
                    [](GraphMath &math, Value x) { return math.broadcastFrom(x, 0); });
}

static std::vector<SweepCase> allToAllCases() {
  return movedCases("all_to_all", [](GraphMath &math, Value x) { return math.allToAll(x); });
}

static std::vector<SweepCase> permuteCases() {
  return movedCases("permute", [](GraphMath &math, Value x) { return math.permute(x, {0, 0}); });
}

// Of a rank alone.
static std::vector<SweepCase> rankCases() {
  return {{"rank",
           {{shape("d0;4"), KERATIN_DTYPE_INT64}},
           [](GraphMath &math, ValueRange xs) -> Values {
             Value rank = math.rankIndex();
             return {rank, math.add(xs[0], math.broadcastScalar(rank, getShape(xs[0])))};
           }}};
}

static std::vector<SweepCase> rankCountCases() {
  return {{"rank_count",
           {{shape("d0;4"), KERATIN_DTYPE_INT64}},
           [](GraphMath &math, ValueRange xs) -> Values {
             Value count = math.builder().create<RankCountOp>(
                 math.location(), getTensorType({}, math.builder().getI64Type()), StringAttr());
             return {count, math.add(xs[0], math.broadcastScalar(count, getShape(xs[0])))};
           }}};
}

//===-- Loops and branches --------------------------------------------------------------------===//

static std::vector<SweepCase> loopCases(const std::vector<LoopExample> &examples) {
  std::vector<SweepCase> cases;
  for (const LoopExample &example : examples)
    for (keratin_dtype_t dtype : {KERATIN_DTYPE_FLOAT32, KERATIN_DTYPE_FLOAT64}) {
      std::vector<SweepInput> inputs;
      for (const Shape &shape : example.inputs)
        inputs.push_back({shape, dtype, Elements::Small});
      cases.push_back(
          {example.label + " " + dtypeName(dtype), inputs,
           [example](GraphMath &math, ValueRange xs) { return example.build(math, xs); }});
    }
  return cases;
}

static std::vector<SweepCase> scanCases() { return loopCases(scanExamples()); }
static std::vector<SweepCase> whileCases() { return loopCases(whileExamples()); }
static std::vector<SweepCase> ifCases() { return loopCases(ifExamples()); }

std::vector<SweepCase> keratin::tests::sweepCases(StringRef op) {
  static const std::map<StringRef, std::vector<SweepCase> (*)()> written = {
      {"keratin.constant", constantCases},
      {"keratin.iota", iotaCases},
      {"keratin.dim", dimCases},
      {"keratin.random_bits", randomBitsCases},
      {"keratin.reshape", reshapeCases},
      {"keratin.broadcast", broadcastCases},
      {"keratin.transpose", transposeCases},
      {"keratin.slice", sliceCases},
      {"keratin.pad", padCases},
      {"keratin.concatenate", concatenateCases},
      {"keratin.reverse", reverseCases},
      {"keratin.gather", gatherCases},
      {"keratin.scatter_add", scatterAddCases},
      {"keratin.scatter_last", scatterLastCases},
      {"keratin.scatter_max", scatterMaxCases},
      {"keratin.scatter_min", scatterMinCases},
      {"keratin.dynamic_slice", dynamicSliceCases},
      {"keratin.dynamic_unslice", dynamicUnsliceCases},
      {"keratin.truncate", truncateCases},
      {"keratin.ctc_beam_search", ctcBeamSearchCases},
      {"keratin.check_range", checkRangeCases},
      {"keratin.sparse_dot", sparseDotCases},
      {"keratin.cholesky", choleskyCases},
      {"keratin.triangular_solve", triangularSolveCases},
      {"keratin.fft", fftCases},
      {"keratin.lu", luCases},
      {"keratin.qr", qrCases},
      {"keratin.eigh", eighCases},
      {"keratin.svd", svdCases},
      {"keratin.reduce_sum", numberReductionCases<ReduceSumOp>},
      {"keratin.reduce_prod", numberReductionCases<ReduceProdOp, Elements::Positive>},
      {"keratin.reduce_max", numberReductionCases<ReduceMaxOp>},
      {"keratin.reduce_min", numberReductionCases<ReduceMinOp>},
      {"keratin.reduce_any", boolReductionCases<ReduceAnyOp>},
      {"keratin.reduce_all", boolReductionCases<ReduceAllOp>},
      {"keratin.arg_max", argReductionCases<ArgMaxOp>},
      {"keratin.arg_min", argReductionCases<ArgMinOp>},
      {"keratin.top_k", topKCases},
      {"keratin.cumsum", scanCases<CumsumOp>},
      {"keratin.cumprod", scanCases<CumprodOp>},
      {"keratin.cummax", cummaxCases},
      {"keratin.cummin", cumminCases},
      {"keratin.cumlogsumexp", cumlogsumexpCases},
      {"keratin.linear_recurrence", linearRecurrenceCases},
      {"keratin.dot_general", dotGeneralCases},
      {"keratin.convolution", convolutionCases},
      {"keratin.window_sum", windowSumCases},
      {"keratin.window_max", windowMaxCases},
      {"keratin.window_pick", windowPickCases},
      {"keratin.window_scatter", windowScatterCases},
      {"keratin.scan", scanCases},
      {"keratin.while", whileCases},
      {"keratin.if", ifCases},
      {"keratin.require", requireCases},
      {"keratin.depend", dependCases},
      {"keratin.delay", delayCases},
      {"keratin.checkpoint", checkpointCases},
      {"keratin.custom_gradient", customGradientCases},
      {"keratin.enter_rank", enterRankCases},
      {"keratin.leave_rank", leaveRankCases},
      {"keratin.average_ranks", averageRanksCases},
      {"keratin.print", printCases},
      {"keratin.all_reduce", allReduceCases},
      {"keratin.all_gather", allGatherCases},
      {"keratin.reduce_scatter", reduceScatterCases},
      {"keratin.broadcast_from", broadcastFromCases},
      {"keratin.all_to_all", allToAllCases},
      {"keratin.permute", permuteCases},
      {"keratin.rank", rankCases},
      {"keratin.rank_count", rankCountCases},
  };
  auto found = written.find(op);
  return found == written.end() ? std::vector<SweepCase>() : found->second();
}
