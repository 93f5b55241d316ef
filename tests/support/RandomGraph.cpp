#include "tests/support/RandomGraph.h"

#include "ir/dialect/VectorizedMap.h"
#include "tests/support/GraphMaker.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

#include <numeric>

using namespace keratin;
using namespace keratin::ir;
using namespace keratin::tests;
using namespace mlir;

namespace {

struct OpEntry {
  const char *name;
  unsigned operands;
  const char *domain;
};
constexpr OpEntry opTable[] = {
#define KERATIN_OP(Class, name, operands, domain, differentiable)                                  \
  {"keratin." name, operands, domain},
#include "OpTable.inc"
#undef KERATIN_OP
};

} // namespace

// More elements than this cost interpreting time and find nothing new.
static constexpr int64_t maxElements = 3000;

Type GraphMaker::anyElementType() {
  static const keratin_dtype_t dtypes[] = {
      KERATIN_DTYPE_FLOAT32, KERATIN_DTYPE_FLOAT32, KERATIN_DTYPE_FLOAT32, KERATIN_DTYPE_FLOAT32,
      KERATIN_DTYPE_FLOAT64, KERATIN_DTYPE_FLOAT64, KERATIN_DTYPE_FLOAT16, KERATIN_DTYPE_BFLOAT16,
      KERATIN_DTYPE_INT32,   KERATIN_DTYPE_INT64,   KERATIN_DTYPE_INT8,    KERATIN_DTYPE_INT16,
      KERATIN_DTYPE_UINT8,   KERATIN_DTYPE_UINT16,  KERATIN_DTYPE_UINT32,  KERATIN_DTYPE_UINT64,
      KERATIN_DTYPE_BOOL};
  return elementTypeOf(oneOf(dtypes), b.getContext());
}

DimExpr GraphMaker::anyDim() {
  static const int64_t constants[] = {1, 2, 3, 4, 5, 8, 16, 17};
  return chance(40) ? DimExpr::symbol(below(3)) : DimExpr(oneOf(constants));
}

bool GraphMaker::isSmall(const Shape &shape) {
  int64_t count = 1;
  for (const DimExpr &dim : shape) {
    std::optional<int64_t> size = sizes.evaluate(dim);
    if (!size || *size < 0 || *size > maxElements || dim.encode().size() > 60)
      return false;
    count *= std::max<int64_t>(*size, 1);
  }
  return count <= maxElements && shape.size() <= 5;
}

void GraphMaker::makeArguments() {
  SmallVector<Shape> shapes;
  for (int i = 0, n = 2 + below(4); i < n; ++i) {
    // Most share a shape, or a part of one: only then can they meet.
    Shape shape;
    if (!shapes.empty() && chance(70)) {
      shape = oneOf(shapes);
      if (!shape.empty() && chance(40))
        shape.erase(shape.begin() + below(shape.size()));
    } else {
      for (int64_t axis = 0, rank = below(5); axis < rank; ++axis)
        shape.push_back(anyDim());
    }
    if (!isSmall(shape))
      continue;
    shapes.push_back(shape);
    Type element = i == 0 && chance(70) ? b.getF32Type() : anyElementType();
    if (!arguments.empty() && chance(60))
      element = getElementType(arguments.back());
    arguments.push_back(body->addArgument(getTensorType(shape, element), loc));
  }
  if (arguments.empty())
    arguments.push_back(body->addArgument(getTensorType({}, b.getF32Type()), loc));
  pool = arguments;
}

Value GraphMaker::anyFloat() {
  for (int attempt = 0; attempt < 10; ++attempt)
    if (Value x = anyValue(); isa<FloatType>(getElementType(x)))
      return x;
  return math.cast(anyValue(), chance(80) ? b.getF32Type() : b.getF64Type());
}

// What programs compare with, add and multiply by.
Value GraphMaker::commonConstant(Value x) {
  static const double numbers[] = {0, 0, 1, 1, -1, 2, 0.5, 3, 0.1};
  const double number = oneOf(numbers);
  Type element = getElementType(x);
  const bool fits = isa<FloatType>(element) || (number == std::trunc(number) && number >= 0);
  return math.constantLike(fits ? number : 1, x);
}

Value GraphMaker::like(Value x) {
  if (chance(25) && !getElementType(x).isInteger(1))
    return commonConstant(x);
  SmallVector<Value> same = ofType(x.getType());
  if (same.size() > 1 && chance(80))
    return recent(same);
  Type element = getElementType(x);
  if (element.isInteger(1))
    return x;
  // A row, a column or a scalar repeated, as biases and scales are.
  const Shape whole = getShape(x);
  for (int attempt = 0; attempt < 6; ++attempt) {
    Value y = anyValue();
    Shape part = getShape(y);
    if (getElementType(y) != element || part.size() >= whole.size())
      continue;
    SmallVector<int64_t> dims;
    size_t next = 0;
    for (size_t axis = 0; axis < whole.size() && next < part.size(); ++axis)
      if (part[next] == whole[axis] || part[next] == DimExpr(1)) {
        dims.push_back(axis);
        ++next;
      }
    if (next == part.size())
      return math.broadcast(y, whole, dims);
  }
  return chance(50) ? x : math.constantLike(double(below(9)) / 4, x);
}

Value GraphMaker::intoDomain(Value x, StringRef domain) {
  if (domain == "any" || !isa<FloatType>(getElementType(x)) || chance(10))
    return x;
  if (domain == "positive")
    return math.add(math.abs(x), math.constantLike(0.5, x));
  return math.tanh(x);
}

