// K functions: sparse tensors.
#include "keratin/sparse.h"
#include "keratin/sparse_derivatives.h"

#include "frontend/backend/Configuration.h"
#include "frontend/backend/Variables.h"
#include "frontend/graph/SparseParts.h"

#include <algorithm>
#include <numeric>

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

// Where each row starts, and the end; nullopt where the rows are not known, or do not ascend.
static std::optional<Array> rowStarts(Call &call, const SparseParts &parts) {
  auto literal = parts.rows.getDefiningOp<ir::LiteralOp>();
  if (!literal || !parts.shape[0].isConstant())
    return std::nullopt;
  const Array &rows = call.graph.literals[literal.getId()];
  const int64_t *row = rows.data<int64_t>(), count = rows.size();
  if (!std::is_sorted(row, row + count))
    return std::nullopt;
  std::vector<int64_t> starts(parts.shape[0].constantValue() + 1);
  for (int64_t i = 0; i < count; ++i)
    ++starts[row[i] + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  return Array(starts);
}

std::vector<Tensor> sparse_parts(const Tensor &tensor, const std::string &format,
                                 SourceLocation location) {
  Call call("sparse_parts", location);
  if (format != "coo" && format != "csr")
    call.valueError("unknown format '" + format + "'; needed coo or csr");
  std::optional<SparseParts> parts = sparseParts(call.raw(tensor));
  if (!parts)
    call.valueError("the tensor " + tensor.name() + " is dense; needed a sparse one");
  requireSizes(call, *parts);
  Value first = parts->rows;
  if (format == "csr") {
    std::optional<Array> starts = rowStarts(call, *parts);
    if (!starts)
      call.notImplemented("csr of a tensor whose places are not known, row by row, when the graph "
                          "is built; needed format 'coo'");
    first = call.literal(*std::move(starts));
  }
  return {call.tensor(first), call.tensor(parts->columns), call.tensor(parts->values)};
}

} // namespace keratin::backend
