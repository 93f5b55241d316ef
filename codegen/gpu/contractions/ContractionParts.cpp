#include "codegen/gpu/contractions/ContractionParts.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;

// Parts that are on their way at once.
static constexpr int64_t partsAtOnce = 4;

Value ContractionParts::place(Value unit, Value row, Value column) {
  return emit.address(meeting.part(unit), sumType, emit.add(emit.mul(row, tile.columns()), column));
}

Value ContractionParts::sum(Value firstUnit, Value parts, Value row, Value column, int64_t group) {
  Type type = group > 1 ? Type(VectorType::get(group, sumType)) : sumType;
  auto load = [&](Value part) -> Value {
    Value from = place(emit.add(firstUnit, part), row, column);
    return k.b.create<LLVM::LoadOp>(k.loc, type, from, unsigned(group * tile.sumBytes));
  };
  auto walk = [&](Value from, Value to, int64_t step, Value sum) {
    return emit.loop(from, to, step, sum, [&](Value part, ValueRange carried) {
      LoopEmitter::Values read;
      for (int64_t ahead = 0; ahead < step; ++ahead)
        read.push_back(load(emit.add(part, ahead)));
      Value total = carried[0];
      for (Value one : read)
        total = addSums(emit, total, one);
      return LoopEmitter::Values{total};
    })[0];
  };
  Value zero = emit.constant(0), one = emit.constant(1);
  Value left = emit.rem(emit.sub(parts, one), emit.constant(partsAtOnce));
  Value few = emit.add(one, left);
  return walk(few, parts, partsAtOnce, walk(one, few, 1, load(zero)));
}

void ContractionParts::meet(ContractionEngine &engine, ValueRange sums, Value unit, Value number,
                            Value parts, const ContractionEngine::Result &result,
                            ContractionEngine::Store store) {
  Value always = emit.equal(emit.constant(0), emit.constant(0));
  engine.finish(sums, {Value(), Value(), always}, [&](Value row, Value column, Value group) {
    k.b.create<LLVM::StoreOp>(k.loc, group, place(unit, row, column), 16);
  });
  emit.branch(meeting.isLast(number, parts), [&] {
    auto load = [&](Value row, Value column, int64_t group) {
      return sum(emit.mul(number, parts), parts, row, column, group);
    };
    engine.hand(result, load, store);
  });
}
