#include "tests/cuda/emulator/Flow.h"

#include "tests/cuda/emulator/Handlers.h"

#include <algorithm>
#include <set>

namespace keratin::ptx {

FlowGraph::FlowGraph(Code &code, uint32_t first, uint32_t count)
    : code(code), first(first), count(count) {
  findNodes();
  connect();
}

void FlowGraph::findNodes() {
  std::set<uint32_t> leaders{first};
  for (uint32_t i = first; i < first + count; ++i) {
    const Instruction &instruction = code.instructions[i];
    if (instruction.flow == Flow::Next)
      continue;
    leaders.insert(i + 1);
    if (instruction.flow == Flow::Branch)
      leaders.insert(instruction.target);
    if (instruction.flow == Flow::Indexed)
      leaders.insert(code.branchTargets[instruction.detail].begin(),
                     code.branchTargets[instruction.detail].end());
  }
  nodeAt.resize(count);
  for (auto leader = leaders.begin(); leader != leaders.end() && *leader < first + count;
       ++leader) {
    auto next = std::next(leader);
    uint32_t end = next == leaders.end() ? first + count : std::min(*next, first + count);
    std::fill(nodeAt.begin() + (*leader - first), nodeAt.begin() + (end - first),
              uint32_t(nodes.size()));
    nodes.push_back({*leader, end, {}, {}, false});
  }
}

void FlowGraph::connect() {
  for (uint32_t n = 0; n < nodes.size(); ++n) {
    Node &node = nodes[n];
    const Instruction &last = code.instructions[node.end - 1];
    bool guarded = last.guard != alwaysTrue;
    if (last.flow == Flow::Branch)
      node.successors.push_back(nodeOf(last.target));
    if (last.flow == Flow::Indexed)
      for (uint32_t target : code.branchTargets[last.detail])
        node.successors.push_back(nodeOf(target));
    node.ends = last.flow == Flow::End;
    if ((last.flow == Flow::Next || (guarded && !node.ends)) && node.end < first + count)
      node.successors.push_back(nodeOf(node.end));
    std::sort(node.successors.begin(), node.successors.end());
    node.successors.erase(std::unique(node.successors.begin(), node.successors.end()),
                          node.successors.end());
    for (uint32_t successor : node.successors)
      nodes[successor].predecessors.push_back(n);
  }
}

// Nodes from which there is a way to the node.
std::vector<bool> FlowGraph::reaching(uint32_t node) const {
  std::vector<bool> seen(nodes.size());
  std::vector<uint32_t> open{node};
  seen[node] = true;
  while (!open.empty()) {
    uint32_t next = open.back();
    open.pop_back();
    for (uint32_t predecessor : nodes[next].predecessors)
      if (!seen[predecessor]) {
        seen[predecessor] = true;
        open.push_back(predecessor);
      }
  }
  return seen;
}

// The end that most of the function can come to, traps aside; of equals the last.
uint32_t FlowGraph::mainEnd() const {
  uint32_t best = noInstruction;
  size_t most = 0;
  for (uint32_t n = 0; n < nodes.size(); ++n) {
    if (!nodes[n].ends || code.instructions[nodes[n].end - 1].run == stopAtTrap)
      continue;
    std::vector<bool> from = reaching(n);
    size_t size = size_t(std::count(from.begin(), from.end(), true));
    if (size >= most) {
      most = size;
      best = n;
    }
  }
  return best;
}

// Edges without those that leave the ways to the main end for good: lanes that take an early exit
// or a trap do not come back, and the others need not wait for them. The last node is the end of
// all.
std::vector<std::vector<uint32_t>> FlowGraph::usualSuccessors() const {
  uint32_t end = uint32_t(nodes.size()), main = mainEnd();
  std::vector<bool> usual =
      main == noInstruction ? std::vector<bool>(nodes.size()) : reaching(main);
  std::vector<std::vector<uint32_t>> forward(nodes.size() + 1);
  std::vector<bool> comesToEnd(nodes.size());
  for (uint32_t n = 0; n < nodes.size(); ++n) {
    if (nodes[n].ends)
      forward[n].push_back(end);
    for (uint32_t successor : nodes[n].successors)
      if (!usual[n] || usual[successor])
        forward[n].push_back(successor);
    if (!nodes[n].ends)
      continue;
    std::vector<bool> from = reaching(n);
    for (uint32_t i = 0; i < nodes.size(); ++i)
      comesToEnd[i] = comesToEnd[i] || from[i];
  }
  for (uint32_t n = 0; n < nodes.size(); ++n)
    if (!comesToEnd[n]) // a loop for ever
      forward[n].push_back(end);
  return forward;
}

// Nodes before those that lead to them, seen from the end: a reverse post-order of the reversed
// graph.
std::vector<uint32_t>
FlowGraph::orderFromEnd(const std::vector<std::vector<uint32_t>> &forward) const {
  std::vector<std::vector<uint32_t>> backward(forward.size());
  for (uint32_t n = 0; n < forward.size(); ++n)
    for (uint32_t successor : forward[n])
      backward[successor].push_back(n);
  std::vector<uint32_t> order;
  std::vector<bool> seen(forward.size());
  std::vector<std::pair<uint32_t, size_t>> stack{{uint32_t(nodes.size()), 0}};
  seen[nodes.size()] = true;
  while (!stack.empty()) {
    auto &[node, next] = stack.back();
    if (next == backward[node].size()) {
      order.push_back(node);
      stack.pop_back();
      continue;
    }
    uint32_t predecessor = backward[node][next++];
    if (!seen[predecessor]) {
      seen[predecessor] = true;
      stack.emplace_back(predecessor, 0);
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

// By Cooper, Harvey and Kennedy's iteration.
std::vector<uint32_t>
FlowGraph::immediatePostDominators(const std::vector<std::vector<uint32_t>> &forward) const {
  std::vector<uint32_t> order = orderFromEnd(forward), rank(forward.size(), noInstruction);
  for (uint32_t i = 0; i < order.size(); ++i)
    rank[order[i]] = i;
  std::vector<uint32_t> dominator(forward.size(), noInstruction);
  dominator[nodes.size()] = uint32_t(nodes.size());
  auto meet = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (rank[a] > rank[b])
        a = dominator[a];
      while (rank[b] > rank[a])
        b = dominator[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t node : order) {
      uint32_t met = noInstruction;
      for (uint32_t successor : forward[node])
        if (dominator[successor] != noInstruction)
          met = met == noInstruction ? successor : meet(met, successor);
      if (node != nodes.size() && met != dominator[node]) {
        dominator[node] = met;
        changed = true;
      }
    }
  }
  return dominator;
}

void FlowGraph::setReconvergence() {
  std::vector<uint32_t> dominators = immediatePostDominators(usualSuccessors());
  for (uint32_t n = 0; n < nodes.size(); ++n) {
    Instruction &last = code.instructions[nodes[n].end - 1];
    uint32_t at = dominators[n];
    if (last.flow == Flow::Branch || last.flow == Flow::Indexed)
      last.reconvergence = at >= nodes.size() ? noInstruction : nodes[at].first;
  }
}

namespace {
// Sets of registers, dense.
using Registers = std::vector<bool>;

bool keepCommon(Registers &into, const Registers &other) {
  bool changed = false;
  for (size_t i = 0; i < into.size(); ++i)
    if (into[i] && !other[i]) {
      into[i] = false;
      changed = true;
    }
  return changed;
}
} // namespace

void FlowGraph::traceUnwritten(const Uses &uses) {
  std::map<uint32_t, uint32_t> numbers;
  for (const auto &[offset, name] : uses.names)
    numbers.emplace(offset, uint32_t(numbers.size()));
  auto numberOf = [&](uint32_t offset) {
    auto found = numbers.find(offset);
    return found == numbers.end() ? noInstruction : found->second;
  };
  // What is written on every way to a node. Guarded instructions may write nothing.
  std::vector<Registers> before(nodes.size(), Registers(numbers.size(), true));
  before[0].assign(numbers.size(), false);
  std::set<uint32_t> suspects;
  auto walk = [&](uint32_t n, bool note) {
    Registers written = before[n];
    for (uint32_t i = nodes[n].first; i < nodes[n].end; ++i) {
      if (note)
        for (uint32_t offset : uses.reads[i - first])
          if (uint32_t number = numberOf(offset); number != noInstruction && !written[number])
            suspects.insert(offset);
      if (code.instructions[i].guard == alwaysTrue)
        for (uint32_t offset : uses.writes[i - first])
          if (uint32_t number = numberOf(offset); number != noInstruction)
            written[number] = true;
    }
    return written;
  };
  std::vector<uint32_t> open{0};
  std::vector<bool> visited(nodes.size());
  while (!open.empty()) {
    uint32_t n = open.back();
    open.pop_back();
    visited[n] = true;
    Registers after = walk(n, false);
    for (uint32_t successor : nodes[n].successors)
      if (keepCommon(before[successor], after) || !visited[successor]) {
        visited[successor] = true;
        open.push_back(successor);
      }
  }
  for (uint32_t n = 0; n < nodes.size(); ++n)
    if (visited[n])
      walk(n, true);

  // What is moved from a suspect is one.
  for (size_t before = 0; before != suspects.size();) {
    before = suspects.size();
    for (uint32_t i = 0; i < count; ++i)
      if (uses.moves[i] &&
          std::any_of(uses.reads[i].begin(), uses.reads[i].end(),
                      [&](uint32_t offset) { return suspects.count(offset) != 0; }))
        suspects.insert(uses.writes[i].begin(), uses.writes[i].end());
  }

  std::map<uint32_t, uint32_t> suspectNumbers;
  for (uint32_t offset : suspects) {
    suspectNumbers[offset] = uint32_t(code.suspects.size());
    code.suspects.push_back(uses.names.at(offset));
  }
  code.traces.resize(code.instructions.size());
  for (uint32_t i = 0; i < count; ++i) {
    Code::Trace &trace = code.traces[first + i];
    for (uint32_t offset : uses.reads[i])
      if (auto found = suspectNumbers.find(offset); found != suspectNumbers.end())
        trace.reads.push_back(found->second);
    for (uint32_t offset : uses.writes[i])
      if (auto found = suspectNumbers.find(offset); found != suspectNumbers.end())
        trace.writes.push_back(found->second);
    trace.moves = uses.moves[i];
    trace.ignored = uses.ignored[i];
    const Instruction &instruction = code.instructions[first + i];
    if (instruction.run == packLanes || instruction.run == unpackLanes)
      for (uint32_t offset : code.matrices[instruction.detail].a) {
        auto found = suspectNumbers.find(offset);
        trace.parts.push_back(found == suspectNumbers.end() ? noInstruction : found->second);
      }
    code.instructions[first + i].traced = !trace.reads.empty() || !trace.writes.empty();
  }
}

} // namespace keratin::ptx
