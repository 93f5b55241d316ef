// Ops of ONNX whose results are as large as data say, up to a size that is known before.
#include "frontend/onnx/Indexing.h"
#include "frontend/onnx/Orders.h"
#include "keratin/shapes.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;
namespace K = keratin::backend;

namespace {

// The rows of x where the mask, a vector, is true; their number is at most that of all.
Tensor chosenRows(ModelNode &node, const Tensor &x, const Tensor &mask) {
  Tensor table, places, count;
  {
    Call call("load_onnx", node.place);
    auto &g = call.g;
    const Value rows = call.value(x), isChosen = call.value(mask);
    const ir::Shape shape = ir::getShape(rows);
    const Value numbers = call.cast(isChosen, DType::Int64);
    const Value before = g.cumsum(numbers, 0, /*exclusive=*/true);
    // Others behind all.
    const Value behind =
        g.broadcastScalar(call.scalar(shape.front(), DType::Int64), ir::getShape(before));
    ir::Shape more = shape;
    more.front() = call.check(ir::add(shape.front(), 1));
    table = call.tensor(g.splat(0, ir::getTensorType(more, ir::getElementType(rows))));
    places = call.tensor(g.select(isChosen, before, behind));
    count = call.tensor(g.reduceSum(numbers, {0}));
  }
  Tensor moved = K::scatter(table, places, x, "write", node.place);
  Call call("load_onnx", node.place);
  const Value all = call.value(moved);
  ir::Shape starts(ir::getShape(all).size(), 0), sizes = ir::getShape(all);
  sizes.front() = call.check(ir::sub(sizes.front(), 1));
  const Value kept = call.g.slice(all, starts, sizes, std::vector<int64_t>(starts.size(), 1));
  return call.tensor(call.truncate(kept, call.value(count), 0));
}

Values compress(ModelNode &node) {
  Tensor x = node.input(0), mask = node.input(1);
  const SourceLocation at = node.place;
  const bool isFlat = !node.hasAttribute("axis");
  const int64_t axis = isFlat ? 0 : node.axis(node.integer("axis"), x.ndim());
  if (isFlat)
    x = K::flatten(x, at);
  else if (axis != 0)
    x = K::permute_dimensions(x, axisFirst(x.ndim(), axis), at);
  {
    // A short mask leaves the rest out.
    Call call("load_onnx", at);
    const Value given = call.value(mask), rows = call.value(x);
    if (call.rank(given) != 1)
      node.fail("has a condition of rank " + std::to_string(call.rank(given)) + "; needed 1");
    const DimExpr size = ir::getShape(rows).front(), length = ir::getShape(given).front();
    if (size != length) {
      call.requireAtLeast(size, length, "the condition must not be longer than the axis");
      const Value wide =
          call.g.pad(call.cast(call.required(given), DType::UInt8), {0}, {0}, {size});
      mask = call.tensor(call.cast(wide, DType::Bool));
    }
  }
  Tensor chosen = chosenRows(node, x, mask);
  if (isFlat || axis == 0)
    return one(chosen);
  return one(K::permute_dimensions(chosen, inverseOf(axisFirst(x.ndim(), axis)), at));
}

// The indices of what is not 0, a column each.
Values nonZero(ModelNode &node) {
  Tensor x = node.input(0), numbers, mask;
  ir::Shape shape;
  {
    Call call("load_onnx", node.place);
    const Value value = call.value(x);
    shape = ir::getShape(value);
    const Value all = flat(call, value);
    mask = call.tensor(call.cast(all, DType::Bool));
    numbers = call.tensor(
        call.g.iota(ir::getTensorType(ir::getShape(all), call.builder.getI64Type()), 0));
  }
  Tensor chosen = chosenRows(node, numbers, mask);
  Call call("load_onnx", node.place);
  Value rest = call.value(chosen);
  ir::Shape column = ir::getShape(rest);
  column.insert(column.begin(), 1);
  std::vector<Value> rows;
  for (size_t i = shape.size(); i-- > 0;) {
    const Value size =
        call.g.broadcastScalar(call.scalar(shape[i], DType::Int64), ir::getShape(rest));
    rows.insert(rows.begin(), call.g.reshape(call.g.mod(rest, size), column));
    rest = call.g.floorDiv(rest, size);
  }
  if (rows.empty())
    node.notImplemented("NonZero of a scalar");
  return one(call.tensor(call.g.concatenate(rows, 0)));
}

const OpRecord records[] = {
    {"Compress", compress},
    {"NonZero", nonZero},
};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::selectionOps() { return records; }
