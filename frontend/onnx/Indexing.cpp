// Ops of ONNX that pick elements by indices.
#include "frontend/onnx/Indexing.h"
#include "frontend/onnx/Orders.h"
#include "keratin/elementwise.h"
#include "keratin/linear_algebra.h"
#include "keratin/shapes.h"

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

Value keratin::frontend::onnx_models::fromTheEnd(Call &call, Value indices, const DimExpr &size) {
  const Value count =
      call.g.broadcastScalar(call.scalar(size, call.dtypeOf(indices)), ir::getShape(indices));
  return call.g.select(call.g.less(indices, call.like(indices, 0)), call.g.add(indices, count),
                       indices);
}

Value keratin::frontend::onnx_models::elementIndex(ModelNode &node, Call &call, Value x,
                                                   Value indices, int64_t axis) {
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

Value keratin::frontend::onnx_models::flat(Call &call, Value x) {
  return call.g.reshape(x, {call.check(ir::product(ir::getShape(x)))});
}

Value keratin::frontend::onnx_models::sliceIndex(ModelNode &node, Call &call, Value indices,
                                                 const ir::Shape &sizes) {
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

size_t keratin::frontend::onnx_models::tupleOf(ModelNode &node, const ir::Shape &shape,
                                               size_t rank) {
  if (shape.empty() || !shape.back().isConstant() || shape.back().constantValue() < 1 ||
      size_t(shape.back().constantValue()) > rank)
    node.notImplemented("indices whose last size is not known, or 0");
  return size_t(shape.back().constantValue());
}

namespace {

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

const OpRecord indexingRecords[] = {
    {"ReverseSequence", reverseSequence},
    {"Gather", gather},
    {"GatherElements", gatherElements},
    {"GatherND", gatherNd},
};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::indexingOps() { return indexingRecords; }
