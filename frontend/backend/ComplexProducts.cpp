// Products of complex numbers along axes. No number is multiplied by a 1 that is not there: of an
// infinite one that would leave NaN.
#include "frontend/backend/ComplexFunctions.h"
#include "frontend/graph/Loop.h"
#include "frontend/values/DTypeRules.h"

using namespace keratin;
using namespace keratin::frontend;

namespace {

// Of the rows of a tensor, element by element.
class ProductOfRows {
public:
  ProductOfRows(Call &call, Value x) : call(call), g(call.g), x(x), shape(ir::getShape(x)) {}

  Value run() {
    const DimExpr &count = shape.front();
    return count.isConstant() ? ofKnown(x, count.constantValue()) : ofUnknown(count);
  }

private:
  Value rows(Value from, const DimExpr &start, const DimExpr &count) {
    ir::Shape starts(shape.size(), DimExpr(0)), sizes = ir::getShape(from);
    starts[0] = start;
    sizes[0] = count;
    return g.slice(from, starts, sizes, std::vector<int64_t>(sizes.size(), 1));
  }

  ir::Shape shapeOf(const DimExpr &count) const {
    ir::Shape result = shape;
    result[0] = count;
    return result;
  }

  Value ones(const ir::Shape &sizes) {
    const mlir::Type part = call.elementType(partOf(call.dtypeOf(x)));
    Value zeros = g.splat(0, ir::getTensorType(sizes, part));
    return complexOf(call, {g.oneLike(zeros), zeros});
  }

  Value row(Value only) { return g.reshape(only, ir::Shape(shape.begin() + 1, shape.end())); }

  // One half times the other; what is left over of odd numbers is multiplied at the end.
  Value ofKnown(Value numbers, int64_t count) {
    if (count == 0)
      return row(ones(shapeOf(1)));
    Value over;
    for (; count > 1; count /= 2) {
      const int64_t half = count / 2;
      if (count % 2 != 0) {
        Value last = rows(numbers, DimExpr(count - 1), DimExpr(1));
        over = over ? complexProduct(call, over, last) : last;
      }
      numbers = complexProduct(call, rows(numbers, DimExpr(0), DimExpr(half)),
                               rows(numbers, DimExpr(half), DimExpr(half)));
    }
    return row(over ? complexProduct(call, numbers, over) : numbers);
  }

  // Whether there are rows `first` + 0, ..., width - 1, along all elements of as many rows.
  Value areThere(Value first, int64_t width, const DimExpr &count) {
    const mlir::Type integer = call.elementType(DType::Int64);
    auto everywhere = [&](Value number) { return g.broadcastScalar(number, {DimExpr(width)}); };
    Value place = g.add(everywhere(first), g.iota(ir::getTensorType({DimExpr(width)}, integer), 0));
    Value isThere = g.less(place, everywhere(call.scalar(count, DType::Int64)));
    return g.broadcast(isThere, shapeOf(DimExpr(width)), {0});
  }

  // As many products side by side as a block has rows, then those of their halves. Of the last
  // block some rows may be missing.
  Value ofUnknown(const DimExpr &count) {
    constexpr int64_t kBlock = 64;
    const DimExpr one(1), block(kBlock),
        blocks = call.check(ir::max(call.check(ir::ceildiv(count, block)), one)),
        further = call.check(ir::sub(blocks, one));
    const ir::Shape padded = shapeOf(call.check(ir::mul(blocks, block)));
    ir::Shape inBlocks = shapeOf(block);
    inBlocks.insert(inBlocks.begin(), further);
    Value all = g.pad(x, ir::Shape(shape.size(), DimExpr(0)), std::vector<int64_t>(shape.size(), 0),
                      padded);
    auto number = [&](int64_t n) { return g.integerScalar(n, call.elementType(DType::Int64)); };
    Value first = g.select(areThere(number(0), kBlock, count), rows(all, DimExpr(0), block),
                           ones(shapeOf(block)));
    Value others = g.reshape(rows(all, block, call.check(ir::mul(further, block))), inBlocks);

    Loop loop(call, "the blocks of prod", further, /*reverse=*/false);
    Value product = loop.addState(first.getType()), element = loop.addElement(others);
    Value start = g.mul(g.add(loop.stepNumber(), number(1)), number(kBlock));
    Value next =
        g.select(areThere(start, kBlock, count), complexProduct(call, product, element), product);
    loop.end();
    Value numbers = loop.finish({first}, {next}, {}).lastStates[0];

    for (int64_t half = kBlock / 2; half > 0; half /= 2) {
      Value left = rows(numbers, DimExpr(0), DimExpr(half));
      Value right = rows(numbers, DimExpr(half), DimExpr(half));
      numbers =
          g.select(areThere(number(half), half, count), complexProduct(call, left, right), left);
    }
    return row(numbers);
  }

  Call &call;
  ir::GraphMath &g;
  Value x;
  const ir::Shape shape;
};

} // namespace

Value frontend::complexProductAlong(Call &call, Value z, llvm::ArrayRef<int64_t> axes) {
  const ir::Shape shape = ir::getShape(z);
  std::vector<int64_t> order(axes.begin(), axes.end());
  ir::Shape rows{DimExpr(1)};
  for (int64_t axis : axes)
    rows[0] = call.check(ir::mul(rows[0], shape[size_t(axis)]));
  for (int64_t axis = 0; axis < int64_t(shape.size()); ++axis)
    if (!llvm::is_contained(axes, axis)) {
      order.push_back(axis);
      rows.push_back(shape[size_t(axis)]);
    }
  return ProductOfRows(call, call.g.reshape(call.g.transpose(z, order), rows)).run();
}
