// Products with sparse matrices, one stored element after the other.
#include "ir/reference/ElementMath.h"
#include "ir/reference/Evaluation.h"

using namespace keratin::ir;
using namespace keratin::ir::reference;
using namespace mlir;

LogicalResult SparseDotOp::evaluate(EvaluationContext &context, Operands operands,
                                    Results results) {
  const HostTensor &rows = *operands[0], &columns = *operands[1], &values = *operands[2];
  const HostTensor &x = *operands[3];
  HostTensor &y = results[0];
  int64_t width = y.dims[1];
  for (int64_t i = 0; i < rows.size(); ++i) {
    if (!isInside(rows.ints[i], y.dims[0]) || !isInside(columns.ints[i], x.dims[0]))
      return fail(context, "sparse_dot: element (" + Twine(rows.ints[i]) + ", " +
                               Twine(columns.ints[i]) + ") is outside a matrix of shape (" +
                               Twine(y.dims[0]) + ", " + Twine(x.dims[0]) + ")");
    dispatchElement(y.dtype, [&](auto zero) {
      using T = decltype(zero);
      for (int64_t j = 0; j < width; ++j) {
        T product = wrapMul(load<T>(values, i), load<T>(x, columns.ints[i] * width + j));
        int64_t to = rows.ints[i] * width + j;
        store(y, to, wrapAdd(load<T>(y, to), product));
      }
    });
  }
  return success();
}
