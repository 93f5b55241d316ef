// ctc_beam_search: the runtime searches, one sample a unit, in memory that the kernel has as one
// more result (ir/interfaces/Workspace.h).
#include "codegen/cpu/SingleOpKernel.h"

#include "runtime/abi/keratin_abi.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::getElementType;
using keratin::ir::getShape;
using keratin::ir::Shape;

namespace {

class BeamSearchKernel : SingleOpKernel {
public:
  BeamSearchKernel(CpuKernelBuilder &k, ir::CtcBeamSearchOp search, Value workspace)
      : SingleOpKernel(k, search, lanesFor(k.target, 64)), search(search), workspace(workspace) {}

  void emit();

private:
  Value resultPointer(Value result);
  Value site(const char *message) {
    return b.create<LLVM::SExtOp>(loc, b.getI64Type(), k.site(op, message));
  }

  ir::CtcBeamSearchOp search;
  Value workspace; // a result of the kernel
};

// The place of what the kernel yields; null if nobody reads it.
Value BeamSearchKernel::resultPointer(Value result) {
  auto yield = cast<ir::YieldOp>(k.body().getTerminator());
  for (auto [index, value] : llvm::enumerate(yield.getValues()))
    if (value == result)
      return k.outputs[index];
  return {};
}

void BeamSearchKernel::emit() {
  Shape shape = getShape(search.getLogits());
  auto place = [&](Value result) {
    Value pointer = resultPointer(result);
    return pointer ? pointer
                   : b.create<LLVM::ZeroOp>(loc, LLVM::LLVMPointerType::get(b.getContext()));
  };
  // The fields of keratin_beam_search_t.
  SmallVector<Value> fields = {
      input(0),
      input(1),
      place(search.getLabels()),
      place(search.getCounts()),
      place(search.getLogProbabilities()),
      resultPointer(workspace),
      size(shape[1]),
      size(shape[2]),
      i64(int64_t(search.getBeamWidth())),
      size(getShape(search.getLabels())[1]),
      size(getShape(workspace)[1]),
      i64(ir::dtypeOf(getElementType(search.getLogits()))),
      i64(ir::dtypeOf(getElementType(search.getLengths()))),
      site("ctc_decode: an input length is outside [0, time]"),
      site("ctc_decode: there are fewer sequences than top_paths"),
  };
  static_assert(sizeof(keratin_beam_search_t) == 15 * 8);
  callHost(offsetof(keratin_runtime_functions_t, beam_search), {record(fields), k.begin, k.end});
}

} // namespace

CpuPlan keratin::codegen::planBeamSearchKernel(ir::KernelOp kernel, const MachineTarget &) {
  Block &body = kernel.getBody().front();
  ir::CtcBeamSearchOp search = *body.getOps<ir::CtcBeamSearchOp>().begin();
  std::optional<unsigned> result = workspaceResult(kernel, search);
  if (!result) {
    kernel.emitError("not implemented: a search without memory to work in");
    return nullptr;
  }
  Value workspace = body.getTerminator()->getOperand(*result);
  auto plan =
      std::make_shared<HostCallPlan>(kernel, "samples", [search, workspace](CpuKernelBuilder &k) {
        BeamSearchKernel(k, search, workspace).emit();
      });
  Shape shape = getShape(search.getLogits());
  DimExpr perFrame =
      mul(shape[2], DimExpr(int64_t(search.getBeamWidth()))).value_or(DimExpr(INT64_MAX));
  plan->setWork(shape[0], mul(perFrame, shape[1]).value_or(DimExpr(INT64_MAX)));
  return plan;
}
