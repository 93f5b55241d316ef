// Code for one element, or for several at once, each op put where its operands allow.
#ifndef KERATIN_CODEGEN_ELEMENTS_LANECODE_H
#define KERATIN_CODEGEN_ELEMENTS_LANECODE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

#include "llvm/ADT/SmallVector.h"

namespace keratin::codegen {

// What does not vary over the lanes is a scalar; what does not vary in a loop is emitted before it.
//
// Scopes are the function's body and the loops being built, outermost first. Code of a scope goes
// before the loop that stands open in it, or to the builder's insertion point if there is none.
class LaneCode {
public:
  using Value = mlir::Value;

  LaneCode(mlir::OpBuilder &builder, mlir::Location loc, unsigned lanes);

  // Says that the builder now stands inside the body of the loop, which was made in the innermost
  // scope; code that does not vary in the loop goes before it from here on. leave() says that the
  // body is finished.
  void enter(mlir::Operation *loop);
  void leave();
  // As enter(), but nothing may be moved out: it runs under a condition.
  void enterBranch(mlir::Operation *branch);
  // Whether code stands under a condition that other code of the same values may not share.
  bool isConditional() const;
  bool isVisible(Value value) const { return isVisible(value, scopes.back()); }

  // Runs the function with the builder in the outermost scope where all operands exist.
  Value place(llvm::ArrayRef<Value> operands, llvm::function_ref<Value()> function);

  Value i64(int64_t value);
  // The scalar in each lane; a vector as it is.
  Value splat(Value scalar);
  // Gives both the same form: if one is a vector, the other is spread over the lanes.
  void match(Value &a, Value &b);
  // Whether the mask holds for any lane.
  Value anyLane(Value mask);

  mlir::OpBuilder &b;
  const mlir::Location loc;
  const unsigned lanes;

private:
  struct Scope {
    mlir::Region *region;
    mlir::Operation *loop = nullptr; // the one that stands open in this scope
    bool isBarrier = false;          // code may not move out of it
  };
  bool isVisible(Value value, const Scope &scope) const;

  llvm::SmallVector<Scope> scopes;
};

// The scalar type, or a vector of it with as many lanes as the value has.
mlir::Type likeShape(mlir::Type scalarType, mlir::Value shape);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_LANECODE_H
