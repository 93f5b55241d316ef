// The innermost part of a contraction: tiles of sums held in registers, passed over one panel of B.
#ifndef KERATIN_CODEGEN_CPU_CONTRACTIONMICROKERNEL_H
#define KERATIN_CODEGEN_CPU_CONTRACTIONMICROKERNEL_H

#include "codegen/cpu/ContractionPlan.h"
#include "codegen/elements/LoopEmitter.h"

namespace keratin::codegen {

constexpr int64_t kPanelsAhead = 4;

// sums[m, :] = (first ? 0 : sums[m, :]) + sum over k < depth of A[m, k] * B[k, :] for all m < rows.
//
// With taps, the same for each tap in turn, while the sums stay in registers: tap t reads A
// offsets[t] elements further on, and B from where the tap before left off.
struct ContractionPanel {
  // Element (m, k) of A is at a + m / tileRows * tileStride + m % tileRows * rowStride + k *
  // depthStride.
  mlir::Value a, tileStride, rowStride, depthStride;
  // Row k of B is tileVectors whole vectors at b + k * bDepthStride.
  mlir::Value b, bDepthStride;
  mlir::Type bType; // null: that of A and the sums
  mlir::Value depth, rows;
  // Rows of tileColumns() without gaps. Up to spareRows() - 1 rows behind the last are overwritten.
  mlir::Value sums, first;
  // How many taps, and where their offsets (i64) are; null if there is just one, at 0.
  mlir::Value taps, offsets;
  // With `ahead`, memory that is needed later is brought near while the tiles run: each tile of
  // tileRows, or where there is none the first, or all where rows are evened out, brings
  // kPanelsAhead stretches of tileColumns() elements for every `every` steps in depth: fewer would
  // cost a small tile more than they bring. Stretches follow one another in runs of runLength;
  // `left` of the first run are yet to come.
  struct Ahead {
    mlir::Value from; // null if there is none
    mlir::Value left, runLength, betweenRuns, every;
  } ahead;
  // Elements of A and B are pairs (ContractionPairs.h), multiplied at once or, of bfloat16, one
  // after the other.
  enum class Pairs { None, AtOnce, Apart } pairs = Pairs::None;
  // An element of A is as wide as a row of B, and multiplied with it lane by lane.
  bool wideRows = false;
  // How many elements of a row of B are read, the rest taken for zeros; null for all.
  mlir::Value columns;
};

// Emits a call to a function that all contractions of the module with this tile share.
void emitContractionPanel(LoopEmitter &emit, const ContractionPlan &plan, mlir::Type elementType,
                          const ContractionPanel &panel);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_CONTRACTIONMICROKERNEL_H
