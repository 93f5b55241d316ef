#include "codegen/gpu/contractions/ContractionEngine.h"

#include "codegen/gpu/CudaMachine.h"
#include "codegen/gpu/contractions/ContractionMatrices.h"
#include "codegen/gpu/contractions/ContractionTensorFloats.h"
#include "codegen/gpu/contractions/ContractionThreads.h"
#include "codegen/gpu/contractions/ContractionWarpgroups.h"
#include "codegen/gpu/threads/ThreadBlock.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace keratin::codegen;
using namespace mlir;

std::unique_ptr<ContractionEngine> ContractionEngine::make(LoopEmitter &emit,
                                                           const ContractionTile &tile,
                                                           Type sumType, Value shared,
                                                           Value thread) {
  switch (tile.units) {
  case ContractionTile::Units::Threads:
    return std::make_unique<ThreadsEngine>(emit, tile, sumType, shared, thread);
  case ContractionTile::Units::Doubles:
    return std::make_unique<DoublesEngine>(emit, tile, sumType, shared, thread);
  case ContractionTile::Units::LargeDoubles:
    return std::make_unique<LargeDoublesEngine>(emit, tile, sumType, shared, thread);
  case ContractionTile::Units::Halves:
    return std::make_unique<HalvesEngine>(emit, tile, sumType, shared, thread);
  case ContractionTile::Units::TensorFloats:
    return std::make_unique<TensorFloatEngine>(emit, tile, sumType, shared, thread);
  case ContractionTile::Units::Warpgroups:
    return std::make_unique<WarpgroupsEngine>(emit, tile, sumType, shared, thread);
  }
  llvm_unreachable("all are named");
}

ContractionEngine::~ContractionEngine() = default;

ContractionEngine::ContractionEngine(LoopEmitter &emit, const ContractionTile &tile, Type sumType,
                                     Value shared, Value thread)
    : emit(emit), tile(tile), sumType(sumType), shared(shared), thread(thread) {
  warpRow = emit.div(thread, emit.constant(warpThreads));
  warpColumn = emit.popBits(warpRow, emit.constant(tile.warpColumns));
  laneRow = emit.rem(thread, emit.constant(warpThreads));
  laneColumn = emit.popBits(laneRow, emit.constant(tile.laneColumns()));
}

Value ContractionEngine::load(Type type, Value pointer, int64_t alignment) {
  return emit.builder.create<LLVM::LoadOp>(emit.loc, type, pointer, unsigned(alignment));
}

void ContractionEngine::store(Value value, Value pointer, int64_t alignment) {
  emit.builder.create<LLVM::StoreOp>(emit.loc, value, pointer, unsigned(alignment));
}

Value ContractionEngine::inSlice(Value row, Value column) {
  Value inBlock = emit.add(emit.mul(warpRow, tile.sliceOfWarp()), row);
  return emit.address(shared, sumType, emit.add(emit.mul(inBlock, tile.resultPitch()), column));
}

void ContractionEngine::whereExists(const Result &result, const Place &place,
                                    llvm::function_ref<void()> run) {
  Value exists;
  auto within = [&](Value position, Value count) {
    if (!count)
      return;
    Value isThere = emit.less(position, count);
    exists = exists ? emit.logicalAnd(exists, isThere) : isThere;
  };
  within(place.row, result.rows);
  within(place.column, result.columns);
  if (exists)
    emit.branch(exists, run);
  else
    run();
}

void ContractionEngine::forEach(int64_t rows, int64_t group, const Result &result, int64_t atOnce,
                                llvm::function_ref<Value(Value)> rowOf, Load load, Store store) {
  int64_t ofRow = tile.columns() / group, all = rows * ofRow;
  while (all % (atOnce * tile.threads()) != 0)
    atOnce /= 2;
  emit.loop(thread, emit.constant(all), atOnce * tile.threads(), [&](Value number) {
    SmallVector<Place> loaded, stored;
    for (int64_t i = 0; i < atOnce; ++i) {
      Value row = emit.add(number, i * tile.threads());
      Value first = emit.mul(emit.popBits(row, emit.constant(ofRow)), group);
      Value inTile = rowOf(row);
      loaded.push_back({row, first});
      stored.push_back({inTile, first});
    }
    if (atOnce == 1) {
      whereExists(result, stored[0],
                  [&] { store(stored[0].row, stored[0].column, load(loaded, group)[0]); });
      return;
    }
    Values sums = load(loaded, group);
    for (int64_t i = 0; i < atOnce; ++i)
      whereExists(result, stored[i], [&] { store(stored[i].row, stored[i].column, sums[i]); });
  });
}

void ContractionEngine::handOn(int64_t rows, const Result &result,
                               llvm::function_ref<Value(Value)> rowOf, Load load, Store store) {
  auto each = [&](int64_t group) { forEach(rows, group, result, 1, rowOf, load, store); };
  if (result.isGrouped)
    emit.branch(result.isGrouped, [&] { each(tile.group()); }, [&] { each(1); });
  else
    each(1);
}

// Through shared memory, a slice after the other: whatever shape a thread's
// sums have, memory is written line by line, and what follows elementwise is
// emitted for one group, not for all.
void ContractionEngine::finish(ValueRange sums, const Result &result, Store store) {
  ThreadBlock block(emit.builder, emit.loc);
  emit.loop(emit.constant(0), emit.constant(tile.slices()), 1, [&](Value slice) {
    for (int64_t number = 0; number < tile.slices(); ++number)
      emit.branch(emit.equal(slice, emit.constant(number)), [&] { writeSlice(sums, number); });
    block.barrier();
    auto rowOf = [&](Value row) {
      Value inWarp = emit.popCounter(row, emit.constant(tile.sliceOfWarp()));
      Value first = emit.add(emit.mul(row, tile.warpPitch()), emit.mul(slice, tile.slicePitch()));
      return emit.add(first, inWarp);
    };
    auto load = [&](ArrayRef<Place> places, int64_t group) {
      const Place &place = places[0];
      Value at = emit.add(emit.mul(place.row, tile.resultPitch()), place.column);
      return Values{this->load(group > 1 ? groupType() : sumType, emit.address(shared, sumType, at),
                               group * tile.sumBytes)};
    };
    handOn(tile.sliceRows(), result, rowOf, load, store);
    block.barrier();
  });
}

void ContractionEngine::hand(const Result &result, int64_t atOnce, Load load, Store store) {
  auto rowOf = [](Value row) { return row; };
  auto groups = [&] { forEach(tile.rows(), tile.group(), result, atOnce, rowOf, load, store); };
  // Groups are loaded in any case.
  auto scalars = [&] {
    auto storeEach = [&](Value row, Value column, Value sums) {
      for (int64_t i = 0; i < tile.group(); ++i) {
        const Place place = {row, emit.add(column, i)};
        Value sum = emit.builder.create<vector::ExtractOp>(emit.loc, sums, ArrayRef<int64_t>{i});
        whereExists({Value(), result.columns, Value()}, place,
                    [&] { store(place.row, place.column, sum); });
      }
    };
    forEach(tile.rows(), tile.group(), {result.rows, Value(), Value()}, /*atOnce=*/1, rowOf, load,
            storeEach);
  };
  if (result.isGrouped)
    emit.branch(result.isGrouped, groups, scalars);
  else
    scalars();
}
