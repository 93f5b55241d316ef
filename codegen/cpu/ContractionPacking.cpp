#include "codegen/cpu/ContractionPacking.h"

#include "codegen/cpu/ContractionPairs.h"
#include "codegen/lowering/Rounding.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace keratin::codegen;

const char *keratin::codegen::howPacked(const ContractionPlan &plan) {
  if (plan.usesAmx)
    return plan.depthStep == 4 ? "_amx_fours" : "_amx";
  return plan.depthStep == 4 ? "_fours" : plan.isOfIntegers ? "_pairs" : "";
}

Type keratin::codegen::numberType(LoopEmitter &emit, const ContractionPlan &plan, Type type) {
  return plan.isOfPairs() ? emit.builder.getIntegerType(32 / plan.depthStep) : type;
}

// What numbers are loaded from: those that are not widened are bits.
static Type memoryType(LoopEmitter &emit, const ContractionPlan &plan, Type type, Type sourceType) {
  const Type number = numberType(emit, plan, type);
  const unsigned bits = number.getIntOrFloatBitWidth();
  return plan.isOfPairs() && sourceType.getIntOrFloatBitWidth() == bits ? number : sourceType;
}

Value keratin::codegen::loadNumber(LoopEmitter &emit, const ContractionPlan &plan, Type type,
                                   Type sourceType, Value from) {
  return emit.loadAs(numberType(emit, plan, type), memoryType(emit, plan, type, sourceType), from);
}

Value keratin::codegen::loadElements(LoopEmitter &emit, const ContractionPlan &plan, Type type,
                                     Type sourceType, int64_t lanes, Value from, Value mask) {
  if (!plan.isOfPairs())
    return emit.loadAs(type, sourceType, lanes, from, mask);
  Value numbers =
      emit.loadAs(numberType(emit, plan, type), memoryType(emit, plan, type, sourceType),
                  lanes * plan.depthStep, from, mask);
  return emit.builder.create<vector::BitCastOp>(emit.loc, VectorType::get(lanes, type), numbers);
}

