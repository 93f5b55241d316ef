// The kernels of a function that checks its numbers: whether one was met that is not finite, and a
// look through a tensor for those that are not.
#include "codegen/cpu/SingleOpKernel.h"
#include "ir/dialect/GraphError.h"
#include "ir/dialect/NameScope.h"
#include "runtime/abi/keratin_abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::getElementType;
using keratin::ir::getShape;

namespace {

static_assert(uint64_t(ir::NumberRule::Elementwise) == KERATIN_NUMBER_ELEMENTWISE &&
              uint64_t(ir::NumberRule::Mixing) == KERATIN_NUMBER_MIXING &&
              uint64_t(ir::NumberRule::Fed) == KERATIN_NUMBER_FED);

class SuspectNumbersKernel : SingleOpKernel {
public:
  SuspectNumbersKernel(CpuKernelBuilder &k, ir::SuspectNumbersOp op)
      : SingleOpKernel(k, op, lanesFor(k.target, 32)) {}

  // One unit, which runs when all kernels before it are over.
  void emit() {
    Type pointer = LLVM::LLVMPointerType::get(b.getContext());
    Value slot = b.create<LLVM::GEPOp>(
        loc, pointer, b.getI8Type(), k.context,
        ArrayRef<LLVM::GEPArg>{int32_t(offsetof(keratin_context_t, numbers_suspect))});
    Value note = b.create<LLVM::LoadOp>(loc, pointer, slot);
    Value noted = b.create<LLVM::LoadOp>(loc, b.getI32Type(), note);
    Value none = b.create<arith::ConstantIntOp>(loc, 0, 32);
    Value met = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, noted, none);
    b.create<LLVM::StoreOp>(loc, b.create<arith::ExtUIOp>(loc, b.getI8Type(), met), output());
  }
};

class CheckNumbersKernel : SingleOpKernel {
public:
  CheckNumbersKernel(CpuKernelBuilder &k, ir::CheckNumbersOp check)
      : SingleOpKernel(k, check, lanesFor(k.target, 32)), check(check) {}

  void emit();

private:
  Value pointerOf(Value operand) { return k.inputs[cast<BlockArgument>(operand).getArgNumber()]; }
  Value pointerOrNull(Value operand) {
    return operand ? pointerOf(operand)
                   : b.create<LLVM::ZeroOp>(loc, LLVM::LLVMPointerType::get(b.getContext()));
  }

  ir::CheckNumbersOp check;
};

// "log: made {}, in scope 'head/'"; the source line follows where sites are described.
std::string messageOf(ir::CheckNumbersOp check) {
  StringRef scope = ir::scopeOf(check.getLoc());
  StringRef verb = check.getRule() == ir::NumberRule::Fed ? ": holds {}" : ": made {}";
  return (check.getCulprit() + verb).str() +
         (scope.empty() ? "" : (", in scope '" + scope + "'").str());
}

void CheckNumbersKernel::emit() {
  SmallVector<Value> dims, operands;
  for (const DimExpr &dim : getShape(check.getY()))
    dims.push_back(size(dim));
  for (Value operand : check.getReadFrom())
    operands.append({pointerOf(operand), size(elementsOf(getShape(operand))),
                     i64(ir::dtypeOf(getElementType(operand)))});
  static_assert(sizeof(keratin_number_operand_t) == 3 * 8);
  Value site = k.site(check, messageOf(check), KERATIN_NOT_FINITE);
  SmallVector<Value> fields = {
      b.create<LLVM::ZExtOp>(loc, b.getI64Type(), site),
      k.argumentFor(int64_t(check.getOrder())),
      i64(int64_t(check.getRule())),
      i64(ir::dtypeOf(getElementType(check.getY()))),
      i64(int64_t(dims.size())),
      record(dims),
      pointerOf(check.getY()),
      pointerOrNull(check.getCounts()),
      pointerOrNull(check.getStep()),
      i64(int64_t(check.getReadFrom().size())),
      record(operands),
  };
  static_assert(sizeof(keratin_number_check_t) == 11 * 8);
  callHost(offsetof(keratin_runtime_functions_t, check_numbers), {record(fields)});
}

} // namespace

CpuPlan keratin::codegen::planSuspectNumbersKernel(ir::KernelOp kernel, const MachineTarget &) {
  auto suspect = cast<ir::SuspectNumbersOp>(&kernel.getBody().front().front());
  if (!getShape(suspect.getY()).empty()) {
    ir::emitGraphError(suspect) << "suspect_numbers: the result must be a scalar, found "
                                << suspect.getY().getType();
    return nullptr;
  }
  return std::make_shared<HostCallPlan>(kernel, "once", [suspect](CpuKernelBuilder &k) {
    if (!k.outputs.empty()) // somebody asks
      SuspectNumbersKernel(k, suspect).emit();
  });
}

CpuPlan keratin::codegen::planCheckNumbersKernel(ir::KernelOp kernel, const MachineTarget &) {
  auto check = dyn_cast_or_null<ir::CheckNumbersOp>(onlyOp(kernel));
  if (!check)
    return nullptr;
  return std::make_shared<HostCallPlan>(
      kernel, "once", [check](CpuKernelBuilder &k) { CheckNumbersKernel(k, check).emit(); });
}
