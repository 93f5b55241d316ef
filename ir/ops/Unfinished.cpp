// What ops of the records do not do yet.
#include "ir/dialect/Keratin.h"
#include "ir/reference/Evaluation.h"

using namespace keratin::ir;
using namespace mlir;

// clang-format off
#define KERATIN_VERIFY(Op) LogicalResult Op::verify() { return success(); }
#define KERATIN_EVALUATE(Op) LogicalResult Op::evaluate(EvaluationContext &, ArrayRef<const HostTensor *>, MutableArrayRef<HostTensor>) { return emitOpError("not implemented: the interpreter's"); }
#define KERATIN_VJP(Op) LogicalResult Op::buildVjp(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) { return emitOpError("not implemented: its gradient"); }
// clang-format on
