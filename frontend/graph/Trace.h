// A callable of the user's, called once: what it makes becomes the body of a loop or a branch.
#ifndef KERATIN_FRONTEND_GRAPH_TRACE_H
#define KERATIN_FRONTEND_GRAPH_TRACE_H

#include "frontend/graph/Graph.h"

#include "llvm/ADT/DenseSet.h"

#include <memory>
#include <string>

namespace keratin::frontend {

class Call;

// Lives in a K function while its callable runs (Call::runUserCode), which makes ops at the end of
// the graph's block as always: they are copied into the body (graph/Body.h) and die with their
// handles. Inside, a value that is another one in each step is a step argument, a placeholder that
// nobody can feed. When the trace ends, also because the callable threw, tensors that depend on its
// arguments are of no use any more and say so. Only what the thread itself makes meanwhile is the
// callable's.
class Trace {
public:
  // `callable` is for messages: "the step function of rnn".
  Trace(Call &call, std::string callable);
  ~Trace() { end(); }
  Trace(const Trace &) = delete;
  Trace &operator=(const Trace &) = delete;

  // A step argument of this type.
  mlir::Value argument(mlir::RankedTensorType type, const std::string &name);
  bool isArgument(mlir::Value value) const { return arguments.contains(value); }
  // The number of the step, which makes random numbers differ from step to step; null in a branch.
  void setStepNumber(mlir::Value argument) { number = argument; }
  mlir::Value stepNumber() const { return number; }

  // The callable has returned. Nothing is made for the body from here on.
  void end();

  const std::string &callable() const { return *name; }
  // Whether the op was made while the trace was open.
  bool hasMade(mlir::Operation *op) const { return made.contains(op); }
  // Whether its value may differ from step to step.
  bool isPerStep(mlir::Operation *op) const { return perStep.contains(op); }
  // The graph tells the thread's innermost trace.
  void add(mlir::Operation *op) { made.insert(op); }

private:
  Call &call;
  std::shared_ptr<const std::string> name;
  bool isOpen = true;
  mlir::Value number;
  llvm::DenseSet<mlir::Value> arguments;
  llvm::SetVector<mlir::Operation *> made; // in their order
  llvm::DenseSet<mlir::Operation *> perStep;
};

// The callable that is being traced, or null: what a body cannot hold is refused there.
const std::string *tracedCallable(const Graph &graph);

// Whether the value stands for another one in each step of a loop.
bool isStepArgument(const Graph &graph, mlir::Operation *op);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_TRACE_H
