#include "codegen/gpu/ptx/DeviceCode.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Operator.h"

using namespace keratin::codegen;
using llvm::Instruction;
using llvm::Intrinsic::ID;

// frem becomes products and differences that are not rounded as they are written; fences and
// switches are inline assembly and branches.
static bool isFitOpcode(unsigned opcode) {
  switch (opcode) {
  case Instruction::Ret:
  case Instruction::Br:
  case Instruction::Switch:
  case Instruction::Unreachable:
  case Instruction::FNeg:
  case Instruction::Add:
  case Instruction::FAdd:
  case Instruction::Sub:
  case Instruction::FSub:
  case Instruction::Mul:
  case Instruction::FMul:
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::FDiv:
  case Instruction::URem:
  case Instruction::SRem:
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
  case Instruction::Load:
  case Instruction::Store:
  case Instruction::GetElementPtr:
  case Instruction::Trunc:
  case Instruction::ZExt:
  case Instruction::SExt:
  case Instruction::FPToUI:
  case Instruction::FPToSI:
  case Instruction::UIToFP:
  case Instruction::SIToFP:
  case Instruction::FPTrunc:
  case Instruction::FPExt:
  case Instruction::PtrToInt:
  case Instruction::IntToPtr:
  case Instruction::BitCast:
  case Instruction::AddrSpaceCast:
  case Instruction::AtomicRMW:
  case Instruction::ICmp:
  case Instruction::FCmp:
  case Instruction::PHI:
  case Instruction::Call:
  case Instruction::Select:
  case Instruction::ExtractElement:
  case Instruction::InsertElement:
  case Instruction::ShuffleVector:
  case Instruction::ExtractValue:
  case Instruction::InsertValue:
  case Instruction::Freeze:
    return true;
  default:
    return false;
  }
}

// Those that PTX has instructions for, or that LLVM takes apart into some.
static bool isFitIntrinsic(ID id) {
  switch (id) {
  case llvm::Intrinsic::abs:
  case llvm::Intrinsic::assume:
  case llvm::Intrinsic::bitreverse:
  case llvm::Intrinsic::bswap:
  case llvm::Intrinsic::ceil:
  case llvm::Intrinsic::copysign:
  case llvm::Intrinsic::ctlz:
  case llvm::Intrinsic::ctpop:
  case llvm::Intrinsic::cttz:
  case llvm::Intrinsic::experimental_noalias_scope_decl:
  case llvm::Intrinsic::fabs:
  case llvm::Intrinsic::floor:
  case llvm::Intrinsic::fma:
  case llvm::Intrinsic::fptosi_sat:
  case llvm::Intrinsic::fptoui_sat:
  case llvm::Intrinsic::fshl:
  case llvm::Intrinsic::fshr:
  case llvm::Intrinsic::is_fpclass:
  case llvm::Intrinsic::lifetime_end:
  case llvm::Intrinsic::lifetime_start:
  case llvm::Intrinsic::masked_gather:
  case llvm::Intrinsic::masked_load:
  case llvm::Intrinsic::masked_scatter:
  case llvm::Intrinsic::masked_store:
  case llvm::Intrinsic::maximum:
  case llvm::Intrinsic::maxnum:
  case llvm::Intrinsic::minimum:
  case llvm::Intrinsic::minnum:
  case llvm::Intrinsic::rint:
  case llvm::Intrinsic::roundeven:
  case llvm::Intrinsic::sadd_sat:
  case llvm::Intrinsic::sadd_with_overflow:
  case llvm::Intrinsic::scmp:
  case llvm::Intrinsic::smax:
  case llvm::Intrinsic::smin:
  case llvm::Intrinsic::smul_with_overflow:
  case llvm::Intrinsic::sqrt:
  case llvm::Intrinsic::ssub_sat:
  case llvm::Intrinsic::ssub_with_overflow:
  case llvm::Intrinsic::trunc:
  case llvm::Intrinsic::uadd_sat:
  case llvm::Intrinsic::uadd_with_overflow:
  case llvm::Intrinsic::ucmp:
  case llvm::Intrinsic::umax:
  case llvm::Intrinsic::umin:
  case llvm::Intrinsic::umul_with_overflow:
  case llvm::Intrinsic::usub_sat:
  case llvm::Intrinsic::usub_with_overflow:
  case llvm::Intrinsic::vector_reduce_add:
  case llvm::Intrinsic::vector_reduce_and:
  case llvm::Intrinsic::vector_reduce_fadd:
  case llvm::Intrinsic::vector_reduce_fmax:
  case llvm::Intrinsic::vector_reduce_fmaximum:
  case llvm::Intrinsic::vector_reduce_fmin:
  case llvm::Intrinsic::vector_reduce_fminimum:
  case llvm::Intrinsic::vector_reduce_fmul:
  case llvm::Intrinsic::vector_reduce_mul:
  case llvm::Intrinsic::vector_reduce_or:
  case llvm::Intrinsic::vector_reduce_smax:
  case llvm::Intrinsic::vector_reduce_smin:
  case llvm::Intrinsic::vector_reduce_umax:
  case llvm::Intrinsic::vector_reduce_umin:
  case llvm::Intrinsic::vector_reduce_xor:
    return true;
  default:
    return llvm::Intrinsic::getBaseName(id).starts_with("llvm.nvvm.");
  }
}

static std::string unfitCall(const llvm::CallInst &call) {
  if (call.isInlineAsm())
    return "";
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee)
    return "a call through a pointer";
  if (callee->isIntrinsic() && isFitIntrinsic(callee->getIntrinsicID()))
    return "";
  return "a call of " + callee->getName().str();
}

static bool isWiderThanRegisters(const llvm::Type *type) {
  return type->isIntegerTy() && type->getIntegerBitWidth() > 64;
}

static std::string unfit(const Instruction &instruction) {
  if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
    if (std::string what = unfitCall(*call); !what.empty())
      return what;
  if (!isFitOpcode(instruction.getOpcode()))
    return std::string("the instruction ") + instruction.getOpcodeName();
  if (auto *math = llvm::dyn_cast<llvm::FPMathOperator>(&instruction); math && math->isFast())
    return "arithmetic of less than its precision";
  auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  if ((load && load->isAtomic()) || (store && store->isAtomic()))
    return "an atomic access";
  bool divides = instruction.isIntDivRem();
  if (divides && isWiderThanRegisters(instruction.getType()->getScalarType()))
    return "a division of integers wider than 64 bits";
  return "";
}

std::string keratin::codegen::unfitFor(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    for (const llvm::BasicBlock &block : function)
      for (const Instruction &instruction : block)
        if (std::string what = unfit(instruction); !what.empty())
          return what + " in " + function.getName().str();
  return "";
}
