// K functions: the elements of a tensor that differ.
#include "frontend/backend/Sorting.h"
#include "frontend/values/DTypeRules.h"
#include "keratin/segments.h"

using namespace keratin;
using namespace keratin::frontend;

namespace {

// The elements of a tensor in a row, and in ascending order, where equals are a run.
struct Runs {
  Value flat, order, starts, number;

  Runs(Call &call, Value x)
      : flat(call.g.reshape(x, {call.check(ir::elementCount(ir::getShape(x)))})),
        order(ascending(call, flat)) {
    ir::GraphMath &g = call.g;
    Value column = g.reshape(g.gather(flat, order), {ir::getShape(flat).front(), DimExpr(1)});
    starts = startsRun(call, column);
    Value counted = call.cast(starts, DType::Int64);
    number = g.sub(g.cumsum(counted, 0), g.oneLike(counted));
  }
};

} // namespace

namespace keratin::backend {

Unique unique(const Operand &operand, const Size &size, SourceLocation location) {
  Call call("unique", location);
  ir::GraphMath &g = call.g;
  Value x = call.value(operand);
  Runs runs(call, x);
  const ir::Shape all = ir::getShape(runs.flat);
  DimExpr length = all.front();
  if (!size.isNone()) {
    length = call.size(size, "size");
    call.requireAtLeast(length, DimExpr(0), "size must not be negative");
    runs.number =
        call.inRange(runs.number, DimExpr(0), length, "x has more than size elements that differ");
  }
  Value counts = g.scatterAdd(runs.number, g.oneLike(runs.number), {length});
  Value first = g.select(runs.starts, runs.order, g.zeroLike(runs.order));
  Value indices = g.scatterAdd(runs.number, first, {length});
  Value inverse = g.reshape(g.scatterAdd(runs.order, runs.number, all), ir::getShape(x));
  Value values;
  if (size.isNone()) {
    Value found = g.reduceSum(call.cast(runs.starts, DType::Int64), {0});
    indices = call.truncate(indices, found, 0);
    counts = g.gather(counts, g.iota(ir::getTensorType(indices), 0));
    values = g.gather(runs.flat, indices);
  } else {
    // Behind the last one there is a zero, for the places that are left.
    ir::Shape more{call.check(ir::add(all.front(), 1))};
    Value end = g.broadcastScalar(call.scalar(all.front(), DType::Int64), {length});
    Value isFound = g.greater(counts, g.zeroLike(counts));
    values = g.gather(g.pad(runs.flat, {DimExpr(0)}, {0}, more), g.select(isFound, indices, end));
  }
  return {call.tensor(values), call.tensor(indices), call.tensor(inverse), call.tensor(counts)};
}

} // namespace keratin::backend
