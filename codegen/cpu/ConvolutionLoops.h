// How a convolution is emitted; private to its files.
#ifndef KERATIN_CODEGEN_CPU_CONVOLUTIONLOOPS_H
#define KERATIN_CODEGEN_CPU_CONVOLUTIONLOOPS_H

#include "codegen/cpu/ContractionMicroKernel.h"
#include "codegen/cpu/ConvolutionBlocks.h"
#include "codegen/elements/ConvolutionPhase.h"

namespace keratin::codegen {

// The loops of one convolution, while they are emitted. The parts stand in the files of their
// subjects: units and results (ConvolutionKernel.cpp), what is copied and packed
// (ConvolutionCopies.cpp), and the passes over it (ConvolutionPasses.cpp).
class ConvolutionLoops {
public:
  using Value = mlir::Value;

  ConvolutionLoops(LoopEmitter &emit, const ConvolutionSpec &spec, const ConvolutionPlan &plan)
      : emit(emit), spec(spec), plan(plan), type(spec.accumulatorType),
        blocks(emitConvolutionBlocks(emit, spec, plan)), zero(emit.constant(0)),
        one(emit.constant(1)), last(spec.windows.size() - 1) {
    region = emit.address(spec.scratch, type, plan.scratch.region);
    packed = emit.address(spec.scratch, type, plan.scratch.panels);
    sums = emit.address(spec.scratch, type, plan.scratch.sums);
    offsets = emit.address(spec.scratch, type, plan.scratch.offsets);
  }

  void run(Value begin, Value end);

private:
  // Of the unit or region at hand.
  struct Window {
    Value number; // of the phase
    ConvolutionPhase phase;
    Value firstOutput, outputsHere;
    Value firstTap, tapsHere;
    Value start, span; // positions in x, and how many
  };

  // Stretches of the depth: taps, as many at a time, or parts of a tap.
  struct Passes {
    Value taps, parts, partDepth, count;
  };

  Value stride(const ConvolutionSize &size) { return numberOf(emit, size); }

  // Of packed elements of the contracted dimension.
  Value numbersOf(Value elements) { return emit.mul(elements, plan.tile.depthStep); }

  Value here(Value size, Value first, Value block);
  Value heldBefore(Value units);
  void runItems(Value begin, Value end);
  void openPanels(Value number);
  void openItem(Value number);
  void runRegion(Value number, Value isFilterHeld, Value isRegionHeld);

  // The region of x.
  void copyRegion();
  void copyWindows(size_t j, Value source, Value target, Value isInside);

  // The filter: body(offset in it, number of the tap) for the taps of the windows [j, end); row
  // `row` of a tap of the panel, packed, and the same where the filter is, as the number of an
  // element.
  void packPanels();
  void overTaps(size_t j, size_t end, Value offset, Value number,
                llvm::function_ref<void(Value, Value)> body);
  Value packedRow(Value panel, Value tap, Value row);
  Value filterElement(Value panel, Value tap, Value row);
  Value rowOfRun(Value tap, Value row);
  Value panelElement(Value panel, Value tap, Value row);
  void packPass(const Passes &passes, Value pass, Value panel);

  // Passes: where the taps of the region lie, seen from an output; where a pass begins, a tap and a
  // row of the depth in it.
  void listTaps();
  Passes cutDepth();
  Value tapsOf(const Passes &passes, Value firstTap);
  std::pair<Value, Value> startOf(const Passes &passes, Value pass);
  void runPass(const Passes &passes, Value pass, Value panel);

  // What the next pass reads of the filter: runs of whole panels' widths. All lines of a pass bring
  // some of it near, one after the other.
  struct NextPass {
    Value from; // element of the filter
    Value runLength, apart;
    Value firstLine, ofLine; // widths
    Value every;
  };

  NextPass nextPass(const Passes &passes, Value pass, Value panel, const ContractionPanel &job);
  ContractionPanel::Ahead aheadOf(const NextPass &next, Value line);
  Value lineCount();
  // body(line, its start in the region)
  void overLines(llvm::function_ref<void(Value, Value)> body);

  void openPanel(Value panel);
  void finishLine(Value line, Value lineSums);
  Value output(size_t j, Value o);

  LoopEmitter &emit;
  const ConvolutionSpec &spec;
  const ConvolutionPlan &plan;
  mlir::Type type;
  ConvolutionBlocks blocks;
  Value zero, one;
  size_t last; // window
  Value region, packed, sums, offsets;
  // Of the unit at hand.
  llvm::SmallVector<Window, 3> windows;
  Value each, column0, columnsHere;
  // Of the region at hand.
  Value channel0, channelHere, outside0, outsideHere;
  Value numbersHere; // of the channel; as many unless it is packed several at a time
  Value isFirstRegion, isLastRegion;
  Value tapCount, depth, depthStride;
  // Of the panel at hand.
  Value firstColumn;
  llvm::SmallVector<Value> masks;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_CONVOLUTIONLOOPS_H
