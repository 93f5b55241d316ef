#include "codegen/gpu/contractions/ContractionParts.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "llvm/ADT/bit.h"

#include <algorithm>

using namespace keratin::codegen;
using namespace mlir;

// Groups of numbers that a thread has on their way at once: the last block to come is one of few
// that still run, and waits for memory. Places of the tile among them at most: what follows the
// sums is there once for each.
static constexpr int64_t groupsAtOnce = 16, mostPlaces = 4;

static int64_t placesAtOnce(std::optional<int64_t> parts) {
  int64_t fit = groupsAtOnce / std::min(parts.value_or(mostPlaces), groupsAtOnce);
  return std::clamp<int64_t>(int64_t(llvm::bit_floor(uint64_t(fit))), 2, mostPlaces);
}

Value ContractionParts::place(Value unit, Value row, Value column) {
  return emit.address(meeting.part(unit), sumType, emit.add(emit.mul(row, tile.columns()), column));
}

ContractionEngine::Values ContractionParts::sum(Value firstUnit, Value parts,
                                                ArrayRef<ContractionEngine::Place> places,
                                                int64_t group) {
  using Values = ContractionEngine::Values;
  Type type = group > 1 ? Type(VectorType::get(group, sumType)) : sumType;
  auto load = [&](Value part, Values &loaded) {
    for (const ContractionEngine::Place &at : places) {
      Value from = place(emit.add(firstUnit, part), at.row, at.column);
      loaded.push_back(
          k.b.create<LLVM::LoadOp>(k.loc, type, from, unsigned(group * tile.sumBytes)));
    }
  };
  // So many parts from there on: all are read before the first is added. Null sums: they begin.
  auto take = [&](Value first, int64_t count, Values sums) {
    Values loaded;
    for (int64_t ahead = 0; ahead < count; ++ahead)
      load(emit.add(first, ahead), loaded);
    for (auto [number, one] : llvm::enumerate(loaded)) {
      size_t at = number % places.size();
      if (sums.size() <= at)
        sums.push_back(one);
      else
        sums[at] = addSums(emit, sums[at], one);
    }
    return sums;
  };
  auto walk = [&](Value from, Value to, int64_t step, Values sums) {
    return Values(emit.loop(from, to, step, sums, [&](Value part, ValueRange carried) {
      return take(part, step, Values(carried));
    }));
  };
  const int64_t step = std::max<int64_t>(1, groupsAtOnce / int64_t(places.size()));
  Value zero = emit.constant(0), one = emit.constant(1);
  if (std::optional<int64_t> known = emit.constantOf(parts)) {
    int64_t few = (*known - 1) % step + 1;
    Values sums = take(zero, few, {});
    return few == *known ? sums : walk(emit.constant(few), parts, step, std::move(sums));
  }
  Value few = emit.add(one, emit.rem(emit.sub(parts, one), emit.constant(step)));
  return walk(few, parts, step, walk(one, few, 1, take(zero, 1, {})));
}

void ContractionParts::meet(ContractionEngine &engine, ValueRange sums, Value unit, Value number,
                            Value parts, const ContractionEngine::Result &result,
                            ContractionEngine::Store store) {
  Value always = emit.equal(emit.constant(0), emit.constant(0));
  engine.finish(sums, {Value(), Value(), always}, [&](Value row, Value column, Value group) {
    k.b.create<LLVM::StoreOp>(k.loc, group, place(unit, row, column), 16);
  });
  emit.branch(meeting.isLast(number, parts), [&] {
    auto load = [&](ArrayRef<ContractionEngine::Place> places, int64_t group) {
      return sum(emit.mul(number, parts), parts, places, group);
    };
    engine.hand(result, placesAtOnce(emit.constantOf(parts)), load, store);
  });
}