// Any op of the table that is elementwise; the verifier says which element types it takes.
void GraphMaker::elementwise() {
  const OpEntry &op = oneOf(opTable);
  StringRef name = op.name;
  // What a pass makes of products and sums is in no graph that is given, or saved.
  if (!OperationName(name, b.getContext()).hasInterface<ElementwiseOpInterface>() ||
      name == MultiplyAddOp::getOperationName())
    return;
  Value x = anyValue();
  if (name == "keratin.cast")
    return add(math.cast(x, anyElementType()));
  if (name == "keratin.compare")
    return add(compareWith(x));
  if (name == "keratin.select")
    return add(math.select(compareWith(x), x, like(x)));
  OperationState operation(loc, name);
  // Of parameters of incomplete functions there are first derivatives alone.
  static constexpr llvm::StringLiteral incomplete[] = {
      "keratin.igamma", "keratin.igammac", "keratin.gamma_sample_gradient", "keratin.betainc",
      "keratin.beta_sample_gradient"};
  for (unsigned i = 0; i < op.operands; ++i) {
    Value operand = intoDomain(i == 0 ? x : like(x), op.domain);
    if (llvm::is_contained(incomplete, name) && i + 1 < op.operands)
      operand = b.create<StopGradientOp>(loc, operand);
    operation.addOperands(operand);
  }
  operation.addTypes(name == "keratin.is_finite" ? Type(getTensorType(getShape(x), b.getI1Type()))
                                                 : x.getType());
  ScopedDiagnosticHandler silence(b.getContext(), [](Diagnostic &) { return success(); });
  Operation *made = b.create(operation);
  if (failed(verify(made)))
    return made->erase();
  add(made->getResult(0));
}

void GraphMaker::shape() {
  Value x = anyValue();
  Shape dims = getShape(x);
  switch (below(3)) {
  case 0: { // merged neighbours, or a new dimension of size 1
    size_t axis = dims.empty() ? 0 : below(dims.size());
    if (chance(50) || dims.size() < 2)
      dims.insert(dims.begin() + axis, DimExpr(1));
    else if (axis + 1 < dims.size()) {
      std::optional<DimExpr> merged = mul(dims[axis], dims[axis + 1]);
      if (!merged)
        return;
      dims[axis] = *merged;
      dims.erase(dims.begin() + axis + 1);
    }
    return add(math.reshape(x, dims));
  }
  case 1: {
    Axes permutation(dims.size());
    std::iota(permutation.begin(), permutation.end(), 0);
    for (size_t i = permutation.size(); i > 1; --i)
      std::swap(permutation[i - 1], permutation[below(i)]);
    return add(math.transpose(x, permutation));
  }
  default:
    return add(math.reverse(x, someAxes(x)));
  }
}

void GraphMaker::broadcast() {
  Value x = anyValue();
  Shape dims = getShape(x), result;
  SmallVector<int64_t> places;
  for (const DimExpr &dim : dims) {
    if (chance(25))
      result.push_back(anyDim());
    places.push_back(result.size());
    result.push_back(dim == DimExpr(1) && chance(70) ? anyDim() : dim);
  }
  if (places.size() == result.size() && chance(50))
    result.push_back(anyDim());
  if (isSmall(result))
    add(math.broadcast(x, result, places));
}

void GraphMaker::slice() {
  Value x = anyValue();
  Shape dims = getShape(x), starts, result;
  SmallVector<int64_t> strides;
  for (const DimExpr &dim : dims) {
    starts.push_back(0);
    strides.push_back(chance(30) ? 2 : 1);
    result.push_back(strides.back() == 1 ? dim : *ceildiv(dim, 2));
    if (!dim.isConstant() || dim.constantValue() < 2 || chance(40))
      continue;
    int64_t start = below(dim.constantValue()), left = dim.constantValue() - start;
    starts.back() = start;
    result.back() = 1 + below((left + strides.back() - 1) / strides.back());
  }
  add(math.slice(x, starts, result, strides));
}

// Which of the numbers are below a small one: it may be another one in each step.
Value GraphMaker::countBelow(Value numbers) {
  Value five = math.constantLike(5, numbers), rest = math.mod(numbers, five);
  SmallVector<Value> scalars = ofType(getTensorType({}, b.getI64Type()));
  if (depth == 0 || scalars.empty() || chance(20))
    return math.less(rest, math.constantLike(double(below(6)), numbers));
  Value limit = math.broadcastScalar(recent(scalars), getShape(numbers));
  return math.less(rest, math.mod(limit, math.constantLike(6, numbers)));
}

// As many elements as a comparison of integers counts, which no rounding changes.
void GraphMaker::truncate() {
  Value x = anyValue();
  Shape dims = getShape(x);
  if (dims.empty())
    return;
  int64_t axis = anyAxis(x);
  Value numbers = math.iota(getTensorType({dims[axis]}, b.getI64Type()), 0);
  Value chosen = countBelow(numbers);
  // Mostly what is fed decides, too: the first arguments hold a bool for each place of a symbol.
  if (depth == 0)
    for (Value argument : body->getArguments().take_front(3))
      if (getShape(argument)[0] == dims[axis] && chance(80))
        chosen = math.and_(chosen, argument);
  Value size = math.reduceSum(math.cast(chosen, b.getI64Type()), {0});
  // A step's number below its length: nothing computes it.
  if (stepsOfRegion && *stepsOfRegion == dims[axis] && chance(50))
    size = body->getArgument(0);
  sizes.symbols[nextSymbol] = *sizes.evaluate(dims[axis]);
  dims[axis] = DimExpr::symbol(nextSymbol++);
  add(b.create<TruncateOp>(loc, getTensorType(dims, getElementType(x)), x, size, uint64_t(axis)));
}

