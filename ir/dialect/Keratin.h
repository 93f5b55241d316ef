// The keratin dialect: attributes, ops, interfaces.
#ifndef KERATIN_IR_DIALECT_KERATIN_H
#define KERATIN_IR_DIALECT_KERATIN_H

#include "ir/dialect/MeshAxes.h"
#include "ir/dialect/PlanKinds.h"
#include "ir/dialect/TensorShape.h"
#include "ir/interfaces/ScalarBuilder.h"
#include "ir/reference/EvaluationContext.h"
#include "ir/reference/HostTensor.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/dialect/KeratinDialect.h.inc"
#include "ir/dialect/KeratinEnums.h.inc"
#include "ir/interfaces/Interfaces.h.inc"

namespace keratin::ir {

// Shape rules shared by a family; they serve the verifier and the builder alike.
mlir::LogicalResult inferElementwise(llvm::StringRef name, std::optional<mlir::Location> location,
                                     mlir::ValueRange operands, bool resultIsBool,
                                     llvm::SmallVectorImpl<mlir::Type> &inferred);
mlir::LogicalResult inferReduction(llvm::StringRef name, std::optional<mlir::Location> location,
                                   mlir::Value operand, llvm::ArrayRef<int64_t> axes,
                                   llvm::SmallVectorImpl<mlir::Type> &inferred);

// Whether getShape() means something for the type: a diagnostic says why not.
mlir::LogicalResult verifyTensorType(mlir::Type type,
                                     llvm::function_ref<mlir::InFlightDiagnostic()> emitError);
// The same for operands and results that no other op of the dialect answers for.
mlir::LogicalResult verifyKnownShapes(mlir::Operation *op);

template <typename Op> class HasKnownShapes : public mlir::OpTrait::TraitBase<Op, HasKnownShapes> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifyKnownShapes(op); }
};

} // namespace keratin::ir

namespace keratin::ir::detail {
struct DimsAttrStorage;
} // namespace keratin::ir::detail

#define GET_ATTRDEF_CLASSES
#include "ir/dialect/KeratinAttributes.h.inc"
#define GET_OP_CLASSES
#include "ir/dialect/KeratinOps.h.inc"

#endif // KERATIN_IR_DIALECT_KERATIN_H
