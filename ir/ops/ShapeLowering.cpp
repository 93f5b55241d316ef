// Where each element of a moved tensor comes from.
#include "ir/dialect/Keratin.h"
#include "ir/dialect/OwnRows.h"

using namespace keratin::ir;
using namespace mlir;

static bool contains(ArrayRef<int64_t> list, int64_t value) {
  return llvm::is_contained(list, value);
}

Value BroadcastOp::buildElement(ElementBuilder &builder, ArrayRef<Index> index) {
  Shape from = getShape(getX()), to = getShape(getY());
  SmallVector<Index> source;
  for (auto [i, dim] : llvm::enumerate(getDims()))
    source.push_back(from[i] == to[dim] ? index[dim] : builder.index(DimExpr(0)));
  return builder.element(0, source);
}

bool BroadcastOp::canCollapse(unsigned dim) {
  // Both are new or repeated, or both are kept side by side.
  Shape from = getShape(getX()), to = getShape(getY());
  auto kept = [&](int64_t d) {
    for (auto [i, mapped] : llvm::enumerate(getDims()))
      if (mapped == d)
        return from[i] == to[d];
    return false;
  };
  return kept(dim) == kept(dim + 1);
}

Value TransposeOp::buildElement(ElementBuilder &builder, ArrayRef<Index> index) {
  SmallVector<Index> source(index.size());
  for (auto [i, dim] : llvm::enumerate(getPermutation()))
    source[dim] = index[i];
  return builder.element(0, source);
}

bool TransposeOp::canCollapse(unsigned dim) {
  return getPermutation()[dim] + 1 == getPermutation()[dim + 1];
}

Value SliceOp::buildElement(ElementBuilder &builder, ArrayRef<Index> index) {
  Shape starts = getStarts().getDims();
  SmallVector<Index> source;
  for (size_t i = 0; i < index.size(); ++i)
    source.push_back(
        builder.add(builder.scale(index[i], getStrides()[i]), builder.index(starts[i])));
  return builder.element(0, source);
}

bool SliceOp::canCollapse(unsigned dim) {
  Shape from = getShape(getX()), to = getShape(getY());
  return from[dim] == to[dim] && from[dim + 1] == to[dim + 1];
}

Value PadOp::buildElement(ElementBuilder &builder, ArrayRef<Index> index) {
  Shape from = getShape(getX()), to = getShape(getY()), low = getLow().getDims();
  SmallVector<Index> source;
  Value inside;
  auto require = [&](Value condition) {
    builder.setElementType(IntegerType::get(getContext(), 1));
    inside = inside ? builder.and_(inside, condition) : condition;
  };
  for (size_t i = 0; i < index.size(); ++i) {
    if (from[i] == to[i]) {
      source.push_back(index[i]);
      continue;
    }
    int64_t step = getInterior()[i] + 1;
    Index shifted = builder.sub(index[i], builder.index(low[i]));
    Index position = step == 1 ? shifted : builder.floorDiv(shifted, step);
    if (step != 1)
      require(builder.equal(builder.scale(position, step), shifted));
    require(builder.less(builder.index(DimExpr(-1)), position));
    require(builder.less(position, builder.index(from[i])));
    source.push_back(position);
  }
  return inside ? builder.elementOrZero(0, source, inside) : builder.element(0, source);
}

bool PadOp::canCollapse(unsigned dim) {
  Shape from = getShape(getX()), to = getShape(getY());
  return from[dim] == to[dim] && from[dim + 1] == to[dim + 1];
}

Value ConcatenateOp::buildElement(ElementBuilder &builder, ArrayRef<Index> index) {
  int64_t axis = getAxis();
  Index offset = builder.index(DimExpr(0));
  Value result;
  for (auto [i, x] : llvm::enumerate(getXs())) {
    SmallVector<Index> source(index.begin(), index.end());
    source[axis] = builder.sub(index[axis], offset);
    Index end = builder.add(offset, builder.index(getShape(x)[axis]));
    Value below = builder.less(index[axis], end);
    Value from = builder.less(builder.sub(offset, builder.index(DimExpr(1))), index[axis]);
    builder.setElementType(IntegerType::get(getContext(), 1));
    Value inside = builder.and_(from, below);
    Value part = builder.elementOrZero(i, source, inside);
    builder.setElementType(getElementType(x));
    result = result ? builder.select(inside, part, result) : part;
    offset = end;
  }
  return result;
}

bool ConcatenateOp::canCollapse(unsigned dim) { return dim != getAxis() && dim + 1 != getAxis(); }

