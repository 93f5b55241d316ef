// K::sparse_jacobian and K::sparse_hessian.
#include "compiler/driver/Attempt.h"
#include "compiler/driver/SparseDerivative.h"
#include "frontend/backend/Derivatives.h"
#include "frontend/graph/FunctionContext.h"
#include "frontend/graph/FunctionModule.h"
#include "frontend/graph/RuntimeStatus.h"
#include "frontend/graph/SparseParts.h"
#include "keratin/sparse_derivatives.h"

#include "llvm/ADT/DenseSet.h"

using namespace keratin;
using namespace keratin::frontend;
using compiler::ProductMode;
using compiler::SparseDerivative;

// The placeholders that the value is computed from, x aside and what is before it.
static std::vector<Value> fedFor(Value value, Value x) {
  std::vector<Value> fed;
  llvm::DenseSet<Value> seen{x};
  llvm::SmallVector<Value> pending{value};
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (next.getDefiningOp<ir::PlaceholderOp>())
      fed.push_back(next);
    for (Value operand : next.getDefiningOp()->getOperands())
      pending.push_back(operand);
  }
  return fed;
}

static int64_t knownCount(Call &call, const char *name, Value value) {
  std::optional<DimExpr> count = ir::elementCount(ir::getShape(value));
  if (!ir::getTensorType(value).hasStaticShape() || !count)
    call.valueError(std::string(name) + " has shape " + describe(value) +
                    "; needed known sizes, since the structure is found when the graph is built");
  // Their numbers have 32 bits.
  if (count->constantValue() > std::numeric_limits<int32_t>::max())
    call.valueError(std::string(name) + " has " + std::to_string(count->constantValue()) +
                    " elements; needed at most " +
                    std::to_string(std::numeric_limits<int32_t>::max()));
  return count->constantValue();
}

// Of y by x, from the graph between the two.
static SparseDerivative derivativeOf(Call &call, Value y, Value x, ProductMode mode) {
  SliceRequest request{call.function, {x}, {y}, {}};
  for (Value fed : fedFor(y, x))
    request.inputs.push_back(fed);
  FunctionModule module =
      buildFunctionModule(sliceGraph(request), call.function, Literals::AsConstants);
  // In a context of its own, so that others may build meanwhile.
  absl::StatusOr<SparseDerivative> found;
  call.runUserCode([&] {
    withThreadObjects(
        [&] { found = compiler::findSparseDerivative(*module.module, mode, call.function); });
    if (compiler::isAbandoned(found.status()))
      module.abandon();
    module.module = {};
  });
  if (!found.ok())
    throwStatus(found.status().code(),
                withPlace(std::string(found.status().message()), call.location));
  return *std::move(found);
}

namespace {

// The values of the entries, from y by x.
class Products {
public:
  Products(Call &call, Value y, Value x, const SparseDerivative &derivative)
      : call(call), g(call.g), y(y), x(x), derivative(derivative),
        seeded(derivative.isReverse ? y : x), made(derivative.isReverse ? x : y),
        elements(ir::elementCount(ir::getShape(made))->constantValue()) {}

  Value values() {
    const int64_t products = derivative.products;
    if (derivative.places.empty())
      return call.literal(Array::zeros(call.dtypeOf(y), {0}));
    if (!derivative.isByElement || products > mostSideBySide)
      return gathered(allAtOnce(), elements, 1);
    std::vector<Value> columns;
    for (int64_t k = 0; k < products; ++k)
      columns.push_back(g.reshape(product(seedOf(k)), {DimExpr(elements)}));
    if (std::optional<Value> values = withoutGather(columns))
      return *values;
    return gathered(stacked(columns), 1, products);
  }

private:
  Value colours() { return g.reshape(call.literal(derivative.colours), ir::getShape(seeded)); }

  Value product(Value seed) {
    if (derivative.isReverse)
      return call.builder.create<ir::VjpOp>(g.location(), x.getType(), y, x, seed).getYs()[0];
    return call.builder.create<ir::JvpOp>(g.location(), y.getType(), y, x, seed).getYs()[0];
  }

  // 1 where the element has the colour.
  Value seedOf(int64_t colour) {
    return g.cast(isNumber(colours(), colour), ir::getElementType(seeded));
  }

  Value isNumber(Value numbers, int64_t number) {
    Value scalar = g.integerScalar(number, ir::getElementType(numbers));
    return g.equal(numbers, g.broadcastScalar(scalar, ir::getShape(numbers)));
  }

  // One behind the other, by one walk: the numbers of colours are compared with those that elements
  // have.
  Value allAtOnce() {
    const ir::Shape shape = ir::getShape(seeded);
    ir::Shape stacked{DimExpr(derivative.products)};
    stacked.insert(stacked.end(), shape.begin(), shape.end());
    llvm::SmallVector<int64_t> dims;
    for (int64_t i = 1; i <= call.rank(seeded); ++i)
      dims.push_back(i);
    Value numbers = g.iota(ir::getTensorType(stacked, call.elementType(DType::Int32)), 0);
    Value seeds =
        g.cast(g.equal(numbers, g.broadcast(colours(), stacked, dims)), ir::getElementType(seeded));
    std::vector<Value> products =
        forEachAtOnce(call, seeds, [&](Value seed) { return std::vector<Value>{product(seed)}; });
    return flat(products.front());
  }

