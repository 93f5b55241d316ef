// Orders of axes, as transposes take them.
#ifndef KERATIN_FRONTEND_ONNX_ORDERS_H
#define KERATIN_FRONTEND_ONNX_ORDERS_H

#include "frontend/onnx/ModelNode.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

namespace keratin::frontend::onnx_models {

// The axis before all others.
inline Numbers axisFirst(int64_t rank, int64_t axis) {
  Numbers order{axis};
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis)
      order.push_back(i);
  return order;
}

// What brings the axes back.
inline Numbers inverseOf(const Numbers &order) {
  const llvm::SmallVector<int64_t> inverse = mlir::invertPermutationVector(order);
  return {inverse.begin(), inverse.end()};
}

} // namespace keratin::frontend::onnx_models

#endif // KERATIN_FRONTEND_ONNX_ORDERS_H