// A value of one size that the region computes as what may leave it: padded to the most that it can
// be, and its size. Only of a truncated value, of which that is known.
std::optional<std::pair<Value, Value>> GraphMaker::handOut(Value x, int64_t &axis) {
  auto truncate = x.getDefiningOp<TruncateOp>();
  if (!truncate || hasOwnSize(truncate.getX().getType()))
    return std::nullopt;
  axis = int64_t(truncate.getAxis());
  Shape whole = getShape(truncate.getX());
  Value padded =
      math.pad(x, Shape(whole.size(), DimExpr(0)), SmallVector<int64_t>(whole.size(), 0), whole);
  return std::pair(padded, math.count(x, {axis}, b.getI64Type()));
}

void GraphMaker::pad() {
  Value x = anyValue();
  Shape low, result;
  SmallVector<int64_t> interior;
  for (const DimExpr &dim : getShape(x)) {
    low.push_back(below(3));
    // Nothing lies between the elements of a dimension that may be empty.
    interior.push_back(dim.isConstant() && dim.constantValue() > 0 ? below(2) : 0);
    int64_t more = low.back().constantValue() + below(3);
    result.push_back(interior.back() ? DimExpr(2 * dim.constantValue() - 1 + more)
                                     : *ir::add(dim, more));
  }
  if (isSmall(result))
    add(math.pad(x, low, interior, result));
}

void GraphMaker::concatenate() {
  Value x = anyValue();
  if (getTensorType(x).getRank() == 0)
    return;
  SmallVector<Value> parts;
  for (int i = 0, n = 1 + below(3); i < n; ++i)
    parts.push_back(like(x));
  add(math.concatenate(parts, anyAxis(x)));
}

Value GraphMaker::placesBelow(const Shape &shape, int64_t n) {
  Type type = chance(50) ? b.getI64Type() : b.getI32Type();
  SmallVector<Value> integers;
  for (Value x : pool)
    if (getElementType(x).isInteger(32) || getElementType(x).isInteger(64))
      if (getShape(x) == shape)
        integers.push_back(x);
  Value numbers;
  if (!integers.empty() && chance(60)) {
    numbers = recent(integers);
    numbers = getElementType(numbers).isSignlessInteger() ? numbers : math.cast(numbers, type);
  } else if (shape.empty()) {
    numbers = math.integerScalar(below(100), type);
  } else {
    numbers = math.iota(getTensorType(shape, type), below(shape.size()));
    numbers = math.mul(numbers, math.constantLike(7, numbers));
  }
  return math.mod(numbers, math.constantLike(double(n), numbers));
}

void GraphMaker::gather() {
  Value x = anyValue();
  Shape dims = getShape(x);
  if (dims.empty() || !dims[0].isConstant() || dims[0].constantValue() == 0)
    return;
  Shape places;
  for (int64_t i = 0, rank = below(3); i < rank; ++i)
    places.push_back(anyDim());
  if (!isSmall(places))
    return;
  Value indices = placesBelow(places, dims[0].constantValue());
  Shape result = places;
  result.insert(result.end(), dims.begin() + 1, dims.end());
  if (!isSmall(result))
    return;
  Value picked = math.gather(x, indices);
  add(picked);
  if (chance(50) && !getElementType(x).isInteger(1))
    add(math.scatterAdd(indices, picked, dims));
}

// What rows of one number have together: their sum, their extremes, or the last of them.
void GraphMaker::scatter() {
  Value x = anyValue();
  Shape dims = getShape(x);
  Type element = getElementType(x);
  if (dims.empty() || element.isInteger(1))
    return;
  const int64_t rows = 1 + below(6);
  Value places = placesBelow({dims[0]}, rows);
  dims[0] = DimExpr(rows);
  Type type = getTensorType(dims, element);
  switch (below(isa<FloatType>(element) ? 3 : 4)) {
  case 0:
    return add(math.scatterAdd(places, x, dims));
  case 1:
    return add(b.create<ScatterMaxOp>(loc, type, places, x));
  case 2:
    return add(b.create<ScatterMinOp>(loc, type, places, x));
  default:
    return add(b.create<ScatterLastOp>(loc, type, places, x));
  }
}

// A box at places that are computed, and what is written there.
void GraphMaker::dynamicSlice() {
  Value x = anyValue();
  Shape dims = getShape(x);
  SmallVector<Value> starts;
  for (DimExpr &dim : dims) {
    const bool isCut = dim.isConstant() && dim.constantValue() > 1 && chance(70);
    const int64_t size = isCut ? 1 + below(dim.constantValue()) : 0;
    starts.push_back(isCut ? placesBelow({}, dim.constantValue() - size + 1)
                           : math.integerScalar(0, b.getI64Type()));
    if (isCut)
      dim = DimExpr(size);
  }
  Value box = b.create<DynamicSliceOp>(loc, getTensorType(dims, getElementType(x)), x, starts);
  add(box);
  if (chance(40))
    add(b.create<DynamicUnsliceOp>(loc, x.getType(), box, starts));
}

