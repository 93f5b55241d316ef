// The innermost part of a contraction: a tile of sums held in registers.
#ifndef KERATIN_CODEGEN_CPU_CONTRACTIONMICROKERNEL_H
#define KERATIN_CODEGEN_CPU_CONTRACTIONMICROKERNEL_H

#include "codegen/cpu/LoopEmitter.h"

namespace keratin::codegen {

struct ContractionTile {
  mlir::Type elementType;
  int64_t lanes, vectors;
  // Element (r, k) of A is at a + rowOffsets[r] + k * aDepthStride; there are as many rows as
  // offsets.
  mlir::Value a, aDepthStride;
  llvm::SmallVector<mlir::Value> rowOffsets;
  // Row k of B is `vectors` whole vectors at b + k * bDepthStride.
  mlir::Value b, bDepthStride;
  mlir::Value depth;
  // Where the sums go, row after row without gaps. What is there already is added to unless `first`
  // (i1) is set.
  mlir::Value sums, first;
};

void emitContractionTile(LoopEmitter &emit, const ContractionTile &tile);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_CONTRACTIONMICROKERNEL_H
