#include "codegen/cpu/ContractionPacking.h"

#include "codegen/cpu/ContractionPairs.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace keratin::codegen;

namespace {

using Access = ContractionPlan::Access;

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

// Runs body(depthBlock, first k, number of k) for the depth blocks of a packed block. Depths are
// those of the source, steps those of what is packed.
void forDepthBlocks(LoopEmitter &emit, const ContractionPlan &plan, Value depth,
                    llvm::function_ref<void(Value, Value, Value)> body) {
  Value size = emit.constant(plan.blockDepth());
  emit.loop(emit.constant(0), emit.ceilDiv(depth, size), 1, [&](Value depthBlock) {
    Value k = emit.mul(depthBlock, size);
    body(depthBlock, k, emit.min(size, emit.sub(depth, k)));
  });
}

Value element(LoopEmitter &emit, Type type, Value source, Value row, Value rowStride, Value col,
              Value colStride) {
  return emit.address(source, type, emit.add(emit.mul(row, rowStride), emit.mul(col, colStride)));
}

// For each whole step, and for the last one of an odd depth: body(step, whether a second number is
// there).
void forSteps(LoopEmitter &emit, const ContractionPlan &plan, Value depth, int64_t unroll,
              llvm::function_ref<void(Value, bool)> body) {
  Value steps = emit.div(depth, emit.constant(plan.depthStep));
  Value most = emit.mul(emit.div(steps, emit.constant(unroll)), unroll);
  emit.loop(emit.constant(0), most, unroll, [&](Value step) {
    for (int64_t u = 0; u < unroll; ++u)
      body(emit.add(step, u), true);
  });
  if (unroll > 1)
    emit.loop(most, steps, 1, [&](Value step) { body(step, true); });
  if (plan.isOfPairs())
    emit.loop(steps, emit.ceilDiv(depth, emit.constant(plan.depthStep)), 1,
              [&](Value step) { body(step, false); });
}

// The elements of one step from `lanes` numbers on, which lie next to each other.
Value packedLanes(LoopEmitter &emit, const ContractionPlan &plan, Type type, Type sourceType,
                  Value from, Value depthStride, bool isWhole, Value mask) {
  if (!plan.isOfPairs())
    return emit.loadAs(type, sourceType, plan.lanes, from, mask);
  auto bits = VectorType::get(plan.lanes, emit.builder.getI16Type());
  Value first = emit.load(bits, from, mask);
  Value second = isWhole ? emit.load(bits, emit.address(from, sourceType, depthStride), mask)
                         : emit.zero(bits);
  return emitPairs(emit, first, second);
}

// What packed elements are made of, one or more numbers.
Type numberType(LoopEmitter &emit, const ContractionPlan &plan, Type type) {
  return plan.isOfPairs() ? emit.builder.getI16Type() : type;
}

Value loadNumber(LoopEmitter &emit, const ContractionPlan &plan, Type type, Type sourceType,
                 Value from) {
  return plan.isOfPairs() ? emit.load(numberType(emit, plan, type), from)
                          : emit.loadAs(type, sourceType, from);
}

// `lanes` elements whose numbers lie next to each other.
Value loadElements(LoopEmitter &emit, const ContractionPlan &plan, Type type, Type sourceType,
                   int64_t lanes, Value from, Value mask = nullptr) {
  if (!plan.isOfPairs())
    return emit.loadAs(type, sourceType, lanes, from, mask);
  auto bits = VectorType::get(lanes * plan.depthStep, emit.builder.getI16Type());
  return emit.builder.create<vector::BitCastOp>(emit.loc, VectorType::get(lanes, type),
                                                emit.load(bits, from, mask));
}

// Panels of B copied row by row: reads are sequential, writes are whole lines.
class ColumnPacker {
public:
  ColumnPacker(LoopEmitter &emit, const ContractionPlan &plan, const PackedColumns &block)
      : emit(emit), plan(plan), block(block), width(emit.constant(plan.tileColumns())),
        fullPanels(emit.div(block.columnsHere, width)),
        panels(emit.ceilDiv(block.columnsHere, width)), zero(emit.constant(0)) {}

