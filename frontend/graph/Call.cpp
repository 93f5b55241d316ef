#include "frontend/graph/Call.h"

#include "codegen/llvm/Recovery.h"
#include "frontend/backend/Complex.h"
#include "frontend/backend/Configuration.h"
#include "frontend/graph/ControlDependencies.h"
#include "frontend/graph/SourcePlace.h"
#include "frontend/values/DTypeRules.h"
#include "frontend/values/Elements.h"
#include "ir/dialect/SizeNames.h"
#include "ir/dialect/SourceLine.h"

using namespace keratin;
using namespace keratin::frontend;

// The context holds each file's name once, but would hash it for every call: a sixth of what a
// small op costs.
static mlir::StringAttr fileName(Graph &graph, const char *file) {
  static auto *names = new llvm::DenseMap<const char *, mlir::StringAttr>;
  mlir::StringAttr &name = (*names)[file];
  // Of a library that was unloaded another text may have had the place.
  if (!name || name.getValue() != file)
    name = mlir::StringAttr::get(&graph.context, file);
  return name;
}

static mlir::Location locationOf(Graph &graph, SourceLocation location) {
  mlir::Location place =
      mlir::FileLineColLoc::get(fileName(graph, location.file), unsigned(location.line), 0);
  if (std::shared_ptr<const std::string> scope = graph.scope())
    return mlir::NameLoc::get(mlir::StringAttr::get(&graph.context, *scope), place);
  return place;
}

// Where the graph would be left half changed there is no memory to begin with.
static Graph &withReserve(Graph &graph, const char *function, const SourceLocation &location) {
  if (!codegen::Reserve::fill())
    throw MemoryError(withPlace(std::string(function) + ": out of memory", location));
  return graph;
}

Call::Call(const char *function, SourceLocation location)
    : lock(Graph::get()), graph(withReserve(Graph::get(), function, location)),
      builder(&graph.context, this), g(builder, locationOf(graph, location)), function(function),
      location(location) {
  builder.setInsertionPointToEnd(graph.block());
  graph.beginCall();
}

Call::~Call() { graph.endCall(); }

void Call::notifyOperationInserted(mlir::Operation *op, mlir::OpBuilder::InsertPoint) {
  graph.created(op);
}

//===-- Failing -------------------------------------------------------------------------------===//

std::string Call::requirement(const std::string &what) const {
  return std::string(function) + ": " + what;
}

std::string Call::message(const std::string &what) const {
  return withPlace(requirement(what), location);
}

void Call::valueError(const std::string &what) const { throw ValueError(message(what)); }
void Call::typeError(const std::string &what) const { throw TypeError(message(what)); }
void Call::assertionError(const std::string &what) const { throw AssertionError(message(what)); }
void Call::notImplemented(const std::string &what) const {
  throw NotImplementedError(message("not implemented: " + what));
}

// None, unless all that it is made of has names.
static std::string describe(const DimExpr &size) {
  IdTable<SymbolInfo> &symbols = Graph::get().symbols;
  for (int64_t id : size.symbols())
    if (symbols[id].name.empty())
      return "None";
  return ir::SizeNames::text(size, [&](int64_t id) { return symbols[id].name; });
}

