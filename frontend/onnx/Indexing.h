// What ops of ONNX that take indices have in common.
#ifndef KERATIN_FRONTEND_ONNX_INDEXING_H
#define KERATIN_FRONTEND_ONNX_INDEXING_H

#include "frontend/onnx/ModelNode.h"

namespace keratin::frontend::onnx_models {

// Indices into an axis of so many, of which negative ones count from the end.
Value fromTheEnd(Call &call, Value indices, const DimExpr &size);

// Of each element of `indices`, its number in x if the one along the axis is what indices say.
Value elementIndex(ModelNode &node, Call &call, Value x, Value indices, int64_t axis);

// Numbers of the slices of x that tuples in the last axis of indices name, from an axis on.
Value sliceIndex(ModelNode &node, Call &call, Value indices, const ir::Shape &sizes);

// How many axes the tuples name.
size_t tupleOf(ModelNode &node, const ir::Shape &shape, size_t rank);

// x as a vector.
Value flat(Call &call, Value x);

// Integers, a vector, at their places in a vector of so many, which are no more than they are;
// those whose place is behind all are left out.
Value movedTo(Call &call, Value numbers, Value places, Value count);
// Those where the mask is true.
Value chosenNumbers(Call &call, Value numbers, Value mask);

} // namespace keratin::frontend::onnx_models

#endif // KERATIN_FRONTEND_ONNX_INDEXING_H