  void pack() {
    forDepthBlocks(emit, plan, block.depth, [&](Value depthBlock, Value k, Value depth) {
      switch (plan.b) {
      case Access::Direct:
      case Access::Copied:
        copy(depthBlock, k, depth);
        break;
      case Access::Transposed:
        transpose(depthBlock, k, depth);
        break;
      case Access::Gathered:
        gather(depthBlock, k, zero, depth, block.firstPanel, panels);
        break;
      }
    });
  }

private:
  void copy(Value depthBlock, Value k0, Value depth) {
    auto copyRow = [&](Value panel, Value step, bool isWhole, bool masked) {
      Value k = emit.mul(step, plan.depthStep);
      Value row =
          emit.address(block.source, block.sourceType, emit.mul(emit.add(k0, k), block.rowStride));
      Value n = emit.mul(panel, width);
      Value from = emit.address(row, block.sourceType, n);
      Value to = emit.address(packedPanel(emit, plan, block, depthBlock, panel), block.type,
                              emit.mul(step, width));
      for (int64_t v = 0; v < plan.tileVectors; ++v) {
        int64_t lane = v * plan.lanes;
        Value mask;
        if (masked)
          mask = emit.firstLanes(plan.lanes, emit.sub(block.columnsHere, emit.add(n, lane)));
        Value packed =
            packedLanes(emit, plan, block.type, block.sourceType,
                        emit.address(from, block.sourceType, lane), block.rowStride, isWhole, mask);
        emit.store(packed, emit.address(to, block.type, lane));
      }
    };
    // So wide are panels for a row or two, of which the last alone is packed.
    if (plan.tileVectors > 4) {
      forSteps(emit, plan, depth, 1, [&](Value step, bool isWhole) {
        emit.loop(block.firstPanel, panels, 1,
                  [&](Value panel) { copyRow(panel, step, isWhole, true); });
      });
      return;
    }
    auto copyAll = [&] {
      forSteps(emit, plan, depth, 1, [&](Value step, bool isWhole) {
        emit.loop(block.firstPanel, fullPanels, 1,
                  [&](Value panel) { copyRow(panel, step, isWhole, false); });
        emit.loop(fullPanels, panels, 1, [&](Value panel) { copyRow(panel, step, isWhole, true); });
      });
    };
    // A panel alone has rows too short for a loop in each.
    constexpr int64_t unroll = 4;
    Value panel = block.firstPanel, end = emit.add(panel, 1);
    auto copyOne = [&] {
      forSteps(emit, plan, depth, unroll,
               [&](Value step, bool isWhole) { copyRow(panel, step, isWhole, false); });
    };
    Value isAlone = emit.logicalAnd(emit.equal(fullPanels, end), emit.equal(panels, end));
    emit.branch(isAlone, copyOne, copyAll);
  }

  // Whole panels through transposes in registers; what is left in depth or in columns one by one.
  void transpose(Value depthBlock, Value k0, Value depth) {
    int64_t chunk = 128 / block.type.getIntOrFloatBitWidth(), chunkDepth = chunk * plan.depthStep;
    Value wholeDepth = emit.mul(emit.div(depth, emit.constant(chunkDepth)), chunkDepth);
    emit.loop(block.firstPanel, fullPanels, 1, [&](Value panel) {
      Value to = packedPanel(emit, plan, block, depthBlock, panel);
      for (int64_t v = 0; v < plan.tileVectors; ++v) {
        Value n = emit.add(emit.mul(panel, width), v * plan.lanes);
        Value from =
            element(emit, block.sourceType, block.source, k0, block.rowStride, n, block.colStride);
        // Every chunk-th column has a pointer of its own, the columns between lie at common offsets
        // from it: so all addresses stay in registers.
        LoopEmitter::Values carried, offsets;
        for (int64_t column = 0; column < plan.lanes; column += chunk)
          carried.push_back(
              emit.address(from, block.sourceType, emit.mul(block.colStride, column)));
        for (int64_t j = 0; j < chunk; ++j)
          offsets.push_back(emit.mul(block.colStride, j));
        carried.push_back(emit.address(to, block.type, v * plan.lanes));
        emit.loop(zero, wholeDepth, chunkDepth, carried, [&](Value, ValueRange state) {
          transposeBlock(chunk, state.drop_back(), offsets, state.back());
          LoopEmitter::Values next;
          for (Value column : state.drop_back())
            next.push_back(emit.address(column, block.sourceType, chunkDepth));
          next.push_back(emit.address(state.back(), block.type, chunk * plan.tileColumns()));
          return next;
        });
      }
    });
    gather(depthBlock, k0, wholeDepth, depth, block.firstPanel, fullPanels);
    gather(depthBlock, k0, zero, depth, fullPanels, panels);
  }

