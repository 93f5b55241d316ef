#include "passes/Passes.h"
#include "passes/memory/InPlace.h"
#include "passes/memory/KernelProgram.h"
#include "passes/memory/ScheduleOrder.h"

#include <numeric>

namespace keratin::passes {
#define GEN_PASS_DEF_SCHEDULEKERNELS
#include "passes/Passes.h.inc"
} // namespace keratin::passes

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

namespace {

// Stands for every symbol when sizes are compared: between a batch of one and the largest.
constexpr int64_t kRepresentativeSize = 32;
// Sums of so many bytes over as many values as fit in memory do not overflow.
constexpr int64_t kMostBytes = int64_t(1) << 40;

int64_t representativeBytes(Value value) {
  std::optional<DimExpr> bytes = bytesOf(value);
  std::optional<int64_t> number =
      bytes ? bytes->evaluate([](int64_t) { return std::optional<int64_t>(kRepresentativeSize); })
            : std::nullopt;
  return std::clamp<int64_t>(number.value_or(0), 0, kMostBytes);
}

// The scheduling problem of a function; one step more than kernels, see `barrier`.
class Scheduler {
public:
  explicit Scheduler(const KernelProgram &program)
      : program(program), numKernels(program.kernels().size()), barrier(numKernels),
        problem(numKernels + 1) {}

  std::vector<int64_t> findOrder() {
    addDataflow();
    addEffects();
    for (int64_t kernel = 0; kernel < numKernels; ++kernel)
      if (program.isFallible(kernel))
        problem.addOrder(kernel, barrier);
    addUpdates();
    std::vector<int64_t> given(numKernels);
    std::iota(given.begin(), given.end(), 0);
    std::vector<int64_t> found = scheduleForMemory(problem);
    std::erase(found, barrier);
    return peakBytes(problem, given) + givenSpareBytes <= peakBytes(problem, found) ? given : found;
  }

private:
  void addDataflow();
  void addEffects();
  void addUpdates();
  bool isUpdateGiven(const UpdateResult &update) const;
  bool reachesWhatMustComeBefore(int64_t kernel, ArrayRef<int64_t> readers);

  const KernelProgram &program;
  int64_t numKernels;
  // A step without work that follows all kernels that can fail: an edge for each pair of such
  // a kernel and an update would be quadratic.
  int64_t barrier;
  ScheduleProblem problem;
  // What the given order needs beside the arena, because updates are not in place in it that are
  // in the orders found.
  int64_t givenSpareBytes = 0;
  // Bounds the search for cycles; updates beyond it are written beside the variable.
  int64_t searchBudget = 0;
};

void Scheduler::addDataflow() {
  for (int64_t kernel = 0; kernel < numKernels; ++kernel) {
    KernelOp op = program.kernels()[kernel];
    for (Value result : op.getResults()) {
      ArrayRef<int64_t> readers = program.readers(result);
      // What the function returns has a buffer of its own, outside of the arena.
      int64_t bytes = program.returnedAs(result).empty() ? representativeBytes(result) : 0;
      problem.addValue({bytes, kernel, std::vector<int64_t>(readers.begin(), readers.end())});
    }
  }
}

void Scheduler::addEffects() {
  int64_t previous = -1;
  for (int64_t kernel = 0; kernel < numKernels; ++kernel) {
    if (!program.hasEffect(kernel))
      continue;
    if (previous >= 0)
      problem.addOrder(previous, kernel);
    previous = kernel;
  }
}

// Whether the order as it stands lets the update happen in place.
bool Scheduler::isUpdateGiven(const UpdateResult &update) const {
  int64_t kernel = updatingKernel(program, update);
  for (int64_t reader : program.readers(update.variable))
    if (reader > kernel)
      return false;
  for (int64_t later = kernel; later < numKernels; ++later)
    if (program.isFallible(later))
      return false;
  return true;
}

bool Scheduler::reachesWhatMustComeBefore(int64_t kernel, ArrayRef<int64_t> readers) {
  llvm::DenseSet<int64_t> targets(readers.begin(), readers.end());
  targets.insert(barrier);
  targets.erase(kernel);
  llvm::DenseSet<int64_t> seen{kernel};
  SmallVector<int64_t> pending{kernel};
  while (!pending.empty()) {
    int64_t step = pending.pop_back_val();
    for (int64_t successor : problem.successors[step]) {
      if (targets.contains(successor) || --searchBudget < 0)
        return true;
      if (seen.insert(successor).second)
        pending.push_back(successor);
    }
  }
  return false;
}

void Scheduler::addUpdates() {
  searchBudget = 64 * (numKernels + 1);
  auto constrain = [&](const UpdateResult &update) {
    int64_t kernel = updatingKernel(program, update);
    problem.addOrder(barrier, kernel);
    for (int64_t reader : program.readers(update.variable))
      if (reader != kernel)
        problem.addOrder(reader, kernel);
  };
  // First what holds already: taken together it cannot be a cycle, and the order found is then no
  // worse than the given one.
  SmallVector<const UpdateResult *> others;
  for (const UpdateResult &update : program.updates()) {
    if (!canUpdateInPlace(program, update))
      continue;
    if (isUpdateGiven(update))
      constrain(update);
    else
      others.push_back(&update);
  }
  for (const UpdateResult *update : others) {
    int64_t kernel = updatingKernel(program, *update);
    if (reachesWhatMustComeBefore(kernel, program.readers(update->variable)))
      continue;
    constrain(*update);
    givenSpareBytes += representativeBytes(update->variable);
  }
}

// Moves an op and the views of its results to the end of the block.
void moveToEnd(Operation *op, Operation *end) {
  op->moveBefore(end);
  for (Value result : op->getResults())
    for (Operation *user : llvm::make_early_inc_range(result.getUsers()))
      if (isa<ReshapeOp>(user))
        moveToEnd(user, end);
}

struct ScheduleKernelsPass : keratin::passes::impl::ScheduleKernelsBase<ScheduleKernelsPass> {
  void runOnOperation() override {
    copySharedResults(getOperation());
    FailureOr<KernelProgram> program = KernelProgram::build(getOperation());
    if (failed(program))
      return signalPassFailure();
    std::vector<int64_t> order = Scheduler(*program).findOrder();

    Block &body = getOperation().getBody().front();
    Operation *end = body.getTerminator();
    SmallVector<Operation *> first;
    for (Operation &op : body)
      if (isa<ConstantOp>(op))
        first.push_back(&op);
    for (Operation &op : body) {
      auto view = dyn_cast<ReshapeOp>(op);
      if (view && isa<BlockArgument>(view.getX()))
        first.push_back(&op);
    }
    for (Operation *op : first)
      moveToEnd(op, end);
    for (int64_t kernel : order)
      moveToEnd(program->kernels()[kernel], end);
  }
};

} // namespace
