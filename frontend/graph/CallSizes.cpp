// Sizes that tensors compute: K::shape(x)[0] * 2 and the like become expressions of symbols.
#include "frontend/graph/Call.h"
#include "frontend/graph/Trace.h"
#include "frontend/values/Elements.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace keratin;
using namespace keratin::frontend;

using Sizes = std::vector<DimExpr>;

// Deeper expressions, and longer vectors, are no sizes.
static constexpr unsigned kMaxDepth = 256;
static constexpr int64_t kMaxElements = 64;

// Elements of a static count, or -1.
static int64_t countOf(Value value) {
  auto type = ir::getTensorType(value);
  if (!type.hasStaticShape())
    return -1;
  int64_t count = 1;
  for (int64_t dim : type.getShape())
    if ((count *= dim) > kMaxElements)
      return -1;
  return count;
}

static std::optional<DimExpr> combine(mlir::Operation *op, const DimExpr &a, const DimExpr &b) {
  if (llvm::isa<ir::AddOp>(op))
    return ir::add(a, b);
  if (llvm::isa<ir::SubOp>(op))
    return ir::sub(a, b);
  if (llvm::isa<ir::MulOp>(op))
    return ir::mul(a, b);
  if (llvm::isa<ir::MaximumOp>(op))
    return ir::max(a, b);
  if (llvm::isa<ir::MinimumOp>(op))
    return ir::min(a, b);
  // An integer divided by 0 is 0 in the graph but fails as a size.
  if (llvm::isa<ir::FloorDivOp>(op) && b != DimExpr(0))
    return ir::floordiv(a, b);
  if (llvm::isa<ir::ModOp>(op) && b != DimExpr(0))
    return ir::mod(a, b);
  return std::nullopt;
}

// The elements, row-major; nullopt if they depend on data. The depth is bounded, so this may
// recurse.
std::optional<Sizes> Call::evaluate(Value value, unsigned depth) {
  int64_t count = countOf(value);
  mlir::Operation *op = value.getDefiningOp();
  if (count < 0 || depth > kMaxDepth || !ir::getElementType(value).isInteger())
    return std::nullopt;
  auto operand = [&](unsigned i) { return evaluate(op->getOperand(i), depth + 1); };

  if (auto literal = llvm::dyn_cast<ir::LiteralOp>(op)) {
    const Array &array = graph.literals[literal.getId()];
    Sizes sizes;
    for (int64_t i = 0; i < count; ++i)
      sizes.push_back(DimExpr(array.item<int64_t>(i)));
    return sizes;
  }
  if (auto constant = llvm::dyn_cast<ir::ConstantOp>(op)) {
    Sizes sizes;
    for (const llvm::APInt &element :
         llvm::cast<mlir::DenseElementsAttr>(constant.getValue()).getValues<llvm::APInt>())
      sizes.push_back(DimExpr(element.getSExtValue()));
    return sizes;
  }
  if (auto dim = llvm::dyn_cast<ir::DimOp>(op))
    return Sizes{ir::getShape(dim.getX())[dim.getAxis()]};
  if (llvm::isa<ir::ReshapeOp, ir::IdentityOp, ir::StopGradientOp, ir::DependOp, ir::RequireOp,
                ir::CastOp>(op))
    return operand(0);
  if (auto broadcast = llvm::dyn_cast<ir::BroadcastOp>(op)) {
    std::optional<Sizes> x = operand(0);
    if (!x || x->size() != 1)
      return std::nullopt;
    return Sizes(size_t(count), x->front());
  }
  if (auto concatenate = llvm::dyn_cast<ir::ConcatenateOp>(op)) {
    if (rank(value) != 1)
      return std::nullopt;
    Sizes sizes;
    for (unsigned i = 0; i < op->getNumOperands(); ++i) {
      std::optional<Sizes> part = operand(i);
      if (!part)
        return std::nullopt;
      sizes.insert(sizes.end(), part->begin(), part->end());
    }
    return sizes;
  }
  if (auto slice = llvm::dyn_cast<ir::SliceOp>(op)) {
    ir::Shape starts = slice.getStarts().getDims();
    std::optional<Sizes> x = operand(0);
    if (!x || starts.size() != 1 || !starts[0].isConstant())
      return std::nullopt;
    Sizes sizes;
    for (int64_t i = 0; i < count; ++i)
      sizes.push_back((*x)[starts[0].constantValue() + i * slice.getStrides()[0]]);
    return sizes;
  }
  if (llvm::isa<ir::ReduceProdOp, ir::ReduceSumOp>(op)) {
    std::optional<Sizes> x = operand(0);
    if (!x || count != 1)
      return std::nullopt;
    bool product = llvm::isa<ir::ReduceProdOp>(op);
    std::optional<DimExpr> total = DimExpr(product ? 1 : 0);
    for (const DimExpr &dim : *x)
      if (total)
        total = product ? ir::mul(*total, dim) : ir::add(*total, dim);
    return total ? std::optional(Sizes{*total}) : std::nullopt;
  }
  if (llvm::isa<ir::PlaceholderOp, ir::VariableOp>(op) && rank(value) == 0 &&
      !isStepArgument(graph, op))
    return Sizes{DimExpr::symbol(graph.valueSymbol(op))};
  if (op->getNumOperands() == 2) {
    std::optional<Sizes> a = operand(0), b = operand(1);
    if (!a || !b || a->size() != b->size())
      return std::nullopt;
    Sizes sizes;
    for (size_t i = 0; i < a->size(); ++i) {
      std::optional<DimExpr> dim = combine(op, (*a)[i], (*b)[i]);
      if (!dim)
        return std::nullopt;
      sizes.push_back(*dim);
    }
    return sizes;
  }
  return std::nullopt;
}

