// Blocks, branches and memory; arithmetic is in CArithmetic.cpp.
#include "codegen/c/CFunction.h"

#include "codegen/c/CTypes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <map>

using namespace keratin;
using namespace keratin::codegen;
using namespace llvm;

static std::string resultType(const Function &function, CValues &values) {
  Type *type = function.getReturnType();
  if (type->isVoidTy())
    return "void ";
  std::string text = cType(type);
  if (text.empty())
    values.refuse("a function with a result of this type");
  return text.ends_with("*") ? text : text + " ";
}

std::string codegen::cHead(const Function &function, CValues &values) {
  std::string text = "static " + resultType(function, values) + values(&function) + "(";
  for (const Argument &argument : function.args()) {
    const std::string type = cType(argument.getType());
    if (type.empty())
      values.refuse("a function with a parameter of this type");
    text += (argument.getArgNo() ? ", " : "") + type + (type.ends_with("*") ? "p" : " p") +
            std::to_string(argument.getArgNo());
  }
  return text + (function.arg_empty() ? "void)" : ")");
}

std::string CFunction::label(const BasicBlock *block) const {
  return "l" + std::to_string(labels.lookup(block));
}

std::string CFunction::anyResult() const {
  return function.getReturnType()->isVoidTy() ? "" : " 0";
}

std::string CFunction::print() {
  for (const Argument &argument : function.args()) {
    std::string name = "p" + std::to_string(argument.getArgNo());
    if (argument.use_empty())
      line("(void)" + name + ";");
    else if (!function.hasLocalLinkage()) // those of exported functions have types of their own
      name = argument.getType()->isPointerTy() ? "((unsigned char *)(uintptr_t)" + name + ")"
                                               : "(" + cType(argument.getType()) + ")" + name;
    value.nameLocal(&argument, name);
  }
  size_t next = 0;
  std::map<std::string, std::string> variables; // by type
  for (const BasicBlock &block : function) {
    labels[&block] = labels.size();
    for (const Instruction &op : block) {
      if (op.getType()->isVoidTy())
        continue;
      const std::string name = "v" + std::to_string(next++), type = cType(op.getType());
      if (type.empty()) {
        value.refuse(std::string(op.getOpcodeName()) + " of a type with several elements");
        return "";
      }
      value.nameLocal(&op, name);
      const bool isPointer = type.back() == '*';
      std::string &list = variables[isPointer ? "unsigned char" : type];
      list += (list.empty() ? " " : ", ") + std::string(isPointer ? "*" : "") + name +
              (isa<PHINode>(op) ? " = 0" : "");
    }
  }
  for (const auto &[type, list] : variables) {
    // Lines of at most 100 characters.
    std::string rest = list;
    while (type.size() + rest.size() > 95) {
      const size_t cut = rest.rfind(',', 95 - type.size());
      declarations += "  " + type + rest.substr(0, cut) + ";\n";
      rest = rest.substr(cut + 1);
    }
    declarations += "  " + type + rest + ";\n";
  }
  for (const BasicBlock &block : function) {
    if (!block.isEntryBlock())
      body += label(&block) + ":;\n";
    for (const Instruction &op : block)
      visit(const_cast<Instruction &>(op));
  }
  return declarations + body;
}

void CFunction::set(const Instruction &op, const std::string &expression) {
  if (op.use_empty())
    line("(void)(" + expression + ");");
  else
    line(value(&op) + " = " + expression + ";");
}

void CFunction::visitInstruction(Instruction &op) { value.refuse(op.getOpcodeName()); }

//===-- Blocks --------------------------------------------------------------------------------===//

std::string CFunction::jump(const BasicBlock *from, const BasicBlock *to) {
  std::string first, second;
  size_t next = 0;
  for (const PHINode &phi : to->phis()) {
    const Value *incoming = phi.getIncomingValueForBlock(from);
    if (incoming == &phi || isa<UndefValue>(incoming) || phi.use_empty())
      continue;
    // All of them change at once.
    auto *other = dyn_cast<PHINode>(incoming);
    if (other && other->getParent() == to) {
      const std::string name = "t" + std::to_string(next++), type = cType(phi.getType());
      first += type + (type.back() == '*' ? "" : " ") + name + " = " + value(incoming) + "; ";
      second += value(&phi) + " = " + name + "; ";
    } else {
      second += value(&phi) + " = " + value(incoming) + "; ";
    }
  }
  // A value behind a temporary may read a phi that has changed by then: temporaries come first.
  return "{ " + first + second + "goto " + label(to) + "; }";
}

void CFunction::visitBranchInst(BranchInst &branch) {
  const BasicBlock *from = branch.getParent();
  if (branch.isUnconditional())
    return line(jump(from, branch.getSuccessor(0)));
  line("if (" + value(branch.getCondition()) + ") " + jump(from, branch.getSuccessor(0)));
  line("else " + jump(from, branch.getSuccessor(1)));
}

void CFunction::visitSwitchInst(SwitchInst &choice) {
  line("switch (" + value(choice.getCondition()) + ") {");
  for (const auto &each : choice.cases())
    line("case " + cLiteral(each.getCaseValue()->getValue()) + ": " +
         jump(choice.getParent(), each.getCaseSuccessor()));
  line("default: " + jump(choice.getParent(), choice.getDefaultDest()));
  line("}");
}

