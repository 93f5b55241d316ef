// K functions: diagonals of matrices.
#include "frontend/backend/Diagonals.h"
#include "frontend/graph/SmallSizes.h"

#include "keratin/linear_algebra.h"

#include <algorithm>
#include <limits>

using namespace keratin;
using namespace keratin::frontend;

namespace {

// The diagonal of a matrix that begins at a place on its upper or left edge.
struct Corner {
  DimExpr row, column, length;
};

} // namespace

static Corner cornerOf(Call &call, const DimExpr &rows, const DimExpr &columns, int64_t offset) {
  auto start = [&](int64_t at, const DimExpr &size) {
    return at > 0 ? call.check(ir::min(DimExpr(at), size)) : zero;
  };
  DimExpr row = start(-offset, rows), column = start(offset, columns);
  return {
      row, column,
      call.check(ir::min(call.check(ir::sub(rows, row)), call.check(ir::sub(columns, column))))};
}

// Rows of one element more than the matrix has begin on its diagonal: such rows are taken from the
// square that begins at the corner, and their first elements.
static Value ofSquare(Call &call, Value x, ir::Shape shape, const Corner &corner) {
  size_t rank = shape.size(), row = rank - 2, column = rank - 1;
  ir::Shape starts(rank, zero);
  starts[row] = corner.row;
  starts[column] = corner.column;
  shape[row] = shape[column] = corner.length;
  x = call.g.slice(x, starts, shape, std::vector<int64_t>(rank, 1));

  auto flat = [&](const DimExpr &width) {
    ir::Shape result(shape.begin(), shape.end() - 2);
    result.push_back(call.check(ir::mul(corner.length, width)));
    return result;
  };
  const DimExpr width = call.check(ir::add(corner.length, one));
  x = call.g.reshape(x, flat(corner.length));
  x = call.g.pad(x, ir::Shape(rank - 1, zero), std::vector<int64_t>(rank - 1, 0), flat(width));
  shape[column] = width;
  x = call.g.reshape(x, shape);
  shape[column] = one;
  return call.g.slice(x, ir::Shape(rank, zero), shape, std::vector<int64_t>(rank, 1));
}

// Of a matrix of known size it is a strided slice of its elements.
static Value ofKnown(Call &call, Value x, ir::Shape shape, const Corner &corner) {
  int64_t columns = shape.back().constantValue();
  ir::Shape flat(shape.begin(), shape.end() - 2);
  ir::Shape result = flat, starts(flat.size() + 1, zero);
  std::vector<int64_t> strides(flat.size() + 1, 1);
  flat.push_back(call.check(ir::mul(shape[shape.size() - 2], shape.back())));
  result.push_back(corner.length);
  starts.back() = DimExpr(corner.row.constantValue() * columns + corner.column.constantValue());
  strides.back() = columns + 1;
  return call.g.slice(call.g.reshape(x, flat), starts, result, strides);
}

Value keratin::frontend::diagonal(Call &call, Value x, int64_t first, int64_t second,
                                  int64_t offset) {
  ir::Shape shape = ir::getShape(x);
  std::vector<int64_t> order;
  for (int64_t i = 0; i < int64_t(shape.size()); ++i)
    if (i != first && i != second)
      order.push_back(i);
  order.insert(order.end(), {first, second});
  x = call.g.transpose(x, order);
  shape = ir::getShape(x);
  const DimExpr &rows = shape[shape.size() - 2], &columns = shape.back();
  Corner corner = cornerOf(call, rows, columns, offset);
  if (rows.isConstant() && columns.isConstant() && corner.length != zero)
    return ofKnown(call, x, shape, corner);
  x = ofSquare(call, x, shape, corner);
  shape.pop_back();
  shape.back() = corner.length;
  return call.g.reshape(x, shape);
}

// The vector on a diagonal of zeros.
static Value onDiagonal(Call &call, Value vector, int64_t offset) {
  ir::GraphMath &g = call.g;
  int64_t before = std::max<int64_t>(offset, 0), beside = std::max<int64_t>(-offset, 0);
  DimExpr size = call.check(ir::add(ir::getShape(vector)[0], DimExpr(before + beside)));
  vector = g.pad(vector, {zero}, {0}, {size});
  const ir::Shape square{size, size};
  // Element i of the vector is in row i above the main diagonal, in column i below it.
  Value spread = g.broadcast(vector, square, {offset >= 0 ? 0 : 1});
  auto places = ir::getTensorType(square, call.elementType(DType::Int64));
  Value row = g.add(g.iota(places, 0), g.splat(double(before), places));
  Value column = g.add(g.iota(places, 1), g.splat(double(beside), places));
  return g.select(g.equal(row, column), spread, g.zeroLike(spread));
}

static void checkOffset(const Call &call, const char *name, int64_t offset) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  if (offset < -most || offset > most)
    call.valueError(std::string(name) + " is " + std::to_string(offset) + "; needed " +
                    std::to_string(-most) + " to " + std::to_string(most));
}

namespace keratin::backend {

Tensor diag(const Operand &operand, int64_t k, SourceLocation location) {
  Call call("diag", location);
  checkOffset(call, "k", k);
  Value x = call.value(operand);
  const int64_t rank = call.rank(x);
  if (rank == 0)
    call.valueError("x is a scalar; needed a vector or matrices");
  return call.tensor(rank == 1 ? onDiagonal(call, x, k) : diagonal(call, x, rank - 2, rank - 1, k));
}

Tensor trace(const Operand &operand, int64_t offset, Axis axis1, Axis axis2,
             SourceLocation location) {
  Call call("trace", location);
  checkOffset(call, "offset", offset);
  Value x = call.value(operand);
  int64_t rank = call.rank(x);
  if (rank < 2)
    call.valueError("x has shape " + describe(x) + "; needed rank 2 or more");
  int64_t first = call.axis(axis1, rank), second = call.axis(axis2, rank);
  if (first == second)
    call.valueError("axis1 and axis2 are both axis " + std::to_string(first) + "; needed two axes");
  // As K::sum.
  if (call.dtypeOf(x) == DType::Bool)
    x = call.cast(x, DType::Int32);
  x = diagonal(call, x, first, second, offset);
  return call.tensor(call.g.reduceSum(x, {rank - 2}));
}

} // namespace keratin::backend
