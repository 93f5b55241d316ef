// Loops and branches whose bodies are callables.
#ifndef KERATIN_FRONTEND_GRAPH_LOOP_H
#define KERATIN_FRONTEND_GRAPH_LOOP_H

#include "frontend/graph/Call.h"
#include "frontend/graph/Trace.h"

#include <vector>

namespace keratin::frontend {

class Body;

// A loop on its way into the graph: made, given its states and sequences; then the callable is run
// on their values in a step; then the loop is finished with what the callable returned.
class Loop {
public:
  struct Results {
    std::vector<Value> lastStates;
    std::vector<Value> stacks;
  };

  // `callable` is for messages: "the step function of rnn". In reverse the step's number counts
  // down, and elements and stacked values have its place.
  Loop(Call &call, std::string callable, const DimExpr &steps, bool reverse);
  // A loop that goes on as long as its first state, a scalar bool, is true: finishWhile() ends it.
  Loop(Call &call, std::string callable);

  // A scalar int64.
  Value stepNumber() const { return trace.stepNumber(); }
  // A state of this type, which the step is given and makes anew.
  Value addState(mlir::Type type);
  // The step's element along dimension 0, whose size must be the number of steps.
  Value addElement(Value sequence);

  // The callable has returned. States have their first values from here on, so that these may
  // depend on what it made.
  void end() { trace.end(); }
  Results finish(llvm::ArrayRef<Value> firstStates, llvm::ArrayRef<Value> nextStates,
                 llvm::ArrayRef<Value> stacked);
  // The last states. `most` is how many steps there are at most; nullopt: as many as it likes.
  std::vector<Value> finishWhile(llvm::ArrayRef<Value> firstStates,
                                 llvm::ArrayRef<Value> nextStates,
                                 const std::optional<DimExpr> &most);
  // The same with stacks, which are as long as there were steps: a size of the call's own.
  Results finishWhile(llvm::ArrayRef<Value> firstStates, llvm::ArrayRef<Value> nextStates,
                      llvm::ArrayRef<Value> stacked, const std::optional<DimExpr> &most);

private:
  // The type of what so many steps stack.
  mlir::RankedTensorType stackType(const Body &body, Value value, const DimExpr &length) const;
  // The arguments of the body.
  std::vector<Value> arguments(llvm::ArrayRef<Value> captures) const;

  Call &call;
  Trace trace;
  DimExpr steps;
  bool reverse;
  std::vector<Value> states, elements, sequences;
};

// x as the next value of a state: of its dtype, and of its shape, now or at the call. `what` names
// the state in errors.
Value nextState(Call &call, Value x, Value state, const std::string &what);

// A branch: its values and the ended traces that its ops may come from. What is older is computed
// whether the branch is taken or not, but for some ops that move into it.
struct BranchBody {
  std::vector<const Trace *> traces;
  std::vector<Value> values;
  std::vector<mlir::Operation *> moved;
};

// The values of one branch, chosen by a bool scalar. Those of both have equal types.
std::vector<Value> branch(Call &call, Value condition, const BranchBody &thenBranch,
                          const BranchBody &elseBranch);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_LOOP_H