Value ReverseOp::buildElement(ElementBuilder &builder, ArrayRef<Index> index) {
  Shape shape = getShape(getX());
  SmallVector<Index> source(index.begin(), index.end());
  for (int64_t axis : getAxes()) {
    Index last = builder.sub(builder.index(shape[axis]), builder.index(DimExpr(1)));
    source[axis] = builder.sub(last, index[axis]);
  }
  return builder.element(0, source);
}

bool ReverseOp::canCollapse(unsigned dim) {
  return !contains(getAxes(), dim) && !contains(getAxes(), dim + 1);
}

Value GatherOp::buildElement(ElementBuilder &builder, ArrayRef<Index> index) {
  size_t rank = getTensorType(getIndices()).getRank();
  Value picked = builder.element(1, index.take_front(rank));
  builder.setElementType(getElementType(getIndices()));
  Index row = builder.toIndex(picked);
  Value low = builder.less(builder.index(DimExpr(-1)), row);
  Value high = builder.less(row, builder.index(getShape(getX())[0]));
  builder.setElementType(IntegerType::get(getContext(), 1));
  Value inside = builder.and_(low, high);
  SmallVector<Index> source{row};
  source.append(index.begin() + rank, index.end());
  if (hasOwnRows(*this))
    return builder.elementOrZero(0, source, inside);
  source.front() =
      builder.checked(row, inside, "gather: an index is outside the first axis of the reference");
  return builder.element(0, source);
}

bool GatherOp::canCollapse(unsigned dim) {
  // Index dimensions walk together, and so do those of the rows.
  return int64_t(dim) + 1 != getTensorType(getIndices()).getRank();
}

// The checked scalar starts of a box inside a larger shape.
static SmallVector<Index> boxStarts(ElementBuilder &builder, OperandRange starts,
                                    unsigned firstOperand, const Shape &small, const Shape &large,
                                    StringRef message) {
  SmallVector<Index> result;
  for (auto [i, start] : llvm::enumerate(starts)) {
    Value element = builder.element(firstOperand + i, {});
    builder.setElementType(getElementType(start));
    Index position = builder.toIndex(element);
    Index room = builder.sub(builder.index(large[i]), builder.index(small[i]));
    Value low = builder.less(builder.index(DimExpr(-1)), position);
    Value high = builder.less(position, builder.add(room, builder.index(DimExpr(1))));
    builder.setElementType(IntegerType::get(start.getContext(), 1));
    result.push_back(builder.checked(position, builder.and_(low, high), message));
  }
  return result;
}

Value DynamicSliceOp::buildElement(ElementBuilder &builder, ArrayRef<Index> index) {
  SmallVector<Index> starts = boxStarts(builder, getStarts(), 1, getShape(getY()), getShape(getX()),
                                        "slice: the box leaves the tensor");
  SmallVector<Index> source;
  for (size_t i = 0; i < index.size(); ++i)
    source.push_back(builder.add(index[i], starts[i]));
  return builder.element(0, source);
}

bool DynamicSliceOp::canCollapse(unsigned) { return false; }

Value DynamicUnsliceOp::buildElement(ElementBuilder &builder, ArrayRef<Index> index) {
  Shape small = getShape(getX());
  SmallVector<Index> starts = boxStarts(builder, getStarts(), 1, small, getShape(getY()),
                                        "slice: the box leaves the tensor");
  SmallVector<Index> source;
  Value inside;
  for (size_t i = 0; i < index.size(); ++i) {
    Index position = builder.sub(index[i], starts[i]);
    Value low = builder.less(builder.index(DimExpr(-1)), position);
    Value high = builder.less(position, builder.index(small[i]));
    builder.setElementType(IntegerType::get(getContext(), 1));
    Value both = builder.and_(low, high);
    inside = inside ? builder.and_(inside, both) : both;
    source.push_back(position);
  }
  return inside ? builder.elementOrZero(0, source, inside) : builder.element(0, source);
}

bool DynamicUnsliceOp::canCollapse(unsigned) { return false; }

Value CheckRangeOp::buildElement(ElementBuilder &builder, ArrayRef<Index> index) {
  Value element = builder.element(0, index);
  builder.setElementType(getElementType(getX()));
  Index number = builder.toIndex(element), one = builder.index(DimExpr(1));
  Value low = builder.less(builder.index(getLower().getDims()[0]), builder.add(number, one));
  Value high = builder.less(number, builder.index(getUpper().getDims()[0]));
  builder.setElementType(IntegerType::get(getContext(), 1));
  number = builder.checked(number, builder.and_(low, high), getMessage());
  builder.setElementType(getElementType(getY()));
  return builder.fromIndex(number);
}

bool CheckRangeOp::canCollapse(unsigned) { return true; }
