// What every op, type and attribute of the dialect must satisfy before anything computes with it.
// LLVM is packaged without assertions, so a cast of the wrong type would be silent damage.
#include "ir/dialect/ComplexNumbers.h"
#include "ir/dialect/Keratin.h"
#include "ir/dialect/MemoryPlan.h"
#include "ir/dialect/OwnRows.h"
#include "ir/dialect/RankNumbers.h"
#include "ir/dialect/Signature.h"
#include "ir/dialect/SizeLimits.h"
#include "ir/dialect/SizeNames.h"
#include "ir/dialect/SizedText.h"
#include "ir/interfaces/OpProperties.h"

using namespace keratin::ir;
using namespace mlir;

//===-- Types ---------------------------------------------------------------------------------===//

LogicalResult DimsAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                       function_ref<InFlightDiagnostic()> emitError) const {
  ArrayRef<DimExpr> dims = getDims();
  if (dims.size() != shape.size())
    return emitError() << "#keratin.dims has " << dims.size() << " sizes for a tensor of rank "
                       << shape.size();
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (ShapedType::isDynamic(size)) {
      if (dims[i].isConstant())
        return emitError() << "size " << i << " is " << dims[i].str()
                           << " in #keratin.dims, but unknown in the shape";
    } else if (dims[i] != DimExpr(size)) {
      return emitError() << "size " << i << " is " << size << " in the shape, but " << dims[i].str()
                         << " in #keratin.dims";
    }
  }
  if (llvm::none_of(shape, ShapedType::isDynamic))
    return emitError() << "a tensor of known sizes needs no #keratin.dims";
  return success();
}

// Counts the elements of the nonzero dimensions: strides of a tensor without elements are computed
// too. Symbols alone multiply without bound checks to fail, so that only their factor matters.
static bool countFits(const Shape &shape) {
  int64_t factor = 1;
  Shape others;
  for (const DimExpr &dim : shape) {
    if (!dim.isConstant()) {
      if (!dim.isSymbol())
        others.push_back(dim);
    } else if (dim.constantValue() != 0 &&
               __builtin_mul_overflow(factor, dim.constantValue(), &factor)) {
      return false;
    }
  }
  if (others.empty())
    return true;
  others.push_back(DimExpr(factor));
  return elementCount(others).has_value();
}

LogicalResult keratin::ir::verifyTensorType(Type type,
                                            function_ref<InFlightDiagnostic()> emitError) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return emitError() << type << " is not a ranked tensor";
  if (dtypeOf(tensor.getElementType()) == KERATIN_DTYPE_INVALID)
    return emitError()
           << type
           << " has elements that are neither bool, integers, floats nor complex numbers of a "
           << "known width";
  if (tensor.getEncoding() && !isa<DimsAttr>(tensor.getEncoding()))
    return emitError() << type << " has an encoding other than #keratin.dims";
  if (!tensor.hasStaticShape() && !tensor.getEncoding())
    return emitError() << type << " has unknown sizes; #keratin.dims must say what they are";
  if (!countFits(getShape(tensor)))
    return emitError() << "the number of elements of " << type << " does not fit 64 bits";
  return success();
}

LogicalResult keratin::ir::verifyKnownShapes(Operation *op) {
  auto emitError = [&] { return op->emitOpError(); };
  // A yield takes what its loop or branch does.
  if (!takesComplex(op) && !isa<YieldOp>(op) &&
      (llvm::any_of(op->getOperandTypes(), hasComplexElements) ||
       llvm::any_of(op->getResultTypes(), hasComplexElements)))
    return emitError() << "has no form for complex numbers";
  for (Value operand : op->getOperands()) {
    Operation *maker = operand.getDefiningOp();
    if (maker && maker->hasTrait<HasKnownShapes>())
      continue;
    if (failed(verifyTensorType(operand.getType(), emitError)))
      return failure();
  }
  for (Type type : op->getResultTypes())
    if (failed(verifyTensorType(type, emitError)))
      return failure();
  return success();
}

//===-- Attributes of functions and kernels ---------------------------------------------------===//

// An entry of keratin.checks: what must hold between sizes when the function is called.
static bool isCheck(Attribute attribute) {
  auto check = dyn_cast<DictionaryAttr>(attribute);
  if (!check || !isa_and_nonnull<RequirementAttr>(check.get("kind")) ||
      !SizedText::isOne(check.get("message")))
    return false;
  // What is assumed is an equality.
  if (check.contains("assumed") &&
      check.getAs<RequirementAttr>("kind").getValue() != Requirement::Equal)
    return false;
  auto lhs = check.getAs<DimsAttr>("lhs"), rhs = check.getAs<DimsAttr>("rhs");
  return lhs && rhs && lhs.getDims().size() == rhs.getDims().size();
}

LogicalResult KeratinDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName().strref();
  Attribute value = attribute.getValue();
  auto require = [&](bool holds, StringRef what) -> LogicalResult {
    return holds ? success() : op->emitError() << name << " must be " << what;
  };
  if (name == "keratin.checks") {
    auto list = dyn_cast<ArrayAttr>(value);
    return require(list && llvm::all_of(list, isCheck),
                   "a list of requirements {kind, lhs, rhs, message}");
  }
  if (name == RankOp::kSizeAttr) {
    auto size = dyn_cast<DimsAttr>(value);
    return require(isRankNumber(op) && size && size.getDims().size() == 1 &&
                       size.getDims()[0].isSymbol(),
                   "the symbol of a keratin.rank or a keratin.rank_count");
  }
  if (name == kOwnRowsAttr)
    return require(isa<GatherOp, ScatterAddOp>(op) && isa<UnitAttr>(value),
                   "on a gather or a scatter_add");
  if (SizeNames::isAttribute(name))
    return SizeNames::verify(op, attribute);
  if (LimitedSizes::isAttribute(name))
    return LimitedSizes::verify(op, attribute);
  return verifyPlanAttribute(op, attribute);
}

LogicalResult KeratinDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned index,
                                                       NamedAttribute attribute) {
  return Signature::verifyArgument(op, index, attribute);
}

LogicalResult KeratinDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned index,
                                                          NamedAttribute attribute) {
  return Signature::verifyResult(op, index, attribute);
}
