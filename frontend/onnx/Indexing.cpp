// Ops of ONNX that pick elements by indices.
#include "frontend/onnx/Orders.h"
#include "keratin/elementwise.h"
#include "keratin/linear_algebra.h"
#include "keratin/shapes.h"

#include <algorithm>
#include <numeric>

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;
namespace K = keratin::backend;

Value keratin::frontend::onnx_models::flatIndex(Call &call, const std::vector<Value> &indices,
                                                const ir::Shape &sizes) {
  Value flat = indices.front();
  for (size_t i = 1; i < indices.size(); ++i) {
    const Value size =
        call.g.broadcastScalar(call.scalar(sizes[i], call.dtypeOf(flat)), ir::getShape(flat));
    flat = call.g.add(call.g.mul(flat, size), indices[i]);
  }
  return flat;
}

namespace {

// Indices into an axis of so many, of which negative ones count from the end.
Value fromTheEnd(Call &call, Value indices, const DimExpr &size) {
  const Value count =
      call.g.broadcastScalar(call.scalar(size, call.dtypeOf(indices)), ir::getShape(indices));
  return call.g.select(call.g.less(indices, call.like(indices, 0)), call.g.add(indices, count),
                       indices);
}

bool areNatural(const Array *known) {
  if (!known)
    return false;
  for (int64_t i = 0; i < known->size(); ++i)
    if (known->item<int64_t>(i) < 0)
      return false;
  return true;
}

Values gather(ModelNode &node) {
  Tensor x = node.input(0);
  const int64_t rank = x.ndim(), axis = node.axis(node.integer("axis", 0), rank);
  const SourceLocation at = node.place;
  // Sizes stay sizes, and numbers numbers.
  if (const Array *known = node.constant(1); known && known->size() == 1 && rank == 1) {
    int64_t index = known->item<int64_t>();
    if (const Array *from = node.constant(0)) {
      const int64_t size = from->size();
      index = node.axis(index, size);
      Array picked = (*from)[IndexList(index)];
      return one(known->ndim() == 0 ? picked : picked.reshape(known->shape()));
    }
    Tensor element = x[IndexList(index, at)];
    return one(known->ndim() == 0 ? element : K::reshape(element, Shape(known->shape()), at));
  }
  Tensor indices = node.input(1);
  if (!areNatural(node.constant(1))) {
    Call call("load_onnx", at);
    indices = call.tensor(
        fromTheEnd(call, call.value(indices), ir::getShape(call.value(x))[size_t(axis)]));
  }
  if (axis == 0)
    return one(K::gather(x, indices, at));
  Tensor picked = K::gather(K::permute_dimensions(x, axisFirst(rank, axis), at), indices, at);
  // The indices' axes to where the axis was.
  const int64_t count = indices.ndim();
  std::vector<int64_t> order;
  for (int64_t i = 0; i < axis; ++i)
    order.push_back(count + i);
  for (int64_t i = 0; i < count; ++i)
    order.push_back(i);
  for (int64_t i = axis; i + 1 < rank; ++i)
    order.push_back(count + i);
  return one(K::permute_dimensions(picked, order, at));
}

// Of each element of `indices`, its number in x if the one along the axis is what indices say.
Value elementIndex(ModelNode &node, Call &call, Value x, Value indices, int64_t axis) {
  const ir::Shape sizes = ir::getShape(x), shape = ir::getShape(indices);
  if (shape.size() != sizes.size())
    node.fail("has indices of rank " + std::to_string(shape.size()) + "; needed " +
              std::to_string(sizes.size()));
  indices = fromTheEnd(call, call.cast(indices, DType::Int64), sizes[size_t(axis)]);
  indices = call.inRange(indices, 0, sizes[size_t(axis)], "an index is outside its axis");
  std::vector<Value> places;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (int64_t(i) == axis) {
      places.push_back(indices);
      continue;
    }
    call.requireAtLeast(sizes[i], shape[i], "indices reach beyond the axis " + std::to_string(i));
    places.push_back(call.g.iota(ir::getTensorType(shape, call.builder.getI64Type()), int64_t(i)));
  }
  return flatIndex(call, places, sizes);
}

