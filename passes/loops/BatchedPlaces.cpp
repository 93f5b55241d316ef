// Ops that say where, for all steps at once: rows of all steps are rows of one table.
#include "passes/loops/ScanEditor.h"
#include "passes/loops/StepBatcher.h"
#include "passes/loops/StepMoves.h"

#include "mlir/IR/Matchers.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

// The first two dimensions as one.
static Value joinFirst(GraphMath &g, Value x) {
  Shape shape = getShape(x);
  shape[1] = *mul(shape[0], shape[1]); // countable, as all elements are
  shape.erase(shape.begin());
  return g.reshape(x, shape);
}

// The first dimension as the steps and what is left of it.
static Value splitFirst(GraphMath &g, Value x, const DimExpr &steps, const DimExpr &rest) {
  Shape shape = getShape(x);
  shape.front() = rest;
  shape.insert(shape.begin(), steps);
  return g.reshape(x, shape);
}

// The size as an i64 in this shape.
static Value sizeLike(GraphMath &g, const DimExpr &size, const Shape &shape) {
  Type type = g.builder().getI64Type();
  Value scalar =
      size.isConstant()
          ? g.integerScalar(size.constantValue(), type)
          : g.count(g.splat(0, getTensorType({size}, g.builder().getI1Type())), {0}, type);
  return g.broadcastScalar(scalar, shape);
}

static Value inRange(GraphMath &g, Value x, const DimExpr &upper, StringRef message) {
  auto dims = [&](const DimExpr &size) {
    return DimsAttr::get(g.builder().getContext(), Shape{size});
  };
  Value checked =
      g.builder().create<CheckRangeOp>(g.location(), x.getType(), x, dims(0), dims(upper), message);
  return g.cast(checked, g.builder().getI64Type());
}

// Indices of rows that each step has by itself, as indices of the rows of all steps. One outside of
// them would be in another step's, so this is looked at here.
Value StepBatcher::placesInAll(Value indices, const DimExpr &rows, StringRef message,
                               GraphMath &g) {
  Value places = inRange(g, indices, rows, message);
  Shape shape = getShape(places);
  Value first = g.mul(g.iota(getTensorType(places), 0), sizeLike(g, rows, shape));
  return g.add(places, first);
}

//===-- Rows ----------------------------------------------------------------------------------===//

SteppedValue StepBatcher::makeOwn(GatherOp op, GraphMath &g) {
  auto [x, xVaries] = lookup(op.getX());
  auto [indices, indicesVary] = lookup(op.getIndices());
  if (!xVaries)
    return again(op, {x, indices}, /*isVarying=*/true).front();
  if (indicesVary) {
    Value places = placesInAll(indices, getShape(x)[1],
                               "gather: an index is outside the first axis of the reference", g);
    return {g.gather(joinFirst(g, x), places), /*varies=*/true};
  }
  // The steps are a part of each row.
  Value rows = g.gather(moveFirst(g, x, 1), indices);
  return {moveToFront(g, rows, getTensorType(indices).getRank()), /*varies=*/true};
}

SteppedValue StepBatcher::scatter(Operation *op, Value indices, Value updates, GraphMath &g) {
  auto [places, placesVary] = lookup(indices);
  Shape shape = getShape(op->getResult(0));
  DimExpr rows = shape.front();
  int64_t rank = getTensorType(indices).getRank();
  auto emit = [&](Value indices, Value updates, const Shape &shape) {
    Operation *made = builder.clone(*op);
    made->setOperands({indices, updates});
    made->getResult(0).setType(getTensorType(shape, getElementType(updates)));
    return made->getResult(0);
  };
  if (!placesVary) {
    shape.insert(shape.begin() + 1, steps);
    Value y = emit(places, moveFirst(g, lookup(updates).value, rank), shape);
    return {moveToFront(g, y, 1), /*varies=*/true};
  }
  std::string message =
      (op->getName().stripDialect() + ": an index is outside the first axis of the result").str();
  shape.front() = *mul(steps, rows);
  Value y = emit(placesInAll(places, rows, message, g), forAllSteps(updates, g), shape);
  return {splitFirst(g, y, steps, rows), /*varies=*/true};
}