DimExpr Call::size(Value scalar) {
  if (countOf(scalar) != 1 || !ir::getElementType(scalar).isInteger())
    valueError("a size must be a scalar integer tensor; found shape " + describe(scalar));
  if (std::optional<Sizes> sizes = evaluate(scalar, 0))
    return sizes->front();
  throw NotImplementedError(
      message("not implemented: " + std::string(function) + " with a size computed from data"));
}

DimExpr Call::size(const Size &size) {
  if (size.isNone())
    valueError("a size is None; needed a number or a scalar integer tensor");
  return size.isNumber() ? DimExpr(size.number()) : this->size(value(size.tensor()));
}

std::vector<DimExpr> Call::sizes(Value vector) {
  if (rank(vector) != 1 || !ir::getElementType(vector).isInteger())
    valueError("a shape tensor must be an integer vector; found shape " + describe(vector));
  if (std::optional<Sizes> sizes = evaluate(vector, 0))
    return *sizes;
  throw NotImplementedError(
      message("not implemented: " + std::string(function) + " with a shape computed from data"));
}

ir::Shape Call::shape(const Shape &shape) {
  if (shape.isNone())
    valueError("the shape is None; needed a list of sizes");
  ir::Shape result;
  if (shape.isTensor()) {
    Value tensor = value(shape.tensor());
    result = rank(tensor) == 0 ? ir::Shape{size(tensor)} : sizes(tensor);
  } else {
    for (const Size &entry : shape.entries())
      result.push_back(size(entry));
  }
  for (const DimExpr &dim : result)
    requireAtLeast(dim, DimExpr(0), "a size must not be negative");
  return result;
}

Value Call::truncate(Value x, Value size, int64_t axis) {
  size = cast(g.reshape(size, {}), DType::Int64);
  int64_t symbol = graph.addSymbol(
      SymbolInfo{nullptr, false, "a size that " + std::string(function) + " computes"});
  ir::Shape shape = ir::getShape(x);
  shape[size_t(axis)] = DimExpr::symbol(symbol);
  auto op = builder.create<ir::TruncateOp>(
      g.location(), ir::getTensorType(shape, ir::getElementType(x)), x, size, uint64_t(axis));
  graph.own(op, symbol);
  return op.getY();
}

Value Call::scalar(const DimExpr &size, DType dtype) {
  mlir::Type type = elementType(dtype);
  return g.count(g.splat(0.0, ir::getTensorType({size}, type)), {0}, type);
}

Value Call::inRange(Value x, const DimExpr &lower, const DimExpr &upper, const std::string &what) {
  auto dims = [&](const DimExpr &size) {
    return ir::DimsAttr::get(&graph.context, ir::Shape{size});
  };
  return builder.create<ir::CheckRangeOp>(g.location(), x.getType(), x, dims(lower), dims(upper),
                                          requirement(what));
}
