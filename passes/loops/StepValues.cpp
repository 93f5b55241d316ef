#include "passes/loops/StepValues.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <algorithm>
#include <map>

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

// Ops looked at until states are taken for different instead. Each round tells at least one pair of
// states apart, and two or three rounds are the rule.
static constexpr size_t kMostWork = 1 << 22;

bool StepValues::areEqual(Operation *a, Operation *b) const {
  // Values inside of nested regions, which are compared op by op.
  DenseMap<Value, Value> inside;
  auto check = [&](Value x, Value y) {
    return success(leader(x) == leader(y) || inside.lookup(x) == y);
  };
  auto mark = [&](Value x, Value y) { inside[x] = y; };
  auto checkCommutative = [&](ValueRange xs, ValueRange ys) {
    return success(std::is_permutation(xs.begin(), xs.end(), ys.begin(), ys.end(),
                                       [&](Value x, Value y) { return succeeded(check(x, y)); }));
  };
  return OperationEquivalence::isEquivalentTo(
      a, b, check, mark, OperationEquivalence::IgnoreLocations, checkCommutative);
}

void StepValues::numberBody(Block &body, DenseMap<size_t, SmallVector<Operation *>> &seen) {
  for (Operation &op : body.without_terminator()) {
    if (!isMemoryEffectFree(&op))
      continue;
    size_t hash = OperationEquivalence::computeHash(
        &op, [&](Value x) { return hash_value(leader(x)); }, OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
    // Two values of a hash are reserved.
    SmallVector<Operation *> &candidates = seen[hash >> 1];
    auto equal =
        llvm::find_if(candidates, [&](Operation *candidate) { return areEqual(candidate, &op); });
    if (equal == candidates.end()) {
      candidates.push_back(&op);
      continue;
    }
    for (auto [mine, first] : llvm::zip(op.getResults(), (*equal)->getResults()))
      leaders[mine] = first;
  }
}

void StepValues::number(ArrayRef<ScanOp> scans, ArrayRef<unsigned> classes) {
  leaders.clear();
  DenseMap<Value, Value> elements, captures;
  DenseMap<unsigned, Value> states;
  DenseMap<size_t, SmallVector<Operation *>> seen;
  auto lead = [&](auto &firsts, auto key, Value value) {
    Value first = firsts.try_emplace(key, value).first->second;
    if (first != value)
      leaders[value] = first;
  };
  for (ScanOp scan : scans) {
    Value step = ScanOp(scans.front()).getStepNumber();
    if (step != scan.getStepNumber())
      leaders[scan.getStepNumber()] = step;
    for (Value state : scan.getStateArguments()) {
      lead(states, classes.front(), state);
      classes = classes.drop_front();
    }
    for (auto [operand, element] : llvm::zip(scan.getSequences(), scan.getElementArguments()))
      lead(elements, operand, element);
    for (auto [operand, capture] : llvm::zip(scan.getCaptures(), scan.getCaptureArguments()))
      lead(captures, operand, capture);
    numberBody(scan.getBody().front(), seen);
  }
}

StepValues::StepValues(ArrayRef<ScanOp> scans) {
  SmallVector<unsigned> classes;
  SmallVector<Value> nexts;
  DenseMap<Value, unsigned> byInit;
  size_t ops = 0;
  for (ScanOp scan : scans) {
    for (Value init : scan.getInits())
      classes.push_back(byInit.try_emplace(init, byInit.size()).first->second);
    Block &body = scan.getBody().front();
    llvm::append_range(nexts, body.getTerminator()->getOperands().take_front(scan.getNumStates()));
    ops += body.getOperations().size();
  }
  size_t count = byInit.size();
  for (size_t work = ops;; work += ops) {
    number(scans, classes);
    std::map<std::pair<unsigned, void *>, unsigned> split;
    SmallVector<unsigned> refined;
    for (auto [number, next] : llvm::zip(classes, nexts))
      refined.push_back(split.try_emplace({number, leader(next).getAsOpaquePointer()}, split.size())
                            .first->second);
    if (split.size() == count)
      return;
    classes = refined;
    count = split.size();
    if (work > kMostWork) {
      for (auto [i, number] : llvm::enumerate(classes))
        number = i;
      this->number(scans, classes);
      return;
    }
  }
}

} // namespace keratin::passes
