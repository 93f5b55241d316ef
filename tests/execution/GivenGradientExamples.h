// Ops that say how something is to be differentiated, for the sweeps and for gradients.
#ifndef KERATIN_TESTS_EXECUTION_GIVENGRADIENTEXAMPLES_H
#define KERATIN_TESTS_EXECUTION_GIVENGRADIENTEXAMPLES_H

#include "ir/builder/GraphMath.h"

namespace keratin::tests {

// exp(a) * b, of equal shapes, as the body of a checkpoint.
mlir::Value buildCheckpoint(ir::GraphMath &math, mlir::Value a, mlir::Value b);
// exp(a) * b with its gradient, which uses the result, given.
mlir::Value buildCustomGradient(ir::GraphMath &math, mlir::Value a, mlir::Value b);
// exp(a) * b with its tangents, which use the result, given.
mlir::Value buildCustomJvp(ir::GraphMath &math, mlir::Value a, mlir::Value b);

} // namespace keratin::tests

#endif // KERATIN_TESTS_EXECUTION_GIVENGRADIENTEXAMPLES_H
