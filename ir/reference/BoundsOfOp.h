// The range of an op's results, from the ranges of its operands: by families of ops.
#ifndef KERATIN_IR_REFERENCE_BOUNDSOFOP_H
#define KERATIN_IR_REFERENCE_BOUNDSOFOP_H

#include "ir/dialect/Keratin.h"
#include "ir/reference/ErrorBounds.h"

namespace keratin::ir::reference {

class BoundsOfOp {
public:
  BoundsOfOp(mlir::Operation *op, llvm::ArrayRef<const BoundedTensor *> inputs,
             EvaluationContext &context, const BoundOptions &options)
      : op(op), context(context), options(options) {
    for (const BoundedTensor *input : inputs)
      operands.push_back(asOperand(*input));
  }

  llvm::LogicalResult run(std::vector<BoundedTensor> &results);

private:
  // The op on other operands of the same shapes.
  HostTensor evaluate(llvm::ArrayRef<const HostTensor *> inputs, bool asDouble = false);
  HostTensor onDoubles(llvm::ArrayRef<HostTensor> inputs) {
    llvm::SmallVector<const HostTensor *> pointers;
    for (const HostTensor &input : inputs)
      pointers.push_back(&input);
    return evaluate(pointers, /*asDouble=*/true);
  }
  HostTensor corner(unsigned choice);
  HostTensor endOf(bool upper);

  void elementwise();
  void corners(llvm::ArrayRef<unsigned> uncertain);
  void adjust(size_t i);
  void divideLong(size_t i);
  void choose();
  void move();
  bool hasUncertainPlace() const;
  void extreme();
  void position();
  void sum(const HostTensor &magnitudes, const HostTensor &finite,
           llvm::ArrayRef<HostTensor> errors, double terms);
  void linear();
  void contraction();
  void product();
  void windowSum();
  void windowChoice();
  void forgetBorders();
  // Whether any of the elements that this result combines is flagged.
  HostTensor anyFlag(llvm::function_ref<HostTensor(const BoundedTensor &)> flag);
  // The operand that is the first factor of a contraction; the second follows.
  unsigned factors() const { return llvm::isa<SparseDotOp>(op) ? 2 : 0; }
  HostTensor products(HostTensor a, HostTensor b);
  void widen(size_t i, double ulps);
  void widen(double ulps);
  void forgetOverflows();

  mlir::Operation *op;
  EvaluationContext &context;
  const BoundOptions &options;
  std::vector<BoundedTensor> operands;
  BoundedTensor result;
  bool failed_ = false;
};

} // namespace keratin::ir::reference

#endif // KERATIN_IR_REFERENCE_BOUNDSOFOP_H
