#include "compiler/freestanding/RuntimeNeeds.h"

#include "codegen/lowering/KernelKind.h"
#include "ir/dialect/Keratin.h"
#include "ir/dialect/MemoryPlan.h"
#include "ir/dialect/RankNumbers.h"
#include "ir/dialect/SourceLine.h"
#include "ir/host/Host.h"

using namespace keratin;
using namespace keratin::compiler;
using namespace mlir;

namespace {

// Why an op of the function cannot be done; "" if it can.
std::string reasonAgainst(Operation *op) {
  if (isa<ir::PrintOp>(op))
    return "print: there is nothing to print to";
  if (ir::isRankNumber(op))
    return op->getName().stripDialect().str() + ": there is one process";
  if (auto loop = dyn_cast<ir::WhileOp>(op)) {
    if (!loop.getBound())
      return "while: nothing bounds the number of steps; give the most that there may be";
    if (loop.getLength())
      return "while: what the steps keep has a size that only the call knows";
  }
  if (isa<ir::DefineSizeOp>(op))
    return "truncate: the size is known only to the call";
  if (auto kernel = dyn_cast<ir::KernelOp>(op))
    if (codegen::kindOf(kernel) == codegen::KernelKind::Collective)
      return codegen::mainOp(kernel)->getName().stripDialect().str() + ": there is one process";
  return "";
}

absl::Status refuse(func::FuncOp function, const std::string &reason, Location location) {
  return absl::InvalidArgumentError(ir::withSourceLine(
      "function '" + function.getName().str() + "': a freestanding model cannot have " + reason,
      location));
}

} // namespace

absl::Status compiler::checkNeedsNoRuntime(func::FuncOp function) {
  absl::Status status;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    const std::string reason = reasonAgainst(op);
    if (reason.empty())
      return WalkResult::advance();
    // A kernel has the location of its ops.
    auto kernel = dyn_cast<ir::KernelOp>(op);
    status = refuse(function, reason, kernel ? codegen::mainOp(kernel)->getLoc() : op->getLoc());
    return WalkResult::interrupt();
  });
  if (!status.ok())
    return status;
  const host::NumberedOps numbered = host::numberedOpsOf(function);
  host::programOf(function).walk([&](Operation *op) {
    if (auto call = dyn_cast<host::CallOp>(op)) {
      Operation *main = codegen::mainOp(numbered.kernels[size_t(call.getKernel())]);
      status = refuse(function, main->getName().stripDialect().str() + ": the runtime would do it",
                      main->getLoc());
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return status;
}
