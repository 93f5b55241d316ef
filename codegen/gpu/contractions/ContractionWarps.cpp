#include "codegen/gpu/contractions/ContractionWarps.h"

#include "codegen/gpu/CudaMachine.h"
#include "codegen/gpu/threads/ThreadBlock.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;

static constexpr int64_t chunkBytes = 16;

WarpsEngine::Values WarpsEngine::fourOf(StringRef intrinsic, Type type, ValueRange operands) {
  Type four = LLVM::LLVMStructType::getLiteral(emit.builder.getContext(), {type, type, type, type});
  Value result = call(intrinsic, four, operands);
  Values parts;
  for (int64_t i = 0; i < 4; ++i)
    parts.push_back(emit.builder.create<LLVM::ExtractValueOp>(emit.loc, result, i));
  return parts;
}

Value WarpsEngine::warpLine(const Operand &operand) {
  return operand.isA ? emit.mul(warpRow, tile.rowsOfWarp())
                     : emit.mul(warpColumn, tile.columnsOfWarp());
}

// Threads of a warp in eights: each has the addresses of a matrix's rows. Of A those of the first
// and the second eight lines, then the same of the next chunk; of B chunks come first.
void WarpsEngine::planReads(Operand &operand) {
  Value matrix = emit.rem(thread, emit.constant(warpThreads));
  Value inMatrix = emit.popCounter(matrix, emit.constant(8));
  Value second = emit.div(matrix, emit.constant(2)), first = emit.rem(matrix, emit.constant(2));
  Value lineHalf = operand.isA ? first : second, depthHalf = operand.isA ? second : first;
  Value firstLine = warpLine(operand);
  Value row = emit.add(emit.mul(operand.isAlongLines ? depthHalf : lineHalf, 8),
                       operand.isAlongLines ? inMatrix : lineOf(operand, inMatrix));
  Value chunk = operand.isAlongLines ? lineHalf : depthHalf;
  chunk = exclusiveOr(chunk, turnOf(operand, row));
  if (operand.isAlongLines)
    chunk = exclusiveOr(chunk, emit.div(firstLine, emit.constant(chunkElements())));
  else
    row = emit.add(row, firstLine);
  operand.chunk = chunk;
  operand.row = emit.add(emit.mul(row, rowElements(operand) * tile.elementBytes()), operand.base);
}

Value WarpsEngine::addressOf(const Operand &operand, Value stage, int64_t line, int64_t depth) {
  int64_t along = operand.isAlongLines ? line : depth, row = operand.isAlongLines ? depth : line;
  Value chunk = exclusiveOr(operand.chunk, emit.constant(along / chunkElements()));
  Value own = emit.add(operand.row, emit.mul(chunk, chunkBytes));
  return emit.address(place(emit.add(stage, own)), emit.builder.getI8Type(),
                      row * rowElements(operand) * tile.elementBytes());
}

WarpsEngine::Values WarpsEngine::factors(const Operand &operand, Value stage, int64_t line,
                                         int64_t depth) {
  return fourOf(operand.isAlongLines ? "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3"
                                     : "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3",
                emit.builder.getI32Type(), addressOf(operand, stage, line, depth));
}

WarpsEngine::Values WarpsEngine::addProducts(ValueRange sums, FactorsOfA factorsOfA,
                                             const Operand &b, Value stage) {
  Values result(sums);
  int64_t down = tile.rowsOfWarp() / 16, across = tile.columnsOfWarp() / 8;
  for (int64_t depth = 0; depth < tile.depth; depth += 2 * chunkElements()) {
    SmallVector<Values> ofA, ofB;
    for (int64_t i = 0; i < down; ++i)
      ofA.push_back(factorsOfA(16 * i, depth));
    for (int64_t j = 0; j < across; j += 2)
      ofB.push_back(factors(b, stage, 8 * j, depth));
    for (int64_t i = 0; i < down; ++i)
      for (int64_t j = 0; j < across; ++j) {
        auto own = MutableArrayRef<Value>(result).slice((i * across + j) * 4, 4);
        Values next = multiplyMatrices(ofA[i], ArrayRef<Value>(ofB[j / 2]).slice(j % 2 * 2, 2),
                                       ValueRange(own));
        llvm::copy(next, own.begin());
      }
  }
  return result;
}

WarpsEngine::Values WarpsEngine::multiply(ContractionSource &sourceOfA,
                                          ContractionSource &sourceOfB, Value begin, Value end) {
  elementType = sourceOfA.elementType;
  ThreadBlock block(emit.builder, emit.loc);
  Operand a = operandOf(sourceOfA, true), b = operandOf(sourceOfB, false);
  int64_t ahead = tile.stages() - 1, bytes = tile.stageBytes();
  for (int64_t stage = 0; stage < ahead; ++stage)
    start(a, b, emit.add(begin, stage * tile.depth), end, emit.constant(stage * bytes));
  Values carried(tile.threadRows * tile.threadColumns, emit.zero(sumType));
  carried.push_back(emit.constant(0));
  Values last = emit.loop(begin, end, tile.depth, carried, [&](Value depth, ValueRange carried) {
    Value stage = carried.back();
    // The oldest copies have come, of all threads, and all are done with
    // the stage before.
    await(ahead - 1);
    block.barrier();
    start(a, b, emit.add(depth, ahead * tile.depth), end, behind(stage, ahead));
    auto ofA = [&](int64_t line, int64_t depth) { return factors(a, stage, line, depth); };
    Values sums = addProducts(carried.drop_back(), ofA, b, stage);
    sums.push_back(behind(stage, 1));
    return sums;
  });
  await(0);
  block.barrier();
  last.pop_back();
  return last;
}