namespace {

using Access = ContractionPlan::Access;
// What loops carry along: of pairs the least magnitude so far (ContractionPairs.h), else nothing.
using Values = LoopEmitter::Values;

const char *accessName(Access access) {
  switch (access) {
  case Access::Direct:
  case Access::Copied:
    return "copied";
  case Access::Transposed:
    return "transposed";
  case Access::Gathered:
    return "gathered";
  }
  return nullptr;
}

Value element(LoopEmitter &emit, Type type, Value source, Value row, Value rowStride, Value col,
              Value colStride) {
  return emit.address(source, type, emit.add(emit.mul(row, rowStride), emit.mul(col, colStride)));
}

// For each whole step, and for the last one where it is a part: body(step, whether it is whole).
Values forSteps(LoopEmitter &emit, const ContractionPlan &plan, Value depth, int64_t unroll,
                Values least, llvm::function_ref<Values(Value, bool, Values)> body) {
  Value steps = emit.div(depth, emit.constant(plan.depthStep));
  Value most = emit.mul(emit.div(steps, emit.constant(unroll)), unroll);
  least = emit.loop(emit.constant(0), most, unroll, least, [&](Value step, ValueRange state) {
    Values least(state);
    for (int64_t u = 0; u < unroll; ++u)
      least = body(emit.add(step, u), true, least);
    return least;
  });
  auto one = [&](bool isWhole) {
    return
        [&, isWhole](Value step, ValueRange state) { return body(step, isWhole, Values(state)); };
  };
  if (unroll > 1)
    least = emit.loop(most, steps, 1, least, one(true));
  if (plan.isOfPairs())
    least =
        emit.loop(steps, emit.ceilDiv(depth, emit.constant(plan.depthStep)), 1, least, one(false));
  return least;
}

// The elements of one step from `lanes` numbers on, which lie next to each other; `left`: how many
// steps of one are left where these are not enough for it.
Value packedLanes(LoopEmitter &emit, const ContractionPlan &plan, Type type, Type sourceType,
                  Value from, Value depthStride, Value left, Value mask) {
  if (!plan.isOfPairs())
    return emit.loadAs(type, sourceType, plan.lanes, from, mask);
  const Type number = numberType(emit, plan, type);
  Values numbers;
  for (int64_t i = 0; i < plan.depthStep; ++i) {
    auto load = [&]() -> Values {
      Value at = emit.address(from, sourceType, emit.mul(depthStride, i));
      return {emit.loadAs(number, memoryType(emit, plan, type, sourceType), plan.lanes, at, mask)};
    };
    const Type vector = VectorType::get(plan.lanes, number);
    auto zero = [&]() -> Values { return {emit.zero(vector)}; };
    if (!left || i == 0)
      numbers.append(load());
    else if (i == plan.depthStep - 1)
      numbers.append(zero());
    else
      numbers.append(emit.choose(emit.less(emit.constant(i), left), vector, load, zero));
  }
  return emitPairs(emit, numbers);
}

// Alternates elements of x and y, in each piece of so many lanes, from one on.
Value interleaved(LoopEmitter &emit, Value x, Value y, int64_t piece, int64_t from) {
  const int64_t lanes = cast<VectorType>(x.getType()).getNumElements();
  SmallVector<int64_t> order;
  for (int64_t first = 0; first < lanes; first += piece)
    for (int64_t i = first + from; i < first + from + piece / 2; ++i)
      order.append({i, lanes + i});
  return emit.builder.create<vector::ShuffleOp>(emit.loc, x, y, order);
}

// In each piece of as many lanes as there are vectors, row i becomes column i. Pieces of 16 bytes
// have the cheapest shuffles.
Values transposed(LoopEmitter &emit, Values vectors) {
  const int64_t piece = vectors.size();
  for (int64_t round = 1; round < piece; round *= 2) {
    Values mixed;
    for (int64_t i = 0; i < piece / 2; ++i)
      for (int64_t from : {int64_t(0), piece / 2})
        mixed.push_back(interleaved(emit, vectors[i], vectors[i + piece / 2], piece, from));
    vectors = std::move(mixed);
  }
  return vectors;
}

// Panels of B copied row by row: reads are sequential, writes are whole lines.
class ColumnPacker {
public:
  ColumnPacker(LoopEmitter &emit, const ContractionPlan &plan, const PackedColumns &block)
      : emit(emit), plan(plan), block(block), width(emit.constant(plan.tileColumns())),
        fullPanels(emit.div(block.columnsHere, width)),
        panels(emit.ceilDiv(block.columnsHere, width)), zero(emit.constant(0)) {}

  void pack() {
    emitKeepLeast(emit, packed(emitLeastSoFar(emit, plan, block.least)), block.least);
    fill();
  }

private:
  // Steps behind the depth.
  void fill() {
    if (plan.stepsAtOnce() == 1)
      return;
    Value steps = emit.ceilDiv(block.depth, emit.constant(plan.depthStep));
    Value end = emit.roundUp(steps, plan.stepsAtOnce());
    Value zeros = emit.zero(VectorType::get(plan.lanes, block.type));
    emit.loop(block.firstPanel, panels, 1, [&](Value panel) {
      Value to = packedPanel(emit, plan, block, panel);
      emit.loop(steps, end, 1, [&](Value step) {
        Value row = emit.address(to, block.type, emit.mul(step, width));
        for (int64_t v = 0; v < plan.tileVectors; ++v)
          emit.store(zeros, emit.address(row, block.type, v * plan.lanes));
      });
    });
  }

  Values packed(Values least) {
    switch (plan.b) {
    case Access::Direct:
    case Access::Copied:
      return copy(least);
    case Access::Transposed:
      return transpose(least);
    case Access::Gathered:
      return gather(zero, block.firstPanel, panels, least);
    }
    return least;
  }