Value flat(Call &call, Value x) {
  return call.g.reshape(x, {call.check(ir::product(ir::getShape(x)))});
}

Values gatherElements(ModelNode &node) {
  Tensor x = node.input(0), indices = node.input(1);
  const int64_t axis = node.axis(node.integer("axis", 0), x.ndim());
  Tensor places, elements;
  {
    Call call("load_onnx", node.place);
    const Value value = call.value(x);
    places = call.tensor(elementIndex(node, call, value, call.value(indices), axis));
    elements = call.tensor(flat(call, value));
  }
  return one(K::gather(elements, places, node.place));
}

// Numbers of the slices of x that tuples in the last axis of indices name, from an axis on.
Value sliceIndex(ModelNode &node, Call &call, Value indices, const ir::Shape &sizes) {
  const ir::Shape shape = ir::getShape(indices);
  const size_t last = shape.size() - 1;
  indices = call.cast(indices, DType::Int64);
  std::vector<Value> places;
  for (size_t i = 0; i < sizes.size(); ++i) {
    ir::Shape starts(shape.size(), 0), part = shape;
    starts[last] = int64_t(i);
    part[last] = 1;
    const Value column = call.g.slice(indices, starts, part, std::vector<int64_t>(shape.size(), 1));
    const Value natural = fromTheEnd(
        call, call.g.reshape(column, {part.begin(), part.begin() + int64_t(last)}), sizes[i]);
    places.push_back(call.inRange(natural, 0, sizes[i], "an index is outside its axis"));
  }
  return flatIndex(call, places, sizes);
}

// How many axes the tuples name.
size_t tupleOf(ModelNode &node, const ir::Shape &shape, size_t rank) {
  if (shape.empty() || !shape.back().isConstant() || shape.back().constantValue() < 1 ||
      size_t(shape.back().constantValue()) > rank)
    node.notImplemented("indices whose last size is not known, or 0");
  return size_t(shape.back().constantValue());
}

Values gatherNd(ModelNode &node) {
  Tensor x = node.input(0), indices = node.input(1);
  const size_t batch = size_t(node.integer("batch_dims", 0));
  Tensor places, rows;
  ir::Shape result;
  {
    Call call("load_onnx", node.place);
    const Value value = call.value(x), tuples = call.value(indices);
    const ir::Shape shape = ir::getShape(value), of = ir::getShape(tuples);
    if (batch >= of.size() || batch >= shape.size())
      node.fail("has batch_dims " + std::to_string(batch));
    const size_t depth = tupleOf(node, of, shape.size() - batch);
    const ir::Shape sizes(shape.begin() + int64_t(batch), shape.begin() + int64_t(batch + depth));
    Value index = sliceIndex(node, call, tuples, sizes);
    result = ir::getShape(index);
    // Of each batch its own.
    if (batch) {
      const DimExpr count = call.check(ir::product(sizes));
      std::vector<Value> all;
      ir::Shape extents;
      for (size_t i = 0; i < batch; ++i) {
        all.push_back(
            call.g.iota(ir::getTensorType(result, call.builder.getI64Type()), int64_t(i)));
        extents.push_back(shape[i]);
      }
      all.push_back(index);
      extents.push_back(count);
      index = flatIndex(call, all, extents);
    }
    const ir::Shape tail(shape.begin() + int64_t(batch + depth), shape.end());
    ir::Shape table{
        call.check(ir::product({shape.begin(), shape.begin() + int64_t(batch + depth)}))};
    table.insert(table.end(), tail.begin(), tail.end());
    rows = call.tensor(call.g.reshape(value, table));
    places = call.tensor(index);
  }
  return one(K::gather(rows, places, node.place));
}

std::string reductionOf(ModelNode &node) {
  const std::string reduction = node.text("reduction", "none");
  if (reduction == "none")
    return "write";
  if (reduction == "add")
    return "add";
  node.notImplemented(node.type() + " with reduction " + reduction);
}

