// Differentiates a small function, runs it in the reference interpreter, and compares with central
// differences.
#ifndef KERATIN_TESTS_EXECUTION_GRADIENTHARNESS_H
#define KERATIN_TESTS_EXECUTION_GRADIENTHARNESS_H

#include "ir/builder/GraphMath.h"
#include "ir/dialect/Keratin.h"
#include "ir/reference/HostTensor.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace keratin::tests {

// An argument of the function: its type (by shape, with symbols) and its value.
struct Input {
  ir::Shape shape;
  ir::HostTensor value;
  bool isFloat() const { return value.isFloat(); }
};

// Builds the value to differentiate from the arguments.
using Build = std::function<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

struct GradientCase {
  std::string label;
  std::vector<Input> inputs;
  Build build;
  double step = 1e-5; // of the differences
};

// A formula over vectors of these numbers. The first has the size `firstSize`, if given, the others
// their own.
using Numbers = std::vector<double>;
using Formula = std::function<mlir::Value(ir::GraphMath &, mlir::ValueRange)>;
GradientCase vectorCase(const std::vector<Numbers> &inputs, const Formula &formula,
                        std::optional<ir::DimExpr> firstSize = std::nullopt);

// Where random elements come from; the names are those of the op records.
ir::HostTensor randomTensor(const std::vector<int64_t> &dims, const std::string &domain,
                            uint64_t seed);

// The floats of a value and of its gradients.
struct Outcome {
  ir::HostTensor value;
  std::vector<ir::HostTensor> gradients;
};

// The gradient of sum(weights * f(inputs)) with respect to each float input, by the expanded
// keratin.gradients; without weights, of sum(f(inputs)).
Outcome differentiate(mlir::MLIRContext &context, const GradientCase &test,
                      const std::vector<double> &weights = {});
// The tangent of f, in the place of gradients, along the direction in the first input, ones if none
// is given, and ones in the others.
Outcome differentiateForwards(mlir::MLIRContext &context, const GradientCase &test,
                              const std::vector<double> &direction = {});
// What differentiate() gives, for the sum of all those first gradients.
Outcome differentiateTwice(mlir::MLIRContext &context, const GradientCase &test);

// A function of a float64 scalar that returns the gradient of what is built from it, expanded.
mlir::OwningOpRef<mlir::ModuleOp>
differentiatedScalar(mlir::MLIRContext &context,
                     const std::function<mlir::Value(ir::GraphMath &, mlir::Value)> &build);

// CHECKs the whole Jacobian, the gradient of a random combination of the gradients, the tangent
// along a random direction, and second derivatives along it in forward and reverse mode.
void checkGradients(mlir::MLIRContext &context, const GradientCase &test);

} // namespace keratin::tests

#endif // KERATIN_TESTS_EXECUTION_GRADIENTHARNESS_H
