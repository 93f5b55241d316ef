// K::sparse_jacobian and K::sparse_hessian.
#include "compiler/driver/Attempt.h"
#include "compiler/driver/SparseDerivative.h"
#include "frontend/backend/Derivatives.h"
#include "frontend/graph/FunctionContext.h"
#include "frontend/graph/FunctionModule.h"
#include "frontend/graph/RuntimeStatus.h"
#include "frontend/graph/SparseParts.h"
#include "frontend/graph/Transfer.h"
#include "keratin/sparse_derivatives.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseSet.h"

#include <algorithm>

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

namespace {

// How the derivative is computed, and where that is said by a function of its own, what this makes
// in the graph.
struct Found {
  SparseDerivative derivative;
  Value ofFunction;
};

} // namespace

// What only derivatives read, and is gone from a function in which they have been expanded; and
// what is done in a call besides.
static bool readsAlone(mlir::Operation *op) {
  return !llvm::isa<ir::CustomGradientOp, ir::CheckpointOp, ir::UpdateOp, ir::DependOp,
                    ir::PrintOp>(op);
}

// The function's result by ops of the graph.
static Value copied(Call &call, const GraphSlice &slice, FunctionModule &module) {
  mlir::func::FuncOp function = *module.module->getOps<mlir::func::FuncOp>().begin();
  mlir::Block &block = function.front();
  Transfer transfer(call.graph.context);
  Transfer::ValueMap values;
  for (auto [argument, input] : llvm::zip(block.getArguments(), slice.inputs))
    values[argument] = input;
  for (auto [argument, variable] :
       llvm::zip(block.getArguments().drop_front(slice.inputs.size()), slice.variables))
    values[argument] = variable->getResult(0);
  for (mlir::Operation &op : block.without_terminator()) {
    if (auto constant = llvm::dyn_cast<ir::ConstantOp>(op))
      values[op.getResult(0)] =
          call.literal(arrayOf(llvm::cast<mlir::DenseElementsAttr>(constant.getValue())));
    else
      transfer.clone(&op, call.builder, values);
  }
  return values.lookup(block.getTerminator()->getOperand(0));
}

// Of y by x, from the graph between the two.
static Found derivativeOf(Call &call, Value y, Value x, ProductMode mode) {
  SliceRequest request{call.function, {x}, {y}, {}};
  for (Value fed : fedFor(y, x))
    request.inputs.push_back(fed);
  const GraphSlice slice = sliceGraph(request);
  const bool mayChange = llvm::all_of(slice.ops, readsAlone);
  FunctionModule module = buildFunctionModule(slice, call.function, Literals::AsConstants);
  // In a context of its own, so that others may build meanwhile.
  absl::StatusOr<SparseDerivative> found;
  call.runUserCode([&] {
    withThreadObjects([&] {
      found = compiler::findSparseDerivative(*module.module, mode, mayChange, call.function);
    });
    if (compiler::isAbandoned(found.status()))
      module.abandon();
  });
  if (!found.ok())
    throwStatus(found.status().code(),
                withPlace(std::string(found.status().message()), call.location));
  Found result{*std::move(found), {}};
  if (result.derivative.isOfFunction)
    result.ofFunction = copied(call, slice, module);
  return result;
}

namespace {

// The values of the entries, from y by x.
class Products {
public:
  Products(Call &call, Value y, Value x, const Found &found)
      : call(call), g(call.g), y(y), x(x), derivative(found.derivative),
        ofFunction(found.ofFunction), elements(elementsOf(y)) {}

  Value values() {
    if (derivative.places.empty())
      return call.literal(Array::zeros(call.dtypeOf(y), {0}));
    if (ofFunction)
      return ofDiagonals();
    if (std::optional<Band> band = findBand())
      return ofBand(*band);
    return gathered(allAtOnce());
  }

private:
  Value forward(Value tangent) {
    return call.builder.create<ir::JvpOp>(g.location(), y.getType(), y, x, tangent).getYs()[0];
  }
  Value reverse(Value cotangent) {
    return call.builder.create<ir::VjpOp>(g.location(), x.getType(), y, x, cotangent).getYs()[0];
  }