Values scatterElements(ModelNode &node) {
  Tensor x = node.input(0);
  const int64_t axis = node.axis(node.integer("axis", 0), x.ndim());
  const std::string mode = reductionOf(node);
  Tensor table, places, updates;
  ir::Shape shape;
  {
    Call call("load_onnx", node.place);
    const Value value = call.value(x);
    shape = ir::getShape(value);
    const Value index = elementIndex(node, call, value, call.value(node.input(1)), axis);
    const Value given = call.requireShape(call.value(node.input(2)), ir::getShape(index),
                                          "the indices and the updates");
    table = call.tensor(flat(call, value));
    places = call.tensor(flat(call, index));
    updates = call.tensor(flat(call, given));
  }
  Tensor written = K::scatter(table, places, updates, mode, node.place);
  Call call("load_onnx", node.place);
  return one(call.tensor(call.g.reshape(call.value(written), shape)));
}

Values scatterNd(ModelNode &node) {
  Tensor x = node.input(0);
  const std::string mode = reductionOf(node);
  Tensor table, places, updates;
  ir::Shape shape;
  {
    Call call("load_onnx", node.place);
    const Value value = call.value(x), tuples = call.value(node.input(1));
    shape = ir::getShape(value);
    const size_t depth = tupleOf(node, ir::getShape(tuples), shape.size());
    const ir::Shape sizes(shape.begin(), shape.begin() + int64_t(depth)),
        tail(shape.begin() + int64_t(depth), shape.end());
    const Value index = flat(call, sliceIndex(node, call, tuples, sizes));
    ir::Shape rows{call.check(ir::product(sizes))}, given{ir::getShape(index).front()};
    rows.insert(rows.end(), tail.begin(), tail.end());
    given.insert(given.end(), tail.begin(), tail.end());
    ir::Shape whole = ir::getShape(tuples);
    whole.pop_back();
    whole.insert(whole.end(), tail.begin(), tail.end());
    table = call.tensor(call.g.reshape(value, rows));
    places = call.tensor(index);
    updates = call.tensor(call.g.reshape(
        call.requireShape(call.value(node.input(2)), whole, "the indices and the updates"), given));
  }
  Tensor written = K::scatter(table, places, updates, mode, node.place);
  Call call("load_onnx", node.place);
  return one(call.tensor(call.g.reshape(call.value(written), shape)));
}

//===-- As many as data say -------------------------------------------------------------------===//

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

// Along the time axis the first elements of each sequence in reverse.
Values reverseSequence(ModelNode &node) {
  Tensor x = node.input(0), lengths = node.input(1);
  const int64_t time = node.axis(node.integer("time_axis", 0), x.ndim()),
                batch = node.axis(node.integer("batch_axis", 1), x.ndim());
  if (lengths.ndim() != 1 || time == batch)
    node.fail("needs a vector of lengths, and two axes");
  Tensor places, elements;
  {
    Call call("load_onnx", node.place);
    auto &g = call.g;
    const Value value = call.value(x);
    const ir::Shape shape = ir::getShape(value);
    const mlir::Type i64 = call.builder.getI64Type();
    const Value length =
        g.broadcast(call.withSize(call.cast(call.value(lengths), DType::Int64), 0,
                                  shape[size_t(batch)], "the lengths and the batch"),
                    shape, {batch});
    std::vector<Value> all;
    for (size_t i = 0; i < shape.size(); ++i) {
      Value place = g.iota(ir::getTensorType(shape, i64), int64_t(i));
      if (int64_t(i) == time) {
        const Value back = g.sub(g.sub(length, call.like(place, 1)), place);
        place = g.select(g.less(place, length), back, place);
      }
      all.push_back(place);
    }
    places = call.tensor(flatIndex(call, all, shape));
    elements = call.tensor(flat(call, value));
  }
  return one(K::gather(elements, places, node.place));
}

const OpRecord records[] = {
    {"Compress", compress},
    {"NonZero", nonZero},
    {"ReverseSequence", reverseSequence},
    {"Scatter", scatterElements},
    {"ScatterElements", scatterElements},
    {"ScatterND", scatterNd},
    {"Gather", gather},
    {"GatherElements", gatherElements},
    {"GatherND", gatherNd},
};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::indexingOps() { return records; }