// A value and what is read of it in another order, through a view: neighbours along an axis, or all
// from the last to the first.
void GraphMaker::besideItself() {
  Value x = anyValue();
  Shape dims = getShape(x);
  std::optional<DimExpr> elements = product(dims);
  if (dims.empty() || getElementType(x).isInteger(1) || !elements)
    return;
  Value flat = math.reshape(x, {*elements}), other;
  DimExpr side = dims[anyAxis(x)];
  if (elements->isConstant() && elements->constantValue() > 0 && chance(70)) {
    int64_t start = below(elements->constantValue() - side.constantValue() + 1);
    other = math.slice(flat, {start}, {side}, {1});
    if (chance(30))
      add(other);
    other = math.broadcast(other, dims, {llvm::find(dims, side) - dims.begin()});
  } else {
    other = math.reshape(math.reverse(flat, {0}), dims);
  }
  add(chance(50) ? math.add(x, other) : math.mul(other, x));
}

Axes GraphMaker::someAxes(Value x) {
  Axes axes;
  for (int64_t axis = 0; axis < getTensorType(x).getRank(); ++axis)
    if (chance(45))
      axes.push_back(axis);
  return axes;
}

void GraphMaker::reduce() {
  Value x = anyValue();
  Axes axes = someAxes(x);
  if (getElementType(x).isInteger(1))
    return add(chance(50) ? math.reduceAny(x, axes) : math.reduceAll(x, axes));
  Value y;
  switch (below(8)) {
  case 0:
    x = math.tanh(anyFloat());
    axes = someAxes(x);
    y = math.reduceProd(x, axes);
    break;
  case 1:
    y = math.reduceMin(x, axes);
    break;
  case 2:
  case 3:
    y = math.reduceMax(x, axes);
    break;
  case 4:
    if (Shape dims = getShape(x); !dims.empty()) {
      int64_t axis = anyAxis(x);
      if (!dims[axis].isConstant() || dims[axis].constantValue() == 0)
        return;
      axes = {axis};
      y = chance(50) ? b.create<ArgMaxOp>(loc, x, axis).getResult()
                     : b.create<ArgMinOp>(loc, x, axis).getResult();
      break;
    }
    return;
  default:
    y = math.reduceSum(x, axes);
  }
  add(y);
  // Back into what it was made of, as a mean or a maximum is.
  if (chance(40) && getElementType(y) == getElementType(x) &&
      getTensorType(y).getRank() == getTensorType(x).getRank() - int64_t(axes.size()))
    add(math.sub(x, math.broadcastAlong(y, getShape(x), axes)));
}

void GraphMaker::scan() {
  Value x = anyValue();
  if (getTensorType(x).getRank() == 0 || getElementType(x).isInteger(1))
    return;
  int64_t axis = anyAxis(x);
  if (chance(50))
    return add(math.cumsum(x, axis, chance(50), chance(50)));
  if (chance(30))
    return add(chance(50) ? b.create<CummaxOp>(loc, x, axis, chance(50)).getResult()
                          : b.create<CumminOp>(loc, x, axis, chance(50)).getResult());
  x = math.tanh(anyFloat());
  if (getTensorType(x).getRank() == 0)
    return;
  axis = anyAxis(x);
  if (chance(25))
    return add(b.create<CumlogsumexpOp>(loc, x, axis, chance(50)));
  add(chance(50) ? math.cumprod(x, axis, chance(50), chance(50))
                 : math.linearRecurrence(x, math.cos(x), axis, chance(50)));
}

// Softmax, its logarithm, and the norm of a layer.
void GraphMaker::normalize() {
  Value x = math.tanh(anyFloat());
  if (getTensorType(x).getRank() == 0)
    return;
  Axes axes{chance(70) ? getTensorType(x).getRank() - 1 : anyAxis(x)};
  Shape whole = getShape(x);
  auto along = [&](Value y) { return math.broadcastAlong(y, whole, axes); };
  if (chance(50)) {
    Value shifted = math.sub(x, along(math.reduceMax(x, axes)));
    Value sum = math.reduceSum(math.exp(shifted), axes);
    add(chance(50) ? math.div(math.exp(shifted), along(sum))
                   : math.sub(shifted, along(math.log(sum))));
  } else {
    Value count = math.count(x, axes, getElementType(x));
    auto mean = [&](Value y) {
      Value total = math.reduceSum(y, axes);
      return math.div(total, math.broadcastScalar(count, getShape(total)));
    };
    Value centered = math.sub(x, along(mean(x)));
    Value variance = mean(math.mul(centered, centered));
    Value scale = math.rsqrt(math.add(variance, math.constantLike(0.01, variance)));
    add(math.mul(centered, along(scale)));
  }
}

// Every dimension of one that the other has may be contracted or batched.
void GraphMaker::contract() {
  Value a = anyValue(), other;
  for (int attempt = 0; attempt < 8 && !other; ++attempt)
    if (Value y = anyValue(); getElementType(y) == getElementType(a))
      other = y;
  if (!other || getElementType(a).isInteger(1))
    return;
  Shape left = getShape(a), right = getShape(other);
  SmallVector<int64_t> aBatch, bBatch, aContract, bContract;
  SmallVector<bool> taken(right.size(), false);
  for (size_t i = 0; i < left.size(); ++i)
    for (size_t j = 0; j < right.size(); ++j) {
      if (taken[j] || left[i] != right[j] || chance(15))
        continue;
      taken[j] = true;
      bool batch = chance(30);
      (batch ? aBatch : aContract).push_back(i);
      (batch ? bBatch : bContract).push_back(j);
      break;
    }
  Shape result;
  for (size_t i = 0; i < left.size(); ++i)
    if (!llvm::is_contained(aContract, int64_t(i)))
      result.push_back(left[i]);
  for (size_t j = 0; j < right.size(); ++j)
    if (!taken[j])
      result.push_back(right[j]);
  if (isSmall(result))
    add(math.dotGeneral(a, other, aBatch, bBatch, aContract, bContract));
}