// The steps are columns, or blocks of one matrix along its diagonal.
SteppedValue StepBatcher::makeOwn(SparseDotOp op, GraphMath &g) {
  Shape shape = getShape(op.getY());
  bool isOneMatrix = !varies(op.getRows()) && !varies(op.getColumns()) && !varies(op.getValues());
  auto emit = [&](Value rows, Value columns, Value values, Value x,
                  const DimExpr &height) -> Value {
    auto type = getTensorType({height, getShape(x)[1]}, getElementType(x));
    return builder.create<SparseDotOp>(op.getLoc(), type, rows, columns, values, x);
  };
  if (isOneMatrix) {
    Value x = moveFirst(g, lookup(op.getX()).value, 1);
    Shape columns = getShape(x);
    x = g.reshape(x, {columns[0], *mul(columns[1], columns[2])});
    Value y = emit(lookup(op.getRows()).value, lookup(op.getColumns()).value,
                   lookup(op.getValues()).value, x, shape[0]);
    return {moveToFront(g, g.reshape(y, {shape[0], steps, shape[1]}), 1), /*varies=*/true};
  }
  constexpr StringLiteral message = "sparse_dot: a stored element is outside the matrix";
  Value x = forAllSteps(op.getX(), g);
  Value rows = placesInAll(forAllSteps(op.getRows(), g), shape[0], message, g);
  Value columns = placesInAll(forAllSteps(op.getColumns(), g), getShape(x)[1], message, g);
  Value y =
      emit(joinFirst(g, rows), joinFirst(g, columns), joinFirst(g, forAllSteps(op.getValues(), g)),
           joinFirst(g, x), *mul(steps, shape[0]));
  return {splitFirst(g, y, steps, shape[0]), /*varies=*/true};
}

//===-- Boxes ---------------------------------------------------------------------------------===//

// With the steps as one more dimension, of which all are taken.
SteppedValue StepBatcher::withFirstStart(Operation *op, OperandRange starts, GraphMath &g) {
  Type type = starts.empty() ? builder.getI64Type() : getElementType(starts.front());
  SmallVector<Value> operands{lookup(op->getOperand(0)).value, g.integerScalar(0, type)};
  for (Value start : starts)
    operands.push_back(lookup(start).value);
  Operation *made = builder.clone(*op);
  made->setOperands(operands);
  made->getResult(0).setType(*stackType(getTensorType(op->getResult(0)), steps));
  return {made->getResult(0), /*varies=*/true};
}

// How many dimensions there are up to the last one of which not all is taken; those behind are
// rows.
static size_t leadingDims(const Shape &box, const Shape &whole) {
  size_t dims = box.size();
  while (dims > 0 && box[dims - 1] == whole[dims - 1])
    --dims;
  return dims;
}

// With so many dimensions as one.
static Value asRows(GraphMath &g, Value x, size_t leading) {
  Shape shape = getShape(x), rows{*product(Shape(shape.begin(), shape.begin() + leading))};
  rows.insert(rows.end(), shape.begin() + leading, shape.end());
  return g.reshape(x, rows);
}

// The number of the row at these places in dimensions of these sizes; where each step has rows of
// its own, those of one step are behind those of another.
static Value rowNumbers(GraphMath &g, ArrayRef<Value> places, const Shape &sizes,
                        RankedTensorType type, bool areOfStep) {
  Value number = areOfStep ? g.iota(type, 0) : g.splat(0, type);
  for (auto [place, size] : llvm::zip(places, sizes))
    number = g.add(g.mul(number, sizeLike(g, size, getShape(type))), place);
  return number;
}

// Boxes of all steps. Their places are numbered in the dimensions up to the last one of which not
// all is taken.
struct StepBatcher::Boxes {
  size_t leading;
  RankedTensorType type;     // of numbers for all places in these dimensions, in each step
  SmallVector<Value> starts; // repeated to it, null for a constant 0; each leaves the box inside

  // The number, with a look at starts that must be 0.
  Value checked(Value number, GraphMath &g) const {
    for (Value start : ArrayRef(starts).drop_front(leading))
      if (start)
        number = g.add(number, start);
    return number;
  }
};

// Places are those of `numbered`, the box or the whole.
StepBatcher::Boxes StepBatcher::placeBoxes(OperandRange starts, const Shape &box,
                                           const Shape &whole, const Shape &numbered,
                                           GraphMath &g) {
  Boxes boxes;
  boxes.leading = leadingDims(box, whole);
  Shape shape(numbered.begin(), numbered.begin() + boxes.leading);
  shape.insert(shape.begin(), steps);
  boxes.type = getTensorType(shape, builder.getI64Type());
  for (auto [i, start] : llvm::enumerate(starts)) {
    Value &place = boxes.starts.emplace_back();
    if (matchPattern(start, m_Zero()))
      continue;
    place = inRange(g, forAllSteps(start, g), *add(*sub(whole[i], box[i]), 1),
                    "slice: the box leaves the tensor");
    place = g.broadcast(place, shape, {0});
  }
  return boxes;
}