  Values copy(Values before) {
    Value depth = block.depth;
    auto copyRow = [&](Value panel, Value step, bool isWhole, bool masked, Values least) {
      Value k = emit.mul(step, plan.depthStep), left = isWhole ? Value() : emit.sub(depth, k);
      Value row = emit.address(block.source, block.sourceType, emit.mul(k, block.rowStride));
      Value n = emit.mul(panel, width);
      Value from = emit.address(row, block.sourceType, n);
      Value to =
          emit.address(packedPanel(emit, plan, block, panel), block.type, emit.mul(step, width));
      for (int64_t v = 0; v < plan.tileVectors; ++v) {
        int64_t lane = v * plan.lanes;
        Value mask;
        if (masked)
          mask = emit.firstLanes(plan.lanes, emit.sub(block.columnsHere, emit.add(n, lane)));
        Value packed =
            packedLanes(emit, plan, block.type, block.sourceType,
                        emit.address(from, block.sourceType, lane), block.rowStride, left, mask);
        emit.store(packed, emit.address(to, block.type, lane));
        emitLeastOf(emit, packed, least);
      }
      return least;
    };
    auto copyRows = [&](Value begin, Value end, Value step, bool isWhole, bool masked,
                        Values least) {
      return emit.loop(begin, end, 1, least, [&](Value panel, ValueRange state) {
        return copyRow(panel, step, isWhole, masked, Values(state));
      });
    };
    // So wide are panels for a row or two, of which the last alone is packed.
    if (plan.tileVectors > 4)
      return forSteps(emit, plan, depth, 1, before, [&](Value step, bool isWhole, Values least) {
        return copyRows(block.firstPanel, panels, step, isWhole, true, least);
      });
    auto copyAll = [&] {
      return forSteps(emit, plan, depth, 1, before, [&](Value step, bool isWhole, Values least) {
        least = copyRows(block.firstPanel, fullPanels, step, isWhole, false, least);
        return copyRows(fullPanels, panels, step, isWhole, true, least);
      });
    };
    // A panel alone has rows too short for a loop in each.
    constexpr int64_t unroll = 4;
    Value panel = block.firstPanel, end = emit.add(panel, 1);
    auto copyOne = [&] {
      return forSteps(emit, plan, depth, unroll, before,
                      [&](Value step, bool isWhole, Values least) {
                        return copyRow(panel, step, isWhole, false, least);
                      });
    };
    Value isAlone = emit.logicalAnd(emit.equal(fullPanels, end), emit.equal(panels, end));
    return emit.choose(isAlone, TypeRange(ValueRange(before)), copyOne, copyAll);
  }

  // Whole panels through transposes in registers; what is left in depth or in columns one by one.
  Values transpose(Values least) {
    int64_t chunk = 128 / block.type.getIntOrFloatBitWidth(), chunkDepth = chunk * plan.depthStep;
    Value wholeDepth = emit.mul(emit.div(block.depth, emit.constant(chunkDepth)), chunkDepth);
    auto transposePanel = [&](Value panel, Values least) {
      Value to = packedPanel(emit, plan, block, panel);
      for (int64_t v = 0; v < plan.tileVectors; ++v) {
        Value n = emit.add(emit.mul(panel, width), v * plan.lanes);
        Value from = emit.address(block.source, block.sourceType, emit.mul(n, block.colStride));
        // Every chunk-th column has a pointer of its own, the columns between lie at common offsets
        // from it: so all addresses stay in registers.
        LoopEmitter::Values carried, offsets;
        for (int64_t column = 0; column < plan.lanes; column += chunk)
          carried.push_back(
              emit.address(from, block.sourceType, emit.mul(block.colStride, column)));
        for (int64_t j = 0; j < chunk; ++j)
          offsets.push_back(emit.mul(block.colStride, j));
        const size_t columns = carried.size();
        carried.push_back(emit.address(to, block.type, v * plan.lanes));
        carried.append(least);
        carried = emit.loop(zero, wholeDepth, chunkDepth, carried, [&](Value, ValueRange state) {
          Values next, least(state.drop_front(columns + 1));
          transposeBlock(chunk, state.take_front(columns), offsets, state[columns], least);
          for (Value column : state.take_front(columns))
            next.push_back(emit.address(column, block.sourceType, chunkDepth));
          next.push_back(emit.address(state[columns], block.type, chunk * plan.tileColumns()));
          next.append(least);
          return next;
        });
        least = Values(ValueRange(carried).drop_front(columns + 1));
      }
      return least;
    };
    least = emit.loop(block.firstPanel, fullPanels, 1, least, [&](Value panel, ValueRange state) {
      return transposePanel(panel, Values(state));
    });
    least = gather(wholeDepth, block.firstPanel, fullPanels, least);
    return gather(zero, fullPanels, panels, least);
  }

