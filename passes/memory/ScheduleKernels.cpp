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
  std::optional<DimExpr> bytes = byteCount(value);
  std::optional<int64_t> number =
      bytes ? bytes->evaluate([](int64_t) { return std::optional<int64_t>(kRepresentativeSize); })
            : std::nullopt;
  return std::clamp<int64_t>(number.value_or(0), 0, kMostBytes);
}

// The scheduling problem of a block; one step more than nodes, see `barrier`.
class Scheduler {
public:
  // inside[node] are the bytes that a loop or a branch needs for its own values.
  Scheduler(const KernelProgram &program, std::vector<int64_t> inside)
      : program(program), inside(std::move(inside)), numNodes(program.nodes().size()),
        barrier(numNodes), problem(numNodes + 1) {}

  std::vector<int64_t> findOrder() {
    addDataflow();
    addEffects();
    for (KernelProgram::SizeUse use : program.sizeUses())
      if (use.definer >= 0)
        problem.addOrder(use.definer, use.user);
    for (KernelProgram::Wait wait : program.waits())
      problem.addOrder(wait.maker, wait.reader);
    for (int64_t node = 0; node < numNodes; ++node)
      if (program.isFallible(node))
        problem.addOrder(node, barrier);
    addWrites();
    std::vector<int64_t> given(numNodes);
    std::iota(given.begin(), given.end(), 0);
    const std::vector<int64_t> sound = scheduleForMemory(problem);
    std::vector<int64_t> found = sound;
    std::erase(found, barrier);
    int64_t givenPeak = peakBytes(problem, given), foundPeak = peakBytes(problem, found);
    bool keeps = givenPeak + givenSpareBytes <= foundPeak;
    peak = keeps ? givenPeak + givenSpareBytes : foundPeak;
    std::vector<int64_t> order = keeps ? given : found;
    if (llvm::none_of(program.nodes(), isMessage))
      return order;
    order = besideMessages(sound, order);
    peak = std::max(peak, peakBytes(problem, order));
    return order;
  }
  // Of the order found; what stands beside the arena because a state is not in place included.
  int64_t bytes() const { return peak; }

private:
  // A value that its node may write over the storage `old`, if all others have read that before.
  struct Overwrite {
    int64_t node;
    Value old;
    bool afterFailures; // and if nothing can fail later
  };

  void addDataflow();
  void addEffects();
  SmallVector<Overwrite> overwrites() const;
  void addWrites();
  std::vector<int64_t> besideMessages(const std::vector<int64_t> &sound,
                                      const std::vector<int64_t> &order) const;
  bool isGiven(const Overwrite &write) const;
  bool reachesWhatMustComeBefore(const Overwrite &write);

  const KernelProgram &program;
  std::vector<int64_t> inside;
  int64_t numNodes;
  // A step without work that follows all nodes that can fail: an edge for each pair of such a node
  // and an update would be quadratic.
  int64_t barrier;
  ScheduleProblem problem;
  // What the given order needs beside the arena, because values are not in place in it that are in
  // the orders found.
  int64_t givenSpareBytes = 0;
  int64_t peak = 0;
  // Bounds the search for cycles; values beyond it are written beside the old one.
  int64_t searchBudget = 0;
};

void Scheduler::addDataflow() {
  for (int64_t node = 0; node < numNodes; ++node) {
    for (Value result : program.nodes()[node]->getResults()) {
      ArrayRef<int64_t> readers = program.readers(result);
      // What the block returns has a place of its own, outside of the arena.
      int64_t bytes = program.returnedAs(result).empty() ? representativeBytes(result) : 0;
      problem.addValue({bytes, node, std::vector<int64_t>(readers.begin(), readers.end())});
    }
    if (inside[node])
      problem.addValue({inside[node], node, {}});
  }
}

void Scheduler::addEffects() {
  int64_t previous = -1;
  for (int64_t node = 0; node < numNodes; ++node) {
    if (!program.hasEffect(node))
      continue;
    if (previous >= 0)
      problem.addOrder(previous, node);
    previous = node;
  }
}

// Updates that can be in place, and states of the loop whose body the block is.
SmallVector<Scheduler::Overwrite> Scheduler::overwrites() const {
  SmallVector<Overwrite> result;
  for (const UpdateResult &update : program.updates())
    if (canUpdateInPlace(program, update))
      result.push_back({updatingNode(program, update), update.variable, true});
  auto loop = dyn_cast<LoopOpInterface>(program.block().getParentOp());
  for (unsigned state = 0; loop && state < loop.getNumStates(); ++state) {
    auto next = cast<OpResult>(rootOf(program.exit()->getOperand(state)));
    Value old = loop.getStateArguments()[state];
    bool alone = program.returnedAs(next).size() == 1 && byteCount(next) == byteCount(old);
    if (alone && (!operandOf(next.getOwner(), old) ||
                  canWriteOver(next.getOwner(), next.getResultNumber(), old)))
      result.push_back({program.producer(next), old, false});
  }
  return result;
}

