#include "codegen/cpu/ContractionDots.h"

#include "codegen/cpu/SumsOfVectors.h"
#include "codegen/cpu/UnitOrder.h"
#include "codegen/lowering/Rounding.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace keratin::codegen;

namespace {

struct Rows : DotSums {
  const ContractionDots &plan;
  Type type;
};

// Rows of any length, in steps of some vectors.
void emitLongRows(LoopEmitter &emit, const Rows &dots) {
  const ContractionDots &plan = dots.plan;
  const int64_t lanes = plan.lanes, rowsAtOnce = plan.rowsAtOnce,
                vectorsAtOnce = plan.vectorsAtOnce, step = lanes * vectorsAtOnce;
  Value zero = emit.constant(0);
  Value whole = emit.mul(emit.div(dots.depth, emit.constant(step)), step);
  emit.loop(zero, dots.rows, rowsAtOnce, [&](Value row) {
    // Rows that do not exist are the last one again.
    Value last = emit.sub(emit.sub(dots.rows, row), emit.constant(1));
    LoopEmitter::Values starts;
    for (int64_t r = 0; r < rowsAtOnce; ++r) {
      Value existing = emit.add(row, emit.min(emit.constant(r), last));
      starts.push_back(emit.address(dots.matrix, dots.matrixType, emit.mul(existing, dots.stride)));
    }
    auto advance = [&](LoopEmitter::Values &sums, Value k, Value mask, int64_t v) {
      Value at = emit.add(k, v * lanes);
      Value factor = emit.loadAs(dots.type, dots.vectorType, lanes,
                                 emit.address(dots.vector, dots.vectorType, at), mask);
      for (int64_t r = 0; r < rowsAtOnce; ++r) {
        Value row = emit.loadAs(dots.type, dots.matrixType, lanes,
                                emit.address(starts[r], dots.matrixType, at), mask);
        Value &sum = sums[r * vectorsAtOnce + v];
        sum = emit.multiplyAdd(row, factor, sum);
      }
    };
    LoopEmitter::Values carried(rowsAtOnce * vectorsAtOnce,
                                emit.zero(VectorType::get(lanes, dots.type)));
    carried = emit.loop(zero, whole, step, carried, [&](Value k, ValueRange state) {
      LoopEmitter::Values next(state);
      for (int64_t v = 0; v < vectorsAtOnce; ++v)
        advance(next, k, nullptr, v);
      return next;
    });
    carried = emit.loop(whole, dots.depth, lanes, carried, [&](Value k, ValueRange state) {
      LoopEmitter::Values next(state);
      advance(next, k, emit.firstLanes(lanes, emit.sub(dots.depth, k)), 0);
      return next;
    });
    // As many rows' sums as a vector holds.
    const int64_t together = std::min(rowsAtOnce, lanes);
    for (int64_t first = 0; first < rowsAtOnce; first += together) {
      Value found = emitSumsOfVectors(emit, together, [&](int64_t r) {
        Value total = carried[(first + r) * vectorsAtOnce];
        for (int64_t v = 1; v < vectorsAtOnce; ++v)
          total = plus(emit, total, carried[(first + r) * vectorsAtOnce + v]);
        return total;
      });
      if (together < lanes)
        found = emit.builder.create<vector::ExtractStridedSliceOp>(
            emit.loc, found, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{together},
            ArrayRef<int64_t>{1});
      emit.store(found, emit.address(dots.sums, dots.type, emit.add(row, first)));
    }
  });
}

// Rows of a few vectors, which are known: a whole row at a time, and no loop along it.
class ShortRows {
public:
  ShortRows(LoopEmitter &emit, const Rows &dots)
      : emit(emit), dots(dots), lanes(dots.plan.lanes), depth(*dots.plan.depth) {}

  void run() {
    for (int64_t at = 0; at < depth; at += lanes)
      factors.push_back(load(dots.vectorType, dots.vector, at));
    const int64_t block = dots.plan.rowsAtOnce;
    Value zero = emit.constant(0), most = emit.sub(dots.rows, emit.constant(block));
    // The last block ends with the last row; what it has in common with the one before it makes
    // again.
    emit.branch(
        emit.less(emit.constant(block - 1), dots.rows),
        [&] {
          emit.loop(zero, dots.rows, block,
                    [&](Value row) { sumRows(emit.min(row, most), block); });
        },
        [&] { emit.loop(zero, dots.rows, 1, [&](Value row) { sumRows(row, 1); }); });
  }

private:
  // The lanes from `at` on that are of the row.
  Value load(Type elementType, Value row, int64_t at) {
    Value mask;
    if (depth - at < lanes)
      mask = emit.firstLanes(lanes, emit.constant(depth - at));
    return emit.loadAs(dots.type, elementType, lanes, emit.address(row, elementType, at), mask);
  }

