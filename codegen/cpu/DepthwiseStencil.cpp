#include "codegen/cpu/DepthwiseStencil.h"

#include "codegen/lowering/Rounding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace keratin::codegen;

using Side = DepthwiseStencil::Side;

namespace {

class Stencil {
public:
  Stencil(LoopEmitter &emit, const DepthwiseStencil &plan, Type xType, Type filterType,
          Type sumType, const DepthwisePlace &place)
      : emit(emit), plan(plan), xType(xType), filterType(filterType), sumType(sumType),
        place(place), zero(emit.constant(0)),
        pointer(LLVM::LLVMPointerType::get(emit.builder.getContext())) {}

  // The addresses of all places that the tile reads.
  void fillTable() {
    Type i64 = emit.builder.getI64Type();
    auto addresses = VectorType::get(plan.addressLanes, i64);
    auto toInteger = [&](Value address) -> Value {
      return emit.builder.create<LLVM::PtrToIntOp>(emit.loc, i64, address);
    };
    int64_t bytes = ceilDiv(xType.getIntOrFloatBitWidth(), 8);
    Value base = toInteger(place.x);
    Value nothing = emit.splat(toInteger(place.zeros), plan.addressLanes);
    auto op = [&](auto tag, auto... operands) -> Value {
      return emit.builder.create<decltype(tag)>(emit.loc, operands...);
    };
    auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) -> Value {
      return emit.builder.create<arith::CmpIOp>(emit.loc, predicate, x, y);
    };
    auto firstPosition = [&](const ConvolutionAxis &axis, Value output) {
      return emit.sub(emit.mul(output, axis.oStep * axis.step), axis.phase.low);
    };

    SmallVector<Value> offsets, isInside;
    const ConvolutionAxis &column = place.column;
    Value left = emit.splat(firstPosition(column, place.left), plan.addressLanes);
    Value size = emit.splat(column.x, plan.addressLanes);
    Value along = emit.splat(emit.mul(column.xStride, bytes), plan.addressLanes);
    for (int64_t chunk = 0; chunk < plan.tableColumns(); chunk += plan.addressLanes) {
      SmallVector<int64_t> steps;
      for (int64_t lane = 0; lane < plan.addressLanes; ++lane)
        steps.push_back((chunk + lane) * column.step);
      Value step = emit.builder.create<arith::ConstantOp>(
          emit.loc, addresses, DenseElementsAttr::get(addresses, ArrayRef<int64_t>(steps)));
      Value position = op(arith::AddIOp(), left, step);
      // As unsigned numbers, positions in front of the first are beyond the last.
      isInside.push_back(compare(arith::CmpIPredicate::ult, position, size));
      offsets.push_back(op(arith::MulIOp(), position, along));
    }
    const ConvolutionAxis &row = place.row;
    Value top = firstPosition(row, place.top), rowBytes = emit.mul(row.xStride, bytes);
    emit.loop(zero, emit.constant(plan.rows.reach(plan.rows.taps)), 1, [&](Value p) {
      Value position = emit.add(top, emit.mul(p, row.step));
      Value exists =
          emit.splat(compare(arith::CmpIPredicate::ult, position, row.x), plan.addressLanes);
      Value start = emit.splat(emit.add(base, emit.mul(position, rowBytes)), plan.addressLanes);
      for (size_t chunk = 0; chunk < offsets.size(); ++chunk) {
        Value address = op(arith::AddIOp(), start, offsets[chunk]);
        Value inside = op(arith::AndIOp(), exists, isInside[chunk]);
        Value at = emit.add(emit.mul(p, plan.tableColumns()), chunk * plan.addressLanes);
        emit.store(op(arith::SelectOp(), inside, address, nothing),
                   emit.address(place.table, i64, at));
      }
    });
  }

  // The sums of all outputs for the channels of a vector, row by row.
  LoopEmitter::Values sum(Value channel, Value mask) {
    const Side &columns = plan.columns;
    auto sumsOf = [&](int64_t taps) { return [&, taps] { return sumTaps(taps, channel, mask); }; };
    if (!columns.tapsVary)
      return sumsOf(columns.taps)();
    SmallVector<Type> types(plan.rows.outputs * columns.outputs, vectorType());
    auto isCount = [&](int64_t taps) {
      return emit.equal(place.column.phase.taps, emit.constant(taps));
    };
    return emit.choose(isCount(columns.taps), types, sumsOf(columns.taps), [&] {
      if (!columns.noneArePossible || columns.taps == 1)
        return sumsOf(columns.taps - 1)();
      return emit.choose(isCount(0), types, sumsOf(0), sumsOf(columns.taps - 1));
    });
  }

private:
  VectorType vectorType() const { return VectorType::get(plan.lanes, sumType); }

