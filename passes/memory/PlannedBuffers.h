// A memory plan read back from its attributes (ir/dialect/MemoryPlan.h), for those who show it.
#ifndef KERATIN_PASSES_MEMORY_PLANNEDBUFFERS_H
#define KERATIN_PASSES_MEMORY_PLANNEDBUFFERS_H

#include "ir/interfaces/KernelName.h"
#include "ir/shapes/DimExpr.h"
#include "passes/memory/LiveRange.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace keratin::passes {

// Values of symbols by id.
using SymbolValues = std::map<int64_t, int64_t>;
// Of a symbol that nobody gave a value.
inline constexpr int64_t kDefaultSize = 32;
// The value with these symbols; nullopt if it cannot be computed.
std::optional<int64_t> evaluate(const ir::DimExpr &expression, const SymbolValues &symbols,
                                int64_t otherwise = kDefaultSize);

// The values of a function's symbols for sizes that are given by symbol: where a symbol counts a
// size by a unit, the size. One that is not given is what its limits say it is at most, else
// kDefaultSize or what they allow near that.
SymbolValues symbolValues(mlir::func::FuncOp function, const SymbolValues &sizes);

// What a buffer is for: of a kernel's result the kernel, and which result if it has several; "scan"
// or "if" of the result of one; "step number" or "state 2" of a loop's argument.
std::string makerOf(mlir::Value firstValue);

struct PlannedMemory;

// Storage in the arena: one value, or several that follow one another in place.
struct PlannedBuffer {
  mlir::Value firstValue; // of a node, or a loop's argument; null: of the inside of a node
  LiveRange live;
  ir::DimExpr offset;
  // At most, where the call computes the size; nullopt if they cannot be represented.
  std::optional<ir::DimExpr> bytes;
  unsigned values = 1;
  int64_t inside = -1; // whose inside it is: an index into PlannedMemory::inside
};

// A loop or a branch: a program, or two that take turns, in a buffer of the one around it.
struct PlannedNode {
  mlir::Operation *op; // keratin.scan, keratin.while, keratin.if
  int64_t position;    // among the nodes around it
  std::vector<PlannedMemory> programs;
};

struct PlannedMemory {
  ir::DimExpr arenaBytes;
  std::vector<PlannedBuffer> buffers; // in the order in which they are first written
  std::vector<PlannedNode> inside;    // with plans of their own
  int64_t kernels = 0;                // loops and branches count as one
  // The numbers of kernels at each of these positions.
  std::vector<ir::KernelNumbers::Range> numbers;

  // Those that run between the first and the last position.
  ir::KernelNumbers::Range numbersOf(const LiveRange &live) const;
};

// nullopt if the function has no plan that fits it.
std::optional<PlannedMemory> readMemoryPlan(mlir::func::FuncOp function);

} // namespace keratin::passes

#endif // KERATIN_PASSES_MEMORY_PLANNEDBUFFERS_H