// Pools of any kind, their gradients, and windows that no pool has.
void GraphMaker::windows() {
  Value x = anyValue();
  if (getElementType(x).isInteger(1))
    return;
  bool isSum = chance(40);
  SmallVector<int64_t> window, strides, dilation;
  Shape low, result;
  for (const DimExpr &dim : getShape(x)) {
    bool slides = chance(50);
    window.push_back(slides ? 1 + below(chance(80) ? 3 : 9) : 1);
    strides.push_back(slides ? 1 + below(3) : 1);
    dilation.push_back(slides && isSum && chance(30) ? 1 + below(3) : 1);
    low.push_back(slides ? below(window.back() + 1) - below(2) : 0);
    std::optional<DimExpr> places = mul(dim, dilation.back());
    if (!places)
      return;
    DimExpr count = *ceildiv(*places, strides.back());
    result.push_back(slides && chance(30) ? *ir::add(count, below(3)) : count);
  }
  if (!isSmall(result))
    return;
  if (isSum)
    return add(math.windowSum(x, window, strides, low, dilation, result));
  Value largest = math.windowMax(x, window, strides, low, result);
  auto lows = DimsAttr::get(b.getContext(), low);
  switch (below(4)) {
  case 0: {
    Value v = like(x);
    return add(b.create<WindowPickOp>(loc, largest.getType(), x, v, window, strides, lows));
  }
  case 1: {
    Value v = like(largest);
    return add(b.create<WindowScatterOp>(loc, x.getType(), x, v, window, strides, lows));
  }
  default:
    return add(largest);
  }
}

// Every dimension of x is slid along, or one of the batch, of the channels or of the groups.
void GraphMaker::convolution() {
  Value x = anyValue();
  Type element = getElementType(x);
  Shape dims = getShape(x), kernel, result;
  if (dims.empty() || element.isInteger(1))
    return;
  GraphMath::ConvolutionWindows windows;
  std::string xDims, filterDims, yDims, letters = "bcg";
  for (const DimExpr &dim : dims) {
    bool slides = letters.empty() || chance(50);
    bool isLast = xDims.size() + 1 == dims.size() && windows.strides.empty();
    if (!slides && !isLast) {
      char letter = letters[below(letters.size())];
      letters.erase(letters.find(letter), 1);
      xDims += letter;
      if (letter != 'b') {
        filterDims += letter;
        kernel.push_back(dim);
      }
      if (letter != 'c') {
        yDims += letter;
        result.push_back(dim);
      }
      continue;
    }
    char digit = char('0' + windows.strides.size());
    int64_t size = 1 + below(3);
    windows.strides.push_back(1 + below(2));
    windows.xDilation.push_back(chance(30) ? 2 : 1);
    windows.dilation.push_back(chance(30) ? 2 : 1);
    windows.low.push_back(below(size * windows.dilation.back() + 1));
    windows.reversed.push_back(chance(30));
    std::optional<DimExpr> places = mul(dim, windows.xDilation.back());
    if (!places)
      return;
    xDims += digit;
    filterDims.insert(filterDims.begin(), digit);
    kernel.insert(kernel.begin(), DimExpr(size));
    yDims += digit;
    result.push_back(*ir::add(*ceildiv(*places, windows.strides.back()), below(3)));
  }
  if (chance(70)) {
    filterDims += 'f';
    yDims += 'f';
    kernel.push_back(anyDim());
    result.push_back(kernel.back());
  }
  if (!isSmall(kernel) || !isSmall(result))
    return;
  Value filter = math.iota(getTensorType(kernel, element), below(kernel.size()));
  filter =
      isa<FloatType>(element) ? math.cos(filter) : math.mod(filter, math.constantLike(3, filter));
  if (chance(50))
    filter = math.mul(filter, like(filter));
  windows.dims = xDims + "," + filterDims + "->" + yDims;
  add(math.convolution(x, filter, windows, result));
}

// Some of the arguments, as what derivatives are taken by.
SmallVector<Value> GraphMaker::floatArguments() {
  SmallVector<Value> xs;
  for (Value x : arguments)
    if (isa<FloatType>(getElementType(x)) && chance(70))
      xs.push_back(x);
  return xs;
}

// Values that have been computed; none if there is no derivative left.
SmallVector<Value> GraphMaker::differentiated(int64_t most) {
  SmallVector<Value> values;
  for (int64_t i = 0, n = derivativesLeft ? 1 + below(most) : 0; i < n; ++i)
    if (Value y = anyFloat(); y.getDefiningOp())
      values.push_back(y);
  return values;
}

static SmallVector<Type> typesOf(ValueRange values) { return llvm::to_vector(values.getTypes()); }

void GraphMaker::gradients() {
  SmallVector<Value> loss = differentiated(1), xs = floatArguments();
  if (loss.empty() || xs.empty())
    return;
  --derivativesLeft;
  for (Value gradient : b.create<GradientsOp>(loc, typesOf(xs), loss.front(), xs).getYs())
    add(gradient);
}

