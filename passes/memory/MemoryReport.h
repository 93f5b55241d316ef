// What a memory plan decided, as text for people.
#ifndef KERATIN_PASSES_MEMORY_MEMORYREPORT_H
#define KERATIN_PASSES_MEMORY_MEMORYREPORT_H

#include "passes/memory/PlannedBuffers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdint>
#include <optional>
#include <string>

namespace keratin::passes {

// Precondition: keratin-plan-memory ran on the function. Numbers are given for `sizes`, by symbol;
// one that it does not name counts as what it is at most, or with 32 (symbolValues()).
//
//   arena         49216 bytes (d0 = 32) = 1536*d0 + 64
//   live at most  49152 bytes (d0 = 32) = 1536*d0, first at kernel 1 of 5; arena / live = 1.001
//   in place      2 of 3 updates, 1 values over an operand; 0 views
//   prepared      4096 bytes, of 1 kernels
//
//   bytes  offset   made by                   kernels  lifetime
//   32768  0        tanh +1 net.cc:12         0-1      ##...
//   16384  1024*d0  maximum +2 net.cc:13      1-2      .##..
//   192    0        inside scan net.cc:14     3-3      ...#.
//
//   loop at kernel 3 net.cc:14: d1 steps of 2 kernels, 192 bytes inside
//     state 0: 128 bytes, in place
//     stack 0: 128 bytes a step, 4096 bytes (= 128*d1) in all
//     bytes  offset  made by          kernels  lifetime
//     128    0       exp net.cc:15    0-1      ##
std::string memoryReport(mlir::func::FuncOp function, const SymbolValues &sizes = SymbolValues());
// The same, but with columns that alignTables() makes as wide as they must be.
std::string memoryReportCells(mlir::func::FuncOp function,
                              const SymbolValues &sizes = SymbolValues());
std::string alignTables(llvm::StringRef text);

// Notes on a planned function what it was to do with, so that the report says how that went:
//
//   budget        65536 bytes, kept; 2 loops keep checkpoints
//   budget        65536 bytes, exceeded by 1344 bytes; 2 loops keep checkpoints
void setMemoryBudget(mlir::func::FuncOp function, int64_t bytes);

struct MemoryUsage {
  int64_t arenaBytes = 0;
  int64_t maxLiveBytes = 0; // no plan of these kernels in this order could do with less
};
// The two numbers for sizes that the function can be called with; nullopt if they overflow. Same
// precondition.
std::optional<MemoryUsage> memoryUsage(mlir::func::FuncOp function, const SymbolValues &sizes);
// What the arena of a planned function is at most; nullopt where a size has no bound.
std::optional<int64_t> mostArenaBytes(mlir::func::FuncOp function);

} // namespace keratin::passes

#endif // KERATIN_PASSES_MEMORY_MEMORYREPORT_H
