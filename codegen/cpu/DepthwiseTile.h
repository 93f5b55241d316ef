// The innermost part of a depthwise convolution: sums of a few rows and columns of outputs for a
// few vectors of channels, held in registers while taps of the filter pass over x where it lies.
#ifndef KERATIN_CODEGEN_CPU_DEPTHWISETILE_H
#define KERATIN_CODEGEN_CPU_DEPTHWISETILE_H

#include "codegen/elements/LoopEmitter.h"

namespace keratin::codegen {

struct DepthwiseTile {
  int64_t lanes = 1;
  int64_t rows = 1, columns = 1, vectors = 1;

  int64_t channels() const { return vectors * lanes; }
  // The sums of a tile, rows first, then columns, then channels, without gaps.
  int64_t elements() const { return rows * columns * channels(); }
};

// sums[r, c, :] = (first ? 0 : sums[r, c, :]) + sum over taps i, j of
//   x[r * outputRow + c * outputColumn + i * tapRow + j * tapColumn + :] *
//   filter[i * filterRow + j * filterColumn + :]
// for some of the tile's outputs: all rows or one, all columns or one.
struct DepthwisePart {
  bool allRows = true, allColumns = true;
  mlir::Value x, outputRow, outputColumn, tapRow, tapColumn; // distances in elements
  mlir::Value filter, filterRow, filterColumn;
  mlir::Value rowTaps, columnTaps; // how many
  mlir::Value sums, first;
  mlir::Value channels; // that exist; null if all of the tile's do
};

// Emits a call to a function that all depthwise convolutions of the module with this tile share.
void emitDepthwisePart(LoopEmitter &emit, const DepthwiseTile &tile, mlir::Type xType,
                       mlir::Type filterType, mlir::Type sumType, const DepthwisePart &part);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_DEPTHWISETILE_H
