#include "codegen/gpu/contractions/ContractionTensorFloatWarpgroups.h"

#include "codegen/gpu/threads/ThreadBlock.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace keratin::codegen;
using namespace mlir;

// Of neighbours that are read at once.
static constexpr int64_t group = 4;

Value TensorFloatWarpgroupsEngine::rounded(Value number) {
  return emit.builder.create<LLVM::BitcastOp>(emit.loc, sumType, roundedToTf32(emit, number));
}

//===-- By groups -----------------------------------------------------------------------------===//

// Neighbouring threads read neighbouring groups: of a line along the depth, eight. Where neighbours
// are lines, eight groups of four depths each: so of eight threads that write at the same time,
// four depths of two lines that are four apart, no two meet in a bank. What a thread reads after
// the first is so many lines further that its chunks stay where they are in their rows.
TensorFloatWarpgroupsEngine::Turned
TensorFloatWarpgroupsEngine::planTurned(ContractionSource &source, bool isA) {
  Turned result = {operandOf(source, isA), {}, {}, 0, false};
  const Operand &operand = result.operand;
  const int64_t groups = tile.depth / group;
  result.isTurned = source.neighbours == ContractionSource::Neighbours::Lines;
  result.lines = tile.threads() / groups * (result.isTurned ? group : 1);
  Value line = thread, depth;
  if (result.isTurned) {
    depth = emit.popBits(line, emit.constant(group));
    Value lines = emit.popBits(line, emit.constant(result.lines / group));
    depth = emit.add(depth, emit.mul(line, group));
    line = emit.mul(lines, group);
  } else {
    depth = emit.popBits(line, emit.constant(groups));
  }
  depth = emit.mul(depth, group);
  for (int64_t j = 0; j < (result.isTurned ? group : 1); ++j)
    result.places.push_back(placeOf(operand, emit.add(line, j), depth));
  for (int64_t lines = 0; lines < operand.lines; lines += result.lines) {
    Values ofLine = source.line(emit, emit.add(line, lines));
    for (int64_t j = 0; j < int64_t(result.places.size()); ++j)
      result.reads.push_back({ofLine, emit.add(depth, j)});
  }
  return result;
}

TensorFloatWarpgroupsEngine::Values TensorFloatWarpgroupsEngine::read(Turned &operand,
                                                                      Value depth) {
  ContractionSource &source = *operand.operand.source;
  Values values;
  for (Turned::Read &each : operand.reads) {
    Values position = source.depth(emit, emit.add(depth, each.depth));
    ContractionSource::Element element = source.element(emit, each.line, position);
    auto get = [&] { return Values{load(groupType(), element.pointer, 16)}; };
    values.push_back(element.exists ? emit.choose(element.exists, groupType(), get,
                                                  [&] { return Values{emit.zero(groupType())}; })[0]
                                    : get()[0]);
  }
  return values;
}

void TensorFloatWarpgroupsEngine::write(const Turned &operand, ValueRange values, Value stage) {
  auto number = [&](size_t read, int64_t i) -> Value {
    return emit.builder.create<vector::ExtractOp>(emit.loc, values[read], ArrayRef<int64_t>{i});
  };
  for (size_t i = 0; i < values.size(); ++i) {
    Value numbers = emit.zero(groupType());
    for (int64_t j = 0; j < group; ++j) {
      Value own = operand.isTurned ? number(i / group * group + size_t(j), int64_t(i % group))
                                   : number(i, j);
      numbers = emit.builder.create<vector::InsertOp>(emit.loc, rounded(own), numbers,
                                                      ArrayRef<int64_t>{j});
    }
    Value first = place(emit.add(stage, operand.places[i % operand.places.size()]));
    int64_t lines = int64_t(i / operand.places.size()) * operand.lines;
    store(numbers,
          emit.address(first, emit.builder.getI8Type(), bytesOfLines(operand.operand, lines)), 16);
  }
}

TensorFloatWarpgroupsEngine::Values
TensorFloatWarpgroupsEngine::multiplyGroups(ContractionSource &a, ContractionSource &b, Value begin,
                                            Value end) {
  ThreadBlock block(emit.builder, emit.loc);
  Turned operands[] = {planTurned(a, true), planTurned(b, false)};
  // Of a depth that there is none of, the last again, which nobody multiplies.
  auto readAll = [&](Value depth, Value last) {
    Value from = emit.select(emit.less(depth, end), depth, last);
    Values values;
    for (Turned &operand : operands)
      values.append(read(operand, from));
    return values;
  };
  auto writeAll = [&](ValueRange values, Value stage) {
    for (Turned &operand : operands) {
      write(operand, values.take_front(operand.reads.size()), stage);
      values = values.drop_front(operand.reads.size());
    }
    fenceMemory();
    block.barrier();
  };
  auto open = [&] {
    writeAll(readAll(begin, begin), emit.constant(0));
    return Values{emit.constant(0)};
  };
  // The next stage is read as soon as all threads have come: the fence waits for whatever a thread
  // reads before it, and `ptxas` moves reads up to a barrier. Whoever comes there is done with the
  // stage before the last, in whose place the next is written.
  auto addOne = [&](Value depth, ValueRange carried) {
    Value stage = carried.back(), next = behind(stage, 1);
    Values values = readAll(emit.add(depth, tile.depth), depth);
    Values result = addStage(carried.drop_back(), operands[0].operand, operands[1].operand, stage);
    writeAll(values, next);
    result.push_back(next);
    return result;
  };
  Values made = addStages(begin, end, open, addOne);
  block.barrier();
  return made;
}

TensorFloatWarpgroupsEngine::Values TensorFloatWarpgroupsEngine::multiply(ContractionSource &a,
                                                                          ContractionSource &b,
                                                                          Value begin, Value end) {
  auto byWords = [&] { return WarpgroupsEngine::multiply(a, b, begin, end); };
  if (!a.isGrouped || !b.isGrouped)
    return byWords();
  SmallVector<Type> types(size_t(tile.threadRows * tile.threadColumns), sumType);
  return emit.choose(
      emit.logicalAnd(a.isGrouped, b.isGrouped), types,
      [&] { return multiplyGroups(a, b, begin, end); }, byWords);
}

//===-- By words ------------------------------------------------------------------------------===//

StagesEngine::Operand TensorFloatWarpgroupsEngine::operandOf(ContractionSource &source, bool isA) {
  return {&source, isA, isA ? tile.rows() : tile.columns(), baseOf(isA), false, {}, {}, {}};
}

void TensorFloatWarpgroupsEngine::prepare(Operand &operand, Value stage) {
  forElements(operand, 4, [&](ArrayRef<Element> elements) {
    Values numbers, places;
    for (const Element &element : elements) {
      places.push_back(place(emit.add(stage, element.place)));
      numbers.push_back(load(sumType, places.back(), tile.elementBytes()));
    }
    for (auto [number, to] : llvm::zip(numbers, places))
      store(rounded(number), to, tile.elementBytes());
  });
}
