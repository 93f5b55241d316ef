#include "codegen/cpu/ContractionNarrow.h"

#include "codegen/cpu/SumsOfVectors.h"
#include "codegen/elements/SpecSizes.h"

using namespace mlir;
using namespace keratin::codegen;

namespace {

class Narrow {
public:
  Narrow(LoopEmitter &emit, const ContractionSpec &spec, const ContractionNarrow &plan)
      : emit(emit), spec(spec), plan(plan), type(spec.accumulatorType),
        vectorType(VectorType::get(plan.lanes, type)), depth(numberOf(emit, spec.k)) {
    auto stride = [&](Value value, std::optional<int64_t> constant) {
      return constant ? emit.constant(*constant) : emit.fromIndex(value);
    };
    aRow = stride(spec.a.rowStride, spec.a.constantRowStride);
    aDepth = stride(spec.a.colStride, spec.a.constantColStride);
    bDepth = stride(spec.b.rowStride, spec.b.constantRowStride);
    lastMask = maskOf(plan.vectors - 1);
  }

  void run(Value batch) {
    a = entry(spec.a, batch);
    b = entry(spec.b, batch);
    store(batch, sums());
  }

private:
  using Values = LoopEmitter::Values; // stream by stream, row by row, vector by vector

  // Null where all lanes are columns.
  Value maskOf(int64_t vector) {
    const int64_t columns = *spec.n.constant - vector * plan.lanes;
    return columns < plan.lanes ? emit.firstLanes(plan.lanes, emit.constant(columns)) : Value();
  }

  Value entry(const ContractionOperand &operand, Value batch) {
    return emit.address(operand.base, operand.elementType,
                        emit.mul(batch, emit.fromIndex(operand.batchStride)));
  }

  // The products at k, added to the sums of a stream.
  void advance(Values &sums, Value k, int64_t stream) {
    Values columns;
    Value row = emit.address(b, spec.b.elementType, emit.mul(k, bDepth));
    for (int64_t v = 0; v < plan.vectors; ++v)
      columns.push_back(emit.loadAs(type, spec.b.elementType, plan.lanes,
                                    emit.address(row, spec.b.elementType, v * plan.lanes),
                                    v + 1 == plan.vectors ? lastMask : Value()));
    for (int64_t r = 0; r < plan.rows; ++r) {
      Value at = emit.add(emit.mul(aRow, r), emit.mul(k, aDepth));
      Value element =
          emit.loadAs(type, spec.a.elementType, emit.address(a, spec.a.elementType, at));
      Value factor = emit.splat(element, plan.lanes);
      for (int64_t v = 0; v < plan.vectors; ++v) {
        Value &sum = sums[(stream * plan.rows + r) * plan.vectors + v];
        sum = emit.multiplyAdd(factor, columns[v], sum);
      }
    }
  }

  Values sums() {
    const int64_t count = plan.rows * plan.vectors;
    Values carried(plan.streams * count, emit.zero(vectorType));
    Value zero = emit.constant(0);
    Value whole = emit.mul(emit.div(depth, emit.constant(plan.streams)), plan.streams);
    carried = emit.loop(zero, whole, plan.streams, carried, [&](Value k, ValueRange state) {
      Values next(state);
      for (int64_t stream = 0; stream < plan.streams; ++stream)
        advance(next, emit.add(k, stream), stream);
      return next;
    });
    carried = emit.loop(whole, depth, 1, carried, [&](Value k, ValueRange state) {
      Values next(state);
      advance(next, k, 0);
      return next;
    });
    for (int64_t streams = plan.streams / 2; streams > 0; streams /= 2)
      for (int64_t i = 0; i < streams * count; ++i)
        carried[i] = plus(emit, carried[i], carried[streams * count + i]);
    carried.truncate(count);
    return carried;
  }

  void store(Value batch, ArrayRef<Value> sums) {
    auto finish = [&](Value row, int64_t v, Value found) {
      spec.store(emit.builder, emit.loc, emit.toIndex(batch), emit.toIndex(row),
                 emit.toIndex(emit.constant(v * plan.lanes)), found, maskOf(v));
    };
    if (plan.rows == 1) {
      for (auto [v, found] : llvm::enumerate(sums))
        finish(emit.constant(0), v, found);
      return;
    }
    auto place = [&](Value row, int64_t v) {
      Value offset = emit.add(emit.mul(row, plan.vectors * plan.lanes), v * plan.lanes);
      return emit.address(spec.scratch, type, offset);
    };
    for (auto [i, found] : llvm::enumerate(sums))
      emit.store(found, place(emit.constant(i / plan.vectors), i % plan.vectors));
    emit.loop(emit.constant(0), emit.constant(plan.rows), 1, [&](Value row) {
      for (int64_t v = 0; v < plan.vectors; ++v)
        finish(row, v, emit.load(vectorType, place(row, v)));
    });
  }

  LoopEmitter &emit;
  const ContractionSpec &spec;
  const ContractionNarrow &plan;
  Type type;
  VectorType vectorType;
  Value depth, aRow, aDepth, bDepth, lastMask, a, b;
};

} // namespace

void keratin::codegen::emitNarrow(LoopEmitter &emit, const ContractionSpec &spec,
                                  const ContractionNarrow &plan, Value begin, Value end) {
  Narrow narrow(emit, spec, plan);
  emit.loop(begin, end, 1, [&](Value batch) { narrow.run(batch); });
}
