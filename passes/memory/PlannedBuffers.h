// A memory plan read back from its attributes (passes/memory/MemoryPlan.h), for those who show it.
#ifndef KERATIN_PASSES_MEMORY_PLANNEDBUFFERS_H
#define KERATIN_PASSES_MEMORY_PLANNEDBUFFERS_H

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

// The op that makes a result of a kernel: "tanh", or "add +3" if three more belong to the kernel.
std::string makerOf(mlir::OpResult kernelResult);

// Storage in the arena: one value, or several that follow one another in place.
struct PlannedBuffer {
  mlir::OpResult firstValue; // of a kernel
  LiveRange live;
  ir::DimExpr offset;
  std::optional<ir::DimExpr> bytes; // nullopt if they cannot be represented
  unsigned values = 1;
};

struct PlannedMemory {
  ir::DimExpr arenaBytes;
  std::vector<PlannedBuffer> buffers; // in the order in which they are first written
  int64_t kernels = 0;
};

// nullopt if the function has no plan that fits it.
std::optional<PlannedMemory> readMemoryPlan(mlir::func::FuncOp function);

} // namespace keratin::passes

#endif // KERATIN_PASSES_MEMORY_PLANNEDBUFFERS_H