void CFunction::visitReturnInst(ReturnInst &end) {
  if (!end.getReturnValue())
    return line("return;");
  std::string result = value(end.getReturnValue());
  if (!function.hasLocalLinkage()) // int32_t, const char *
    result =
        (end.getReturnValue()->getType()->isPointerTy() ? "(const char *)" : "(int32_t)") + result;
  line("return " + result + ";");
}

void CFunction::visitCallInst(CallInst &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee || callee->isDeclaration()) {
    value.refuse("a call of what is not in the model");
    return;
  }
  std::string text = value(callee) + "(";
  for (const Use &argument : call.args())
    text += (argument.getOperandNo() ? ", " : "") + value(argument);
  text += ")";
  if (call.getType()->isVoidTy())
    line(text + ";");
  else
    set(call, text);
}

//===-- Memory --------------------------------------------------------------------------------===//

void CFunction::visitAllocaInst(AllocaInst &memory) {
  std::optional<TypeSize> bytes = memory.getAllocationSize(layout);
  if (!memory.isStaticAlloca() || !bytes || memory.getAlign() > 8) {
    value.refuse("memory of the stack of a size, or an alignment, that is not a number's");
    return;
  }
  const std::string name = "m" + value(&memory).substr(1);
  declarations +=
      "  keratin_u64 " + name + "[" + std::to_string((bytes->getFixedValue() + 7) / 8) + "];\n";
  set(memory, "(unsigned char *)" + name);
}

void CFunction::visitGetElementPtrInst(GetElementPtrInst &address) {
  MapVector<Value *, APInt> scales;
  APInt offset(64, 0);
  if (!address.collectOffset(layout, 64, scales, offset)) {
    value.refuse("an address in a structure");
    return;
  }
  std::string sum;
  for (const auto &[index, scale] : scales) {
    std::string number = bitsOf(index->getType()) == 64
                             ? value(index)
                             : "(uint64_t)(int64_t)" + value.asSigned(index);
    sum += (sum.empty() ? "" : " + ") + number + (scale == 1 ? "" : " * " + cLiteral(scale));
  }
  if (offset != 0 || sum.empty())
    sum += (sum.empty() ? "" : " + ") + cLiteral(offset);
  set(address, "keratin_at(" + value(address.getPointerOperand()) + ", " + sum + ")");
}

std::string CFunction::loaded(Type *type, const std::string &address, Align alignment) {
  type = scalarOf(type);
  const uint64_t bytes = layout.getTypeStoreSize(type).getFixedValue();
  if (type->isIntegerTy(1))
    return "*(const keratin_u8 *)" + address + " & 1u";
  if (alignment.value() >= bytes || type->isPointerTy())
    return "*(const " + cMemoryType(type) + " *)" + address;
  const std::string bits = use.use("load" + std::to_string(8 * bytes)) + "(" + address + ")";
  return !type->isFloatingPointTy()
             ? bits
             : use.use(type->isFloatTy() ? "float32" : "float64") + "(" + bits + ")";
}

std::string CFunction::stored(const Value *what, const std::string &address, Align alignment) {
  Type *type = scalarOf(what->getType());
  const uint64_t bytes = layout.getTypeStoreSize(type).getFixedValue();
  const std::string text = value(what);
  if (alignment.value() >= bytes || type->isPointerTy() || bytes == 1)
    return "*(" + cMemoryType(type) + " *)" + address + " = " +
           (type->isIntegerTy() && bytes < 4 ? wrapped(type, text) : text) + ";";
  const std::string bits =
      !type->isFloatingPointTy()
          ? text
          : use.use(type->isFloatTy() ? "bits32" : "bits64") + "(" + text + ")";
  return use.use("store" + std::to_string(8 * bytes)) + "(" + address + ", " + bits + ");";
}

static bool isInMemory(Type *type) { return !cType(type).empty() && (type->isSingleValueType()); }

void CFunction::visitLoadInst(LoadInst &load) {
  if (!isInMemory(load.getType())) {
    value.refuse("a load of several elements");
    return;
  }
  set(load, loaded(load.getType(), value(load.getPointerOperand()), load.getAlign()));
}

void CFunction::visitStoreInst(StoreInst &store) {
  if (!isInMemory(store.getValueOperand()->getType())) {
    value.refuse("a store of several elements");
    return;
  }
  line(stored(store.getValueOperand(), value(store.getPointerOperand()), store.getAlign()));
}

// Of vectors of one element: it is there or not.
void CFunction::maskedAccess(IntrinsicInst &call) {
  const bool isLoad = call.getIntrinsicID() == Intrinsic::masked_load ||
                      call.getIntrinsicID() == Intrinsic::masked_gather;
  Value *address = call.getArgOperand(isLoad ? 0 : 1), *mask = call.getArgOperand(isLoad ? 2 : 3);
  const Align alignment(cast<ConstantInt>(call.getArgOperand(isLoad ? 1 : 2))->getZExtValue());
  if (isLoad)
    set(call, value(mask) + " ? " + loaded(call.getType(), value(address), alignment) + " : " +
                  value(call.getArgOperand(3)));
  else
    line("if (" + value(mask) + ") " + stored(call.getArgOperand(0), value(address), alignment));
}