  // `lanes` columns of `chunk` contiguous elements (16 bytes as they are packed) become `chunk`
  // rows of one vector. The loads place the 16-byte pieces so that what is left to do stays inside
  // 16-byte lanes, where shuffles are cheap.
  void transposeBlock(int64_t chunk, ValueRange columns, ValueRange offsets, Value to,
                      Values &least) {
    Values vectors;
    for (int64_t j = 0; j < chunk; ++j) {
      SmallVector<Value> parts;
      for (Value column : columns)
        parts.push_back(loadElements(emit, plan, block.type, block.sourceType, chunk,
                                     emit.address(column, block.sourceType, offsets[j])));
      while (parts.size() > 1) {
        SmallVector<Value> joined;
        for (size_t i = 0; i < parts.size(); i += 2)
          joined.push_back(concatenate(parts[i], parts[i + 1]));
        parts = std::move(joined);
      }
      vectors.push_back(parts.front());
      emitLeastOf(emit, parts.front(), least);
    }
    vectors = transposed(emit, std::move(vectors));
    for (int64_t k = 0; k < chunk; ++k)
      emit.store(vectors[k], emit.address(to, block.type, k * plan.tileColumns()));
  }

  Value concatenate(Value x, Value y) {
    SmallVector<int64_t> lanes;
    int64_t count = 2 * cast<VectorType>(x.getType()).getNumElements();
    for (int64_t i = 0; i < count; ++i)
      lanes.push_back(i);
    return emit.builder.create<vector::ShuffleOp>(emit.loc, x, y, lanes);
  }

  Values gather(Value fromDepth, Value fromPanel, Value toPanel, Values least) {
    Type number = numberType(emit, plan, block.type);
    Value step = emit.constant(plan.depthStep);
    return emit.loop(fromPanel, toPanel, 1, least, [&](Value panel, ValueRange least) {
      Value to = packedPanel(emit, plan, block, panel);
      return emit.loop(zero, width, 1, least, [&](Value column, ValueRange least) {
        Value n = emit.add(emit.mul(panel, width), column);
        Value exists = emit.less(n, block.columnsHere);
        Value from = emit.address(block.source, block.sourceType, emit.mul(n, block.colStride));
        Value end = emit.roundUp(block.depth, plan.depthStep);
        return emit.loop(fromDepth, end, 1, least, [&](Value k, ValueRange state) {
          Values least(state);
          Value isThere = exists;
          if (plan.isOfPairs())
            isThere = emit.logicalAnd(exists, emit.less(k, block.depth));
          Value value = emit.choose(
                                isThere, {number},
                                [&]() -> LoopEmitter::Values {
                                  Value at = emit.address(from, block.sourceType,
                                                          emit.mul(k, block.rowStride));
                                  return {loadNumber(emit, plan, block.type, block.sourceType, at)};
                                },
                                [&]() -> LoopEmitter::Values { return {emit.zero(number)}; })
                            .front();
          Value element = emit.add(emit.mul(emit.div(k, step), width), column);
          Value place = emit.add(emit.mul(element, step), emit.rem(k, step));
          emit.store(value, emit.address(to, number, place));
          emitLeastOf(emit, value, least);
          return least;
        });
      });
    });
  }

  LoopEmitter &emit;
  const ContractionPlan &plan;
  const PackedColumns block;
  Value width, fullPanels, panels, zero;
};

} // namespace

Value keratin::codegen::packedPanel(LoopEmitter &emit, const ContractionPlan &plan,
                                    const PackedColumns &block, Value panel) {
  Value rows = emit.mul(panel, block.panelDepth);
  return emit.address(block.packed, block.type, emit.mul(rows, plan.tileColumns()));
}

