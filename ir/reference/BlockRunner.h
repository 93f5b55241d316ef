// Blocks, loops and branches, run op by op and step by step.
//
// The same walk over the steps of a loop serves the interpreter, whose tensors are HostTensors, and
// the error bounds, whose tensors are three of them.
#ifndef KERATIN_IR_REFERENCE_BLOCKRUNNER_H
#define KERATIN_IR_REFERENCE_BLOCKRUNNER_H

#include "ir/dialect/Keratin.h"

#include <vector>

namespace keratin::ir::reference {

// The values that a block yields or returns for these arguments. On failure context.error names the
// line of the op that failed.
mlir::LogicalResult runBlock(mlir::Block &block, mlir::ArrayRef<const HostTensor *> arguments,
                             EvaluationContext &context, std::vector<HostTensor> &results);

// A size that the op computes has its value from here on, for the op's own results first.
mlir::LogicalResult defineSizes(mlir::Operation &op, mlir::ArrayRef<const HostTensor *> operands,
                                EvaluationContext &context);

// Tensors of the types of the op's results, for the sizes of this call.
mlir::LogicalResult allocateResults(mlir::Operation &op, EvaluationContext &context,
                                    std::vector<HostTensor> &results);

// The number of steps in this call; on failure context.error says why there is none.
mlir::FailureOr<int64_t> stepCount(ScanOp scan, EvaluationContext &context);

// An i64 scalar.
HostTensor makeNumber(int64_t number);
// tensor[place] along dimension 0, and stack[place] = element. Precondition: place is in range, the
// element has all dimensions of the stack but the first.
HostTensor elementOf(const HostTensor &tensor, int64_t place);
void setElement(HostTensor &stack, int64_t place, const HostTensor &element);

// Runs a scan. The results hold tensors of the stacks' types already. For a `Tensor` other than
// HostTensor there are elementOf() and setElement(), and it is made from a HostTensor that is known
// exactly; runBody(arguments, yielded) runs the body once.
template <class Tensor, class RunBody>
mlir::LogicalResult runSteps(ScanOp scan, mlir::ArrayRef<const Tensor *> operands,
                             EvaluationContext &context, mlir::MutableArrayRef<Tensor> results,
                             const RunBody &runBody) {
  mlir::FailureOr<int64_t> steps = stepCount(scan, context);
  if (failed(steps))
    return mlir::failure();
  size_t states = scan.getNumStates(), sequences = scan.getSequences().size();
  for (size_t i = 0; i < states; ++i)
    results[i] = *operands[i];
  for (int64_t step = 0; step < *steps; ++step) {
    int64_t place = scan.getReverse() ? *steps - 1 - step : step;
    std::vector<Tensor> elements = {Tensor(makeNumber(place))};
    for (size_t i = 0; i < sequences; ++i)
      elements.push_back(elementOf(*operands[states + i], place));
    mlir::SmallVector<const Tensor *> arguments = {&elements[0]};
    for (size_t i = 0; i < states; ++i)
      arguments.push_back(&results[i]);
    for (size_t i = 0; i < sequences; ++i)
      arguments.push_back(&elements[1 + i]);
    arguments.append(operands.begin() + states + sequences, operands.end());

    std::vector<Tensor> yielded;
    if (failed(runBody(arguments, yielded)))
      return mlir::failure();
    for (size_t i = 0; i < states; ++i)
      results[i] = std::move(yielded[i]);
    for (size_t i = states; i < results.size(); ++i)
      setElement(results[i], place, yielded[i]);
  }
  return mlir::success();
}

} // namespace keratin::ir::reference

#endif // KERATIN_IR_REFERENCE_BLOCKRUNNER_H