std::string frontend::describe(const ir::Shape &shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + ::describe(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string frontend::describe(Value value) { return describe(ir::getShape(value)); }

std::string frontend::madeAt(Value value) {
  const std::string line = ir::sourceLine(value.getLoc());
  return line.empty() ? "" : " (" + line + ")";
}

//===-- Arguments -----------------------------------------------------------------------------===//

mlir::Type Call::elementType(DType dtype) {
  return ir::elementTypeOf(keratin_dtype_t(dtype), &graph.context);
}

Value Call::cast(Value x, DType dtype) {
  const DType own = dtypeOf(x);
  if (isComplex(own) == isComplex(dtype))
    return g.cast(x, elementType(dtype));
  if (isComplex(dtype)) {
    Value re = cast(x, partOf(dtype));
    return complexOf(*this, {re, g.zeroLike(re)});
  }
  if (dtype != DType::Bool)
    typeError(std::string(dtypeName(own)) + " does not become " + dtypeName(dtype) +
              "; needed a complex dtype, or the real numbers that real, imag and abs make");
  const ComplexParts parts = partsOf(*this, x);
  return g.or_(g.cast(parts.re, elementType(dtype)), g.cast(parts.im, elementType(dtype)));
}

Value Call::literal(Array array) {
  ir::Shape shape;
  for (int64_t dim : array.shape())
    shape.push_back(DimExpr(dim));
  auto type = ir::getTensorType(shape, elementType(array.dtype()));
  // Constants are the graph's own.
  int64_t id = graph.literals.add(array.isView() ? Array(std::as_const(array)) : std::move(array));
  return builder.create<ir::LiteralOp>(g.location(), type, id);
}

void Call::checkKeepsParts(const Array &numbers, DType dtype) const {
  if (isComplex(numbers.dtype()) && !isComplex(dtype) && dtype != DType::Bool)
    typeError(std::string("numbers of ") + dtypeName(numbers.dtype()) + " are no " +
              dtypeName(dtype) + "; needed real ones");
}

void Call::checkFit(const Array &numbers, DType dtype) const {
  checkKeepsParts(numbers, dtype);
  if (std::optional<int64_t> misfit = firstMisfit(numbers, dtype))
    valueError("the number " + elementText(numbers, *misfit) + " does not fit " + dtypeName(dtype));
}

Array Call::converted(const Array &numbers, DType dtype) const {
  checkFit(numbers, dtype);
  return numbers.astype(dtype);
}

Value Call::like(Value x, double number) {
  checkFit(number, dtypeOf(x));
  return g.constantLike(number, x);
}

Value Call::raw(const Tensor &tensor) {
  if (tensor.isEmpty())
    valueError("an argument is an empty Tensor");
  if (const auto &madeIn = nodeOf(tensor)->madeIn)
    valueError("an argument was made in " + *madeIn +
               ", which has returned; needed a tensor that "
               "it returns, or one made outside of it");
  return valueOf(tensor);
}

// The value; TypeError for complex numbers, unless the function takes them.
static Value checkTakes(const Call &call, Value value) {
  if (const DType dtype = call.dtypeOf(value); isComplex(dtype) && !takesComplex(call.function))
    call.typeError(std::string("an argument is ") + dtypeName(dtype) +
                   "; needed real numbers, such as real, imag and abs make");
  return value;
}

Value Call::dense(const Tensor &tensor) {
  Value value = raw(tensor);
  if (value.getDefiningOp<ir::SparseMatrixOp>())
    valueError("an argument is the sparse tensor " + tensor.name() +
               "; needed a dense one, which to_dense makes");
  return checkTakes(*this, value);
}

// int32, or int64 if the value does not fit (spec 0.1).
static DType integerDtype(const Array &number) {
  return firstMisfit(number, DType::Int32) ? DType::Int64 : DType::Int32;
}

// Of several updates the last that assigns counts, and all that add.
Value Call::read(Value x) {
  llvm::SmallVector<Value> updates = ControlDependencies::updatesOf(graph, x);
  if (updates.empty())
    return x;
  if (updates.size() == 1)
    return updates.front();
  Value result = x;
  for (Value update : updates)
    if (update.getDefiningOp<ir::UpdateOp>().getKind() == ir::UpdateKind::Assign)
      result = update;
  for (Value value : updates)
    if (auto update = value.getDefiningOp<ir::UpdateOp>(); update.getKind() == ir::UpdateKind::Add)
      result = g.add(result, update.getValue());
  // A number to whoever reads it, as a single update is.
  return builder.create<ir::StopGradientOp>(g.location(), result);
}

Value Call::evaluatedTogether(Value value) {
  llvm::SmallVector<Value> after;
  if (graph.isCalledByUser())
    after = ControlDependencies::active(graph);
  return after.empty()
             ? value
             : Value(builder.create<ir::DependOp>(g.location(), value.getType(), value, after));
}

Value Call::value(const Operand &operand) {
  switch (operand.kind()) {
  case Operand::Kind::Nothing:
    valueError("an argument is None; needed a tensor, a number or an array");
  case Operand::Kind::Tensor:
    return read(dense(operand.tensor()));
  case Operand::Kind::Bool:
    return literal(operand.array());
  case Operand::Kind::Integer:
    return literal(operand.array(), integerDtype(operand.array()));
  case Operand::Kind::Float:
    return literal(operand.array().astype(Configuration::floatx()));
  case Operand::Kind::Array: {
    const DType dtype = operand.array().dtype();
    if (isComplex(dtype))
      return checkTakes(*this, literal(operand.array().astype(complexOf(Configuration::floatx()))));
    return literal(isFloating(dtype) ? operand.array().astype(Configuration::floatx())
                                     : operand.array());
  }
  case Operand::Kind::List:
    return stack(operand.list());
  }
  return {};
}

Value Call::value(const Operand &operand, DType dtype) {
  // Converted on the host, so that a double keeps its digits on the way to float64.
  if (operand.isNumber() || operand.kind() == Operand::Kind::Array)
    return literal(operand.array(), dtype);
  return cast(value(operand), dtype);
}

Value Call::floating(const Operand &operand) {
  Value x = value(operand);
  return isFloating(dtypeOf(x)) || isComplex(dtypeOf(x)) ? x : cast(x, Configuration::floatx());
}

// A list of tensors and numbers of one shape becomes a tensor with one more dimension in front.
Value Call::stack(const std::vector<Operand> &list) {
  std::vector<Value> values;
  std::optional<DType> dtype;
  // Numbers take the dtype of the tensors beside them.
  for (const Operand &entry : list)
    if (entry.isNumber()) {
      values.push_back({});
    } else {
      values.push_back(value(entry));
      DType own = dtypeOf(values.back());
      dtype = dtype ? promote(*dtype, own) : own;
    }
  for (auto [entry, x] : llvm::zip(list, values)) {
    // A list within the list is not made again: it may hold lists in turn.
    if (entry.isTensor() || entry.kind() == Operand::Kind::List)
      x = cast(x, *dtype);
    else
      x = dtype ? value(entry, *dtype) : value(entry);
    x = requireShape(x, ir::getShape(values.front()), "the entries of a list");
  }
  if (values.empty())
    return literal(Array::zeros(Configuration::floatx(), {0}));
  ir::Shape row = ir::getShape(values.front());
  row.insert(row.begin(), DimExpr(1));
  for (Value &x : values)
    x = g.reshape(x, row);
  return g.concatenate(values, 0);
}

std::pair<Value, Value> Call::promoted(const Operand &x, const Operand &y) {
  auto number = [](const Operand &operand) { return operand.isNumber(); };
  // A number beside a tensor or array takes that one's dtype; a float beside an integer, and any
  // number beside a bool, widen it first (spec 0.3).
  auto withNumber = [&](const Operand &tensor, const Operand &number) -> std::pair<Value, Value> {
    Value a = value(tensor);
    DType dtype = dtypeOf(a);
    if (number.kind() == Operand::Kind::Float && !isFloating(dtype) && !isComplex(dtype))
      dtype = Configuration::floatx();
    else if (number.kind() == Operand::Kind::Integer && dtype == DType::Bool)
      dtype = integerDtype(number.array());
    else if (number.kind() == Operand::Kind::Bool && dtype != DType::Bool)
      return {a, value(number, dtype)};
    return {cast(a, dtype), value(number, dtype)};
  };
  if (number(y) && !number(x))
    return withNumber(x, y);
  if (number(x) && !number(y)) {
    auto [b, a] = withNumber(y, x);
    return {a, b};
  }
  auto isArray = [](const Operand &operand) { return operand.kind() == Operand::Kind::Array; };
  auto withArray = [&](const Operand &tensor, const Operand &array) -> std::pair<Value, Value> {
    Value a = value(tensor);
    DType dtype = dtypeOf(a), other = array.array().dtype();
    if ((isFloating(dtype) && isFloating(other)) || (isInteger(dtype) && isInteger(other)) ||
        (isComplex(dtype) && (isComplex(other) || isFloating(other))))
      return {a, value(array, dtype)};
    Value b = value(array);
    DType common = promote(dtype, dtypeOf(b));
    return {cast(a, common), cast(b, common)};
  };
  if (x.isTensor() && isArray(y))
    return withArray(x, y);
  if (isArray(x) && y.isTensor()) {
    auto [b, a] = withArray(y, x);
    return {a, b};
  }
  Value a = value(x), b = value(y);
  DType common = promote(dtypeOf(a), dtypeOf(b));
  return {cast(a, common), cast(b, common)};
}

std::vector<Value> Call::promoted(const std::vector<Operand> &operands) {
  if (operands.empty())
    valueError("the list is empty; needed at least one tensor");
  std::optional<DType> dtype;
  for (const Operand &operand : operands)
    if (!operand.isNumber()) {
      DType next = dtypeOf(value(operand));
      dtype = dtype ? promote(*dtype, next) : next;
    }
  std::vector<Value> values;
  for (const Operand &operand : operands)
    values.push_back(dtype ? value(operand, *dtype) : value(operand));
  return values;
}

std::pair<Value, Value> Call::binary(const Operand &x, const Operand &y) {
  auto [a, b] = promoted(x, y);
  ir::Shape shape = broadcastShape(ir::getShape(a), ir::getShape(b));
  return {broadcastTo(a, shape), broadcastTo(b, shape)};
}

//===-- Axes ----------------------------------------------------------------------------------===//

int64_t Call::axis(int64_t axis, int64_t rank) const {
  if (axis < -rank || axis >= rank)
    valueError("axis " + std::to_string(axis) + " is outside the rank; needed " +
               (rank ? std::to_string(-rank) + " to " + std::to_string(rank - 1)
                     : std::string("no axis for a scalar")));
  return axis < 0 ? axis + rank : axis;
}

std::vector<int64_t> Call::axes(const Axes &list, int64_t rank) const {
  std::vector<int64_t> result;
  if (list.isNone()) {
    for (int64_t i = 0; i < rank; ++i)
      result.push_back(i);
    return result;
  }
  for (int64_t entry : list.axes())
    result.push_back(axis(entry, rank));
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

//===-- Results -------------------------------------------------------------------------------===//

void Call::checkBytes(mlir::RankedTensorType type) const {
  if (type.getRank() > KERATIN_MAX_RANK)
    valueError("the result has rank " + std::to_string(type.getRank()) + "; at most " +
               std::to_string(KERATIN_MAX_RANK) + " is possible");
  int64_t bytes = ir::dtypeBytes(ir::dtypeOf(type.getElementType()));
  for (int64_t dim : type.getShape())
    if (!mlir::ShapedType::isDynamic(dim) && dim > 1 && __builtin_mul_overflow(bytes, dim, &bytes))
      valueError("the result's shape " + describe(ir::getShape(type)) +
                 " does not fit 64 bits of bytes");
}

Value Call::required(Value value) {
  value = withRequirements(value);
  requirements.clear();
  return value;
}

Value Call::withRequirements(Value value) {
  for (const Requirement &needed : requirements) {
    auto lhs = ir::DimsAttr::get(&graph.context, ir::Shape{needed.lhs});
    auto rhs = ir::DimsAttr::get(&graph.context, ir::Shape{needed.rhs});
    value = builder.create<ir::RequireOp>(g.location(), value.getType(), value, needed.kind, lhs,
                                          rhs, builder.getStringAttr(requirement(needed.what)));
  }
  return value;
}

Tensor Call::tensor(Value value, const std::string &name) {
  checkBytes(ir::getTensorType(value));
  // A function that changes nothing still gives a new tensor, which is no variable or placeholder.
  if (llvm::isa<ir::VariableOp, ir::PlaceholderOp>(value.getDefiningOp()))
    value = builder.create<ir::IdentityOp>(g.location(), value);
  value = withRequirements(value);
  if (!llvm::isa<ir::UpdateOp>(value.getDefiningOp())) // whose value has been tied
    value = evaluatedTogether(value);
  Tensor result = tensorOf(value);
  if (!name.empty())
    nodeOf(result)->name = graph.nodeName(name) + ":0";
  return result;
}
