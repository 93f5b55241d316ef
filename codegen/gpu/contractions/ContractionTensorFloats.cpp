#include "codegen/gpu/contractions/ContractionTensorFloats.h"

#include "codegen/gpu/CudaMachine.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;

// A thread has eight lines and four depths to itself: a line of its eighth of the warp, the depth
// that is its place there.
static constexpr int64_t lanesOfLine = 4, linesAtOnce = 8, depthsAtOnce = 4;

// Where rows are depths a warp reads two chunks of each of four rows: their turns are two apart,
// and the same for the next four.
Value TensorFloatEngine::turnOf(const Operand &operand, Value row) {
  if (!operand.isAlongLines)
    return WarpsEngine::turnOf(operand, row);
  return emit.mul(emit.rem(row, emit.constant(depthsAtOnce)), linesAtOnce / chunkElements());
}

void TensorFloatEngine::planReads(Operand &operand) {
  if (!operand.isAlongLines) {
    WarpsEngine::planReads(operand);
    return;
  }
  Value line = emit.rem(thread, emit.constant(warpThreads));
  Value depth = emit.popCounter(line, emit.constant(lanesOfLine));
  line = lineOf(operand, line);
  Value inChunk = emit.popCounter(line, emit.constant(chunkElements()));
  Value first = emit.div(warpLine(operand), emit.constant(chunkElements()));
  operand.chunk = exclusiveOr(exclusiveOr(line, turnOf(operand, depth)), first);
  Value elements = emit.add(emit.mul(depth, rowElements(operand)), inChunk);
  operand.row = emit.add(emit.mul(elements, tile.elementBytes()), operand.base);
}

TensorFloatEngine::Values TensorFloatEngine::factors(const Operand &operand, Value stage,
                                                     int64_t line, int64_t depth) {
  Values words;
  if (!operand.isAlongLines) {
    for (Value word : WarpsEngine::factors(operand, stage, line, depth))
      words.push_back(rounded(emit.builder.create<LLVM::BitcastOp>(emit.loc, sumType, word)));
    return words;
  }
  for (int64_t i = 0; i < 4; ++i) {
    int64_t lines = operand.isA ? i % 2 : i / 2, depths = operand.isA ? i / 2 : i % 2;
    Value from =
        addressOf(operand, stage, line + lines * linesAtOnce, depth + depths * depthsAtOnce);
    words.push_back(rounded(load(sumType, from, tile.elementBytes())));
  }
  return words;
}

Value TensorFloatEngine::rounded(Value factor) {
  return emit.builder
      .create<LLVM::CallIntrinsicOp>(emit.loc, emit.builder.getI32Type(),
                                     emit.builder.getStringAttr("llvm.nvvm.f2tf32.rna"), factor)
      .getResult(0);
}

TensorFloatEngine::Values TensorFloatEngine::multiplyMatrices(ArrayRef<Value> a, ArrayRef<Value> b,
                                                              ValueRange sums) {
  Values operands(a);
  operands.append(b.begin(), b.end());
  operands.append(sums.begin(), sums.end());
  return fourOf("llvm.nvvm.mma.m16n8k8.row.col.tf32", sumType, operands);
}
