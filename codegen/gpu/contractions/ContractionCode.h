// What code of a contraction on a device has to do with its tensors, whatever form it has.
#ifndef KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONCODE_H
#define KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONCODE_H

#include "codegen/elements/ContractionEpilogue.h"
#include "codegen/gpu/DevicePlan.h"
#include "codegen/gpu/contractions/ContractionNumbers.h"
#include "codegen/gpu/contractions/ContractionSource.h"
#include "codegen/gpu/threads/Alignment.h"

namespace keratin::codegen {

class ContractionCode {
public:
  using Value = mlir::Value;

  // What the kernel yields of `others` is made elsewhere.
  ContractionCode(DeviceKernelBuilder &k, const ContractionNest &nest,
                  llvm::ArrayRef<Value> others = {});

  // A, or B, of a matrix of the batch. What is asked for lies within so many lines behind the
  // first, and so many depths behind a multiple of as many.
  struct Part {
    Value batch, firstLine;
    int64_t lines, depths;
  };
  StridedSource a(const Part &part, int64_t group) { return operand(true, part, group); }
  StridedSource b(const Part &part, int64_t group) { return operand(false, part, group); }

  // Whether (i1) so many neighbouring columns of the result can be accessed at once; null: no.
  Value mayGroupColumns(int64_t group);
  // What becomes of a sum, or of a vector of sums of columns that can be.
  void store(Value batch, Value row, Value column, Value sums);

  LoopEmitter emit;
  ContractionSpec spec;
  mlir::Type sumType;
  Value m, n, depth; // i64

private:
  StridedSource operand(bool isA, const Part &part, int64_t group);

  DeviceKernelBuilder &k;
  Alignment alignment;
  ContractionEpilogue epilogue;
  Value memoryOfA, memoryOfB;
  Value isAligned;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONCODE_H
