// Tensors: handles on values of the graph, and what users learn of these.
#include "frontend/graph/Graph.h"

using namespace keratin;
using namespace keratin::frontend;

namespace keratin::detail {
struct TensorAccess {
  static Node *node(const Tensor &tensor) { return tensor.node; }
  static Tensor make(Node *node) {
    Tensor tensor;
    tensor.node = node;
    return tensor;
  }
};
} // namespace keratin::detail

Node *frontend::nodeOf(const Tensor &tensor, const char *caller) {
  Node *node = detail::TensorAccess::node(tensor);
  if (!node)
    throw ValueError(std::string(caller) + (*caller ? ": " : "") +
                     "an empty Tensor stands for no value");
  return node;
}

mlir::Value frontend::valueOf(const Tensor &tensor, const char *caller) {
  return nodeOf(tensor, caller)->value;
}

Tensor frontend::tensorOf(mlir::Value value) {
  return detail::TensorAccess::make(Graph::get().acquire(value));
}

Tensor::Tensor(const Tensor &other) noexcept : node(other.node) {
  if (node)
    node->handles.fetch_add(1, std::memory_order_relaxed);
}

Tensor::~Tensor() {
  if (node)
    Graph::get().release(node);
}

DType Tensor::dtype() const {
  return DType(ir::dtypeOf(ir::getElementType(frontend::valueOf(*this, "Tensor::dtype"))));
}

StaticShape Tensor::shape() const {
  StaticShape shape;
  for (int64_t dim : ir::getTensorType(frontend::valueOf(*this, "Tensor::shape")).getShape())
    shape.push_back(mlir::ShapedType::isDynamic(dim) ? std::nullopt : std::optional(dim));
  return shape;
}

int64_t Tensor::ndim() const {
  return ir::getTensorType(frontend::valueOf(*this, "Tensor::ndim")).getRank();
}

std::string Tensor::name() const {
  Graph::Lock lock(Graph::get());
  return Graph::get().nameOf(frontend::nodeOf(*this, "Tensor::name"));
}

bool Tensor::usesLearningPhase() const {
  return frontend::nodeOf(*this, "Tensor::usesLearningPhase")->usesLearningPhase;
}
void Tensor::setUsesLearningPhase(bool uses) {
  frontend::nodeOf(*this, "Tensor::setUsesLearningPhase")->usesLearningPhase = uses;
}

static VariableInfo *variableInfo(const Tensor &tensor, const char *caller) {
  auto op = valueOf(tensor, caller).getDefiningOp<ir::VariableOp>();
  return op ? &Graph::get().variables[op.getId()] : nullptr;
}

Constraint Tensor::constraint() const {
  Graph::Lock lock(Graph::get());
  VariableInfo *info = variableInfo(*this, "Tensor::constraint");
  return info ? info->constraint : Constraint();
}

bool Tensor::trainable() const {
  Graph::Lock lock(Graph::get());
  VariableInfo *info = variableInfo(*this, "Tensor::trainable");
  return info && info->trainable;
}

void Tensor::setTrainable(bool trainable) {
  Graph::Lock lock(Graph::get());
  if (VariableInfo *info = variableInfo(*this, "Tensor::setTrainable"))
    info->trainable = trainable;
  else
    throw TypeError("setTrainable: the tensor is not a variable");
}

std::string keratin::toString(const StaticShape &shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + (shape[i] ? std::to_string(*shape[i]) : std::string("None"));
  return text + (shape.size() == 1 ? ",)" : ")");
}
