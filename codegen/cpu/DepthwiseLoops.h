// How a depthwise convolution is emitted; private to its files.
#ifndef KERATIN_CODEGEN_CPU_DEPTHWISELOOPS_H
#define KERATIN_CODEGEN_CPU_DEPTHWISELOOPS_H

#include "codegen/cpu/DepthwisePlan.h"
#include "codegen/elements/ConvolutionAxis.h"

namespace keratin::codegen {

// The sizes that units are numbered by.
template <typename Number> struct DepthwiseUnitsOf {
  llvm::SmallVector<Number, 3> phases, outputs; // of each window, outputs in units
  Number batch, each, channelBlock, channelBlocks;
  Number count;
};

// The loops of one depthwise convolution, while they are emitted. The parts stand in the files of
// their subjects: units and results (DepthwiseKernel.cpp), and tiles of taps in loops
// (DepthwiseTiles.cpp). Tiles of taps that are written out are a DepthwiseStencil.
class DepthwiseLoops {
public:
  using Value = mlir::Value;

  DepthwiseLoops(LoopEmitter &emit, const ConvolutionSpec &spec, const ConvolutionPlan &plan);

  void run(Value begin, Value end);

private:
  Value size(const ConvolutionSize &from) { return numberOf(emit, from); }

  // Which outputs of the phases a unit has, and how many there are.
  struct Outputs {
    Value firstRow, rows;
    Value firstColumn, endColumn, columns;
  };
  Outputs openUnit(Value number);
  void runUnit(Value number);
  Value isLargeEnough(const Outputs &outputs);
  void runStencils(const Outputs &outputs);
  void runStencil(Value top, Value left);
  DepthwisePlace stencilPlace(Value top, Value left);
  bool masksStencil() const;
  void runSingles(const Outputs &outputs);

  // Tiles.
  void runTiles(const Outputs &outputs);
  void runTile(Value top, Value left, Value skippedRows, Value skippedColumns);
  void runSingle(Value r, Value c);
  bool masksTiles() const;
  // body(elements from the output's place in x, elements from the start of the filter) for every
  // tap of the outer windows and contracted element.
  void overOuterTaps(llvm::function_ref<void(Value, Value)> body);
  bool hasOuterTaps() const { return last > 1 || spec.contracted.constant != 1; }
  void addTaps(DepthwisePart part, Value firstRow, Value firstColumn, const TapRange &rowTaps,
               const TapRange &columnTaps, Value inX, Value inFilter);
  void addBorder(DepthwisePart part, Value top, Value left, const TapRange &rowTaps,
                 const TapRange &columnTaps, Value inX, Value inFilter);
  void overLeftOver(const ConvolutionAxis &axis, Value first, int64_t outputs,
                    const TapRange &common, llvm::function_ref<void(Value, const TapRange &)> body);
  void beginSums(DepthwisePart &part);
  Value startInX(Value offset, Value channel);
  Value startInFilter(Value offset, Value channel);
  void clear(Value from, int64_t bytes);

  // Results.
  Value lanesFrom(Value channel, Value skipped);
  void store(Value r, Value c, Value channel, Value sums, Value mask);
  struct Span {
    Value begin, end;
  };
  // The sums of the outputs in both spans of a tile, without the first channels.
  void finish(Value top, Value left, const Span &rows, const Span &columns, Value channel,
              Value skippedChannels);

  LoopEmitter &emit;
  const ConvolutionSpec &spec;
  const ConvolutionPlan &plan;
  const DepthwisePlan &depthwise;
  const DepthwiseTile &tile;
  mlir::Type type;
  DepthwiseUnitsOf<Value> units;
  Value zero, one, yes, no, groups;
  size_t last; // window
  Value scratchSums;
  // Of the unit at hand.
  llvm::SmallVector<ConvolutionAxis, 3> axes;
  llvm::SmallVector<Value, 3> outer; // outputs of the windows further out than the tile's
  ConvolutionAxis row, column;
  Value batch, each, channel0, channelEnd;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_DEPTHWISELOOPS_H
