// K functions: sparse tensors.
#include "keratin/sparse.h"

#include "frontend/backend/Configuration.h"
#include "frontend/backend/Variables.h"
#include "frontend/graph/SparseParts.h"

using namespace keratin;
using namespace keratin::frontend;

namespace keratin::backend {

Tensor variable(const SparseMatrix &value, DTypeArgument dtype, const std::string &name,
                SourceLocation location) {
  Call call("variable", location);
  DType type = dtype.valueOr(Configuration::floatx());
  call.checkFit(value.values(), type);
  SparseMatrix initial = value.astype(type);
  Tensor values = makeVariable(call, initial.values(), name, {});
  SparseParts parts{call.literal(initial.rows()), call.literal(initial.columns()), valueOf(values),
                    ir::Shape(initial.shape().begin(), initial.shape().end())};
  Tensor result = tensorOf(sparseMatrix(call, parts, ir::SparseRole::Variable));
  nodeOf(result)->name = values.name();
  return result;
}

bool is_sparse(const Operand &tensor) {
  frontend::Graph::Lock lock(frontend::Graph::get());
  return sparseParts(tensor).has_value();
}

Tensor to_dense(const Operand &tensor, SourceLocation location) {
  Call call("to_dense", location);
  if (std::optional<SparseParts> parts = sparseParts(tensor))
    return call.tensor(toDense(call, *parts));
  if (!tensor.isTensor())
    return call.tensor(call.value(tensor));
  (void)call.raw(tensor.tensor());
  return tensor.tensor();
}

} // namespace keratin::backend
