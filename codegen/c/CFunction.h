// A function of LLVM IR in C: its blocks as labels, its values as variables.
#ifndef KERATIN_CODEGEN_C_CFUNCTION_H
#define KERATIN_CODEGEN_C_CFUNCTION_H

#include "codegen/c/CValues.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/InstVisitor.h"

namespace keratin::codegen {

// "static void keratin_code_1(unsigned char *p0, uint64_t p1)"
std::string cHead(const llvm::Function &function, CValues &values);

// The body of one function, between its braces.
class CFunction : public llvm::InstVisitor<CFunction> {
public:
  CFunction(const llvm::Function &function, CValues &values, CHelpers &helpers)
      : function(function), layout(function.getParent()->getDataLayout()), value(values),
        use(helpers) {}

  std::string print();

  void visitBinaryOperator(llvm::BinaryOperator &op);
  void visitFNeg(llvm::UnaryOperator &op);
  void visitCmpInst(llvm::CmpInst &compare);
  void visitCastInst(llvm::CastInst &cast);
  void visitFreezeInst(llvm::FreezeInst &freeze);
  void visitSelectInst(llvm::SelectInst &select);
  void visitGetElementPtrInst(llvm::GetElementPtrInst &address);
  void visitLoadInst(llvm::LoadInst &load);
  void visitStoreInst(llvm::StoreInst &store);
  void visitAllocaInst(llvm::AllocaInst &memory);
  void visitCallInst(llvm::CallInst &call);
  void visitIntrinsicInst(llvm::IntrinsicInst &call);
  void visitExtractElementInst(llvm::ExtractElementInst &element);
  void visitInsertElementInst(llvm::InsertElementInst &element);
  void visitShuffleVectorInst(llvm::ShuffleVectorInst &shuffle);
  void visitPHINode(llvm::PHINode &) {} // where blocks that lead to it end
  void visitBranchInst(llvm::BranchInst &branch);
  void visitSwitchInst(llvm::SwitchInst &choice);
  void visitReturnInst(llvm::ReturnInst &end);
  void visitUnreachableInst(llvm::UnreachableInst &) { line("return" + anyResult() + ";"); }
  void visitInstruction(llvm::Instruction &op);

private:
  void line(const std::string &text) { body += "  " + text + "\n"; }
  void set(const llvm::Instruction &op, const std::string &expression);
  // Of an integer op: what it gives in the bits of its type.
  std::string wrapped(llvm::Type *type, const std::string &expression) const;
  std::string arithmetic(const llvm::Value *operand);
  std::string shiftCount(const llvm::Value *count);
  std::string loaded(llvm::Type *type, const std::string &address, llvm::Align alignment);
  std::string stored(const llvm::Value *what, const std::string &address, llvm::Align alignment);
  // Gives the phis of a block their values, and goes there.
  std::string jump(const llvm::BasicBlock *from, const llvm::BasicBlock *to);
  std::string label(const llvm::BasicBlock *block) const;
  std::string anyResult() const;
  void maskedAccess(llvm::IntrinsicInst &call);

  const llvm::Function &function;
  const llvm::DataLayout &layout;
  CValues &value;
  CHelpers &use;
  std::string declarations, body;
  llvm::DenseMap<const llvm::BasicBlock *, size_t> labels;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_C_CFUNCTION_H
