// The op classes, and the methods that follow from their records.
#include "ir/builder/GradientLocation.h"
#include "ir/builder/GraphMath.h"
#include "ir/builder/TangentRules.h"
#include "ir/dialect/Keratin.h"

#include "mlir/IR/OpImplementation.h"

using namespace keratin::ir;

#define GET_OP_CLASSES
#include "ir/dialect/KeratinOps.cpp.inc"

namespace keratin::ir {
#include "ir/ops/OpRecords.cpp.inc"
} // namespace keratin::ir