  // Of each element of a tensor the product that it is in.
  Value numbersOf(const compiler::ProductGroups &groups, Value seeded) {
    return g.reshape(call.literal(groups.numbers), ir::getShape(seeded));
  }

  // 1 where the element of x is in the product.
  Value tangentOf(int64_t product) {
    return g.cast(isNumber(numbersOf(derivative.forward, x), product), ir::getElementType(x));
  }

  Value isNumber(Value numbers, int64_t number) {
    Value scalar = g.integerScalar(number, ir::getElementType(numbers));
    return g.equal(numbers, g.broadcastScalar(scalar, ir::getShape(numbers)));
  }

  // One behind the other.
  Value allAtOnce() {
    llvm::SmallVector<Value> products;
    if (derivative.forward.count)
      products.push_back(flat(stackOf(derivative.forward, x, [&](Value s) { return forward(s); })));
    if (derivative.reverse.count)
      products.push_back(flat(stackOf(derivative.reverse, y, [&](Value s) { return reverse(s); })));
    return products.size() == 1 ? products.front() : g.concatenate(products, 0);
  }

  // By one walk: the numbers of products are compared with those that elements have.
  Value stackOf(const compiler::ProductGroups &groups, Value seeded,
                llvm::function_ref<Value(Value)> product) {
    const ir::Shape shape = ir::getShape(seeded);
    ir::Shape stacked{DimExpr(groups.count)};
    stacked.insert(stacked.end(), shape.begin(), shape.end());
    llvm::SmallVector<int64_t> dims;
    for (int64_t i = 1; i <= call.rank(seeded); ++i)
      dims.push_back(i);
    Value numbers = g.iota(ir::getTensorType(stacked, call.elementType(DType::Int32)), 0);
    Value own = g.broadcast(numbersOf(groups, seeded), stacked, dims);
    Value seeds = g.cast(g.equal(numbers, own), ir::getElementType(seeded));
    return forEachAtOnce(call, seeds, [&](Value seed) { return std::vector<Value>{product(seed)}; })
        .front();
  }

  Value flat(Value value) {
    return g.reshape(value, {call.check(ir::elementCount(ir::getShape(value)))});
  }

  Value gathered(Value all) {
    // Half the bytes, where they hold all places.
    if (*std::ranges::max_element(derivative.places) > std::numeric_limits<int32_t>::max())
      return g.gather(all, call.literal(derivative.places));
    return g.gather(all, call.literal(std::vector<int32_t>(derivative.places.begin(),
                                                           derivative.places.end())));
  }

  Value ofDiagonals() {
    std::optional<Grid> grid = findGrid();
    return grid ? transposed(*grid) : gathered(ofFunction);
  }

  // Blocks of rows with as many entries in each, a diagonal for each of these.
  struct Grid {
    int64_t blocks, diagonals, rows;
  };

  // If the places are all of one: [block, diagonal, row].
  std::optional<Grid> findGrid() const {
    const std::vector<int64_t> &places = derivative.places;
    const int64_t all = int64_t(places.size());
    if (all != elementsOf(ofFunction) || all < 2 || places[0] != 0)
      return std::nullopt;
    Grid grid{0, 1, places[1]};
    while (grid.diagonals < all && places[grid.diagonals] == grid.diagonals * grid.rows)
      ++grid.diagonals;
    const int64_t block = grid.diagonals * grid.rows;
    if (grid.rows < 2 || all % block)
      return std::nullopt;
    grid.blocks = all / block;
    for (int64_t e = 0; e < all; ++e)
      if (places[e] !=
          e / block * block + e % grid.diagonals * grid.rows + e % block / grid.diagonals)
        return std::nullopt;
    return grid;
  }

