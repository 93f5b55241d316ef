// Arithmetic on integers and floats.
#include "codegen/c/CFunction.h"
#include "codegen/c/CTypes.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace keratin;
using namespace keratin::codegen;
using namespace llvm;

std::string CFunction::wrapped(Type *type, const std::string &expression) const {
  switch (bitsOf(type)) {
  case 1:
    return "(uint8_t)((" + expression + ") & 1u)";
  case 8:
  case 16:
    return "(" + cType(type) + ")(" + expression + ")";
  default:
    return expression;
  }
}

std::string CFunction::arithmetic(const Value *operand) {
  return bitsOf(operand->getType()) >= 32
             ? value(operand)
             : "(" + cArithmeticType(operand->getType()) + ")" + value(operand);
}

// What LLVM leaves open where it is too large, C does not know at all.
std::string CFunction::shiftCount(const Value *count) {
  const unsigned bits = bitsOf(count->getType());
  if (auto *known = dyn_cast<ConstantInt>(count))
    return cLiteral(APInt(32, known->getValue().urem(bits)));
  return "(" + value(count) + " & " + std::to_string(bits - 1) + "u)";
}

void CFunction::visitBinaryOperator(BinaryOperator &op) {
  Type *type = scalarOf(op.getType());
  const Value *a = op.getOperand(0), *b = op.getOperand(1);
  auto infix = [&](const char *name) {
    set(op, type->isIntegerTy() ? wrapped(type, arithmetic(a) + " " + name + " " + arithmetic(b))
                                : value(a) + " " + name + " " + value(b));
  };
  auto divided = [&](const char *name) {
    set(op, wrapped(type, "(" + cArithmeticType(type) + ")(" + value.asSigned(a) + " " + name +
                              " " + value.asSigned(b) + ")"));
  };
  switch (op.getOpcode()) {
  case Instruction::Add:
  case Instruction::FAdd:
    return infix("+");
  case Instruction::Sub:
  case Instruction::FSub:
    return infix("-");
  case Instruction::Mul:
  case Instruction::FMul:
    return infix("*");
  case Instruction::UDiv:
  case Instruction::FDiv:
    return infix("/");
  case Instruction::URem:
    return infix("%");
  case Instruction::SDiv:
    return divided("/");
  case Instruction::SRem:
    return divided("%");
  case Instruction::And:
    return infix("&");
  case Instruction::Or:
    return infix("|");
  case Instruction::Xor:
    return infix("^");
  case Instruction::Shl:
    return set(op, wrapped(type, arithmetic(a) + " << " + shiftCount(b)));
  case Instruction::LShr:
    return set(op, wrapped(type, arithmetic(a) + " >> " + shiftCount(b)));
  case Instruction::AShr:
    if (bitsOf(type) == 1)
      break;
    return set(op, use.use("sar" + std::to_string(bitsOf(type))) + "(" + value(a) + ", " +
                       "(unsigned)" + shiftCount(b) + ")");
  default:
    break;
  }
  value.refuse(op.getOpcodeName());
}

void CFunction::visitFNeg(UnaryOperator &op) {
  set(op, use.use(scalarOf(op.getType())->isFloatTy() ? "neg32" : "neg64") + "(" +
              value(op.getOperand(0)) + ")");
}

