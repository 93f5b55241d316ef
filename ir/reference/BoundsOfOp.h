// The range of an op's results, from the ranges of its operands: by families of ops.
#ifndef KERATIN_IR_REFERENCE_BOUNDSOFOP_H
#define KERATIN_IR_REFERENCE_BOUNDSOFOP_H

#include "ir/interfaces/OpProperties.h"
#include "ir/reference/BoundedTensor.h"
#include "ir/reference/ErrorBounds.h"

namespace keratin::ir::reference {

// How the range of a result follows from those of the operands, by the op's record.
enum class BoundsRule {
  Unknown, // only of exact operands is anything known
  Elementwise,
  Move,
  Linear,  // sums along axes, running sums, sums at places
  Product, // products along axes, running products, recurrences
  Extreme,
  LogSum,   // logarithms of running sums of exponentials
  Position, // of an extreme
  Contraction,
  WindowSum,
  WindowChoice // what depends on which element of a window is the largest
};

BoundsRule ruleOf(mlir::Operation *op);

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

  void apply(BoundsRule rule);
  void elementwise();
  void corners(llvm::ArrayRef<unsigned> uncertain);
  void adjust(size_t i);
#define KERATIN_BOUNDS(Op, rule)
#define KERATIN_ADJUSTED(Op) void adjust(Op op, size_t i);
#include "ir/reference/OpBounds.inc"
  double low(unsigned operand, size_t i) const { return operands[operand].lower.floats[i]; }
  double high(unsigned operand, size_t i) const { return operands[operand].upper.floats[i]; }
  bool crossesZero(unsigned operand, size_t i) const {
    return !isPoint(operands[operand], i) && low(operand, i) <= 0 && high(operand, i) >= 0;
  }
  void limitWave(size_t i);
  void addWhatEndsHide(size_t i);
  void divideLong(size_t i);
  void addErrorOfReflection(size_t i);
  void addErrorOfTail(size_t i);
  void forgetInfinityTimesZero(size_t i);
  void forgetPowersThatAreOne(size_t i);
  void roundProduct(size_t i);
  void choose();
  void move();
  bool hasUncertainPlace() const;
  void extreme();
  void logSum();
  void position();
  void sum(const HostTensor &magnitudes, const HostTensor &finite,
           llvm::ArrayRef<HostTensor> errors, double terms);
  void linear();
  void contraction();
  void roundFactors();
  void roundWeights();
  void product();
  void windowSum();
  void windowChoice();
  void forgetBorders();
  // Whether any of the elements that this result combines is flagged.
  HostTensor anyFlag(llvm::function_ref<HostTensor(const BoundedTensor &)> flag);
  // The first operand that says what, not where: of contractions the first factor, which the second
  // follows.
  unsigned firstValue() const {
    unsigned operand = 0;
    while (saysWhere(op, operand))
      ++operand;
    return operand;
  }
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