  LoopEmitter::Values sumTaps(int64_t columnTaps, Value channel, Value mask) {
    LoopEmitter::Values sums(plan.rows.outputs * plan.columns.outputs, emit.zero(vectorType()));
    if (columnTaps == 0)
      return sums;
    int64_t count = plan.rowsAtOnce;
    Value taps = plan.rows.tapsVary ? place.row.phase.taps : emit.constant(plan.rows.taps);
    return emit.loop(zero, taps, count, sums, [&](Value tap, ValueRange before) {
      LoopEmitter::Values after(before);
      Value filter = emit.add(channel, emit.mul(tap, place.row.phase.filterStep));
      SmallVector<Value> factors;
      for (int64_t i = 0; i < count; ++i)
        for (int64_t j = 0; j < columnTaps; ++j) {
          Value at = emit.add(filter, emit.mul(place.row.phase.filterStep, i));
          at = emit.add(at, emit.mul(place.column.phase.filterStep, j));
          factors.push_back(emit.loadAs(sumType, filterType, plan.lanes,
                                        emit.address(place.filter, filterType, at), mask));
        }
      Value entry = emit.mul(tap, plan.rows.iStep * plan.tableColumns());
      Value table = emit.address(place.table, emit.builder.getI64Type(), entry);
      for (int64_t p = 0; p < plan.rows.reach(count); ++p)
        for (int64_t q = 0; q < plan.columns.reach(columnTaps); ++q)
          addPlace(p, q, columnTaps, table, channel, mask, factors, after);
      return after;
    });
  }

  // All products of one element of x.
  void addPlace(int64_t p, int64_t q, int64_t columnTaps, Value table, Value channel, Value mask,
                ArrayRef<Value> factors, LoopEmitter::Values &sums) {
    Value element;
    auto outputAt = [](const Side &side, int64_t place, int64_t tap) -> std::optional<int64_t> {
      int64_t steps = place - tap * side.iStep;
      if (steps < 0 || steps % side.oStep || steps / side.oStep >= side.outputs)
        return std::nullopt;
      return steps / side.oStep;
    };
    for (int64_t i = 0; i < plan.rowsAtOnce; ++i)
      for (int64_t j = 0; j < columnTaps; ++j) {
        std::optional<int64_t> r = outputAt(plan.rows, p, i), c = outputAt(plan.columns, q, j);
        if (!r || !c)
          continue;
        if (!element) {
          Value entry = emit.address(table, emit.builder.getI64Type(), p * plan.tableColumns() + q);
          Value address = emit.load(pointer, entry);
          element =
              emit.loadAs(sumType, xType, plan.lanes, emit.address(address, xType, channel), mask);
        }
        Value &sum = sums[*r * plan.columns.outputs + *c];
        sum = emit.multiplyAdd(element, factors[i * columnTaps + j], sum);
      }
  }

  LoopEmitter &emit;
  const DepthwiseStencil &plan;
  Type xType, filterType, sumType;
  const DepthwisePlace &place;
  Value zero;
  Type pointer;
};

} // namespace

void keratin::codegen::emitDepthwiseStencil(
    LoopEmitter &emit, const DepthwiseStencil &plan, Type xType, Type filterType, Type sumType,
    const DepthwisePlace &place,
    llvm::function_ref<void(int64_t, int64_t, Value, Value, Value)> store) {
  Stencil stencil(emit, plan, xType, filterType, sumType, place);
  stencil.fillTable();
  emit.loop(emit.constant(0), place.channels, plan.lanes, [&](Value at) {
    Value channel = at, mask;
    if (place.fit == DepthwisePlace::Masked)
      mask = emit.firstLanes(plan.lanes, emit.sub(place.channels, at));
    if (place.fit == DepthwisePlace::Overlapping)
      channel = emit.min(at, emit.sub(place.channels, emit.constant(plan.lanes)));
    LoopEmitter::Values sums = stencil.sum(channel, mask);
    for (int64_t r = 0; r < plan.rows.outputs; ++r)
      for (int64_t c = 0; c < plan.columns.outputs; ++c)
        store(r, c, channel, at, sums[r * plan.columns.outputs + c]);
  });
}