  void sumRows(Value row, int64_t count) {
    Value first = emit.address(dots.matrix, dots.matrixType, emit.mul(row, dots.stride));
    Value found = emitSumsOfVectors(emit, count, [&](int64_t r) {
      Value start = emit.address(first, dots.matrixType, emit.mul(dots.stride, r));
      Value sum = emit.zero(VectorType::get(lanes, dots.type));
      for (auto [v, factor] : llvm::enumerate(factors))
        sum = emit.multiplyAdd(load(dots.matrixType, start, v * lanes), factor, sum);
      return sum;
    });
    emit.store(found, emit.address(dots.sums, dots.type, row));
  }

  LoopEmitter &emit;
  const Rows &dots;
  const int64_t lanes, depth;
  LoopEmitter::Values factors;
};

template <typename Arithmetic>
typename Arithmetic::Number countUnits(Arithmetic &emit, const ContractionSpec &spec,
                                       const ContractionDots &plan) {
  auto blocks = emit.ceilDiv(numberOf(emit, spec.n), emit.constant(plan.unitRows));
  return emit.mul(numberOf(emit, spec.batch), blocks);
}

} // namespace

void keratin::codegen::emitDotSums(LoopEmitter &emit, const ContractionDots &plan, Type type,
                                   const DotSums &job) {
  if (plan.depth)
    return ShortRows(emit, {job, plan, type}).run();
  std::string name = llvm::formatv("keratin_dots_{0}_{1}_{2}x{3}", type, job.matrixType,
                                   job.vectorType, plan.lanes);
  emit.callShared(name, {job.matrix, job.stride, job.vector, job.depth, job.rows, job.sums},
                  [&](LoopEmitter &inner, ValueRange p) {
                    DotSums there{job.matrixType, job.vectorType, p[0], p[1],
                                  p[2],           p[3],           p[4], p[5]};
                    emitLongRows(inner, {there, plan, type});
                  });
}

Value keratin::codegen::emitDotUnits(LoopEmitter &emit, const ContractionSpec &spec,
                                     const ContractionDots &plan) {
  return countUnits(emit, spec, plan);
}

SizeCases keratin::codegen::dotUnits(const ContractionSpec &spec, const ContractionDots &plan) {
  SizeArithmetic arithmetic;
  return countUnits(arithmetic, spec, plan);
}

void keratin::codegen::emitDots(LoopEmitter &emit, const ContractionSpec &spec,
                                const ContractionDots &plan, Value begin, Value end) {
  Type type = spec.accumulatorType;
  const int64_t lanes = plan.lanes;
  Value zero = emit.constant(0), unitSize = emit.constant(plan.unitRows);
  Value rows = numberOf(emit, spec.n), depth = numberOf(emit, spec.k);
  Value blocks = emit.ceilDiv(rows, unitSize);
  Value stride = strideOf(emit, spec.b.colStride, spec.b.constantColStride);
  emit.loop(begin, end, 1, [&](Value place) {
    Value unit = unitAt(emit, spec, begin, end, place);
    Value batch = emit.div(unit, blocks);
    Value first = emit.mul(emit.sub(unit, emit.mul(batch, blocks)), unitSize);
    Value rowsHere = emit.min(unitSize, emit.sub(rows, first));
    emitDotSums(emit, plan, type,
                {spec.b.elementType, spec.a.elementType,
                 entryOf(emit, spec.b, batch, emit.mul(first, stride)), stride,
                 entryOf(emit, spec.a, batch, zero), depth, rowsHere, spec.scratch});
    emit.loop(zero, rowsHere, lanes, [&](Value r) {
      Value sums = emit.load(VectorType::get(lanes, type), emit.address(spec.scratch, type, r));
      spec.store(emit.builder, emit.loc, emit.toIndex(batch), emit.toIndex(zero),
                 emit.toIndex(emit.add(first, r)), sums,
                 emit.firstLanes(lanes, emit.sub(rowsHere, r)));
    });
  });
}
