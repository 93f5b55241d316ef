// K functions: parts and products of matrices in the last two axes.
#include "frontend/backend/Configuration.h"
#include "frontend/backend/Elementwise.h"
#include "frontend/backend/Factorizations.h"
#include "ir/builder/MatrixMath.h"
#include "keratin/linear_algebra.h"

#include <algorithm>
#include <limits>

using namespace keratin;
using namespace keratin::frontend;

static Tensor triangle(const char *function, const Operand &x, int64_t k, bool isLower,
                       SourceLocation location) {
  Call call(function, location);
  Value matrix = asMatrices(call, call.value(x));
  return call.tensor(isLower ? ir::lowerTriangle(call.g, matrix, k)
                             : ir::upperTriangle(call.g, matrix, k));
}

// The matrix with so many powers of it multiplied by squaring.
static Value power(Call &call, Value x, int64_t n) {
  ir::GraphMath &g = call.g;
  auto product = [&](Value a, Value b) { return ir::matrixProduct(g, a, b); };
  Value result;
  for (Value square = x; n > 0; n /= 2) {
    if (n % 2)
      result = result ? product(result, square) : square;
    if (n > 1)
      square = product(square, square);
  }
  return result ? result : ir::unitMatrices(g, x);
}

// A component of vectors along the axis.
static Value component(Call &call, Value x, int64_t axis, int64_t place) {
  ir::Shape sizes = ir::getShape(x), starts(sizes.size(), DimExpr(0));
  starts[size_t(axis)] = DimExpr(place);
  sizes[size_t(axis)] = DimExpr(1);
  return call.g.slice(x, starts, sizes, std::vector<int64_t>(sizes.size(), 1));
}

namespace keratin::backend {

Tensor tril(const Operand &x, int64_t k, SourceLocation location) {
  return triangle("tril", x, k, true, location);
}
Tensor triu(const Operand &x, int64_t k, SourceLocation location) {
  return triangle("triu", x, k, false, location);
}

Tensor band_part(const Operand &x, int64_t num_lower, int64_t num_upper, SourceLocation location) {
  Call call("band_part", location);
  Value matrix = asMatrices(call, call.value(x));
  std::optional<int64_t> first, last;
  if (num_lower >= 0)
    first = -num_lower;
  if (num_upper >= 0)
    last = num_upper;
  return call.tensor(ir::diagonalBand(call.g, matrix, first, last));
}

Tensor kron(const Operand &first, const Operand &second, SourceLocation location) {
  Call call("kron", location);
  ir::GraphMath &g = call.g;
  auto [a, b] = call.promoted(first, second);
  // Each axis of the result is one of a and, within it, one of b; the shorter shape has ones
  // before.
  size_t rank = size_t(std::max(call.rank(a), call.rank(b)));
  auto filled = [&](Value x) {
    ir::Shape shape = ir::getShape(x);
    shape.insert(shape.begin(), rank - shape.size(), DimExpr(1));
    return shape;
  };
  ir::Shape ofA = filled(a), ofB = filled(b), wide, result;
  std::vector<int64_t> placesOfA, placesOfB;
  for (size_t i = 0; i < rank; ++i) {
    placesOfA.push_back(int64_t(wide.size()));
    wide.push_back(ofA[i]);
    placesOfB.push_back(int64_t(wide.size()));
    wide.push_back(ofB[i]);
    result.push_back(call.check(ir::mul(ofA[i], ofB[i])));
  }
  call.checkBytes(ir::getTensorType(result, ir::getElementType(a)));
  Value spreadA = g.broadcast(g.reshape(a, ofA), wide, placesOfA);
  Value spreadB = g.broadcast(g.reshape(b, ofB), wide, placesOfB);
  Value product = asNumbers(call, spreadA, spreadB, [&](Value u, Value v) { return g.mul(u, v); });
  return call.tensor(g.reshape(product, result));
}

Tensor cross(const Operand &x, const Operand &y, Axis axis, SourceLocation location) {
  Call call("cross", location);
  ir::GraphMath &g = call.g;
  auto [a, b] = call.binary(x, y);
  if (call.dtypeOf(a) == DType::Bool)
    call.typeError("found bools; needed numbers");
  int64_t along = call.axis(axis, call.rank(a));
  for (Value *operand : {&a, &b}) {
    const DimExpr size = ir::getShape(*operand)[size_t(along)];
    if (size.isConstant() && size.constantValue() != 3)
      call.valueError("axis " + std::to_string(along) + " has size " + size.str() + "; needed 3");
    *operand = call.withSize(*operand, along, DimExpr(3), "the vectors of cross");
  }
  std::vector<Value> components;
  for (int64_t i = 0; i < 3; ++i) {
    int64_t next = (i + 1) % 3, last = (i + 2) % 3;
    components.push_back(
        g.sub(g.mul(component(call, a, along, next), component(call, b, along, last)),
              g.mul(component(call, a, along, last), component(call, b, along, next))));
  }
  return call.tensor(g.concatenate(components, along));
}

Tensor matrix_power(const Operand &operand, int64_t n, SourceLocation location) {
  Call call("matrix_power", location);
  Value x = call.value(operand);
  if (call.dtypeOf(x) == DType::Bool)
    call.typeError("found bools; needed numbers");
  if (n < 0 && !isFloating(call.dtypeOf(x)))
    x = call.cast(x, Configuration::floatx());
  if (n == std::numeric_limits<int64_t>::min())
    call.valueError("n is " + std::to_string(n) + ", which has no positive counterpart");
  x = asSquareMatrices(call, x);
  return call.tensor(n < 0 ? power(call, inverseOf(call, x, /*check=*/true), -n)
                           : power(call, x, n));
}

} // namespace keratin::backend
