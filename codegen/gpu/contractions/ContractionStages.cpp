#include "codegen/gpu/contractions/ContractionStages.h"

#include "codegen/gpu/CudaMachine.h"
#include "codegen/gpu/threads/ThreadBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace keratin::codegen;
using namespace mlir;

static constexpr int64_t chunkBytes = 16;
static constexpr int64_t bankBytes = 128; // of all banks of shared memory

Value StagesEngine::call(StringRef intrinsic, Type type, ValueRange operands) {
  auto op = emit.builder.create<LLVM::CallIntrinsicOp>(
      emit.loc, type, emit.builder.getStringAttr(intrinsic), operands);
  return type ? op.getResult(0) : Value();
}

StagesEngine::Values StagesEngine::fourOf(StringRef intrinsic, Type type, ValueRange operands) {
  Type four = LLVM::LLVMStructType::getLiteral(emit.builder.getContext(), {type, type, type, type});
  Value result = call(intrinsic, four, operands);
  Values parts;
  for (int64_t i = 0; i < 4; ++i)
    parts.push_back(emit.builder.create<LLVM::ExtractValueOp>(emit.loc, result, i));
  return parts;
}

Value StagesEngine::exclusiveOr(Value x, Value y) {
  return emit.builder.createOrFold<arith::XOrIOp>(emit.loc, x, y);
}

//===-- Stages --------------------------------------------------------------------------------===//

int64_t StagesEngine::rowElements(const Operand &operand) const {
  return operand.isAlongLines ? operand.lines : tile.depth;
}

// Eight rows that follow each other, or as many as fill all banks, have
// different turns.
Value StagesEngine::turnOf(const Operand &operand, Value row) {
  int64_t bytes = rowElements(operand) * tile.elementBytes();
  Value number = emit.div(row, emit.constant(std::max<int64_t>(1, bankBytes / bytes)));
  return emit.rem(number, emit.constant(std::min(bytes, bankBytes) / chunkBytes));
}

Value StagesEngine::placeOf(const Operand &operand, Value row, Value element) {
  Value chunk = emit.div(element, emit.constant(chunkElements()));
  Value inChunk = emit.rem(element, emit.constant(chunkElements()));
  chunk = exclusiveOr(chunk, turnOf(operand, row));
  Value elements = emit.add(emit.mul(row, rowElements(operand)),
                            emit.add(emit.mul(chunk, chunkElements()), inChunk));
  return emit.add(emit.mul(elements, tile.elementBytes()), operand.base);
}

StagesEngine::Operand StagesEngine::operandOf(ContractionSource &source, bool isA) {
  int64_t lines = isA ? tile.rows() : tile.columns();
  Operand operand = {&source,
                     isA,
                     lines,
                     isA ? 0 : tile.rows() * tile.depth * tile.elementBytes(),
                     source.neighbours == ContractionSource::Neighbours::Lines,
                     {},
                     {},
                     {}};
  int64_t ofRow = rowElements(operand) / chunkElements();
  int64_t chunks = source.isGrouped ? lines * tile.depth / chunkElements() : 0;
  for (int64_t i = 0; i < chunks / tile.threads(); ++i) {
    Value row = emit.add(thread, i * tile.threads());
    Value element = emit.mul(emit.popCounter(row, emit.constant(ofRow)), chunkElements());
    Value line = operand.isAlongLines ? element : row, depth = operand.isAlongLines ? row : element;
    operand.pieces.push_back({source.line(emit, line), depth, placeOf(operand, row, element)});
  }
  planReads(operand);
  return operand;
}

