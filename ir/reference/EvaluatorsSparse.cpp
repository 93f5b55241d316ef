// Products with sparse matrices, one stored element after the other.
#include "ir/dialect/Keratin.h"
#include "ir/reference/ElementMath.h"

using namespace keratin::ir;
using namespace keratin::ir::reference;
using namespace mlir;

// The lower half of the numbers of uint64 is all that an axis has.
static bool isInside(int64_t position, int64_t size) { return position >= 0 && position < size; }

LogicalResult SparseDotOp::evaluate(EvaluationContext &context,
                                    ArrayRef<const HostTensor *> operands,
                                    MutableArrayRef<HostTensor> results) {
  const HostTensor &rows = *operands[0], &columns = *operands[1], &values = *operands[2];
  const HostTensor &x = *operands[3];
  HostTensor &y = results[0];
  int64_t width = y.dims[1];
  for (int64_t i = 0; i < rows.size(); ++i) {
    if (!isInside(rows.ints[i], y.dims[0]) || !isInside(columns.ints[i], x.dims[0])) {
      context.error = "sparse_dot: element (" + std::to_string(rows.ints[i]) + ", " +
                      std::to_string(columns.ints[i]) + ") is outside a matrix of shape (" +
                      std::to_string(y.dims[0]) + ", " + std::to_string(x.dims[0]) + ")";
      return failure();
    }
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