void GraphMaker::jvp() {
  SmallVector<Value> ys = differentiated(2), xs = floatArguments(), tangents;
  if (ys.empty() || xs.empty())
    return;
  --derivativesLeft;
  for (Value x : xs)
    tangents.push_back(like(x));
  for (Value tangent : b.create<JvpOp>(loc, typesOf(ys), ys, xs, tangents).getYs())
    add(tangent);
}

void GraphMaker::vjp() {
  SmallVector<Value> ys = differentiated(2), xs = floatArguments(), cotangents;
  if (ys.empty() || xs.empty())
    return;
  --derivativesLeft;
  for (Value y : ys)
    cotangents.push_back(like(y));
  for (Value gradient : b.create<VjpOp>(loc, typesOf(xs), ys, xs, cotangents).getYs())
    add(gradient);
}

void GraphMaker::leaf() {
  Shape dims;
  for (int64_t i = 0, rank = below(3); i < rank; ++i)
    dims.push_back(anyDim());
  Type element = anyElementType();
  if (!isSmall(dims) || element.isInteger(1))
    return;
  if (dims.empty())
    return add(math.scalar(double(below(9)) / 4, element));
  if (chance(20))
    return add(b.create<RandomBitsOp>(
        loc, getTensorType(dims, elementTypeOf(KERATIN_DTYPE_UINT32, b.getContext())),
        math.integerScalar(below(1000), b.getI64Type()), below(1000)));
  if (chance(30))
    return add(math.count(anyValue(), {}, element));
  add(math.iota(getTensorType(dims, element), below(dims.size())));
}

SmallVector<Value> GraphMaker::someValues(int64_t most) {
  SmallVector<Value> values;
  for (int64_t i = 0, n = below(most + 1); i < n; ++i)
    values.push_back(anyValue());
  return values;
}

// A few ops in a region, out of its arguments, and what it yields.
SmallVector<Value> GraphMaker::fill(Block &region,
                                    llvm::function_ref<SmallVector<Value>(GraphMaker &)> yield,
                                    std::optional<DimExpr> steps, bool isMap) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(&region);
  GraphMaker inner(b, &region, nextRandom(state), nextSymbol);
  inner.depth = depth + 1;
  inner.stepsOfRegion = steps;
  inner.firstOwnSymbol = std::min(firstOwnSymbol, nextSymbol);
  inner.sizes = sizes;
  // With respect to what the body of a map is given: of loops it is the whole that has derivatives.
  inner.derivativesLeft = isMap ? 1 : 0;
  inner.pool.assign(region.args_begin(), region.args_end());
  inner.arguments = inner.pool;
  if (inner.pool.empty())
    inner.pool.push_back(math.scalar(double(below(9)) / 4, b.getF32Type()));
  inner.makeOps(1 + below(isMap ? 10 : 6));
  SmallVector<Value> values = yield(inner);
  b.create<YieldOp>(loc, values);
  return values;
}

// Some are maps, which become ops on all elements.
void GraphMaker::loop() {
  if (depth == 2)
    return;
  const bool isMap = chance(35);
  SmallVector<Value> inits, sequences, captures = someValues(2);
  Value first = anyValue();
  Shape shape = getShape(first);
  DimExpr length = !shape.empty() && chance(70) ? shape[0] : anyDim();
  for (int attempt = 0; attempt < 4; ++attempt)
    if (Value x = attempt ? anyValue() : first; !getShape(x).empty() && getShape(x)[0] == length)
      sequences.push_back(x);
  auto fits = [&](Value element) {
    Shape whole = getShape(element);
    whole.insert(whole.begin(), length);
    return isSmall(whole);
  };
  for (Value init : someValues(isMap ? 0 : 3))
    if (fits(init))
      inits.push_back(init);

  OperationState operation(loc, ScanOp::getOperationName());
  Block &block = operation.addRegion()->emplaceBlock();
  block.addArgument(getTensorType({}, b.getI64Type()), loc);
  for (Value init : inits)
    block.addArgument(init.getType(), loc);
  for (Value sequence : sequences) {
    Shape element = getShape(sequence);
    element.erase(element.begin());
    block.addArgument(getTensorType(element, getElementType(sequence)), loc);
  }
  for (Value capture : captures)
    block.addArgument(capture.getType(), loc);
  SmallVector<Type> types(ValueRange(inits).getTypes());
  auto yield = [&](GraphMaker &inner) {
    SmallVector<Value> values;
    for (Value init : inits) {
      Value next = inner.recent(inner.ofType(init.getType()));
      // Mostly what does not grow from step to step.
      values.push_back(isa<FloatType>(getElementType(next)) && chance(70) ? inner.math.tanh(next)
                                                                          : next);
    }
    SmallVector<Value> stacks = inner.takeOutputs();
    if (!inits.empty() && chance(50))
      stacks.push_back(values.front());
    for (Value value : stacks)
      if (values.size() < inits.size() + 3 && fits(value) && !inner.hasOwnSize(value.getType()))
        values.push_back(value);
    return values;
  };
  fill(block, yield, length, isMap);
  for (Value value : block.getTerminator()->getOperands().drop_front(inits.size())) {
    Shape stack = getShape(value);
    stack.insert(stack.begin(), length);
    types.push_back(getTensorType(stack, getElementType(value)));
  }
  operation.addOperands(inits);
  operation.addOperands(sequences);
  operation.addOperands(captures);
  operation.addTypes(types);
  auto &properties = operation.getOrAddProperties<ScanOp::Properties>();
  properties.length = DimsAttr::get(b.getContext(), {length});
  properties.reverse = chance(30) ? b.getUnitAttr() : UnitAttr();
  properties.operandSegmentSizes = {int32_t(inits.size()), int32_t(sequences.size()),
                                    int32_t(captures.size())};
  if (isMap)
    operation.addAttribute(kVectorizedAttr, b.getUnitAttr());
  for (Value result : b.create(operation)->getResults())
    add(result);
}