  // `lanes` columns of `chunk` contiguous elements (16 bytes as they are packed) become `chunk`
  // rows of one vector. The loads place the 16-byte pieces so that what is left to do stays inside
  // 16-byte lanes, where shuffles are cheap.
  void transposeBlock(int64_t chunk, ValueRange columns, ValueRange offsets, Value to) {
    SmallVector<Value> vectors;
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
    }
    for (int64_t round = 1; round < chunk; round *= 2) {
      SmallVector<Value> mixed;
      for (int64_t i = 0; i < chunk / 2; ++i) {
        mixed.push_back(interleave(vectors[i], vectors[i + chunk / 2], chunk, 0));
        mixed.push_back(interleave(vectors[i], vectors[i + chunk / 2], chunk, chunk / 2));
      }
      vectors = std::move(mixed);
    }
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

  // Alternates elements of x and y from a half of each 16-byte lane.
  Value interleave(Value x, Value y, int64_t chunk, int64_t half) {
    SmallVector<int64_t> lanes;
    for (int64_t piece = 0; piece < plan.lanes; piece += chunk)
      for (int64_t i = 0; i < chunk / 2; ++i) {
        lanes.push_back(piece + half + i);
        lanes.push_back(plan.lanes + piece + half + i);
      }
    return emit.builder.create<vector::ShuffleOp>(emit.loc, x, y, lanes);
  }

