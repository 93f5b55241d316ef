// Outputs of a convolution in the registers of a thread.
#ifndef KERATIN_CODEGEN_GPU_CONVOLUTIONS_CONVOLUTIONTILE_H
#define KERATIN_CODEGEN_GPU_CONVOLUTIONS_CONVOLUTIONTILE_H

#include "codegen/elements/ConvolutionAxis.h"

#include "llvm/Support/raw_ostream.h"

namespace keratin::codegen {

// Neighbours along one window, each of a few lanes, which are neighbouring groups or filters. All
// of them meet a few taps of that window at a time: an element of x is read once for all outputs
// and taps that meet there.
struct ConvolutionTile {
  unsigned lanes = 1;
  bool alongGroups = false; // lanes; else along filters, and x has one element for all
  unsigned rows = 1;        // the same outputs of so many places of another window
  unsigned outputs = 1, taps = 1;
  // Of outputs and of taps, in positions of x.
  int64_t outputStep = 1, tapStep = 1;
  // All positions are known to be elements of x.
  bool isInside = false;

  unsigned sums() const { return rows * outputs; }
};

// "4 outputs x 3 taps of window 1 x 4 lanes along groups"
void print(llvm::raw_ostream &out, const ConvolutionTile &tile, size_t window);

class ConvolutionTileEmitter {
public:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<Value>;

  // The tile's lanes, or one of them.
  ConvolutionTileEmitter(LoopEmitter &emit, const ConvolutionSpec &spec,
                         const ConvolutionTile &tile, bool hasLanes)
      : emit(emit), spec(spec), tile(tile), lanes(hasLanes ? tile.lanes : 1) {}

  mlir::Type sumType() const;
  // A scalar or vector of the sums' type.
  Values zeros();

  // Where the first output meets the first tap.
  struct Place {
    Values rows;     // offsets in x, in elements
    Values rowExist; // whether there is such a place in x; null: there is
    Value position;  // along the window, in x
    Value positions; // of x
    Value xStep;     // in elements, from position to position
    Value filter;    // offset in the filter
    Value filterStep;
  };
  // The sums of rows of outputs, with what they get from the taps.
  Values add(const Place &at, mlir::ValueRange sums);

  // Of x and of the filter, at an offset: the lanes, or one element for all of them.
  Value loadX(Value offset) { return load(spec.x, offset, tile.alongGroups); }
  Value loadFilter(Value offset) { return load(spec.filter, offset, true); }
  Value multiplyAdd(Value x, Value y, Value z);

private:
  Value load(const ConvolutionOperand &operand, Value offset, bool hasLanes);
  Value isInside(const Place &at, int64_t steps);

  LoopEmitter &emit;
  const ConvolutionSpec &spec;
  const ConvolutionTile &tile;
  unsigned lanes;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_CONVOLUTIONS_CONVOLUTIONTILE_H
