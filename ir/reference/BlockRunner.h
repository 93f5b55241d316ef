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

// The loop has made so many steps: the symbol of its length, if it has one, is their number.
void defineSteps(WhileOp loop, int64_t steps, EvaluationContext &context);

// Tensors of the types of the op's results, for the sizes of this call.
mlir::LogicalResult allocateResults(mlir::Operation &op, EvaluationContext &context,
                                    std::vector<HostTensor> &results);

// The number of steps in this call; on failure context.error says why there is none.
mlir::FailureOr<int64_t> stepCount(ScanOp scan, EvaluationContext &context);

// The most steps that the loop may make in this call, whatever its condition says.
mlir::FailureOr<int64_t> mostSteps(WhileOp loop, EvaluationContext &context);

// An i64 scalar.
HostTensor makeNumber(int64_t number);
// tensor[place] along dimension 0, and stack[place] = element. Precondition: place is in range, the
// element has all dimensions of the stack but the first.
HostTensor elementOf(const HostTensor &tensor, int64_t place);
void setElement(HostTensor &stack, int64_t place, const HostTensor &element);

// The arguments of one step of a loop: its number, the states, elements of sequences, captures.
// They live as long as `owned`, `states` and the operands do.
template <class Tensor>
mlir::SmallVector<const Tensor *>
stepArguments(LoopOpInterface loop, int64_t place, mlir::ArrayRef<const Tensor *> operands,
              mlir::ArrayRef<Tensor> states, std::vector<Tensor> &owned) {
  size_t sequences = loop.getSequences().size();
  owned = {Tensor(makeNumber(place))};
  for (size_t i = 0; i < sequences; ++i)
    owned.push_back(elementOf(*operands[states.size() + i], place));
  mlir::SmallVector<const Tensor *> arguments = {&owned[0]};
  for (const Tensor &state : states)
    arguments.push_back(&state);
  for (size_t i = 0; i < sequences; ++i)
    arguments.push_back(&owned[1 + i]);
  arguments.append(operands.begin() + states.size() + sequences, operands.end());
  return arguments;
}

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
  size_t states = scan.getNumStates();
  for (size_t i = 0; i < states; ++i)
    results[i] = *operands[i];
  for (int64_t step = 0; step < *steps; ++step) {
    int64_t place = scan.getReverse() ? *steps - 1 - step : step;
    std::vector<Tensor> owned, yielded;
    mlir::SmallVector<const Tensor *> arguments =
        stepArguments<Tensor>(scan, place, operands, results.take_front(states), owned);
    if (failed(runBody(arguments, yielded)))
      return mlir::failure();
    for (size_t i = 0; i < states; ++i)
      results[i] = std::move(yielded[i]);
    for (size_t i = states; i < results.size(); ++i)
      setElement(results[i], place, yielded[i]);
  }
  return mlir::success();
}

// Runs a loop that ends when its first state says so, and makes its results: isTrue(state) reads
// that state.
template <class Tensor, class RunBody, class IsTrue>
mlir::LogicalResult runSteps(WhileOp loop, mlir::ArrayRef<const Tensor *> operands,
                             EvaluationContext &context, std::vector<Tensor> &results,
                             const RunBody &runBody, const IsTrue &isTrue) {
  mlir::FailureOr<int64_t> most = mostSteps(loop, context);
  if (failed(most))
    return mlir::failure();
  size_t numStates = loop.getNumStates();
  std::vector<Tensor> states;
  for (size_t i = 0; i < numStates; ++i)
    states.push_back(*operands[i]);
  std::vector<std::vector<Tensor>> kept; // of each step
  int64_t steps = 0;
  for (; steps < *most && isTrue(states[0]); ++steps) {
    std::vector<Tensor> owned, yielded;
    mlir::SmallVector<const Tensor *> arguments =
        stepArguments<Tensor>(loop, steps, operands, states, owned);
    if (failed(runBody(arguments, yielded)))
      return mlir::failure();
    std::move(yielded.begin(), yielded.begin() + numStates, states.begin());
    if (yielded.size() > numStates)
      kept.emplace_back(std::make_move_iterator(yielded.begin() + numStates),
                        std::make_move_iterator(yielded.end()));
  }
  std::vector<HostTensor> empty;
  defineSteps(loop, steps, context);
  if (failed(allocateResults(*loop, context, empty)))
    return mlir::failure();
  results = std::move(states);
  results.push_back(Tensor(makeNumber(steps)));
  for (size_t i = numStates + 1; i < empty.size(); ++i) {
    Tensor &stack = results.emplace_back(std::move(empty[i]));
    for (int64_t step = 0; step < steps; ++step)
      setElement(stack, step, kept[step][i - numStates - 1]);
  }
  return mlir::success();
}

} // namespace keratin::ir::reference

#endif // KERATIN_IR_REFERENCE_BLOCKRUNNER_H