void CFunction::visitCmpInst(CmpInst &compare) {
  const Value *left = compare.getOperand(0), *right = compare.getOperand(1);
  const std::string a = value(left), b = value(right);
  auto infix = [&](const char *name) { set(compare, a + " " + name + " " + b); };
  auto withSign = [&](const char *name) {
    if (bitsOf(left->getType()) == 1) // true is -1
      return set(compare, "-(int)" + a + " " + name + " -(int)" + b);
    set(compare, value.asSigned(left) + " " + name + " " + value.asSigned(right));
  };
  const std::string isOrdered = "(" + a + " == " + a + " && " + b + " == " + b + ")";
  switch (compare.getPredicate()) {
  case CmpInst::ICMP_EQ:
  case CmpInst::FCMP_OEQ:
    return infix("==");
  case CmpInst::ICMP_NE:
  case CmpInst::FCMP_UNE:
    return infix("!=");
  case CmpInst::ICMP_ULT:
  case CmpInst::FCMP_OLT:
    return infix("<");
  case CmpInst::ICMP_ULE:
  case CmpInst::FCMP_OLE:
    return infix("<=");
  case CmpInst::ICMP_UGT:
  case CmpInst::FCMP_OGT:
    return infix(">");
  case CmpInst::ICMP_UGE:
  case CmpInst::FCMP_OGE:
    return infix(">=");
  case CmpInst::ICMP_SLT:
    return withSign("<");
  case CmpInst::ICMP_SLE:
    return withSign("<=");
  case CmpInst::ICMP_SGT:
    return withSign(">");
  case CmpInst::ICMP_SGE:
    return withSign(">=");
  case CmpInst::FCMP_ULT:
    return set(compare, "!(" + a + " >= " + b + ")");
  case CmpInst::FCMP_ULE:
    return set(compare, "!(" + a + " > " + b + ")");
  case CmpInst::FCMP_UGT:
    return set(compare, "!(" + a + " <= " + b + ")");
  case CmpInst::FCMP_UGE:
    return set(compare, "!(" + a + " < " + b + ")");
  case CmpInst::FCMP_ORD:
    return set(compare, isOrdered);
  case CmpInst::FCMP_UNO:
    return set(compare, "!" + isOrdered);
  case CmpInst::FCMP_ONE:
    return set(compare, a + " < " + b + " || " + a + " > " + b);
  case CmpInst::FCMP_UEQ:
    return set(compare, "!(" + a + " < " + b + " || " + a + " > " + b + ")");
  default:
    value.refuse("a comparison of this kind");
  }
}

void CFunction::visitCastInst(CastInst &cast) {
  Type *from = scalarOf(cast.getSrcTy()), *to = scalarOf(cast.getDestTy());
  const std::string text = value(cast.getOperand(0)), type = cType(to);
  auto isNarrow = [](Type *type) { return type->isHalfTy() || type->isBFloatTy(); };
  if (isNarrow(from) || isNarrow(to)) {
    value.refuse("floats of 16 bits");
    return;
  }
  switch (cast.getOpcode()) {
  case Instruction::Trunc:
    return set(cast, wrapped(to, bitsOf(to) == 32 ? "(uint32_t)" + text : text));
  case Instruction::ZExt:
  case Instruction::UIToFP:
  case Instruction::FPExt:
  case Instruction::FPTrunc:
    return set(cast, "(" + type + ")" + text);
  case Instruction::SExt:
    if (from->isIntegerTy(1))
      return set(cast, wrapped(to, "0u - (" + cArithmeticType(to) + ")" + text));
    return set(cast,
               "(" + type + ")(" + cSignedType(to) + ")" + value.asSigned(cast.getOperand(0)));
  case Instruction::SIToFP:
    if (from->isIntegerTy(1))
      return set(cast, "(" + type + ")-(int)" + text);
    return set(cast, "(" + type + ")" + value.asSigned(cast.getOperand(0)));
  case Instruction::FPToSI:
    return set(cast, "(" + type + ")" + use.use("to_signed") + "(" + text + ")");
  case Instruction::FPToUI:
    return set(cast, "(" + type + ")" + use.use("to_unsigned") + "(" + text + ")");
  case Instruction::PtrToInt:
    return set(cast, "(" + type + ")(uintptr_t)" + text);
  case Instruction::IntToPtr:
    return set(cast, "(unsigned char *)(uintptr_t)" + text);
  case Instruction::BitCast:
    if (from == to || (from->isIntegerTy() && to->isIntegerTy()))
      return set(cast, text);
    if (from->isFloatingPointTy() && to->isIntegerTy())
      return set(cast, use.use(from->isFloatTy() ? "bits32" : "bits64") + "(" + text + ")");
    if (from->isIntegerTy() && to->isFloatingPointTy())
      return set(cast, use.use(to->isFloatTy() ? "float32" : "float64") + "(" + text + ")");
    break;
  default:
    break;
  }
  value.refuse(cast.getOpcodeName());
}

void CFunction::visitFreezeInst(FreezeInst &freeze) { set(freeze, value(freeze.getOperand(0))); }

void CFunction::visitSelectInst(SelectInst &select) {
  set(select, value(select.getCondition()) + " ? " + value(select.getTrueValue()) + " : " +
                  value(select.getFalseValue()));
}

