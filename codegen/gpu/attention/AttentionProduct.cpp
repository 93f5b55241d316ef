#include "codegen/gpu/attention/AttentionProduct.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;

// Of a product of matrices.
static constexpr int64_t matrixRows = 16, matrixColumns = 8, matrixDepth = 16;

AttentionProduct::AttentionProduct(LoopEmitter &emit, const ContractionTile &tile, Value shared,
                                   Value thread, Type type)
    : HalvesEngine(emit, tile, emit.builder.getF32Type(), shared, thread) {
  elementType = type;
}

AttentionProduct::Factors AttentionProduct::readAll(const Operand &a, Value stage) {
  Factors all;
  for (int64_t line = 0; line < tile.rowsOfWarp(); line += matrixRows)
    for (int64_t depth = 0; depth < tile.depth; depth += matrixDepth)
      all.push_back(factors(a, stage, line, depth));
  return all;
}

AttentionProduct::Values AttentionProduct::add(ValueRange sums, const Factors &a, const Operand &b,
                                               Value stage) {
  auto ofA = [&](int64_t line, int64_t depth) {
    return a[size_t((line * tile.depth / matrixRows + depth) / matrixDepth)];
  };
  return addProducts(sums, ofA, b, stage);
}

void AttentionProduct::commit() { call("llvm.nvvm.cp.async.commit.group", Type(), {}); }

Value AttentionProduct::pack(Value first, Value second) {
  bool isBrain = elementType.isBF16();
  Value words = call(isBrain ? "llvm.nvvm.ff2bf16x2.rn" : "llvm.nvvm.ff2f16x2.rn",
                     VectorType::get(2, elementType), {second, first});
  return emit.builder.create<LLVM::BitcastOp>(emit.loc, emit.builder.getI32Type(), words);
}

// A thread has of 8 columns of sums two neighbours of a row, then of the row 8 below: just what it
// has of 8 depths of factors.
AttentionProduct::Factors AttentionProduct::factorsOf(ValueRange numbers, int64_t rows,
                                                      int64_t columns) {
  Factors all;
  const int64_t across = columns / matrixColumns;
  for (int64_t i = 0; i < rows / matrixRows; ++i)
    for (int64_t j = 0; j < across; j += 2) {
      Values &words = all.emplace_back();
      for (int64_t chunk : {0, 1})
        for (int64_t half : {0, 1}) {
          size_t first = size_t(((i * across + j + chunk) * 2 + half) * 2);
          words.push_back(pack(numbers[first], numbers[first + 1]));
        }
    }
  return all;
}
