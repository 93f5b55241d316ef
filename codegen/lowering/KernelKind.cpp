#include "codegen/lowering/KernelKind.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

// As the records of the ops say; nullopt: the op stands in a loop nest.
static std::optional<KernelKind> kindInRecord(Operation &op) {
#define KERATIN_KERNEL(OP, KIND)                                                                   \
  if (isa<ir::OP>(op))                                                                             \
    return KernelKind::KIND;
#include "codegen/lowering/OpKernels.inc"
#undef KERATIN_KERNEL
  return std::nullopt;
}

static bool isPlainTranspose(Block &body) {
  auto op = dyn_cast<ir::TransposeOp>(body.front());
  return op && op->getNextNode() == body.getTerminator() && isa<BlockArgument>(op.getX());
}

// Among other ops random bits are elements of the loop nest.
static bool isInNest(Operation &op) {
  return isa<ir::RandomBitsOp>(op) &&
         (&op != &op.getBlock()->front() || op.getNextNode() != op.getBlock()->getTerminator());
}

Operation *keratin::codegen::mainOp(ir::KernelOp kernel) {
  Block &body = kernel.getBody().front();
  for (Operation &op : body)
    if (kindInRecord(op) && !isInNest(op))
      return &op;
  return isPlainTranspose(body) ? &body.front() : nullptr;
}

KernelKind keratin::codegen::kindOf(ir::KernelOp kernel) {
  Operation *op = mainOp(kernel);
  return op ? kindInRecord(*op).value_or(KernelKind::Transpose) : KernelKind::Loop;
}

std::optional<ir::IterationSpace> keratin::codegen::iterationSpaceOf(ir::KernelOp kernel) {
  std::string why;
  std::optional<ir::IterationSpace> space = ir::analyzeIterationSpace(kernel, &why);
  if (!space)
    kernel.emitError("not implemented: a kernel with ") << why;
  return space;
}
