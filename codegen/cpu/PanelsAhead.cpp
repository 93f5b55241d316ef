#include "codegen/cpu/PanelsAhead.h"

#include "codegen/elements/SpecSizes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace keratin::codegen;

using Ahead = ContractionPanel::Ahead;

bool keratin::codegen::hasRuns(const ContractionOperand &operand, Type type) {
  return operand.elementType == type &&
         (operand.constantColStride == 1 || operand.constantRowStride == 1);
}

RunsAhead keratin::codegen::runsOf(LoopEmitter &emit, const ContractionOperand &operand,
                                   Value batch, Value row, Value column, Value rows,
                                   Value columns) {
  Value rowStride = strideOf(emit, operand.rowStride, operand.constantRowStride);
  Value colStride = strideOf(emit, operand.colStride, operand.constantColStride);
  Value offset = emit.add(emit.mul(row, rowStride), emit.mul(column, colStride));
  Value source = entryOf(emit, operand, batch, offset);
  if (operand.constantColStride == 1)
    return {source, rows, columns, rowStride};
  return {source, columns, rows, colStride};
}

Value keratin::codegen::tilesAhead(LoopEmitter &emit, const ContractionPlan &plan, Value rows) {
  if (plan.evensRows)
    return emit.ceilDiv(rows, emit.constant(plan.tileRows));
  Value repeated = emit.constant(plan.tailRows ? 0 : plan.repeatedRows);
  return emit.max(emit.div(emit.add(rows, repeated), emit.constant(plan.tileRows)),
                  emit.constant(1));
}

Ahead keratin::codegen::partAhead(LoopEmitter &emit, const ContractionPlan &plan,
                                  const ContractionPanel &job, const RunsAhead &memory, Type type,
                                  Value number, Value count) {
  Value zero = emit.constant(0), one = emit.constant(1);
  const int64_t strip = kPanelsAhead * plan.tileColumns();
  // Runs that lie one behind the other are one.
  Value isOneRun = emit.equal(memory.apart, memory.length);
  Value runLength = emit.select(isOneRun, emit.mul(memory.runs, memory.length), memory.length);
  Value stripsOfRun = emit.max(emit.ceilDiv(runLength, emit.constant(strip)), one);
  Value betweenRuns =
      emit.select(isOneRun, zero, emit.sub(memory.apart, emit.mul(stripsOfRun, strip)));
  Value strips = emit.mul(stripsOfRun, emit.select(isOneRun, one, memory.runs));
  Value tiles = tilesAhead(emit, plan, job.rows);
  Value ofPart = emit.ceilDiv(strips, emit.max(count, one));
  Value every = emit.max(emit.div(emit.mul(tiles, job.depth), emit.max(ofPart, one)), one);
  Value before = emit.mul(emit.mul(number, tiles), emit.ceilDiv(job.depth, every));
  Value line = emit.div(before, stripsOfRun);
  Value inLine = emit.sub(before, emit.mul(line, stripsOfRun));
  Value at = emit.add(emit.mul(line, emit.select(isOneRun, runLength, memory.apart)),
                      emit.mul(inLine, strip));
  return {emit.address(memory.source, type, at),
          emit.mul(emit.sub(stripsOfRun, inLine), kPanelsAhead),
          emit.mul(stripsOfRun, kPanelsAhead), betweenRuns, every};
}

Ahead keratin::codegen::nothingAhead(LoopEmitter &emit, const ContractionPanel &job, Value place) {
  Value one = emit.constant(1);
  return {place, one, one, emit.constant(0), emit.max(job.depth, one)};
}

Ahead keratin::codegen::chooseAhead(LoopEmitter &emit, Value condition, MakeAhead then,
                                    MakeAhead otherwise) {
  SmallVector<Type> types(5, emit.constant(0).getType());
  types.front() = LLVM::LLVMPointerType::get(emit.builder.getContext());
  auto values = [](const Ahead &ahead) {
    return LoopEmitter::Values{ahead.from, ahead.left, ahead.runLength, ahead.betweenRuns,
                               ahead.every};
  };
  LoopEmitter::Values found = emit.choose(
      condition, types, [&] { return values(then()); }, [&] { return values(otherwise()); });
  return {found[0], found[1], found[2], found[3], found[4]};
}
