// Entries in the shared memory of a block, sorted by its threads.
#ifndef KERATIN_CODEGEN_GPU_REDUCTIONS_SORTEDSLOTS_H
#define KERATIN_CODEGEN_GPU_REDUCTIONS_SORTEDSLOTS_H

#include "codegen/gpu/reductions/RankedElements.h"
#include "codegen/gpu/threads/ThreadBlock.h"

namespace keratin::codegen {

// Bitonic networks: the same comparisons whatever the entries are. All threads of the block come to
// sort() and merge() together, behind a barrier, and leave them behind one.
class SortedSlots {
public:
  using Value = mlir::Value;
  using Entry = RankedElements::Entry;

  SortedSlots(LoopEmitter &e, RankedElements &ranked, int64_t slots, unsigned threads)
      : e(e), b(e.builder), loc(e.loc), ranked(ranked), slots(slots), threads(threads),
        words(unsigned(ranked.nothing().size())), block(b, loc) {}

  // Of shared memory, with numbers for so many warps.
  static int64_t bytes(const TopKNest &nest, int64_t slots, int64_t warps);

  Entry get(Value slot) { return getAt(placeOf(slot)); }
  void put(const Entry &entry, Value slot) { putAt(entry, placeOf(slot)); }
  // A number (i64, of 32 bits) for each warp.
  Value count(Value warp);
  void putCount(Value count, Value warp);

  // The first 2^stages slots, the best first.
  void sort(Value stages);
  // So many slots, a power of two, from a multiple of 32 on, whose entries become better and then
  // worse, the other way round, or are such turned round a circle.
  void merge(int64_t first, int64_t count);

private:
  void exchange(int64_t first, Value pairs, Value stride, Value size);
  Value placeOf(Value slot);
  Value pointer(Value place, unsigned word);
  Entry getAt(Value place);
  void putAt(const Entry &entry, Value place);
  Value countPointer(Value warp);
  Value i64(int64_t value) { return e.constant(value); }

  LoopEmitter &e;
  mlir::OpBuilder &b;
  mlir::Location loc;
  RankedElements &ranked;
  int64_t slots;
  unsigned threads, words;
  ThreadBlock block;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_REDUCTIONS_SORTEDSLOTS_H
