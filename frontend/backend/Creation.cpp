// K functions: tensors out of shapes and numbers.
#include "keratin/creation.h"

#include "frontend/backend/Configuration.h"
#include "frontend/backend/Variables.h"
#include "frontend/graph/SparseParts.h"

#include "llvm/ADT/STLExtras.h"

using namespace keratin;
using namespace keratin::frontend;

// One value repeated.
static Array filled(DType dtype, const std::vector<int64_t> &dims, double value) {
  Array array = Array::zeros(DType::Float64, dims);
  std::fill_n(array.data<double>(), array.size(), value);
  return array.astype(dtype);
}

static bool isStatic(const Shape &shape) {
  return !shape.isTensor() &&
         llvm::all_of(shape.entries(), [](const Size &size) { return !size.isTensor(); });
}

static std::vector<int64_t> staticDims(Call &call, const Shape &shape) {
  std::vector<int64_t> dims;
  for (const DimExpr &dim : call.shape(shape))
    dims.push_back(dim.constantValue());
  return dims;
}

// zeros and ones: a variable, or a tensor if the shape holds tensors.
static Tensor fill(const char *function, double value, const Shape &shape, DTypeArgument dtype,
                   const std::string &name, SourceLocation location) {
  Call call(function, location);
  DType type = dtype.valueOr(Configuration::floatx());
  if (isStatic(shape))
    return makeVariable(call, filled(type, staticDims(call, shape), value), name, {});
  ir::Shape sizes = call.shape(shape);
  return call.tensor(call.g.splat(value, ir::getTensorType(sizes, call.elementType(type))), name);
}

static Tensor fillLike(const char *function, double value, const Operand &operand,
                       DTypeArgument dtype, const std::string &name, SourceLocation location) {
  Call call(function, location);
  Value x = call.value(operand);
  mlir::Type element = call.elementType(dtype.valueOr(call.dtypeOf(x)));
  return call.tensor(call.g.splat(value, ir::withElementType(ir::getTensorType(x), element)), name);
}

static ir::PlaceholderOp makePlaceholder(Call &call, const std::string &name,
                                         const ir::Shape &shape, DType dtype) {
  int64_t id = call.graph.placeholders.add(PlaceholderInfo{name, std::nullopt});
  return call.builder.create<ir::PlaceholderOp>(call.g.location(),
                                                ir::getTensorType(shape, call.elementType(dtype)),
                                                id, call.builder.getStringAttr(""));
}

// Three vectors are fed, and each size that is not known (graph/SparseFeed.h).
static Tensor sparsePlaceholder(Call &call, const std::string &name,
                                const std::vector<Size> &entries, DType dtype) {
  Graph &graph = call.graph;
  int64_t count =
      graph.addSymbol(SymbolInfo{nullptr, false, "the number of elements of placeholder " + name});
  ir::Shape stored{DimExpr::symbol(count)};
  ir::PlaceholderOp rows = makePlaceholder(call, name + ".rows", stored, DType::Int64);
  graph.own(rows, {count});
  SparseParts parts{rows,
                    makePlaceholder(call, name + ".columns", stored, DType::Int64),
                    makePlaceholder(call, name + ".values", stored, dtype),
                    {}};
  for (auto [i, entry] : llvm::enumerate(entries)) {
    if (entry.isNumber()) {
      parts.shape.push_back(DimExpr(entry.number()));
      continue;
    }
    const char *what = i == 0 ? ".row_count" : ".column_count";
    ir::PlaceholderOp size = makePlaceholder(call, name + what, {}, DType::Int64);
    parts.shape.push_back(DimExpr::symbol(graph.valueSymbol(size)));
    graph.placeholders[rows.getId()].sizes.push_back(tensorOf(size));
  }
  Tensor result = tensorOf(sparseMatrix(call, parts, ir::SparseRole::Placeholder));
  nodeOf(result)->name = name + ":0";
  return result;
}

