// The blocks that a contraction is cut into, which follow from the sizes alone.
#ifndef KERATIN_CODEGEN_CPU_CONTRACTIONBLOCKS_H
#define KERATIN_CODEGEN_CPU_CONTRACTIONBLOCKS_H

#include "codegen/cpu/ContractionPlan.h"
#include "codegen/elements/SpecSizes.h"

namespace keratin::codegen {

template <typename Number> struct ContractionBlocksOf {
  Number batch, m, n, k;
  Number superDepth;  // depth that is packed at once,
  Number packedSteps; // in steps, no more than there are
  Number superBlocks; // at least one, so that an empty sum is still stored
  Number rows, rowBlocks;
  Number columns, columnBlocks;

  template <typename Arithmetic> Number units(Arithmetic &emit) const {
    return emit.mul(batch, emit.mul(rowBlocks, columnBlocks));
  }
};

using ContractionBlocks = ContractionBlocksOf<mlir::Value>;

ContractionBlocks emitContractionBlocks(LoopEmitter &emit, const ContractionSpec &spec,
                                        const ContractionPlan &plan);
// How many units there are, those of dot products too.
SizeCases contractionUnits(const ContractionSpec &spec, const ContractionPlan &plan);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_CONTRACTIONBLOCKS_H
