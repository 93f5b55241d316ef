// Branches, calls, barriers, and what lanes exchange.
#include "tests/cuda/emulator/Decode.h"

#include <algorithm>

namespace keratin::ptx {

void Decoder::branch() {
  take(".uni");
  needOperands(1, 1);
  if (operand(0).kind != Operand::Label)
    fail("expected a label");
  now.kind = Kind::Branch;
  now.flow = Flow::Branch;
  now.always = true;
  now.run = branchTo;
  now.target = entryOf[function] + operand(0).index;
}

void Decoder::indexedBranch() {
  take(".idx");
  take(".uni");
  needOperands(2, 2);
  auto targets = function->branchTargets.find(operand(1).name);
  if (targets == function->branchTargets.end())
    fail("expected the name of a list of targets");
  now.kind = Kind::Branch;
  now.flow = Flow::Indexed;
  now.always = true;
  now.run = branchIndexed;
  now.a = source(operand(0), Type::U32);
  now.detail = uint32_t(code.branchTargets.size());
  code.branchTargets.emplace_back();
  for (const Operand &target : targets->second)
    code.branchTargets.back().push_back(entryOf[function] + target.index);
}

void Decoder::endThreads() {
  take(".uni");
  std::string_view name = statement->words[0];
  now.kind = Kind::Branch;
  if (name == "trap" || name == "brkpt") {
    now.run = stopAtTrap;
    now.flow = statement->guarded ? Flow::Next : Flow::End;
    return;
  }
  now.run = name == "ret" && function != &entry ? returnThreads : exitThreads;
  now.flow = statement->guarded ? Flow::Next : Flow::End;
  now.always = true;
}

void Decoder::call() {
  take(".uni");
  const Function &callee = *program.function(operand(0).name);
  now.kind = Kind::Call;
  now.run = callFunction;
  now.detail = uint32_t(code.calls.size());
  CallUse use;
  auto copies = [&](const std::vector<Operand> &given,
                    const std::vector<std::unique_ptr<Variable>> &formal,
                    std::vector<CallUse::Copy> &into, bool inwards) {
    if (given.size() != formal.size())
      fail("found " + std::to_string(given.size()) + " parameters, expected " +
           std::to_string(formal.size()));
    for (size_t i = 0; i < given.size(); ++i) {
      if (given[i].kind != Operand::VariableAddress || given[i].variable->space != Space::Parameter)
        fail("what a call gives or gets is a variable in .param");
      uint32_t outside = placeOf.at(given[i].variable), inside = placeOf.at(formal[i].get());
      into.push_back(
          {inwards ? outside : inside, inwards ? inside : outside, uint32_t(formal[i]->bytes)});
    }
  };
  copies(statement->arguments, callee.parameters, use.arguments, true);
  copies(statement->results, callee.results, use.results, false);
  code.calls.push_back(use);
  callsToPatch.emplace_back(uint32_t(code.instructions.size()), &callee);
}

// bar.sync, bar.arrive, bar.red, bar.warp.sync; barrier.cta and its like are other names.
void Decoder::barrier() {
  now.kind = Kind::Barrier;
  take(".aligned");
  take(".cta");
  if (take(".warp")) {
    take(".sync");
    needOperands(1, 1);
    now.run = meetLanes;
    now.a = source(operand(0), Type::U32);
    return;
  }
  BarrierUse use;
  size_t first = 0;
  bool negated = false;
  if (take(".red")) {
    std::string_view op = takeOneOf({".popc", ".and", ".or"});
    use.mode = op == ".popc"  ? BarrierUse::ReducePopulation
               : op == ".and" ? BarrierUse::ReduceAnd
                              : BarrierUse::ReduceOr;
    if (takeType() == Type::Pred)
      use.result = predicateTo(operand(0));
    else
      use.result = destination(operand(0), Type::U32);
    use.input = predicate(statement->operands.back(), negated);
    use.inputFlip = negated ? ~0u : 0;
    first = 1;
    needOperands(3, 4);
    use.hasThreads = statement->operands.size() == 4;
  } else {
    use.mode = take(".arrive") ? BarrierUse::Arrive : BarrierUse::Sync;
    take(".sync");
    needOperands(1, 2);
    use.hasThreads = statement->operands.size() == 2;
  }
  use.number = source(operand(first), Type::U32);
  if (use.hasThreads)
    use.threads = source(operand(first + 1), Type::U32);
  else if (use.mode == BarrierUse::Arrive)
    fail("bar.arrive needs the number of threads");
  now.run = useBarrier;
  now.detail = uint32_t(code.barriers.size());
  code.barriers.push_back(use);
}

void Decoder::fence() {
  now.kind = Kind::Fence;
  now.run = fenceMemory;
  if (take(".proxy")) {
    if (std::any_of(words.begin(), words.end(),
                    [](std::string_view word) { return word.starts_with(".async"); }))
      now.run = fenceProxy;
    words.clear();
  }
  for (std::string_view word : {".cta", ".sc", ".acq_rel", ".acquire", ".release", ".gl", ".gpu",
                                ".sys", ".cluster", ".level"})
    take(word);
}

void Decoder::exchange() {
  now.kind = Kind::Exchange;
  take(".sync");
  std::string_view mode = takeOneOf({".up", ".down", ".bfly", ".idx"});
  takeType();
  needOperands(5, 5);
  Exchange use;
  use.mode = mode == ".up"     ? Exchange::Up
             : mode == ".down" ? Exchange::Down
             : mode == ".bfly" ? Exchange::Butterfly
                               : Exchange::Index;
  const Operand &to = operand(0);
  now.a = source(operand(1), Type::B32);
  now.b = source(operand(2), Type::B32);
  now.c = source(operand(3), Type::B32);
  now.e = source(operand(4), Type::B32);
  now.d = destination(to.kind == Operand::Pair ? to.elements[0] : to, Type::B32);
  if (to.kind == Operand::Pair)
    use.predicate = predicateTo(to.elements[1]);
  now.run = shuffle;
  now.detail = uint32_t(code.exchanges.size());
  code.exchanges.push_back(use);
}

void Decoder::voting() {
  now.kind = Kind::Exchange;
  now.run = vote;
  if (!take(".sync"))
    fail("expected .sync");
  std::string_view mode = takeOneOf({".all", ".any", ".uni", ".ballot"});
  Vote which = mode == ".all"   ? Vote::All
               : mode == ".any" ? Vote::Any
               : mode == ".uni" ? Vote::Uniform
                                : Vote::Ballot;
  bool negated = false;
  takeType();
  needOperands(3, 3);
  now.a = predicate(operand(1), negated);
  now.b = source(operand(2), Type::B32);
  now.d = which == Vote::Ballot ? destination(operand(0), Type::B32) : predicateTo(operand(0));
  now.e = uintptr_t(which) | (negated ? flipA : 0);
}

void Decoder::matching() {
  now.kind = Kind::Exchange;
  now.run = matchLanes;
  bool all = take(".all");
  take(".any");
  take(".sync");
  Type type = takeType();
  needOperands(3, 3);
  const Operand &to = operand(0);
  now.a = source(operand(1), type);
  now.b = source(operand(2), Type::B32);
  now.d = destination(to.kind == Operand::Pair ? to.elements[0] : to, Type::B32);
  now.detail = to.kind == Operand::Pair ? predicateTo(to.elements[1]) : nowhere;
  now.e = bytesOf(type) | (all ? flipA : 0);
}

void Decoder::reduction() {
  static constexpr std::pair<std::string_view, LaneReduction> ops[] = {
      {".add", LaneReduction::Add}, {".min", LaneReduction::Min}, {".max", LaneReduction::Max},
      {".and", LaneReduction::And}, {".or", LaneReduction::Or},   {".xor", LaneReduction::Xor}};
  now.kind = Kind::Exchange;
  now.run = reduceLanes;
  take(".sync");
  bool known = false;
  for (const auto &[word, op] : ops)
    if (!known && take(word)) {
      now.e = uintptr_t(op);
      known = true;
    }
  Type type = takeType();
  if (!known || bytesOf(type) != 4 || isFloat(type))
    fail("expected an operation as .add and a type of 32 bits");
  if (type == Type::S32 && now.e == uintptr_t(LaneReduction::Min))
    now.e = uintptr_t(LaneReduction::MinSigned);
  if (type == Type::S32 && now.e == uintptr_t(LaneReduction::Max))
    now.e = uintptr_t(LaneReduction::MaxSigned);
  setOperands(type, {type, Type::B32});
}

void Decoder::active() {
  now.kind = Kind::Exchange;
  now.run = activeLanes;
  takeType();
  needOperands(1, 1);
  now.d = destination(operand(0), Type::B32);
}

void Decoder::elect() {
  now.kind = Kind::Exchange;
  now.run = electLane;
  take(".sync");
  needOperands(2, 2);
  const Operand &to = operand(0);
  if (to.kind != Operand::Pair)
    fail("expected a register and a predicate");
  now.b = source(operand(1), Type::B32);
  now.d = destination(to.elements[0], Type::B32);
  now.detail = predicateTo(to.elements[1]);
}

void Decoder::nothing() {
  words.clear();
  now.run = doNothing;
}

} // namespace keratin::ptx