namespace keratin::backend {

Tensor constant(const Operand &value, DTypeArgument dtype, const Shape &shape,
                const std::string &name, SourceLocation location) {
  Call call("constant", location);
  DType type = dtype.valueOr(Configuration::floatx());
  Value x = call.value(value, type);
  if (!shape.isNone()) {
    ir::Shape wanted = call.shape(shape);
    std::optional<DimExpr> from = ir::elementCount(ir::getShape(x)), to = ir::elementCount(wanted);
    if (from == DimExpr(1))
      x = call.g.broadcastScalar(call.g.reshape(x, {}), wanted);
    else if (from && to && from->isConstant() && from == to)
      x = call.g.reshape(x, wanted);
    else
      call.valueError("cannot give a value of shape " + describe(x) + " the shape " +
                      describe(wanted) + "; needed as many elements");
  }
  return call.tensor(x, name);
}

Tensor placeholder(const Shape &shape, std::optional<int64_t> ndim, DTypeArgument dtype,
                   bool sparse, const std::string &name, SourceLocation location) {
  Call call("placeholder", location);
  if (shape.isNone() && !ndim)
    call.valueError("neither shape nor ndim is given; needed one of them");
  if (shape.isTensor() || (shape.isNone() && *ndim < 0))
    call.valueError("the shape must be a list of numbers and None");
  std::vector<Size> entries =
      shape.isNone() ? std::vector<Size>(size_t(*ndim), Size(None)) : shape.entries();
  Graph &graph = call.graph;
  std::string unique = graph.nodeName(name.empty() ? "Placeholder" : name);
  for (const Size &entry : entries)
    if (entry.isTensor() || (entry.isNumber() && entry.number() < 0))
      call.valueError("the shape must hold None and sizes of 0 or more");
  if (sparse) {
    if (entries.size() != 2)
      call.valueError("a sparse tensor of rank " + std::to_string(entries.size()) +
                      "; needed rank 2");
    return sparsePlaceholder(call, unique, entries, dtype.valueOr(Configuration::floatx()));
  }
  if (entries.size() > KERATIN_MAX_RANK)
    call.valueError("rank " + std::to_string(entries.size()) + " is above " +
                    std::to_string(KERATIN_MAX_RANK));
  ir::Shape dims;
  std::vector<int64_t> symbols;
  for (auto [i, entry] : llvm::enumerate(entries)) {
    if (entry.isNumber()) {
      dims.push_back(DimExpr(entry.number()));
      continue;
    }
    symbols.push_back(graph.addSymbol(SymbolInfo{
        nullptr, false, "dimension " + std::to_string(i) + " of placeholder " + unique}));
    dims.push_back(DimExpr::symbol(symbols.back()));
  }
  DType type = dtype.valueOr(Configuration::floatx());
  ir::PlaceholderOp op = makePlaceholder(call, unique, dims, type);
  graph.own(op, symbols);
  return tensorOf(op);
}

Tensor zeros(const Shape &shape, DTypeArgument dtype, const std::string &name,
             SourceLocation location) {
  return fill("zeros", 0.0, shape, dtype, name, location);
}

Tensor ones(const Shape &shape, DTypeArgument dtype, const std::string &name,
            SourceLocation location) {
  return fill("ones", 1.0, shape, dtype, name, location);
}

Tensor eye(const Shape &size, DTypeArgument dtype, const std::string &name,
           SourceLocation location) {
  Call call("eye", location);
  if (!isStatic(size))
    call.notImplemented("eye with a size that is a tensor");
  std::vector<int64_t> dims = staticDims(call, size);
  if (dims.empty() || dims.size() > 2)
    call.valueError("size must be one number or a pair (rows, columns)");
  int64_t rows = dims.front(), columns = dims.back();
  Array array = Array::zeros(DType::Float64, {rows, columns});
  for (int64_t i = 0; i < std::min(rows, columns); ++i)
    array.data<double>()[i * columns + i] = 1.0;
  return makeVariable(call, array.astype(dtype.valueOr(Configuration::floatx())), name, {});
}

Tensor zeros_like(const Operand &x, DTypeArgument dtype, const std::string &name,
                  SourceLocation location) {
  return fillLike("zeros_like", 0.0, x, dtype, name, location);
}

Tensor ones_like(const Operand &x, DTypeArgument dtype, const std::string &name,
                 SourceLocation location) {
  return fillLike("ones_like", 1.0, x, dtype, name, location);
}

Tensor identity(const Operand &operand, const std::string &name, SourceLocation location) {
  Call call("identity", location);
  if (std::optional<SparseParts> parts = sparseParts(operand))
    return call.tensor(sparseMatrix(call, *parts), name);
  return call.tensor(call.builder.create<ir::IdentityOp>(call.g.location(), call.value(operand)),
                     name);
}

Tensor arange(const Operand &start, const Operand &stop, const Operand &step, DTypeArgument dtype,
              SourceLocation location) {
  Call call("arange", location);
  const Operand zero(0, location);
  const Operand &from = stop.isNone() ? zero : start;
  const Operand &to = stop.isNone() ? start : stop;
  bool floating = false;
  DimExpr count;
  if (from.isNumber() && to.isNumber() && step.isNumber()) {
    if (step.number() == 0)
      call.valueError("step is 0");
    for (const Operand *operand : {&from, &to, &step})
      floating |= operand->kind() == Operand::Kind::Float;
    double length = std::ceil((to.number() - from.number()) / step.number());
    if (!(length < 9e15))
      call.valueError("the range is too long or not finite");
    count = DimExpr(std::max<int64_t>(int64_t(length), 0));
  } else {
    // Sizes: integers, known by expression.
    auto expression = [&](const Operand &operand) {
      if (operand.kind() == Operand::Kind::Float)
        call.notImplemented("arange of a tensor with a float");
      return call.size(call.value(operand));
    };
    DimExpr by = expression(step);
    if (by == DimExpr(0))
      call.valueError("step is 0");
    count = call.check(
        ir::max(call.check(ir::ceildiv(call.check(ir::sub(expression(to), expression(from))), by)),
                DimExpr(0)));
  }
  // Counted in 64 bits, so that the values of any dtype are exact before they are converted.
  DType work = floating ? DType::Float64 : DType::Int64;
  Value index = call.g.iota(ir::getTensorType({count}, call.elementType(work)), 0);
  auto scalar = [&](const Operand &operand) {
    return call.broadcastTo(call.value(operand, work), {count});
  };
  Value values = call.g.add(call.g.mul(index, scalar(step)), scalar(from));
  return call.tensor(call.cast(values, dtype.valueOr(DType::Int32)));
}

} // namespace keratin::backend
