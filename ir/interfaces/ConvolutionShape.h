// The dimensions of a keratin.convolution by what they do.
#ifndef KERATIN_IR_INTERFACES_CONVOLUTIONSHAPE_H
#define KERATIN_IR_INTERFACES_CONVOLUTIONSHAPE_H

#include "ir/dialect/Keratin.h"

namespace keratin::ir {

// `dims` of the op, read: "b01c,01cf->b01f". The same letters number the dimensions of three
// tensors; -1 where a tensor has none of them.
struct ConvolutionDims {
  struct Places {
    int x = -1, filter = -1, y = -1;
  };
  llvm::SmallVector<Places, 3> windows; // by digit; in all three tensors
  Places batch;                         // 'b': x and y, or none
  Places contracted;                    // 'c': x and the filter, or none
  Places filters;                       // 'f': the filter and y, or none
  Places groups;                        // 'g': all three, or none

  // nullopt, and why in `error` if that is not null. What is returned names each dimension of each
  // tensor once, and has at least one window.
  static std::optional<ConvolutionDims> parse(llvm::StringRef text, std::string *error = nullptr);
  std::string str() const;

  unsigned xRank() const;
  unsigned filterRank() const;
  unsigned yRank() const;
};

// The op with its attributes and sizes: what a verified op means.
//   y[b, g, o, f] = sum over i, c of z[b, g, o * stride - low + i * dilation, c] * w[g, i, c, f]
// z[p] = x[p / xDilation] where that divides and lies inside x, 0 elsewhere; w[i] = filter[i], or
// filter[K - 1 - i] along a reversed window.
struct ConvolutionShape {
  struct Window {
    ConvolutionDims::Places places;
    DimExpr xSize, filterSize, ySize;
    int64_t stride = 1, xDilation = 1, dilation = 1;
    DimExpr low = 0;
    bool reversed = false;

    // A window of one element at each element: the dimension is one like a batch.
    bool isTrivial() const;
  };
  ConvolutionDims dims;
  llvm::SmallVector<Window, 3> windows;
  // 1 where there is no such dimension.
  DimExpr batch = 1, contracted = 1, filters = 1, groups = 1;
};

// Precondition: the op was verified.
ConvolutionShape getConvolutionShape(ConvolutionOp op);

} // namespace keratin::ir

#endif // KERATIN_IR_INTERFACES_CONVOLUTIONSHAPE_H
