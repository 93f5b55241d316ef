// What a unit of a convolution copies: regions of x with the zeros around them, and panels of the
// filter.
#ifndef KERATIN_CODEGEN_CPU_CONVOLUTIONPACKING_H
#define KERATIN_CODEGEN_CPU_CONVOLUTIONPACKING_H

#include "codegen/cpu/ConvolutionPlan.h"
#include "codegen/elements/LoopEmitter.h"

namespace keratin::codegen {

// A line of positions of x along the last window: `lead` zeros, `body` elements of x, zeros up to
// `span`. At each position are `run` elements.
struct ConvolutionLine {
  mlir::Value to, pixel; // elements from one position to the next in the copy
  mlir::Value lead, body, span, run;
  mlir::Value numbers;            // of x at each position, which make `run` packed elements
  mlir::Value from;               // the first position of the body
  mlir::Value fromPixel, fromRun; // strides in x
};

void emitConvolutionLine(LoopEmitter &emit, const ContractionPlan &tile, mlir::Type from,
                         mlir::Type to, const ConvolutionLine &line);

// Rows of the filter, cut into panels of tileColumns() columns: in each, one row after the other.
struct ConvolutionFilterRows {
  mlir::Value from, rowStride, colStride, rows, columns;
  mlir::Value to, panelStride; // elements from one panel to the next
};

void emitConvolutionFilterRows(LoopEmitter &emit, const ContractionPlan &tile, mlir::Type from,
                               mlir::Type to, const ConvolutionFilterRows &rows);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_CONVOLUTIONPACKING_H