SteppedValue StepBatcher::makeOwn(DynamicSliceOp op, GraphMath &g) {
  if (llvm::none_of(op.getStarts(), [&](Value start) { return varies(start); }))
    return withFirstStart(op, op.getStarts(), g);
  Shape box = getShape(op.getY()), whole = getShape(op.getX());
  Boxes boxes = placeBoxes(op.getStarts(), box, whole, box, g);
  SmallVector<Value> places;
  for (size_t i = 0; i < boxes.leading; ++i) {
    Value place = g.iota(boxes.type, i + 1);
    places.push_back(boxes.starts[i] ? g.add(place, boxes.starts[i]) : place);
  }
  whole.resize(boxes.leading);
  auto [x, xVaries] = lookup(op.getX());
  Value number = boxes.checked(rowNumbers(g, places, whole, boxes.type, xVaries), g);
  return {g.gather(asRows(g, x, xVaries + boxes.leading), number), /*varies=*/true};
}

// Every element of the whole is one of the box, or that of a row of zeros before all others.
SteppedValue StepBatcher::makeOwn(DynamicUnsliceOp op, GraphMath &g) {
  if (llvm::none_of(op.getStarts(), [&](Value start) { return varies(start); }))
    return withFirstStart(op, op.getStarts(), g);
  Shape box = getShape(op.getX()), whole = getShape(op.getY());
  Boxes boxes = placeBoxes(op.getStarts(), box, whole, whole, g);
  SmallVector<Value> places;
  Value zero = g.splat(0, boxes.type);
  Value inside = g.splat(1, withElementType(boxes.type, builder.getI1Type()));
  for (size_t i = 0; i < boxes.leading; ++i) {
    Value place = g.iota(boxes.type, i + 1);
    if (boxes.starts[i])
      place = g.sub(place, boxes.starts[i]);
    inside = g.and_(inside, g.greaterEqual(place, zero));
    inside = g.and_(inside, g.less(place, sizeLike(g, box[i], getShape(boxes.type))));
    places.push_back(place);
  }
  box.resize(boxes.leading);
  auto [x, xVaries] = lookup(op.getX());
  Value number = boxes.checked(rowNumbers(g, places, box, boxes.type, xVaries), g);
  number = g.add(number, g.splat(1, boxes.type));
  Value rows = asRows(g, x, xVaries + boxes.leading);
  Shape padded = getShape(rows), low(padded.size(), DimExpr(0));
  low[0] = 1;
  padded[0] = *add(padded[0], 1);
  rows = g.pad(rows, low, SmallVector<int64_t>(padded.size(), 0), padded);
  return {g.gather(rows, g.select(inside, number, zero)), /*varies=*/true};
}

//===-- Others --------------------------------------------------------------------------------===//

// The size is the same in each step.
SteppedValue StepBatcher::makeOwn(TruncateOp op, GraphMath &) {
  SteppedValue made =
      again(op, {lookup(op.getX()).value, lookup(op.getSize()).value}, true).front();
  made.value.getDefiningOp<TruncateOp>().setAxis(op.getAxis() + 1);
  return made;
}

SteppedValue StepBatcher::makeOwn(DependOp op, GraphMath &g) {
  SmallVector<Value> operands{forAllSteps(op.getX(), g)};
  for (Value after : op.getAfter())
    operands.push_back(lookup(after).value);
  return again(op, operands, /*isVarying=*/true).front();
}

SteppedValue StepBatcher::makeOwn(DelayOp op, GraphMath &) {
  auto [x, varies] = lookup(op.getX());
  Value after = lookup(op.getAfter()).value;
  return {builder.create<DelayOp>(op.getLoc(), x.getType(), x, after), varies};
}

SteppedValue StepBatcher::makeOwn(RequireOp op, GraphMath &) {
  return again(op, lookup(op.getX()).value, /*isVarying=*/true).front();
}

SteppedValue StepBatcher::makeOwn(CheckRangeOp op, GraphMath &) {
  return again(op, lookup(op.getX()).value, /*isVarying=*/true).front();
}

// Samples of all steps are samples.
SteppedValues StepBatcher::makeOwn(CtcBeamSearchOp op, GraphMath &g) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(joinFirst(g, forAllSteps(operand, g)));
  Operation *made = builder.clone(*op);
  made->setOperands(operands);
  SteppedValues results;
  for (auto [inside, result] : llvm::zip(op->getResults(), made->getResults())) {
    Shape shape = getShape(inside);
    DimExpr samples = shape.front();
    shape.front() = *mul(steps, samples);
    result.setType(getTensorType(shape, getElementType(result)));
    results.push_back({splitFirst(g, result, steps, samples), /*varies=*/true});
  }
  return results;
}

} // namespace keratin::passes
