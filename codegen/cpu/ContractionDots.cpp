#include "codegen/cpu/ContractionDots.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace keratin::codegen;

namespace {

// The problem with its longer side named rows: dots[r] = sum over k of matrix[r, k] * vector[k].
struct Dots {
  bool isRow; // the result is a row of C, else a column
  const ContractionOperand &matrix, &vector;
  const ContractionSize &rows;
  std::optional<int64_t> constantStride;
  Value stride; // index

  explicit Dots(const ContractionSpec &spec)
      : isRow(spec.m.constant == 1), matrix(isRow ? spec.b : spec.a),
        vector(isRow ? spec.a : spec.b), rows(isRow ? spec.n : spec.m),
        constantStride(isRow ? matrix.constantColStride : matrix.constantRowStride),
        stride(isRow ? matrix.colStride : matrix.rowStride) {}
};

Value plus(LoopEmitter &emit, Value x, Value y) {
  if (isa<FloatType>(getElementTypeOrSelf(x)))
    return emit.builder.create<arith::AddFOp>(emit.loc, x, y);
  return emit.builder.create<arith::AddIOp>(emit.loc, x, y);
}

// Halves are added until one lane is left: a tree, the same for every call.
Value sumOfLanes(LoopEmitter &emit, Value vector) {
  for (int64_t half = cast<VectorType>(vector.getType()).getNumElements() / 2; half; half /= 2) {
    SmallVector<int64_t> lower, upper;
    for (int64_t i = 0; i < half; ++i) {
      lower.push_back(i);
      upper.push_back(half + i);
    }
    Value low = emit.builder.create<vector::ShuffleOp>(emit.loc, vector, vector, lower);
    Value high = emit.builder.create<vector::ShuffleOp>(emit.loc, vector, vector, upper);
    vector = plus(emit, low, high);
  }
  return emit.builder.create<vector::ExtractOp>(emit.loc, vector, ArrayRef<int64_t>{0});
}

// sums[r] for r < rows; up to rowsAtOnce - 1 elements behind are overwritten.
void emitDotsBody(LoopEmitter &emit, const ContractionDots &plan, Type type, Type matrixType,
                  Type vectorType, Value matrix, Value stride, Value vector, Value depth,
                  Value rows, Value sums) {
  int64_t lanes = plan.lanes, rowsAtOnce = plan.rowsAtOnce, vectorsAtOnce = plan.vectorsAtOnce;
  int64_t step = lanes * vectorsAtOnce;
  Value zero = emit.constant(0);
  Value whole = emit.mul(emit.div(depth, emit.constant(step)), step);
  emit.loop(zero, rows, rowsAtOnce, [&](Value row) {
    // Rows that do not exist are the last one again.
    Value last = emit.sub(emit.sub(rows, row), emit.constant(1));
    LoopEmitter::Values starts;
    for (int64_t r = 0; r < rowsAtOnce; ++r) {
      Value existing = emit.add(row, emit.min(emit.constant(r), last));
      starts.push_back(emit.address(matrix, matrixType, emit.mul(existing, stride)));
    }
    auto advance = [&](LoopEmitter::Values &sums, Value k, Value mask, int64_t v) {
      Value at = emit.add(k, v * lanes);
      Value factor =
          emit.loadAs(type, vectorType, lanes, emit.address(vector, vectorType, at), mask);
      for (int64_t r = 0; r < rowsAtOnce; ++r) {
        Value row =
            emit.loadAs(type, matrixType, lanes, emit.address(starts[r], matrixType, at), mask);
        Value &sum = sums[r * vectorsAtOnce + v];
        sum = emit.multiplyAdd(row, factor, sum);
      }
    };
    LoopEmitter::Values carried(rowsAtOnce * vectorsAtOnce,
                                emit.zero(VectorType::get(lanes, type)));
    carried = emit.loop(zero, whole, step, carried, [&](Value k, ValueRange state) {
      LoopEmitter::Values next(state);
      for (int64_t v = 0; v < vectorsAtOnce; ++v)
        advance(next, k, nullptr, v);
      return next;
    });
    carried = emit.loop(whole, depth, lanes, carried, [&](Value k, ValueRange state) {
      LoopEmitter::Values next(state);
      advance(next, k, emit.firstLanes(lanes, emit.sub(depth, k)), 0);
      return next;
    });
    for (int64_t r = 0; r < rowsAtOnce; ++r) {
      Value total = carried[r * vectorsAtOnce];
      for (int64_t v = 1; v < vectorsAtOnce; ++v)
        total = plus(emit, total, carried[r * vectorsAtOnce + v]);
      emit.store(sumOfLanes(emit, total), emit.address(sums, type, emit.add(row, r)));
    }
  });
}

} // namespace

template <typename Arithmetic>
static typename Arithmetic::Number countUnits(Arithmetic &emit, const ContractionSpec &spec,
                                              const ContractionDots &plan) {
  Dots dots(spec);
  auto blocks = emit.ceilDiv(numberOf(emit, dots.rows), emit.constant(plan.unitRows));
  auto others = numberOf(emit, dots.isRow ? spec.m : spec.n);
  return emit.mul(emit.mul(numberOf(emit, spec.batch), others), blocks);
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
  Dots dots(spec);
  Type type = spec.accumulatorType;
  int64_t lanes = plan.lanes;
  Value zero = emit.constant(0), unitSize = emit.constant(plan.unitRows);
  Value rows = numberOf(emit, dots.rows), depth = numberOf(emit, spec.k);
  Value blocks = emit.ceilDiv(rows, unitSize);
  Value stride =
      dots.constantStride ? emit.constant(*dots.constantStride) : emit.fromIndex(dots.stride);
  emit.loop(begin, end, 1, [&](Value unit) {
    Value batch = emit.div(unit, blocks);
    Value first = emit.mul(emit.sub(unit, emit.mul(batch, blocks)), unitSize);
    Value rowsHere = emit.min(unitSize, emit.sub(rows, first));
    auto entry = [&](const ContractionOperand &operand, Value offset) {
      Value start = emit.mul(batch, emit.fromIndex(operand.batchStride));
      return emit.address(operand.base, operand.elementType, emit.add(start, offset));
    };
    std::string name = llvm::formatv("keratin_dots_{0}_{1}_{2}x{3}", type, dots.matrix.elementType,
                                     dots.vector.elementType, lanes);
    emit.callShared(name,
                    {entry(dots.matrix, emit.mul(first, stride)), stride, entry(dots.vector, zero),
                     depth, rowsHere, spec.scratch},
                    [&](LoopEmitter &inner, ValueRange p) {
                      emitDotsBody(inner, plan, type, dots.matrix.elementType,
                                   dots.vector.elementType, p[0], p[1], p[2], p[3], p[4], p[5]);
                    });
    auto finish = [&](Value r, Value mask) {
      Value sums = emit.load(VectorType::get(lanes, type), emit.address(spec.scratch, type, r));
      Value at = emit.toIndex(emit.add(first, r)), origin = emit.toIndex(zero);
      spec.store(emit.builder, emit.loc, emit.toIndex(batch), dots.isRow ? origin : at,
                 dots.isRow ? at : origin, sums, mask);
    };
    if (!dots.isRow) {
      Value one = emit.firstLanes(lanes, emit.constant(1));
      return emit.loop(zero, rowsHere, 1, [&](Value r) { finish(r, one); });
    }
    emit.loop(zero, rowsHere, lanes,
              [&](Value r) { finish(r, emit.firstLanes(lanes, emit.sub(rowsHere, r))); });
  });
}
