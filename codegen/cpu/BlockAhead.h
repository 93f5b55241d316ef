// What is walked from one end to the other out of memory is asked for before.
#ifndef KERATIN_CODEGEN_CPU_BLOCKAHEAD_H
#define KERATIN_CODEGEN_CPU_BLOCKAHEAD_H

#include "codegen/cpu/Processors.h"
#include "codegen/elements/LoopEmitter.h"
#include "ir/shapes/DimExpr.h"

#include "llvm/Support/raw_ostream.h"

namespace keratin::codegen {

// With each line one of the block behind its own, from the parts of that block in turns: what a
// processor fetches ahead by itself is one run of lines of a page, and ends with it.
struct BlockAhead {
  // Of so many inputs of a shape with so many elements, which take so many bytes at an index
  // together. nullopt where caches may hold them.
  static std::optional<BlockAhead> of(int64_t inputs, int64_t bytes, const ir::DimExpr &elements,
                                      const MemoryTraits &memory);

  int64_t bytes; // of one input
  int64_t parts;

  // In elements, from the one at the position on.
  mlir::Value distance(LoopEmitter &code, mlir::Value position, int64_t elementBytes) const;

  static constexpr int64_t lineBytes = 64; // of a cache
};

// "a block of 32768 bytes ahead, in 8 parts"
llvm::raw_ostream &operator<<(llvm::raw_ostream &out, const BlockAhead &ahead);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_BLOCKAHEAD_H