// A bool scalar.
Value GraphMaker::condition() {
  Value x = anyValue();
  Axes all(getTensorType(x).getRank());
  std::iota(all.begin(), all.end(), 0);
  return math.reduceAny(compareWith(x), all);
}

// A loop that ends when its data says so, and after a few steps in any case: since they are the
// most, or since the condition looks at the step's number.
void GraphMaker::openLoop() {
  if (depth == 2)
    return;
  bool isBounded = chance(40);
  int64_t most = below(5);
  SmallVector<Value> inits = {condition()}, captures = someValues(2);
  for (Value init : someValues(3))
    if (isSmall(getShape(init)))
      inits.push_back(init);
  OperationState operation(loc, WhileOp::getOperationName());
  Block &block = operation.addRegion()->emplaceBlock();
  Value number = block.addArgument(getTensorType({}, b.getI64Type()), loc);
  for (Value init : inits)
    block.addArgument(init.getType(), loc);
  for (Value capture : captures)
    block.addArgument(capture.getType(), loc);
  fill(block, [&](GraphMaker &inner) {
    SmallVector<Value> values = {inner.condition()};
    if (!isBounded) {
      Value limit = inner.math.integerScalar(most, b.getI64Type());
      values[0] = inner.math.and_(values[0], inner.math.less(number, limit));
    }
    for (Value init : llvm::drop_begin(inits)) {
      Value next = inner.recent(inner.ofType(init.getType()));
      values.push_back(isa<FloatType>(getElementType(next)) && chance(70) ? inner.math.tanh(next)
                                                                          : next);
    }
    return values;
  });
  SmallVector<Type> types(ValueRange(inits).getTypes());
  types.push_back(number.getType());
  operation.addOperands(inits);
  operation.addOperands(captures);
  operation.addTypes(types);
  auto &properties = operation.getOrAddProperties<WhileOp::Properties>();
  if (isBounded)
    properties.at_most = DimsAttr::get(b.getContext(), {DimExpr(most)});
  properties.operandSegmentSizes = {int32_t(inits.size()), int32_t(captures.size())};
  for (Value result : b.create(operation)->getResults())
    add(result);
}

void GraphMaker::branch() {
  if (depth == 2)
    return;
  Value condition = this->condition();
  SmallVector<Value> captures = someValues(3);
  OperationState operation(loc, IfOp::getOperationName());
  SmallVector<Type> types;
  // Of the first branch's values those that are cut outside: the place of their size, and the axis.
  llvm::DenseMap<unsigned, std::pair<unsigned, int64_t>> cuts;
  for (int i : {0, 1}) {
    Block &block = operation.addRegion()->emplaceBlock();
    for (Value capture : captures)
      block.addArgument(capture.getType(), loc);
    SmallVector<Value> values = fill(block, [&](GraphMaker &inner) {
      if (i == 0) {
        SmallVector<Value> made;
        for (Value value : inner.takeOutputs()) {
          int64_t axis = 0;
          if (made.size() >= 3)
            break;
          if (!inner.hasOwnSize(value.getType())) {
            made.push_back(value);
          } else if (auto handed = inner.handOut(value, axis)) {
            cuts[made.size()] = {made.size() + 1, axis};
            made.append({handed->first, handed->second});
          }
        }
        return made;
      }
      // The second has what the types of the first ask for.
      SmallVector<Value> same;
      for (Type type : types) {
        SmallVector<Value> candidates = inner.ofType(type);
        auto tensor = cast<RankedTensorType>(type);
        same.push_back(
            candidates.empty()
                ? inner.math.broadcastScalar(inner.math.cast(inner.math.scalar(1, b.getF32Type()),
                                                             tensor.getElementType()),
                                             getShape(tensor))
                : inner.recent(candidates));
      }
      return same;
    });
    if (i == 0)
      types.assign(ValueRange(values).getTypes().begin(), ValueRange(values).getTypes().end());
  }
  operation.addOperands(condition);
  operation.addOperands(captures);
  operation.addTypes(types);
  Operation *made = b.create(operation);
  for (auto [i, result] : llvm::enumerate(made->getResults())) {
    auto cut = cuts.find(unsigned(i));
    if (cut == cuts.end()) {
      add(result);
      continue;
    }
    auto [place, axis] = cut->second;
    // What the other branch gives for a size may be any number.
    Value most = math.count(result, {axis}, b.getI64Type()), given = made->getResult(place);
    Value size = math.minimum(math.maximum(given, math.zeroLike(given)), most);
    Shape dims = getShape(result);
    sizes.symbols[nextSymbol] = *sizes.evaluate(dims[size_t(axis)]);
    dims[size_t(axis)] = DimExpr::symbol(nextSymbol++);
    add(b.create<TruncateOp>(loc, getTensorType(dims, getElementType(result)), result, size,
                             uint64_t(axis)));
  }
}