void keratin::codegen::emitPackColumns(LoopEmitter &emit, const ContractionPlan &plan,
                                       const PackedColumns &block) {
  std::string name =
      llvm::formatv("keratin_pack_columns_{0}_{1}_{2}_{3}x{4}{5}", accessName(plan.b),
                    block.sourceType, block.type, plan.tileVectors, plan.lanes, howPacked(plan));
  bool rowsKnown = plan.b == Access::Direct || plan.b == Access::Copied;
  Values arguments{block.source, block.rowStride,  block.colStride,   block.packed,
                   block.depth,  block.panelDepth, block.columnsHere, block.firstPanel};
  if (block.least)
    arguments.push_back(block.least);
  emit.callShared(name, arguments, [&](LoopEmitter &inner, ValueRange p) {
    Value one = inner.constant(1);
    Value rowStride = plan.b == Access::Transposed ? one : p[1];
    Value colStride = rowsKnown ? one : p[2];
    ColumnPacker(inner, plan,
                 {block.sourceType, block.type, p[0], rowStride, colStride, p[3], p[4], p[5], p[6],
                  p[7], block.least ? p[8] : Value()})
        .pack();
  });
}

// Rows of a packed tile whose columns are contiguous, rounded up to whole vectors.
static int64_t paddedTileRows(const ContractionPlan &plan) {
  return (plan.tileRows + plan.lanes - 1) / plan.lanes * plan.lanes;
}

// Between such tiles, which are written side by side: an odd number of vectors, so that they do not
// share their sets of the cache.
static int64_t betweenTiles(const ContractionPlan &plan) { return plan.lanes; }

// An odd number of vectors, so that rows do not share their sets of the cache.
Value keratin::codegen::packedRowStride(LoopEmitter &emit, const ContractionPlan &plan,
                                        const PackedRows &block) {
  if (block.columnsContiguous)
    return emit.constant(1);
  Value pairs = emit.div(emit.ceilDiv(block.rowDepth, emit.constant(plan.lanes)), emit.constant(2));
  return emit.mul(emit.add(emit.mul(pairs, 2), 1), plan.lanes);
}

int64_t keratin::codegen::packedDepthStride(const ContractionPlan &plan, bool columnsContiguous) {
  return columnsContiguous ? paddedTileRows(plan) : 1;
}

Value keratin::codegen::packedTileElements(LoopEmitter &emit, const ContractionPlan &plan,
                                           const PackedRows &block) {
  return block.columnsContiguous
             ? emit.add(emit.mul(block.rowDepth, paddedTileRows(plan)), betweenTiles(plan))
             : emit.mul(packedRowStride(emit, plan, block), plan.tileRows);
}

int64_t keratin::codegen::packedTileElements(const ContractionPlan &plan, int64_t rowDepth) {
  if (plan.aColumnsContiguous)
    return rowDepth * paddedTileRows(plan) + betweenTiles(plan);
  return plan.tileRows * (ceilDiv(rowDepth, plan.lanes) / 2 * 2 + 1) * plan.lanes;
}

