// K functions: the graph and what is known of its tensors.
#include "keratin/graph.h"

#include "frontend/backend/TrainingPhase.h"
#include "frontend/graph/Call.h"
#include "frontend/graph/EvalCache.h"
#include "frontend/graph/SparseParts.h"
#include "frontend/graph/Trace.h"

#include <limits>
#include <map>

using namespace keratin;
using namespace keratin::frontend;

static std::map<std::string, int64_t> &uids() {
  static auto *counters = new std::map<std::string, int64_t>;
  return *counters;
}

namespace keratin::backend {

int64_t get_uid(const std::string &prefix) {
  frontend::Graph::Lock lock(frontend::Graph::get());
  return ++uids()[prefix];
}

void reset_uids() {
  frontend::Graph::Lock lock(frontend::Graph::get());
  uids().clear();
}

void clear_session() {
  frontend::Graph::Lock lock(frontend::Graph::get());
  uids().clear();
  frontend::Graph::get().forgetNames();
  resetLearningPhase();
  clearEvalCache();
}

static bool manualInitialization = false;
void manual_variable_initialization(bool value) { manualInitialization = value; }

static std::shared_ptr<Session> &currentSession() {
  static auto *session = new std::shared_ptr<Session>(std::make_shared<Session>());
  return *session;
}
std::shared_ptr<Session> get_session() {
  frontend::Graph::Lock lock(frontend::Graph::get());
  return currentSession();
}
void set_session(std::shared_ptr<Session> session) {
  if (!session)
    session = std::make_shared<Session>();
  // The one before goes without the mutex.
  frontend::Graph::Lock lock(frontend::Graph::get());
  currentSession().swap(session);
}

//===-- Scopes --------------------------------------------------------------------------------===//

name_scope::name_scope(const std::string &name) {
  frontend::Graph &graph = frontend::Graph::get();
  frontend::Graph::Lock lock(graph);
  if (!name.empty())
    current = graph.scopeName(name);
  graph.beginScope(this, name.empty() ? nullptr : std::make_shared<const std::string>(current));
}

name_scope::~name_scope() {
  frontend::Graph::Lock lock(frontend::Graph::get());
  frontend::Graph::get().endScope(this);
}

control_dependencies::control_dependencies(const std::vector<Tensor> &control_inputs)
    : held(control_inputs) {
  frontend::Graph::Lock lock(frontend::Graph::get());
  llvm::SmallVector<mlir::Value> values;
  for (const Tensor &tensor : held)
    values.push_back(valueOf(tensor, "control_dependencies"));
  frontend::Graph::get().beginControl(this, std::move(values));
}

control_dependencies::~control_dependencies() {
  frontend::Graph::Lock lock(frontend::Graph::get());
  frontend::Graph::get().endControl(this);
}

//===-- Kinds ---------------------------------------------------------------------------------===//

bool is_tensor(const Operand &x) { return x.isTensor() && !x.tensor().isEmpty(); }

bool is_keras_tensor(const Operand &x) {
  if (!is_tensor(x))
    throw ValueError("is_keras_tensor: needed a tensor; found a number or an array");
  return false;
}

bool is_variable(const Operand &x) {
  return is_tensor(x) && (valueOf(x.tensor()).getDefiningOp<ir::VariableOp>() ||
                          hasSparseRole(x.tensor(), ir::SparseRole::Variable));
}

bool is_placeholder(const Operand &x) {
  if (!is_tensor(x))
    return false;
  auto op = valueOf(x.tensor()).getDefiningOp<ir::PlaceholderOp>();
  if (!op)
    return hasSparseRole(x.tensor(), ir::SparseRole::Placeholder);
  frontend::Graph::Lock lock(frontend::Graph::get());
  const PlaceholderInfo &info = frontend::Graph::get().placeholders[op.getId()];
  return !info.defaultValue && !info.callable;
}

//===-- Shapes and dtypes ---------------------------------------------------------------------===//

// The dtype of sizes as tensors.
static void requireInt32(Call &call, const DimExpr &size, const std::string &what) {
  const DimExpr greatest(std::numeric_limits<int32_t>::max());
  if (size.isConstant() && size.constantValue() > greatest.constantValue())
    call.valueError(what + " is " + size.str() + ", which does not fit int32");
  call.requireAtLeast(greatest, size, what + " does not fit int32");
}

Tensor shape(const Operand &operand, SourceLocation location) {
  Call call("shape", location);
  // Of a sparse tensor the sizes are all that is looked at.
  std::optional<SparseParts> parts = sparseParts(operand);
  Value x = parts
                ? call.g.splat(0.0, ir::getTensorType(parts->shape, call.elementType(DType::Int32)))
                : call.value(operand);
  ir::Shape dims = ir::getShape(x);
  for (const DimExpr &dim : dims)
    requireInt32(call, dim, "a size");
  Array sizes = Array::zeros(DType::Int32, {int64_t(dims.size())});
  bool isStatic = true;
  for (size_t i = 0; i < dims.size(); ++i) {
    isStatic &= dims[i].isConstant();
    if (dims[i].isConstant())
      sizes.data<int32_t>()[i] = int32_t(dims[i].constantValue());
  }
  if (isStatic)
    return call.tensor(call.literal(std::move(sizes)));
  std::vector<Value> entries;
  auto scalarType = ir::getTensorType({}, call.elementType(DType::Int32));
  for (size_t i = 0; i < dims.size(); ++i)
    entries.push_back(call.g.reshape(
        call.builder.createOrFold<ir::DimOp>(call.g.location(), scalarType, x, int64_t(i)),
        {DimExpr(1)}));
  return call.tensor(call.g.concatenate(entries, 0));
}

static StaticShape shapeOf(const char *function, const Operand &x) {
  if (x.isTensor() && valueOf(x.tensor(), function))
    return x.tensor().shape();
  if (x.kind() == Operand::Kind::Array || x.isNumber())
    return StaticShape(x.array().shape().begin(), x.array().shape().end());
  throw ValueError(std::string(function) + ": needed a tensor or an array");
}

StaticShape int_shape(const Operand &x) { return shapeOf("int_shape", x); }

StaticShape get_variable_shape(const Operand &x) { return shapeOf("get_variable_shape", x); }

int64_t ndim(const Operand &x) { return int64_t(shapeOf("ndim", x).size()); }

Tensor size(const Operand &operand, const std::string &name, SourceLocation location) {
  Call call("size", location);
  Value x = call.value(operand);
  std::vector<int64_t> axes = call.axes(None, call.rank(x));
  requireInt32(call, call.check(ir::elementCount(ir::getShape(x))), "the number of elements");
  return call.tensor(call.g.count(x, axes, call.elementType(DType::Int32)), name);
}

std::string dtype(const Operand &x) {
  if (x.isTensor() && valueOf(x.tensor(), "dtype"))
    return dtypeName(x.tensor().dtype());
  if (x.kind() == Operand::Kind::Array || x.isNumber())
    return dtypeName(x.array().dtype());
  throw ValueError("dtype: needed a tensor or an array");
}

int64_t count_params(const Operand &x) {
  StaticShape shape = shapeOf("count_params", x);
  int64_t count = 1;
  for (const std::optional<int64_t> &dim : shape)
    if (!dim || __builtin_mul_overflow(count, *dim, &count))
      throw ValueError("count_params: needed known sizes; found shape " + toString(shape));
  return count;
}

} // namespace keratin::backend
