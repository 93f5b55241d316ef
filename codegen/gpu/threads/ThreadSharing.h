// How threads and units share what is reduced, from the sizes that are known.
#ifndef KERATIN_CODEGEN_GPU_THREADS_THREADSHARING_H
#define KERATIN_CODEGEN_GPU_THREADS_THREADSHARING_H

#include "ir/shapes/DimExpr.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdint>

namespace keratin::codegen {

// Elements that a thread has in flight at most; that it looks at before more threads share a line.
constexpr int64_t mostInFlight = 4, mostOfThread = 8;

// Threads of a unit stand in `columns` and `rows`: next to each other along an innermost loop that
// is kept, and sharing what is reduced, a group of elements at a time.
struct ThreadSharing {
  using DimExpr = ir::DimExpr;

  unsigned columns = 1, rows = 1;
  // What is reduced is divided over so many units, each with so many groups. They leave what they
  // have for the last of them (Meeting), which puts it together in order.
  DimExpr parts = 1, partGroups = 1;

  // Threads of a block; the most where a row's elements stay in registers, of which more threads
  // have fewer.
  static constexpr int64_t blockThreads = 256, mostThreads = 512;
  // Units that fill a device: over so many in all what is reduced is divided.
  static constexpr int64_t mostUnits = 512;

  // Of rows of so many groups, so many of them; a thread should have no more than `ofThread`, as
  // long as there are no more threads than `most`. So many threads of the machine can exchange
  // values.
  static ThreadSharing ofRows(const DimExpr &groups, const DimExpr &units, int64_t ofThread,
                              int64_t most, unsigned warpThreads);
  // Of columns of so many groups, as many as `across` next to each other and `outer` times that.
  // Units that are not divided may have so few threads next to each other.
  static ThreadSharing ofColumns(const DimExpr &groups, const DimExpr &across, const DimExpr &outer,
                                 unsigned leastColumns, unsigned warpThreads);
  // Over several units, so many in all at most, where few would do all of it.
  void divide(const DimExpr &units, int64_t mostInAll = mostUnits);

  bool isDivided() const { return parts != DimExpr(1); }
  unsigned threads() const { return columns * rows; }
  // Stretches of neighbouring columns; whether threads of the last may lie behind them.
  DimExpr stretches(const DimExpr &across) const;
  bool hasLooseColumns(const DimExpr &across) const;
  // Groups of a thread at most; INT64_MAX if that is not known.
  int64_t groupsOfThread() const;
  // "32 threads a row", "32 threads next to each other, 8 threads a column", and the parts.
  void print(llvm::raw_ostream &out, bool ofRows) const;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_THREADS_THREADSHARING_H
