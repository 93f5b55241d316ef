// Where control goes within a function: reconvergence of branches, and registers that may be read
// before they are written.
#pragma once

#include "tests/cuda/emulator/Code.h"

#include <map>

namespace keratin::ptx {

class FlowGraph {
public:
  // Of the instructions [first, first + count), a whole function.
  FlowGraph(Code &code, uint32_t first, uint32_t count);

  // Each branch gets the first instruction that all its lanes come to again.
  void setReconvergence();

  // What instructions read and write: offsets of registers.
  struct Uses {
    const std::vector<std::vector<uint32_t>> &reads, &writes;
    const std::vector<bool> &moves;
    const std::vector<uint8_t> &ignored;
    const std::map<uint32_t, std::string> &names;
  };
  // Marks instructions that touch a register which some way leads to unwritten.
  void traceUnwritten(const Uses &uses);

private:
  struct Node {
    uint32_t first, end; // instructions
    std::vector<uint32_t> successors, predecessors;
    bool ends = false; // with exit, ret or trap
  };
  void findNodes();
  void connect();
  uint32_t nodeOf(uint32_t instruction) const { return nodeAt[instruction - first]; }
  std::vector<bool> reaching(uint32_t node) const;
  std::vector<uint32_t> orderFromEnd(const std::vector<std::vector<uint32_t>> &forward) const;
  uint32_t mainEnd() const;
  std::vector<std::vector<uint32_t>> usualSuccessors() const;
  std::vector<uint32_t>
  immediatePostDominators(const std::vector<std::vector<uint32_t>> &forward) const;

  Code &code;
  uint32_t first, count;
  std::vector<Node> nodes;
  std::vector<uint32_t> nodeAt;
};

} // namespace keratin::ptx