void GraphMaker::makeOps(int count) {
  using Step = void (GraphMaker::*)();
  static const std::pair<int, Step> steps[] = {{40, &GraphMaker::elementwise},
                                               {6, &GraphMaker::shape},
                                               {5, &GraphMaker::broadcast},
                                               {4, &GraphMaker::slice},
                                               {3, &GraphMaker::truncate},
                                               {3, &GraphMaker::pad},
                                               {3, &GraphMaker::concatenate},
                                               {2, &GraphMaker::gather},
                                               {2, &GraphMaker::besideItself},
                                               {9, &GraphMaker::reduce},
                                               {3, &GraphMaker::scan},
                                               {4, &GraphMaker::normalize},
                                               {7, &GraphMaker::contract},
                                               {4, &GraphMaker::windows},
                                               {4, &GraphMaker::convolution},
                                               {3, &GraphMaker::gradients},
                                               {3, &GraphMaker::leaf},
                                               {4, &GraphMaker::loop},
                                               {2, &GraphMaker::branch},
                                               {2, &GraphMaker::openLoop},
                                               {2, &GraphMaker::jvp},
                                               {2, &GraphMaker::vjp},
                                               {2, &GraphMaker::scatter},
                                               {1, &GraphMaker::dynamicSlice},
                                               {2, &GraphMaker::sort},
                                               {2, &GraphMaker::matrices},
                                               {1, &GraphMaker::orthogonalFactors},
                                               {2, &GraphMaker::fourier},
                                               {2, &GraphMaker::complexNumbers}};
  int total = 0;
  for (auto [weight, step] : steps)
    total += weight;
  for (int i = 0; i < count; ++i) {
    int64_t choice = below(total);
    for (auto [weight, step] : steps)
      if ((choice -= weight) < 0) {
        (this->*step)();
        break;
      }
  }
}

// What nobody reads, and some of the rest.
SmallVector<Value> GraphMaker::takeOutputs() {
  SmallVector<Value> outputs;
  for (Value value : llvm::reverse(pool))
    if (outputs.size() < 6 && value.getDefiningOp() && (value.use_empty() || chance(8)))
      outputs.push_back(value);
  if (outputs.empty())
    outputs.push_back(math.identity(pool.back()));
  return outputs;
}

RandomFunction keratin::tests::makeRandomFunction(MLIRContext *context,
                                                  const std::vector<uint64_t> &seeds, int ops) {
  OpBuilder b(context);
  Location loc = b.getUnknownLoc();
  RandomFunction result;
  result.module = ModuleOp::create(loc);
  b.setInsertionPointToEnd(result.module->getBody());
  result.function = b.create<func::FuncOp>(loc, "main", b.getFunctionType({}, {}));
  Block *body = result.function.addEntryBlock();
  b.setInsertionPointToStart(body);
  for (int64_t symbol : {0, 1, 2})
    body->addArgument(getTensorType({DimExpr::symbol(symbol)}, b.getI1Type()), loc);
  SmallVector<Value> outputs;
  SmallVector<std::pair<Value, size_t>> updates;
  int64_t nextSymbol = 3;
  for (auto [number, seed] : llvm::enumerate(seeds)) {
    uint64_t state = seed * 0x9E3779B97F4A7C15 + 1;
    GraphMaker maker(b, body, nextRandom(state), nextSymbol);
    maker.makeArguments();
    maker.makeOps(1 + int(nextRandom(state) % uint64_t(ops)));
    bool isUpdate = nextRandom(state) % 3 == 0;
    for (Value output : maker.takeOutputs()) {
      // Variables have static shapes.
      if (isUpdate && getTensorType(output).hasStaticShape())
        updates.push_back({output, number});
      else {
        outputs.push_back(output);
        result.graphOfResult.push_back(number);
      }
    }
  }
  // A new value for a variable, added to the old one so that the old one is read.
  GraphMath math(b, loc);
  size_t inputs = body->getNumArguments();
  for (auto [value, number] : updates) {
    Value variable = body->addArgument(value.getType(), loc);
    outputs.push_back(getElementType(value).isInteger(1) ? math.xor_(variable, value)
                                                         : math.add(variable, value));
    result.graphOfResult.push_back(number);
  }
  b.create<func::ReturnOp>(loc, outputs);
  result.function.setType(b.getFunctionType(body->getArgumentTypes(), ValueRange(outputs)));
  for (size_t i = 0; i < body->getNumArguments(); ++i)
    result.function.setArgAttr(i, "keratin.kind",
                               b.getStringAttr(i < inputs ? "input" : "variable"));
  size_t firstUpdate = outputs.size() - updates.size();
  for (size_t i = 0; i < outputs.size(); ++i) {
    bool isUpdate = i >= firstUpdate;
    result.function.setResultAttr(i, "keratin.kind",
                                  b.getStringAttr(isUpdate ? "update" : "output"));
    if (isUpdate)
      result.function.setResultAttr(i, "keratin.variable", b.getI64IntegerAttr(i - firstUpdate));
  }
  return result;
}

std::map<int64_t, int64_t> keratin::tests::randomSymbols(uint64_t seed, bool withZero) {
  static const int64_t ordinary[] = {2, 3, 5, 9, 16, 17, 33};
  std::map<int64_t, int64_t> symbols;
  for (int64_t id : {0, 1, 2}) {
    uint64_t bits = nextRandom(seed);
    symbols[id] = withZero ? int64_t(bits % 4) : ordinary[bits % std::size(ordinary)];
  }
  return symbols;
}