void StagesEngine::copyChunks(Operand &operand, Value depth, Value stage) {
  OpBuilder &b = emit.builder;
  Type global = LLVM::LLVMPointerType::get(b.getContext(), globalMemory);
  Value all = b.create<arith::ConstantIntOp>(emit.loc, chunkBytes, 32);
  Value none = b.create<arith::ConstantIntOp>(emit.loc, 0, 32);
  for (Operand::Piece &piece : operand.pieces) {
    Values position = operand.source->depth(emit, emit.add(depth, piece.depth));
    auto [pointer, exists] = operand.source->element(emit, piece.line, position);
    Value from = b.create<LLVM::AddrSpaceCastOp>(emit.loc, global, pointer);
    // What is not there is zeros, and not read.
    Value bytes = exists ? emit.select(exists, all, none) : all;
    call("llvm.nvvm.cp.async.cg.shared.global.16.s", Type(),
         {place(emit.add(stage, piece.place)), from, bytes});
  }
}

void StagesEngine::copyElements(Operand &operand, Value depth, Value stage) {
  Type bits = emit.builder.getIntegerType(unsigned(8 * tile.elementBytes()));
  emit.loop(thread, emit.constant(operand.lines * tile.depth), tile.threads(), [&](Value number) {
    Value row = number;
    Value element = emit.popCounter(row, emit.constant(rowElements(operand)));
    Value line = operand.isAlongLines ? element : row, own = operand.isAlongLines ? row : element;
    Values ofLine = operand.source->line(emit, line);
    Values ofDepth = operand.source->depth(emit, emit.add(depth, own));
    ContractionSource::Element at = operand.source->element(emit, ofLine, ofDepth);
    auto get = [&] { return Values{load(bits, at.pointer, tile.elementBytes())}; };
    Value value =
        at.exists ? emit.choose(at.exists, bits, get, [&] { return Values{emit.zero(bits)}; })[0]
                  : get()[0];
    store(value, place(emit.add(stage, placeOf(operand, row, element))), tile.elementBytes());
  });
}

void StagesEngine::copy(Operand &operand, Value depth, Value stage) {
  if (!operand.source->isGrouped) {
    copyElements(operand, depth, stage);
    return;
  }
  emit.branch(
      operand.source->isGrouped, [&] { copyChunks(operand, depth, stage); },
      [&] { copyElements(operand, depth, stage); });
}

//===-- Products ------------------------------------------------------------------------------===//

Value StagesEngine::warpLine(const Operand &operand) {
  return operand.isA ? emit.mul(warpRow, tile.rowsOfWarp())
                     : emit.mul(warpColumn, tile.columnsOfWarp());
}

// Threads of a warp in eights: each has the addresses of a matrix's rows. Of A those of the first
// and the second eight lines, then the same of the next chunk; of B chunks come first.
void StagesEngine::planReads(Operand &operand) {
  Value matrix = emit.rem(thread, emit.constant(warpThreads));
  Value inMatrix = emit.popCounter(matrix, emit.constant(8));
  Value second = emit.div(matrix, emit.constant(2)), first = emit.rem(matrix, emit.constant(2));
  Value lineHalf = operand.isA ? first : second, depthHalf = operand.isA ? second : first;
  Value firstLine = warpLine(operand);
  Value row = emit.add(emit.mul(operand.isAlongLines ? depthHalf : lineHalf, 8), inMatrix);
  Value chunk = operand.isAlongLines ? lineHalf : depthHalf;
  chunk = exclusiveOr(chunk, turnOf(operand, row));
  if (operand.isAlongLines)
    chunk = exclusiveOr(chunk, emit.div(firstLine, emit.constant(chunkElements())));
  else
    row = emit.add(row, firstLine);
  operand.chunk = chunk;
  operand.row = emit.add(emit.mul(row, rowElements(operand) * tile.elementBytes()), operand.base);
}

Value StagesEngine::addressOf(const Operand &operand, Value stage, int64_t line, int64_t depth) {
  int64_t along = operand.isAlongLines ? line : depth, row = operand.isAlongLines ? depth : line;
  Value chunk = exclusiveOr(operand.chunk, emit.constant(along / chunkElements()));
  Value own = emit.add(operand.row, emit.mul(chunk, chunkBytes));
  return emit.address(place(emit.add(stage, own)), emit.builder.getI8Type(),
                      row * rowElements(operand) * tile.elementBytes());
}