static void emitPackRowsBody(LoopEmitter &emit, const ContractionPlan &plan,
                             const PackedRows &block) {
  Value zero = emit.constant(0);
  Value rowStride = packedRowStride(emit, plan, block);
  Value tileElements = packedTileElements(emit, plan, block);
  int64_t depthStride = packedDepthStride(plan, block.columnsContiguous);
  Type number = numberType(emit, plan, block.type);
  auto rowsOfTile = [&](Value m) {
    return emit.min(emit.sub(block.rowsHere, m), emit.constant(plan.tileRows));
  };
  auto packedTile = [&](Value m) {
    Value tile = emit.div(m, emit.constant(plan.tileRows));
    return emit.address(block.packed, block.type, emit.mul(tile, tileElements));
  };
  // For each k all tiles, as their rows lie next to each other.
  auto packColumns = [&](Values least) {
    return forSteps(emit, plan, block.depth, 1, least, [&](Value step, bool isWhole, Values least) {
      Value k = emit.mul(step, plan.depthStep);
      Value left = isWhole ? Value() : emit.sub(block.depth, k);
      return emit.loop(zero, block.rowsHere, plan.tileRows, least, [&](Value m, ValueRange state) {
        Values least(state);
        Value source =
            element(emit, block.sourceType, block.source, m, block.rowStride, k, block.colStride);
        Value rowsHere = rowsOfTile(m);
        Value target = emit.address(packedTile(m), block.type, emit.mul(step, depthStride));
        // Columns lie pages apart, where no hardware runs ahead.
        constexpr int64_t stepsAhead = 8;
        emit.bringNear(
            emit.address(source, block.sourceType, emit.mul(block.colStride, stepsAhead)), 1);
        for (int64_t row = 0; row < depthStride; row += plan.lanes) {
          Value mask = emit.firstLanes(plan.lanes, emit.sub(rowsHere, emit.constant(row)));
          Value packed =
              packedLanes(emit, plan, block.type, block.sourceType,
                          emit.address(source, block.sourceType, row), block.colStride, left, mask);
          emit.store(packed, emit.address(target, block.type, row));
          emitLeastOf(emit, packed, least);
        }
        return least;
      });
    });
  };
  // Rows that lie next to each other, as many as lanes: vectors of so many steps become vectors of
  // so many rows.
  auto transposeRows = [&](Values least) {
    const int64_t lanes = plan.lanes, stepDepth = lanes * plan.depthStep;
    Value wholeDepth = emit.mul(emit.div(block.depth, emit.constant(stepDepth)), stepDepth);
    return emit.loop(zero, block.rowsHere, lanes, least, [&](Value m, ValueRange state) {
      Value rows = emit.sub(block.rowsHere, m);
      Value source = emit.address(block.source, block.sourceType, m);
      Value target = emit.address(block.packed, block.type, emit.mul(m, rowStride));
      auto steps = [&](Value k0, bool isWhole, Values least) {
        Values vectors;
        for (int64_t step = 0; step < lanes; ++step) {
          Values numbers;
          for (int64_t i = 0; i < plan.depthStep; ++i) {
            Value k = emit.add(k0, step * plan.depthStep + i);
            Value count = isWhole ? rows : emit.select(emit.less(k, block.depth), rows, zero);
            Value from = emit.address(source, block.sourceType, emit.mul(k, block.colStride));
            numbers.push_back(
                emit.load(VectorType::get(lanes, number), from, emit.firstLanes(lanes, count)));
          }
          vectors.push_back(emitPairs(emit, numbers));
          emitLeastOf(emit, vectors.back(), least);
        }
        vectors = transposed(emit, vectors);
        for (auto [row, vector] : llvm::enumerate(vectors)) {
          Value at = emit.address(target, block.type, emit.mul(rowStride, row));
          emit.store(vector, emit.address(at, number, k0));
        }
        return least;
      };
      Values least = emit.loop(zero, wholeDepth, stepDepth, state, [&](Value k, ValueRange least) {
        return steps(k, true, Values(least));
      });
      return emit.loop(wholeDepth, block.depth, stepDepth, least,
                       [&](Value k, ValueRange least) { return steps(k, false, Values(least)); });
    });
  };
  // Tiles follow one another without gaps, and so do all rows.
  auto packRows = [&](Values least) {
    Value depth = block.depth;
    return emit.loop(zero, block.rowsHere, 1, least, [&](Value row, ValueRange state) {
      Values least(state);
      Value source = emit.address(block.source, block.sourceType, emit.mul(row, block.rowStride));
      Value target = emit.address(block.packed, block.type, emit.mul(row, rowStride));
      if (plan.a == Access::Gathered) {
        least = emit.loop(zero, depth, 1, least, [&](Value k, ValueRange state) {
          Values least(state);
          Value at = emit.address(source, block.sourceType, emit.mul(k, block.colStride));
          Value value = loadNumber(emit, plan, block.type, block.sourceType, at);
          emit.store(value, emit.address(target, number, k));
          emitLeastOf(emit, value, least);
          return least;
        });
        if (plan.isOfPairs())
          emit.loop(
              depth, emit.roundUp(depth, plan.depthStep * plan.stepsAtOnce()), 1,
              [&](Value k) { emit.store(emit.zero(number), emit.address(target, number, k)); });
        return least;
      }
      // Numbers in lanes outside of a mask are zero, those behind the depth among them.
      const int64_t lanes = plan.lanes * plan.depthStep;
      Value end = plan.usesAmx ? emit.roundUp(depth, plan.depthStep * plan.stepsAtOnce()) : depth;
      Value wholeDepth = emit.mul(emit.div(depth, emit.constant(lanes)), lanes);
      auto copy = [&](Value k, Value mask, Values least) {
        Value loaded = loadElements(emit, plan, block.type, block.sourceType, plan.lanes,
                                    emit.address(source, block.sourceType, k), mask);
        emit.store(loaded, emit.address(target, number, k));
        emitLeastOf(emit, loaded, least);
        return least;
      };
      least = emit.loop(zero, wholeDepth, lanes, least,
                        [&](Value k, ValueRange state) { return copy(k, nullptr, Values(state)); });
      return emit.loop(wholeDepth, end, lanes, least, [&](Value k, ValueRange state) {
        return copy(k, emit.firstLanes(lanes, emit.sub(depth, k)), Values(state));
      });
    });
  };
  Values least = emitLeastSoFar(emit, plan, block.least);
  if (plan.a == Access::Transposed)
    least = transposeRows(least);
  else
    least = block.columnsContiguous ? packColumns(least) : packRows(least);
  emitKeepLeast(emit, least, block.least);
}

