// Tiles of depthwise convolutions whose filters are small and known: all taps are written out, so
// that an element of x is loaded once for all outputs of the tile that it is part of.
//
// Where these elements lie is looked up in a table of addresses that is made for each tile. Places
// outside of x are those of zeros, so that borders cost nothing and need no code of their own.
#ifndef KERATIN_CODEGEN_CPU_DEPTHWISESTENCIL_H
#define KERATIN_CODEGEN_CPU_DEPTHWISESTENCIL_H

#include "codegen/cpu/ConvolutionPlan.h"
#include "codegen/elements/ConvolutionAxis.h"

#include <optional>

namespace keratin::codegen {

struct DepthwiseStencil {
  // Along one of the two windows. With zeros between the elements of x, phases have `taps` or one
  // less, and some perhaps none; the rows' are counted at run time.
  struct Side {
    int64_t outputs = 1, taps = 1;
    int64_t oStep = 1, iStep = 1;
    bool tapsVary = false, noneArePossible = false;

    // From the first place that a tile reads with this many taps to behind the last.
    int64_t reach(int64_t taps) const { return (outputs - 1) * oStep + (taps - 1) * iStep + 1; }
  };
  int64_t lanes = 1;
  Side rows, columns;
  int64_t rowsAtOnce = 1; // rows of taps that are written out; the others follow in a loop
  int64_t tapsAtOnce() const { return rowsAtOnce * columns.taps; }
  int64_t sums() const { return rows.outputs * columns.outputs; }

  int64_t mostChannels = 1024; // of a unit: as many zeros are kept
  int64_t addressLanes = 1;    // of a vector of addresses
  int64_t tableColumns() const;
  int64_t tableBytes() const;
};

// nullopt if the taps are too many or unknown, or if there are more windows than two of more than
// one tap.
std::optional<DepthwiseStencil> planDepthwiseStencil(const ConvolutionSpec &spec,
                                                     const ConvolutionPlan &plan,
                                                     const MachineTarget &target);

// Where a tile is.
struct DepthwisePlace {
  ConvolutionAxis row, column;
  mlir::Value top, left; // first outputs
  mlir::Value x, filter; // llvm.ptr to the first channel's element at position 0 and at tap 0
  mlir::Value table;     // llvm.ptr
  mlir::Value zeros;     // llvm.ptr to mostChannels zeros, and `lanes` in front of them
  mlir::Value channels;  // of the unit
  // Channels fill all vectors; or the last vector begins before the one in front of it ends; or
  // there are fewer channels than lanes.
  enum { Whole, Overlapping, Masked } fit = Whole;
};

// store(row, column, channel, first, sums) for all outputs of the tile, whether they exist or not:
// lanes are the channels from `channel` on, which were not stored before from `first` on.
void emitDepthwiseStencil(
    LoopEmitter &emit, const DepthwiseStencil &stencil, mlir::Type xType, mlir::Type filterType,
    mlir::Type sumType, const DepthwisePlace &place,
    llvm::function_ref<void(int64_t, int64_t, mlir::Value, mlir::Value, mlir::Value)> store);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_DEPTHWISESTENCIL_H