  void gather(Value depthBlock, Value k0, Value fromDepth, Value toDepth, Value fromPanel,
              Value toPanel) {
    Type number = numberType(emit, plan, block.type);
    Value step = emit.constant(plan.depthStep);
    emit.loop(fromPanel, toPanel, 1, [&](Value panel) {
      Value to = packedPanel(emit, plan, block, depthBlock, panel);
      emit.loop(zero, width, 1, [&](Value column) {
        Value n = emit.add(emit.mul(panel, width), column);
        Value exists = emit.less(n, block.columnsHere);
        Value from =
            element(emit, block.sourceType, block.source, k0, block.rowStride, n, block.colStride);
        emit.loop(fromDepth, emit.roundUp(toDepth, plan.depthStep), 1, [&](Value k) {
          Value isThere = exists;
          if (plan.isOfPairs())
            isThere = emit.logicalAnd(exists, emit.less(k, toDepth));
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
                                    const PackedColumns &block, Value depthBlock, Value panel) {
  Value columns =
      emit.add(emit.mul(depthBlock, block.columns), emit.mul(panel, plan.tileColumns()));
  return emit.address(block.packed, block.type, emit.mul(columns, plan.blockK));
}

void keratin::codegen::emitPackColumns(LoopEmitter &emit, const ContractionPlan &plan,
                                       const PackedColumns &block) {
  std::string name =
      llvm::formatv("keratin_pack_columns_{0}_{1}_{2}_{3}x{4}_{5}", accessName(plan.b),
                    block.sourceType, block.type, plan.tileVectors, plan.lanes, plan.blockK);
  bool rowsKnown = plan.b == Access::Direct || plan.b == Access::Copied;
  emit.callShared(name,
                  {block.source, block.rowStride, block.colStride, block.packed, block.depth,
                   block.columns, block.columnsHere, block.firstPanel},
                  [&](LoopEmitter &inner, ValueRange p) {
                    Value one = inner.constant(1);
                    Value rowStride = plan.b == Access::Transposed ? one : p[1];
                    Value colStride = rowsKnown ? one : p[2];
                    ColumnPacker(inner, plan,
                                 {block.sourceType, block.type, p[0], rowStride, colStride, p[3],
                                  p[4], p[5], p[6], p[7]})
                        .pack();
                  });
}

// Rows of a packed tile whose columns are contiguous, rounded up to whole vectors.
static int64_t paddedTileRows(const ContractionPlan &plan) {
  return (plan.tileRows + plan.lanes - 1) / plan.lanes * plan.lanes;
}

int64_t keratin::codegen::packedRowStride(const ContractionPlan &plan, bool columnsContiguous) {
  if (columnsContiguous)
    return 1;
  // One vector more than the depth, so that rows do not share their sets of the cache.
  return (plan.blockK + plan.lanes - 1) / plan.lanes * plan.lanes + plan.lanes;
}

int64_t keratin::codegen::packedDepthStride(const ContractionPlan &plan, bool columnsContiguous) {
  return columnsContiguous ? paddedTileRows(plan) : 1;
}

int64_t keratin::codegen::packedRowElements(const ContractionPlan &plan, bool columnsContiguous) {
  return columnsContiguous ? plan.blockK * paddedTileRows(plan)
                           : plan.tileRows * packedRowStride(plan, false);
}

Value keratin::codegen::packedTile(LoopEmitter &emit, const ContractionPlan &plan,
                                   const PackedRows &block, Value depthBlock, Value m) {
  Value rows = emit.add(emit.mul(depthBlock, block.rows), m);
  Value tiles = emit.div(rows, emit.constant(plan.tileRows));
  return emit.address(block.packed, block.type,
                      emit.mul(tiles, packedRowElements(plan, block.columnsContiguous)));
}

static void emitPackRowsBody(LoopEmitter &emit, const ContractionPlan &plan,
                             const PackedRows &block) {
  Value zero = emit.constant(0);
  int64_t rowStride = packedRowStride(plan, block.columnsContiguous);
  int64_t depthStride = packedDepthStride(plan, block.columnsContiguous);
  Type number = numberType(emit, plan, block.type);
  forDepthBlocks(emit, plan, block.depth, [&](Value depthBlock, Value k0, Value depth) {
    emit.loop(zero, block.rowsHere, plan.tileRows, [&](Value m) {
      Value to = packedTile(emit, plan, block, depthBlock, m);
      Value from =
          element(emit, block.sourceType, block.source, m, block.rowStride, k0, block.colStride);
      Value rowsHere = emit.min(emit.sub(block.rowsHere, m), emit.constant(plan.tileRows));
      if (block.columnsContiguous) {
        SmallVector<Value> masks;
        for (int64_t row = 0; row < depthStride; row += plan.lanes)
          masks.push_back(emit.firstLanes(plan.lanes, emit.sub(rowsHere, emit.constant(row))));
        forSteps(emit, plan, depth, 1, [&](Value step, bool isWhole) {
          Value k = emit.mul(step, plan.depthStep);
          Value source = emit.address(from, block.sourceType, emit.mul(k, block.colStride));
          Value target = emit.address(to, block.type, emit.mul(step, depthStride));
          for (auto [i, mask] : llvm::enumerate(masks)) {
            int64_t row = i * plan.lanes;
            Value packed = packedLanes(emit, plan, block.type, block.sourceType,
                                       emit.address(source, block.sourceType, row), block.colStride,
                                       isWhole, mask);
            emit.store(packed, emit.address(target, block.type, row));
          }
        });
        return;
      }
      emit.loop(zero, rowsHere, 1, [&](Value row) {
        Value source = emit.address(from, block.sourceType, emit.mul(row, block.rowStride));
        Value target = emit.address(to, block.type, emit.mul(row, rowStride));
        if (plan.a == Access::Gathered) {
          emit.loop(zero, depth, 1, [&](Value k) {
            Value at = emit.address(source, block.sourceType, emit.mul(k, block.colStride));
            emit.store(loadNumber(emit, plan, block.type, block.sourceType, at),
                       emit.address(target, number, k));
          });
          if (plan.isOfPairs())
            emit.loop(depth, emit.roundUp(depth, plan.depthStep), 1, [&](Value k) {
              emit.store(emit.zero(number), emit.address(target, number, k));
            });
          return;
        }
        // Numbers in lanes outside of a mask are zero, that behind an odd depth among them.
        const int64_t lanes = plan.lanes * plan.depthStep;
        Value wholeDepth = emit.mul(emit.div(depth, emit.constant(lanes)), lanes);
        auto copy = [&](Value k, Value mask) {
          Value loaded = loadElements(emit, plan, block.type, block.sourceType, plan.lanes,
                                      emit.address(source, block.sourceType, k), mask);
          emit.store(loaded, emit.address(target, number, k));
        };
        emit.loop(zero, wholeDepth, lanes, [&](Value k) { copy(k, nullptr); });
        emit.loop(wholeDepth, depth, lanes,
                  [&](Value k) { copy(k, emit.firstLanes(lanes, emit.sub(depth, k))); });
      });
    });
  });
}

void keratin::codegen::emitPackRows(LoopEmitter &emit, const ContractionPlan &plan,
                                    const PackedRows &block) {
  std::string name =
      llvm::formatv("keratin_pack_rows_{0}{1}_{2}_{3}_{4}x{5}_{6}", accessName(plan.a),
                    block.columnsContiguous ? "_columns" : "", block.sourceType, block.type,
                    plan.tileRows, plan.lanes, plan.blockK);
  emit.callShared(name,
                  {block.source, block.rowStride, block.colStride, block.packed, block.depth,
                   block.rows, block.rowsHere},
                  [&](LoopEmitter &inner, ValueRange p) {
                    emitPackRowsBody(inner, plan,
                                     {block.sourceType, block.type, p[0], p[1], p[2], p[3], p[4],
                                      p[5], p[6], block.columnsContiguous});
                  });
}