void keratin::codegen::emitPackRows(LoopEmitter &emit, const ContractionPlan &plan,
                                    const PackedRows &block) {
  std::string name =
      llvm::formatv("keratin_pack_rows_{0}{1}_{2}_{3}_{4}x{5}{6}", accessName(plan.a),
                    block.columnsContiguous ? "_columns" : "", block.sourceType, block.type,
                    plan.tileRows, plan.lanes, howPacked(plan));
  Values arguments{block.source, block.rowStride, block.colStride, block.packed,
                   block.depth,  block.rowDepth,  block.rowsHere};
  if (block.least)
    arguments.push_back(block.least);
  emit.callShared(name, arguments, [&](LoopEmitter &inner, ValueRange p) {
    emitPackRowsBody(inner, plan,
                     {block.sourceType, block.type, p[0], p[1], p[2], p[3], p[4], p[5], p[6],
                      block.columnsContiguous, block.least ? p[7] : Value()});
  });
}

static void emitLeastOfRowsBody(LoopEmitter &emit, const ContractionPlan &plan,
                                const PackedRows &block) {
  Value zero = emit.constant(0);
  Values least = emitLeastSoFar(emit, plan, block.least);
  least = emit.loop(zero, block.rowsHere, 1, least, [&](Value row, ValueRange least) {
    Value source = emit.address(block.source, block.sourceType, emit.mul(row, block.rowStride));
    return emit.loop(
        zero, block.depth, plan.lanes * plan.depthStep, least, [&](Value k, ValueRange state) {
          Values least(state);
          emitLeastOf(emit,
                      loadElements(emit, plan, block.type, block.sourceType, plan.lanes,
                                   emit.address(source, block.sourceType, k)),
                      least);
          return least;
        });
  });
  emitKeepLeast(emit, least, block.least);
}

void keratin::codegen::emitLeastOfRows(LoopEmitter &emit, const ContractionPlan &plan,
                                       const PackedRows &block) {
  const std::string name = llvm::formatv("keratin_least_of_rows_{0}", plan.lanes);
  const Values arguments{block.source, block.rowStride, block.depth, block.rowsHere, block.least};
  emit.callShared(name, arguments, [&](LoopEmitter &inner, ValueRange p) {
    PackedRows rows = block;
    rows.source = p[0];
    rows.rowStride = p[1];
    rows.depth = p[2];
    rows.rowsHere = p[3];
    rows.least = p[4];
    emitLeastOfRowsBody(inner, plan, rows);
  });
}