  static int64_t elementsOf(Value value) {
    return ir::elementCount(ir::getShape(value))->constantValue();
  }

  // No gather.
  Value transposed(const Grid &grid) {
    const ir::Shape shape{DimExpr(grid.blocks), DimExpr(grid.diagonals), DimExpr(grid.rows)};
    return flat(g.transpose(g.reshape(ofFunction, shape), {0, 2, 1}));
  }

  // A structure with as many entries in each row, but at both ends.
  struct Band {
    // For each of the entries of a row, the product that has it in each row.
    std::vector<std::vector<int32_t>> products;
    // What there is of all of them, row by row: [from, to).
    std::vector<std::pair<int64_t, int64_t>> slices;
  };

  // If it is one, and few enough ops make few enough products for one loop to have them all.
  std::optional<Band> findBand() const {
    constexpr int64_t mostSlices = 8, mostProducts = 8, mostOps = 64;
    const std::vector<int64_t> &rows = derivative.rows, &places = derivative.places;
    if (derivative.reverse.count || !derivative.opsByElement ||
        derivative.forward.count > mostProducts ||
        derivative.forward.count * *derivative.opsByElement > mostOps)
      return std::nullopt;
    int64_t width = 0;
    for (size_t begin = 0, e = 0; e < places.size(); ++e) {
      // That of a star colouring may be of another row.
      if (places[e] % elements != rows[e])
        return std::nullopt;
      if (rows[e] != rows[begin])
        begin = e;
      width = std::max(width, int64_t(e - begin) + 1);
    }
    Band band{std::vector(width, std::vector<int32_t>(elements)), {}};
    for (size_t begin = 0, end; begin < places.size(); begin = end) {
      for (end = begin; end < places.size() && rows[end] == rows[begin];)
        ++end;
      // In the rows at the beginning the first ones are missing.
      const int64_t row = rows[begin], count = int64_t(end - begin);
      const int64_t first = row < elements / 2 ? width - count : 0;
      for (int64_t i = 0; i < count; ++i)
        band.products[first + i][row] = int32_t(places[begin + i] / elements);
      const int64_t from = row * width + first;
      if (!band.slices.empty() && band.slices.back().second == from)
        band.slices.back().second = from + count;
      else
        band.slices.emplace_back(from, from + count);
      if (band.slices.size() > mostSlices)
        return std::nullopt;
    }
    return band;
  }

  // A product for each colour, of which the rows choose: no gather.
  Value ofBand(const Band &band) {
    std::vector<Value> products;
    for (int64_t k = 0; k < derivative.forward.count; ++k)
      products.push_back(g.reshape(forward(tangentOf(k)), {DimExpr(elements)}));
    llvm::SmallVector<Value> columns;
    for (const std::vector<int32_t> &numbers : band.products) {
      Value chosen = products.back(), ofRow = call.literal(numbers);
      for (int64_t k = derivative.forward.count - 2; k >= 0; --k)
        chosen = g.select(isNumber(ofRow, k), products[k], chosen);
      columns.push_back(g.reshape(chosen, {DimExpr(elements), DimExpr(1)}));
    }
    Value all = flat(g.concatenate(columns, 1));
    llvm::SmallVector<Value> slices;
    for (auto [from, to] : band.slices)
      slices.push_back(g.slice(all, {DimExpr(from)}, {DimExpr(to - from)}, {1}));
    return slices.size() == 1 ? slices.front() : g.concatenate(slices, 0);
  }

  Call &call;
  ir::GraphMath &g;
  Value y, x;
  const SparseDerivative &derivative;
  const Value ofFunction; // instead of products
  const int64_t elements; // of y
};

} // namespace

static Tensor sparseDerivative(Call &call, Value y, Value x, int64_t rows, int64_t columns,
                               ProductMode mode) {
  const Found found = derivativeOf(call, y, x, mode);
  const SparseDerivative &derivative = found.derivative;
  Value values = Products(call, y, x, found).values();
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
