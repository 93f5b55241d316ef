#include "codegen/gpu/contractions/ContractionStages.h"

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

Value StagesEngine::exclusiveOr(Value x, Value y) {
  return emit.builder.createOrFold<arith::XOrIOp>(emit.loc, x, y);
}

//===-- Stages --------------------------------------------------------------------------------===//

int64_t StagesEngine::widthOf(const Operand &operand) const {
  return operand.isAlongLines ? operand.lines : tile.depth;
}

int64_t StagesEngine::rowElements(const Operand &operand) const {
  return std::min(widthOf(operand), mostOfRow());
}

int64_t StagesEngine::panelBytes(const Operand &operand) const {
  int64_t rows = operand.isAlongLines ? tile.depth : operand.lines;
  return rows * rowElements(operand) * tile.elementBytes();
}

// Eight rows that follow each other, or as many as fill all banks, have
// different turns.
Value StagesEngine::turnOf(const Operand &operand, Value row) {
  int64_t bytes = rowElements(operand) * tile.elementBytes();
  Value number = emit.div(row, emit.constant(std::max<int64_t>(1, bankBytes / bytes)));
  return emit.rem(number, emit.constant(std::min(bytes, bankBytes) / chunkBytes));
}

Value StagesEngine::placeOf(const Operand &operand, Value row, Value element) {
  Value panel;
  if (widthOf(operand) > rowElements(operand)) {
    panel = emit.div(element, emit.constant(rowElements(operand)));
    element = emit.rem(element, emit.constant(rowElements(operand)));
  }
  Value chunk = emit.div(element, emit.constant(chunkElements()));
  Value inChunk = emit.rem(element, emit.constant(chunkElements()));
  chunk = exclusiveOr(chunk, turnOf(operand, row));
  Value elements = emit.add(emit.mul(row, rowElements(operand)),
                            emit.add(emit.mul(chunk, chunkElements()), inChunk));
  Value bytes = emit.add(emit.mul(elements, tile.elementBytes()), operand.base);
  return panel ? emit.add(bytes, emit.mul(panel, panelBytes(operand))) : bytes;
}

int64_t StagesEngine::baseOf(bool isA) const {
  return isA ? 0 : tile.rows() * tile.depth * tile.elementBytes();
}

StagesEngine::Operand StagesEngine::operandOf(ContractionSource &source, bool isA) {
  int64_t lines = isA ? tile.rows() : tile.columns();
  Operand operand = {
      &source, isA, lines, baseOf(isA), source.neighbours == ContractionSource::Neighbours::Lines,
      {},      {},  {}};
  int64_t ofRow = widthOf(operand) / chunkElements();
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

// What is not there is zeros, and not read.
void StagesEngine::copyAsync(StringRef intrinsic, int64_t bytes,
                             const ContractionSource::Element &element, Value to) {
  OpBuilder &b = emit.builder;
  Type global = LLVM::LLVMPointerType::get(b.getContext(), globalMemory);
  Value all = b.create<arith::ConstantIntOp>(emit.loc, bytes, 32);
  Value none = b.create<arith::ConstantIntOp>(emit.loc, 0, 32);
  Value from = b.create<LLVM::AddrSpaceCastOp>(emit.loc, global, element.pointer);
  call(intrinsic, Type(),
       {to, from, element.exists ? emit.select(element.exists, all, none) : all});
}

void StagesEngine::copyChunks(Operand &operand, Value depth, Value stage) {
  for (Operand::Piece &piece : operand.pieces) {
    Values position = operand.source->depth(emit, emit.add(depth, piece.depth));
    copyAsync("llvm.nvvm.cp.async.cg.shared.global.16.s", chunkBytes,
              operand.source->element(emit, piece.line, position),
              place(emit.add(stage, piece.place)));
  }
}

// Words are copied as chunks are. What is smaller goes through registers, some at once: all are
// read before the first is written.
void StagesEngine::copyElements(Operand &operand, Value depth, Value stage) {
  constexpr int64_t wordBytes = 4, mostAtOnce = 4;
  const bool isWord = tile.elementBytes() == wordBytes;
  const int64_t all = operand.lines * tile.depth;
  int64_t atOnce = isWord ? 1 : mostAtOnce;
  while (all % (atOnce * tile.threads()) != 0)
    atOnce /= 2;
  Type bits = emit.builder.getIntegerType(unsigned(8 * tile.elementBytes()));
  emit.loop(thread, emit.constant(all), atOnce * tile.threads(), [&](Value first) {
    Values values, places;
    for (int64_t i = 0; i < atOnce; ++i) {
      Value row = emit.add(first, i * tile.threads());
      Value element = emit.popCounter(row, emit.constant(widthOf(operand)));
      Value line = operand.isAlongLines ? element : row;
      Value own = operand.isAlongLines ? row : element;
      Values ofLine = operand.source->line(emit, line);
      Values ofDepth = operand.source->depth(emit, emit.add(depth, own));
      ContractionSource::Element at = operand.source->element(emit, ofLine, ofDepth);
      places.push_back(place(emit.add(stage, placeOf(operand, row, element))));
      if (isWord) {
        copyAsync("llvm.nvvm.cp.async.ca.shared.global.4.s", wordBytes, at, places.back());
        return;
      }
      auto get = [&] { return Values{load(bits, at.pointer, tile.elementBytes())}; };
      values.push_back(
          at.exists ? emit.choose(at.exists, bits, get, [&] { return Values{emit.zero(bits)}; })[0]
                    : get()[0]);
    }
    for (auto [value, to] : llvm::zip(values, places))
      store(value, to, tile.elementBytes());
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

void StagesEngine::start(Operand &a, Operand &b, Value depth, Value end, Value stage) {
  emit.branch(emit.less(depth, end), [&] {
    copy(a, depth, stage);
    copy(b, depth, stage);
  });
  call("llvm.nvvm.cp.async.commit.group", Type(), {});
}

void StagesEngine::await(int64_t left) {
  Value number = emit.builder.create<arith::ConstantIntOp>(emit.loc, left, 32);
  call("llvm.nvvm.cp.async.wait.group", Type(), number);
}

Value StagesEngine::behind(Value stage, int64_t stages) {
  int64_t bytes = tile.stageBytes();
  Value next = emit.add(stage, stages * bytes);
  Value isBeyond = emit.less(emit.constant(tile.stages() * bytes - 1), next);
  return emit.select(isBeyond, emit.sub(next, emit.constant(tile.stages() * bytes)), next);
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