  Value flat(Value value) {
    return g.reshape(value, {call.check(ir::elementCount(ir::getShape(value)))});
  }

  // Vectors as the columns of a matrix, row by row.
  Value stacked(const std::vector<Value> &columns) {
    llvm::SmallVector<Value> parts;
    for (Value column : columns)
      parts.push_back(g.reshape(column, {DimExpr(elements), DimExpr(1)}));
    return flat(g.concatenate(parts, 1));
  }

  // From where element i of product k lies at k * ofProduct + i * ofElement.
  Value gathered(Value all, int64_t ofProduct, int64_t ofElement) {
    std::vector<int64_t> places;
    places.reserve(derivative.places.size());
    for (int64_t place : derivative.places)
      places.push_back(place / elements * ofProduct + place % elements * ofElement);
    // Of a few billion elements the numbers are as short as can be.
    if (elements * derivative.products > std::numeric_limits<int32_t>::max())
      return g.gather(all, call.literal(places));
    return g.gather(all, call.literal(std::vector<int32_t>(places.begin(), places.end())));
  }

  // Of bands. Entry s of each row, in the order of columns, is in one product or another: a choice.
  // Rows that have all their entries follow one another, so what there is, is a few slices. nullopt
  // where it is not so.
  std::optional<Value> withoutGather(const std::vector<Value> &columns) {
    constexpr int64_t mostSlices = 8;
    const size_t count = derivative.places.size();
    std::vector<int64_t> slots(count);
    int64_t width = 0;
    for (size_t e = 0; e < count; ++e) {
      if (derivative.isReverse || derivative.places[e] % elements != derivative.rows[e])
        return std::nullopt;
      slots[e] = e && derivative.rows[e] == derivative.rows[e - 1] ? slots[e - 1] + 1 : 0;
      width = std::max(width, slots[e] + 1);
    }
    if (width * derivative.products > mostSideBySide * mostSideBySide)
      return std::nullopt;
    // Rows at the lower end of the columns have their last entries: what is missing is in front.
    std::vector<std::pair<int64_t, int64_t>> slices;
    std::vector<std::vector<int32_t>> chosen(width, std::vector<int32_t>(elements));
    for (size_t begin = 0, end; begin < count; begin = end) {
      const int64_t row = derivative.rows[begin];
      for (end = begin + 1; end < count && derivative.rows[end] == row;)
        ++end;
      const int64_t missing = width - int64_t(end - begin);
      const int64_t first = row < elements / 2 ? missing : 0;
      for (size_t e = begin; e < end; ++e)
        chosen[slots[e] + first][row] = int32_t(derivative.places[e] / elements);
      const int64_t from = row * width + first, to = from + int64_t(end - begin);
      if (!slices.empty() && slices.back().second == from)
        slices.back().second = to;
      else
        slices.emplace_back(from, to);
      if (slices.size() > mostSlices)
        return std::nullopt;
    }
    std::vector<Value> made;
    for (const std::vector<int32_t> &colours : chosen) {
      Value numbers = call.literal(colours), value = columns.back();
      for (int64_t k = derivative.products - 2; k >= 0; --k)
        value = g.select(isNumber(numbers, k), columns[k], value);
      made.push_back(value);
    }
    Value all = stacked(made);
    llvm::SmallVector<Value> parts;
    for (auto [from, to] : slices)
      parts.push_back(g.slice(all, {DimExpr(from)}, {DimExpr(to - from)}, {1}));
    return parts.size() == 1 ? parts.front() : g.concatenate(parts, 0);
  }

  // So many, one by one, have what is computed of the values once for all of them; more go by one
  // walk, whose graph is no longer for it.
  static constexpr int64_t mostSideBySide = 8;

  Call &call;
  ir::GraphMath &g;
  Value y, x;
  const SparseDerivative &derivative;
  Value seeded, made;     // what products are of, and what they make
  const int64_t elements; // of a product
};

} // namespace

static Tensor sparseDerivative(Call &call, Value y, Value x, int64_t rows, int64_t columns,
                               ProductMode mode) {
  const SparseDerivative derivative = derivativeOf(call, y, x, mode);
  Value values = Products(call, y, x, derivative).values();
  SparseParts parts{call.literal(derivative.rows), call.literal(derivative.columns), values,
                    ir::Shape{DimExpr(rows), DimExpr(columns)}};
  return call.tensor(sparseMatrix(call, parts));
}

Tensor backend::sparse_jacobian(const Tensor &output, const Tensor &input, const std::string &mode,
                                SourceLocation location) {
  Call call("sparse_jacobian", location);
  checkMode(call, mode);
  Value y = floatOf(call, "output", output), x = floatOf(call, "input", input);
  const int64_t rows = knownCount(call, "output", y), columns = knownCount(call, "input", x);
  const ProductMode products = mode == "forward"   ? ProductMode::Forward
                               : mode == "reverse" ? ProductMode::Reverse
                                                   : ProductMode::Fewer;
  return sparseDerivative(call, y, x, rows, columns, products);
}

Tensor backend::sparse_hessian(const Tensor &loss, const Tensor &variable,
                               SourceLocation location) {
  Call call("sparse_hessian", location);
  Value total = totalOf(call, loss), x = floatOf(call, "x", variable);
  const int64_t count = knownCount(call, "x", x);
  return sparseDerivative(call, gradientOf(call, total, x), x, count, count,
                          ProductMode::Symmetric);
}