// Whether the order as it stands lets the value be written over the old one.
bool Scheduler::isGiven(const Overwrite &write) const {
  for (int64_t reader : program.readers(write.old))
    if (reader > write.node)
      return false;
  for (int64_t later = write.node; write.afterFailures && later < numNodes; ++later)
    if (program.isFallible(later))
      return false;
  return true;
}

bool Scheduler::reachesWhatMustComeBefore(const Overwrite &write) {
  ArrayRef<int64_t> readers = program.readers(write.old);
  llvm::DenseSet<int64_t> targets(readers.begin(), readers.end());
  if (write.afterFailures)
    targets.insert(barrier);
  targets.erase(write.node);
  llvm::DenseSet<int64_t> seen{write.node};
  SmallVector<int64_t> pending{write.node};
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

void Scheduler::addWrites() {
  searchBudget = 64 * (numNodes + 1);
  auto constrain = [&](const Overwrite &write) {
    if (write.afterFailures)
      problem.addOrder(barrier, write.node);
    for (int64_t reader : program.readers(write.old))
      if (reader != write.node)
        problem.addOrder(reader, write.node);
  };
  // First what holds already: taken together it cannot be a cycle, and the order found is then no
  // worse than the given one.
  SmallVector<Overwrite> others;
  for (const Overwrite &write : overwrites()) {
    if (isGiven(write))
      constrain(write);
    else
      others.push_back(write);
  }
  for (const Overwrite &write : others) {
    if (reachesWhatMustComeBefore(write))
      continue;
    constrain(write);
    givenSpareBytes += representativeBytes(write.old);
  }
}

// What messages need before what they do not, and what needs them behind all that does not: a
// node's level is how many messages it needs, one after the other, and within it what the first
// message needs comes first. `sound` has the barrier.
std::vector<int64_t> Scheduler::besideMessages(const std::vector<int64_t> &sound,
                                               const std::vector<int64_t> &order) const {
  auto message = [&](int64_t step) { return step != barrier && isMessage(program.nodes()[step]); };
  auto waits = [&](int64_t step, int64_t before) {
    return message(before) && (step == barrier || operandOf(program.nodes()[step],
                                                            program.nodes()[before]->getResult(0)));
  };
  std::vector<int64_t> level(numNodes + 1, 0);
  for (int64_t step : sound)
    for (int64_t next : problem.successors[step])
      level[next] = std::max(level[next], level[step] + waits(next, step));
  // Messages keep their order, so the first has the least number.
  std::vector<int64_t> first(numNodes + 1, barrier);
  for (int64_t step : llvm::reverse(sound)) {
    if (message(step))
      first[step] = step;
    for (int64_t next : problem.successors[step])
      if (level[next] == level[step])
        first[step] = std::min(first[step], first[next]);
  }
  std::vector<std::tuple<int64_t, int64_t, size_t>> keys;
  for (auto [place, step] : llvm::enumerate(order))
    keys.push_back({level[step], first[step], place});
  llvm::sort(keys);
  std::vector<int64_t> found;
  for (const auto &key : keys)
    found.push_back(order[std::get<size_t>(key)]);
  return found;
}

// Orders the block and what is inside its nodes; gives the bytes that its own values need.
FailureOr<int64_t> schedule(const KernelProgram &program) {
  std::vector<int64_t> inside;
  for (Operation *node : program.nodes()) {
    int64_t bytes = 0;
    if (!isa<KernelOp>(node))
      for (Region &region : node->getRegions()) {
        FailureOr<KernelProgram> within = KernelProgram::build(region.front());
        if (failed(within))
          return failure();
        FailureOr<int64_t> needed = schedule(*within);
        if (failed(needed))
          return failure();
        bytes = std::clamp(*needed, bytes, kMostBytes);
      }
    inside.push_back(bytes);
  }
  Scheduler scheduler(program, std::move(inside));
  putInOrder(program, scheduler.findOrder());
  return scheduler.bytes();
}

struct ScheduleKernelsPass : keratin::passes::impl::ScheduleKernelsBase<ScheduleKernelsPass> {
  void runOnOperation() override {
    copySharedResults(getOperation());
    FailureOr<KernelProgram> program = KernelProgram::build(getOperation());
    if (failed(program) || failed(schedule(*program)))
      signalPassFailure();
  }
};

} // namespace