//===-- Vectors of one element ----------------------------------------------------------------===//

void CFunction::visitExtractElementInst(ExtractElementInst &element) {
  set(element, value(element.getVectorOperand()));
}

void CFunction::visitInsertElementInst(InsertElementInst &element) {
  set(element, value(element.getOperand(1)));
}

void CFunction::visitShuffleVectorInst(ShuffleVectorInst &shuffle) {
  set(shuffle, value(shuffle.getOperand(shuffle.getMaskValue(0) == 1)));
}

//===-- Intrinsics ----------------------------------------------------------------------------===//

void CFunction::visitIntrinsicInst(IntrinsicInst &call) {
  Type *type = scalarOf(call.getType());
  auto operand = [&](unsigned i) { return value(call.getArgOperand(i)); };
  auto isSingle = [&] { return type->isFloatTy(); };
  auto helper = [&](const std::string &name) {
    std::string text = use.use(name + (isSingle() ? "32" : "64")) + "(" + operand(0);
    for (unsigned i = 1; i < call.arg_size(); ++i)
      text += ", " + operand(i);
    set(call, text + ")");
  };
  auto chosen = [&](const char *name, bool isSigned) {
    auto side = [&](unsigned i) {
      return isSigned ? value.asSigned(call.getArgOperand(i)) : operand(i);
    };
    set(call, side(0) + " " + name + " " + side(1) + " ? " + operand(0) + " : " + operand(1));
  };
  auto counted = [&](const std::string &name, bool withBits) {
    set(call, wrapped(type, "(" + cArithmeticType(type) + ")" + use.use(name) + "(" + operand(0) +
                                (withBits ? ", " + std::to_string(bitsOf(type)) + "u" : "") + ")"));
  };
  switch (call.getIntrinsicID()) {
  case Intrinsic::masked_load:
  case Intrinsic::masked_store:
  case Intrinsic::masked_gather:
  case Intrinsic::masked_scatter:
    return maskedAccess(call);
  case Intrinsic::fabs:
    return helper("abs");
  case Intrinsic::copysign:
    return helper("copysign");
  case Intrinsic::sqrt:
    return helper("sqrt");
  case Intrinsic::smax:
    return chosen(">", /*isSigned=*/true);
  case Intrinsic::smin:
    return chosen("<", /*isSigned=*/true);
  case Intrinsic::umax:
    return chosen(">", /*isSigned=*/false);
  case Intrinsic::umin:
    return chosen("<", /*isSigned=*/false);
  case Intrinsic::abs:
    return set(call, value.asSigned(call.getArgOperand(0)) + " < 0 ? " +
                         wrapped(type, "0u - " + arithmetic(call.getArgOperand(0))) + " : " +
                         operand(0));
  case Intrinsic::ctlz:
    return counted("clz64", /*withBits=*/true);
  case Intrinsic::cttz:
    return counted("ctz64", /*withBits=*/true);
  case Intrinsic::ctpop:
    return counted("popcount64", /*withBits=*/false);
  // Of one element: it is its own sum, product, least and most.
  case Intrinsic::vector_reduce_fadd:
    return set(call, operand(0) + " + " + operand(1));
  case Intrinsic::vector_reduce_fmul:
    return set(call, operand(0) + " * " + operand(1));
  case Intrinsic::vector_reduce_add:
  case Intrinsic::vector_reduce_mul:
  case Intrinsic::vector_reduce_and:
  case Intrinsic::vector_reduce_or:
  case Intrinsic::vector_reduce_xor:
  case Intrinsic::vector_reduce_smax:
  case Intrinsic::vector_reduce_smin:
  case Intrinsic::vector_reduce_umax:
  case Intrinsic::vector_reduce_umin:
  case Intrinsic::vector_reduce_fmax:
  case Intrinsic::vector_reduce_fmin:
  case Intrinsic::vector_reduce_fmaximum:
  case Intrinsic::vector_reduce_fminimum:
    return set(call, operand(0));
  // What they say is of no consequence.
  case Intrinsic::assume:
  case Intrinsic::prefetch:
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::experimental_noalias_scope_decl:
    return;
  default:
    value.refuse(call.getCalledFunction()->getName().str());
  }
}