StagesEngine::Values StagesEngine::factors(const Operand &operand, Value stage, int64_t line,
                                           int64_t depth) {
  return fourOf(operand.isAlongLines ? "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3"
                                     : "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3",
                emit.builder.getI32Type(), addressOf(operand, stage, line, depth));
}

StagesEngine::Values StagesEngine::addStage(ValueRange sums, const Operand &a, const Operand &b,
                                            Value stage) {
  Values result(sums);
  int64_t down = tile.rowsOfWarp() / 16, across = tile.columnsOfWarp() / 8;
  for (int64_t depth = 0; depth < tile.depth; depth += 2 * chunkElements()) {
    SmallVector<Values> ofA, ofB;
    for (int64_t i = 0; i < down; ++i)
      ofA.push_back(factors(a, stage, 16 * i, depth));
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

StagesEngine::Values StagesEngine::multiply(ContractionSource &sourceOfA,
                                            ContractionSource &sourceOfB, Value begin, Value end) {
  elementType = sourceOfA.elementType;
  ThreadBlock block(emit.builder, emit.loc);
  Operand a = operandOf(sourceOfA, true), b = operandOf(sourceOfB, false);
  auto start = [&](Value depth, Value stage) {
    emit.branch(emit.less(depth, end), [&] {
      copy(a, depth, stage);
      copy(b, depth, stage);
    });
    call("llvm.nvvm.cp.async.commit.group", Type(), {});
  };
  auto await = [&](int64_t left) {
    Value number = emit.builder.create<arith::ConstantIntOp>(emit.loc, left, 32);
    call("llvm.nvvm.cp.async.wait.group", Type(), number);
  };
  int64_t ahead = tile.stages() - 1, bytes = tile.stageBytes();
  for (int64_t stage = 0; stage < ahead; ++stage)
    start(emit.add(begin, stage * tile.depth), emit.constant(stage * bytes));
  Values carried(tile.threadRows * tile.threadColumns, emit.zero(sumType));
  carried.push_back(emit.constant(0));
  Values last = emit.loop(begin, end, tile.depth, carried, [&](Value depth, ValueRange carried) {
    auto behind = [&](Value stage, int64_t stages) {
      Value next = emit.add(stage, stages * bytes);
      Value isBeyond = emit.less(emit.constant(tile.stages() * bytes - 1), next);
      return emit.select(isBeyond, emit.sub(next, emit.constant(tile.stages() * bytes)), next);
    };
    Value stage = carried.back();
    // The oldest copies have come, of all threads, and all are done with
    // the stage before.
    await(ahead - 1);
    block.barrier();
    start(emit.add(depth, ahead * tile.depth), behind(stage, ahead));
    Values sums = addStage(carried.drop_back(), a, b, stage);
    sums.push_back(behind(stage, 1));
    return sums;
  });
  await(0);
  block.barrier();
  last.pop_back();
  return last;
}

//===-- Finished sums -------------------------------------------------------------------------===//

void StagesEngine::writeSlice(ValueRange sums, int64_t slice) {
  int64_t across = tile.columnsOfWarp() / 8;
  Value first = emit.add(emit.mul(warpColumn, tile.columnsOfWarp()), emit.mul(laneColumn, 2));
  Value from = inSlice(laneRow, first);
  auto pair = VectorType::get(2, sumType);
  for (int64_t j = 0; j < across; ++j)
    for (int64_t half : {0, 1}) {
      Value numbers = emit.zero(pair);
      for (int64_t i : {0, 1})
        numbers = emit.builder.create<vector::InsertOp>(
            emit.loc, sums[(slice * across + j) * 4 + half * 2 + i], numbers, ArrayRef<int64_t>{i});
      store(numbers, emit.address(from, sumType, half * 8 * tile.resultPitch() + j * 8), 8);
    }
}
