// Copies of blocks of A and B in the order in which the micro-kernel reads them.
#ifndef KERATIN_CODEGEN_CPU_CONTRACTIONPACKING_H
#define KERATIN_CODEGEN_CPU_CONTRACTIONPACKING_H

#include "codegen/cpu/ContractionPlan.h"
#include "codegen/elements/LoopEmitter.h"

namespace keratin::codegen {

// What packed elements are made of, one or more numbers (ContractionPlan::depthStep).
mlir::Type numberType(LoopEmitter &emit, const ContractionPlan &plan, mlir::Type type);
mlir::Value loadNumber(LoopEmitter &emit, const ContractionPlan &plan, mlir::Type type,
                       mlir::Type sourceType, mlir::Value from);
// `lanes` elements whose numbers lie next to each other; those outside of the mask, which is of
// numbers, are zero.
mlir::Value loadElements(LoopEmitter &emit, const ContractionPlan &plan, mlir::Type type,
                         mlir::Type sourceType, int64_t lanes, mlir::Value from,
                         mlir::Value mask = nullptr);
// In the names of functions that pack, beside the types.
const char *howPacked(const ContractionPlan &plan);

// A block of B: `depth` rows from the matrix's `source` on, as panels of tileColumns() columns. The
// panel's rows follow one another without gaps.
struct PackedColumns {
  mlir::Type sourceType, type;
  mlir::Value source; // element (0, 0) of the block
  mlir::Value rowStride, colStride;
  mlir::Value packed;
  mlir::Value depth;
  mlir::Value panelDepth;  // packed rows from one panel to the next
  mlir::Value columnsHere; // that exist
  mlir::Value firstPanel;  // earlier panels are read where they are
  mlir::Value least;       // of pairs: where their least magnitude is kept (ContractionPairs.h)
};

// Address of the row 0 of a panel.
mlir::Value packedPanel(LoopEmitter &emit, const ContractionPlan &plan, const PackedColumns &block,
                        mlir::Value panel);
void emitPackColumns(LoopEmitter &emit, const ContractionPlan &plan, const PackedColumns &block);

// A block of A. If its rows are contiguous in memory, so they stay, at a distance that spreads them
// over the sets of a cache; if its columns are contiguous, the elements of a tile's rows come one
// after the other for each k.
struct PackedRows {
  mlir::Type sourceType, type;
  mlir::Value source;
  mlir::Value rowStride, colStride;
  mlir::Value packed;
  mlir::Value depth;
  mlir::Value rowDepth; // packed elements along k that a row has room for
  mlir::Value rowsHere; // that exist
  bool columnsContiguous;
  mlir::Value least;
};

// Elements from one row to the next, and from one k to the next, inside a packed tile.
mlir::Value packedRowStride(LoopEmitter &emit, const ContractionPlan &plan,
                            const PackedRows &block);
int64_t packedDepthStride(const ContractionPlan &plan, bool columnsContiguous);
// Elements that a tile takes up, of rows so deep.
mlir::Value packedTileElements(LoopEmitter &emit, const ContractionPlan &plan,
                               const PackedRows &block);
int64_t packedTileElements(const ContractionPlan &plan, int64_t rowDepth);
void emitPackRows(LoopEmitter &emit, const ContractionPlan &plan, const PackedRows &block);
// The least magnitude of pairs that are read where they are, a multiple of a vector in each row.
void emitLeastOfRows(LoopEmitter &emit, const ContractionPlan &plan, const PackedRows &block);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_CONTRACTIONPACKING_H
