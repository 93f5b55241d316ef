// Ops of ONNX that move elements as shapes say.
#include "keratin/shapes.h"
#include "frontend/onnx/ModelNode.h"
#include "keratin/elementwise.h"
#include "keratin/linear_algebra.h"

#include <algorithm>
#include <numeric>

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;
namespace K = keratin::backend;

namespace {

// Sizes that are not known are symbols.
Tensor reshaped(ModelNode &node, const Tensor &x, const ir::Shape &shape) {
  Call call("load_onnx", node.place);
  return call.tensor(call.g.reshape(call.value(x), shape));
}

ir::Shape shapeOfValue(ModelNode &node, const Tensor &x) {
  Call call("load_onnx", node.place);
  return ir::getShape(call.value(x));
}

Values reshape(ModelNode &node) {
  Tensor x = node.input(0);
  if (node.opset < 5)
    return one(K::reshape(x, Shape(node.integers("shape")), node.place));
  const bool keepsZeros = node.integer("allowzero", 0);
  const Array *known = node.constant(1);
  ir::Shape numbers = known ? ir::Shape() : node.formulasOf(1);
  if (!known && numbers.empty())
    known = node.computedConstant(1);
  if (known)
    for (int64_t number : known->toVector<int64_t>())
      numbers.push_back(number);
  const bool hasZeros = std::count(numbers.begin(), numbers.end(), DimExpr(0));
  if (!hasZeros || keepsZeros)
    return one(K::reshape(x, known ? Shape(known->toVector<int64_t>()) : Shape(node.input(1)),
                          node.place));
  // 0: the size that is there.
  const ir::Shape from = shapeOfValue(node, x);
  Call call("load_onnx", node.place);
  ir::Shape shape;
  std::optional<size_t> open;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const DimExpr &number = numbers[i];
    if (number == DimExpr(0) && i >= from.size())
      node.fail("keeps size " + std::to_string(i) + " of an input of rank " +
                std::to_string(from.size()));
    const bool isOpen = number == DimExpr(-1);
    if ((number.isConstant() && number.constantValue() < -1) || (isOpen && open))
      node.fail("has " + number.str() + " in its shape; needed sizes, and one -1");
    if (isOpen)
      open = i;
    else
      call.requireAtLeast(number, DimExpr(0), "an entry of shape");
    shape.push_back(number == DimExpr(0) ? from[i] : isOpen ? DimExpr(1) : number);
  }
  if (open) {
    // What is kept at its place divides out.
    ir::Shape left, given;
    for (size_t i = 0; i < from.size(); ++i)
      if (!(i < numbers.size() && numbers[i] == DimExpr(0)))
        left.push_back(from[i]);
    for (size_t i = 0; i < numbers.size(); ++i)
      if (i != *open && numbers[i] != DimExpr(0))
        given.push_back(shape[i]);
    const DimExpr count = call.check(ir::product(left)), by = call.check(ir::product(given));
    shape[*open] = call.check(ir::floordiv(count, by));
    call.requireEqual(call.check(ir::mul(shape[*open], by)), count,
                      "the elements must fill the shape");
  } else {
    call.requireEqual(call.check(ir::product(from)), call.check(ir::product(shape)),
                      "the elements must fill the shape");
  }
  return one(call.tensor(call.g.reshape(call.required(call.value(x)), shape)));
}

// (product of the sizes before the axis, product of the rest).
Values flatten(ModelNode &node) {
  Tensor x = node.input(0);
  const int64_t given = node.integer("axis", 1);
  const int64_t axis = given == x.ndim() ? given : node.axis(given, std::max<int64_t>(1, x.ndim()));
  const ir::Shape from = shapeOfValue(node, x);
  Call call("load_onnx", node.place);
  const ir::Shape shape{call.check(ir::product({from.begin(), from.begin() + axis})),
                        call.check(ir::product({from.begin() + axis, from.end()}))};
  return one(call.tensor(call.g.reshape(call.value(x), shape)));
}

Values squeeze(ModelNode &node) {
  Tensor x = node.input(0);
  const ir::Shape from = shapeOfValue(node, x);
  Numbers axes = node.opset < 13 ? node.integers("axes")
                 : node.has(1)   ? node.integersOf(1, "axes")
                                 : Numbers();
  for (int64_t &axis : axes)
    axis = node.axis(axis, x.ndim());
  ir::Shape shape;
  Call call("load_onnx", node.place);
  for (size_t i = 0; i < from.size(); ++i) {
    const bool isNamed = std::count(axes.begin(), axes.end(), int64_t(i));
    if (isNamed)
      call.requireEqual(from[i], 1, "a size that is squeezed out must be 1");
    if (axes.empty() ? from[i] != DimExpr(1) : !isNamed)
      shape.push_back(from[i]);
  }
  return one(call.tensor(call.g.reshape(call.required(call.value(x)), shape)));
}

Values unsqueeze(ModelNode &node) {
  Tensor x = node.input(0);
  Numbers axes = node.opset < 13 ? node.integers("axes") : node.integersOf(1, "axes");
  const int64_t rank = x.ndim() + int64_t(axes.size());
  for (int64_t &axis : axes)
    axis = node.axis(axis, rank);
  std::sort(axes.begin(), axes.end());
  if (std::unique(axes.begin(), axes.end()) != axes.end())
    node.fail("has an axis twice");
  ir::Shape shape = shapeOfValue(node, x);
  for (int64_t axis : axes)
    shape.insert(shape.begin() + axis, 1);
  return one(reshaped(node, x, shape));
}

Values transpose(ModelNode &node) {
  Tensor x = node.input(0);
  Numbers order = node.integers("perm");
  if (order.empty()) {
    order.resize(size_t(x.ndim()));
    std::iota(order.rbegin(), order.rend(), 0);
  }
  return one(K::permute_dimensions(x, order, node.place));
}

Values concat(ModelNode &node) {
  std::vector<Operand> tensors;
  // Shapes stay numbers.
  bool areShapes = node.inputCount() > 0;
  int64_t known = 0;
  for (size_t i = 0; areShapes && i < node.inputCount(); ++i) {
    const Array *numbers = node.constant(i);
    areShapes = numbers && numbers->ndim() == 1 && numbers->dtype() == DType::Int64;
    known += areShapes ? numbers->size() : 0;
  }
  if (areShapes && known <= kMostKnown) {
    Numbers all;
    for (size_t i = 0; i < node.inputCount(); ++i)
      for (int64_t number : node.constant(i)->toVector<int64_t>())
        all.push_back(number);
    const int64_t count = int64_t(all.size());
    return one(Array::copyOf(DType::Int64, {count}, all.data()));
  }
  for (size_t i = 0; i < node.inputCount(); ++i)
    tensors.push_back(node.input(i));
  return one(K::concatenate(tensors, node.integer("axis", 1), node.place));
}

Values split(ModelNode &node) {
  Tensor x = node.input(0);
  const int64_t axis = node.axis(node.integer("axis", 0), x.ndim());
  Numbers sizes = node.opset < 13 ? node.integers("split")
                  : node.has(1)   ? node.integersOf(1, "split")
                                  : Numbers();
  const int64_t count = int64_t(node.outputCount());
  if (sizes.empty()) {
    const std::optional<int64_t> whole = x.shape()[size_t(axis)];
    if (node.opset >= 18 && whole) {
      // The last part may be smaller.
      const int64_t part = (*whole + count - 1) / count;
      for (int64_t i = 0; i < count; ++i)
        sizes.push_back(std::clamp<int64_t>(*whole - i * part, 0, part));
    } else {
      std::vector<Tensor> parts = K::split(x, count, axis, node.place);
      Values values;
      for (Tensor &part : parts)
        values.emplace_back(std::move(part));
      return values;
    }
  }
  Values values;
  for (Tensor &part : K::split(x, std::vector<Size>(sizes.begin(), sizes.end()), axis, node.place))
    values.emplace_back(std::move(part));
  return values;
}

// The first entries of a vector: numbers, or tensors that a call knows them by.
std::vector<Size> entriesOf(ModelNode &node, size_t input, int64_t count) {
  const Array *known = node.constantOrFormula(input);
  std::vector<Size> entries;
  for (int64_t i = 0; i < count; ++i)
    entries.push_back(known ? Size(known->item<int64_t>(i))
                            : Size(node.input(input)[IndexList(i, node.place)]));
  return entries;
}

Values slice(ModelNode &node) {
  Tensor x = node.input(0);
  Numbers axes, steps;
  std::vector<Size> starts, ends;
  if (node.opset < 10) {
    const Numbers from = node.integers("starts"), to = node.integers("ends");
    axes = node.integers("axes");
    if (from.size() != to.size())
      node.fail("has other numbers of starts and ends");
    starts.assign(from.begin(), from.end());
    ends.assign(to.begin(), to.end());
  } else {
    const StaticShape shape = node.input(1).shape();
    if (shape.size() != 1 || !shape.front() || *shape.front() > x.ndim())
      node.fail("has starts that are no short vector");
    if (node.has(3))
      axes = node.integersOf(3, "axes");
    if (node.has(4))
      steps = node.integersOf(4, "steps");
    starts = entriesOf(node, 1, *shape.front());
    ends = entriesOf(node, 2, *shape.front());
  }
  const size_t count = starts.size();
  std::vector<IndexList::Item> items(size_t(x.ndim()), All);
  if ((!axes.empty() && axes.size() != count) || (!steps.empty() && steps.size() != count))
    node.fail("has other numbers of starts, axes and steps");
  for (size_t i = 0; i < count; ++i) {
    const int64_t axis = node.axis(axes.empty() ? int64_t(i) : axes[i], x.ndim());
    const int64_t step = steps.empty() ? 1 : steps[i];
    if (step == 0)
      node.fail("has a step of 0");
    Size from = starts[i], to = ends[i];
    // Numbers far outside stand for the ends.
    constexpr int64_t far = int64_t(1) << 31;
    auto isFar = [&](const Size &size, bool below) {
      return size.isNumber() && (below ? size.number() <= -far : size.number() >= far - 1);
    };
    if (isFar(to, step < 0))
      to = None;
    if (isFar(from, step > 0))
      from = None;
    items[size_t(axis)] = Slice(from, to, step);
  }
  return one(x[IndexList(std::move(items), node.place)]);
}

Values expand(ModelNode &node) {
  Tensor x = node.input(0);
  Call call("load_onnx", node.place);
  ir::Shape wanted;
  const Shape given = node.shapeOf(1);
  for (const std::optional<DimExpr> &entry : call.entries(given, "shape")) {
    if (!entry || (entry->isConstant() && entry->constantValue() < 0))
      node.fail("expands to a negative size");
    wanted.push_back(*entry);
  }
  const Value value = call.value(x);
  return one(
      call.tensor(call.broadcastTo(value, call.broadcastShape(ir::getShape(value), wanted))));
}

Values tile(ModelNode &node) {
  if (node.opset < 6)
    node.notImplemented("Tile of opset 1");
  return one(K::tile(node.input(0), node.shapeOf(1), node.place));
}

Values pad(ModelNode &node) {
  Tensor x = node.input(0);
  const std::string mode = node.text("mode", "constant");
  std::vector<Size> widths;
  if (node.opset < 11) {
    for (int64_t width : node.integers(node.opset < 2 ? "paddings" : "pads"))
      widths.push_back(width);
  } else {
    const StaticShape shape = node.input(1).shape();
    if (shape.size() != 1 || !shape.front() || *shape.front() > 2 * x.ndim())
      node.fail("has pads that are no short vector");
    widths = entriesOf(node, 1, *shape.front());
  }
  Numbers axes;
  if (node.has(3))
    axes = node.integersOf(3, "axes");
  else
    for (int64_t i = 0; i < x.ndim(); ++i)
      axes.push_back(i);
  if (widths.size() != 2 * axes.size())
    node.fail("has " + std::to_string(widths.size()) + " pads for " + std::to_string(axes.size()) +
              " axes");
  Operand fill = 0;
  if (node.opset < 11)
    fill = node.number("value", 0);
  else if (node.has(2))
    fill = node.input(2);
  constexpr int64_t most = int64_t(1) << 40;
  for (const Size &width : widths)
    if (width.isNumber() && (width.number() < -most || width.number() > most))
      node.fail("has a pad of " + std::to_string(width.number()));
  K::PadWidths pads(size_t(x.ndim()), {0, 0});
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t axis = size_t(node.axis(axes[i], x.ndim()));
    pads[axis] = {widths[i], widths[i + axes.size()]};
  }
  // Negative ones cut off.
  std::vector<IndexList::Item> cuts(size_t(x.ndim()), All);
  bool isCut = false;
  for (size_t axis = 0; axis < pads.size(); ++axis) {
    Size from = None, to = None;
    for (Size *width : {&pads[axis][0], &pads[axis][1]})
      if (width->isNumber() && width->number() < 0) {
        if (width == &pads[axis][0])
          from = -width->number();
        else
          to = width->number();
        *width = 0;
        isCut = true;
      }
    cuts[axis] = Slice(from, to);
  }
  if (isCut)
    x = x[IndexList(std::move(cuts), node.place)];
  if (mode != "wrap")
    return one(K::pad(x, pads, mode, fill, node.place));
  // The other end once more.
  for (size_t axis = 0; axis < pads.size(); ++axis) {
    std::vector<Operand> parts{x};
    for (int side = 0; side < 2; ++side) {
      if (!pads[axis][side].isNumber())
        node.notImplemented("pads that only a call knows, with mode wrap");
      const int64_t width = pads[axis][side].number();
      if (width == 0)
        continue;
      std::vector<IndexList::Item> items(size_t(x.ndim()), All);
      items[axis] = side ? Slice(None, width) : Slice(-width, None);
      parts.insert(side ? parts.end() : parts.begin(), x[IndexList(items, node.place)]);
    }
    if (parts.size() > 1)
      x = K::concatenate(parts, int64_t(axis), node.place);
  }
  return one(x);
}

Values depthToSpace(ModelNode &node) {
  Tensor x = node.input(0);
  const int64_t block = node.integer("blocksize");
  const std::string mode = node.text("mode", "DCR");
  if (x.ndim() != 4 || block < 1)
    node.fail("needs an input of rank 4 and a block of 1 or more");
  const ir::Shape s = shapeOfValue(node, x);
  Call call("load_onnx", node.place);
  const DimExpr b(block), square = call.check(ir::mul(b, b));
  const DimExpr depth = call.check(ir::floordiv(s[1], square));
  call.requireEqual(call.check(ir::mul(depth, square)), s[1], "blocks must fill the channels");
  Value value = call.required(call.value(x));
  if (mode == "DCR")
    value = call.g.transpose(call.g.reshape(value, {s[0], b, b, depth, s[2], s[3]}),
                             {0, 3, 4, 1, 5, 2});
  else
    value = call.g.transpose(call.g.reshape(value, {s[0], depth, b, b, s[2], s[3]}),
                             {0, 1, 4, 2, 5, 3});
  return one(call.tensor(call.g.reshape(
      value, {s[0], depth, call.check(ir::mul(s[2], b)), call.check(ir::mul(s[3], b))})));
}

Values spaceToDepth(ModelNode &node) {
  Tensor x = node.input(0);
  const int64_t block = node.integer("blocksize");
  if (x.ndim() != 4 || block < 1)
    node.fail("needs an input of rank 4 and a block of 1 or more");
  const ir::Shape s = shapeOfValue(node, x);
  Call call("load_onnx", node.place);
  const DimExpr b(block);
  const DimExpr h = call.check(ir::floordiv(s[2], b)), w = call.check(ir::floordiv(s[3], b));
  for (auto [part, whole] : {std::pair(h, s[2]), std::pair(w, s[3])})
    call.requireEqual(call.check(ir::mul(part, b)), whole, "blocks must fill the image");
  const Value value = call.required(call.value(x));
  const Value moved =
      call.g.transpose(call.g.reshape(value, {s[0], s[1], h, b, w, b}), {0, 3, 5, 1, 2, 4});
  const DimExpr depth = call.check(ir::mul(s[1], call.check(ir::mul(b, b))));
  return one(call.tensor(call.g.reshape(moved, {s[0], depth, h, w})));
}

// The middle of axes that are longer than their sizes, zeros around those that are shorter.
Values centerCropPad(ModelNode &node) {
  const Shape given = node.shapeOf(1);
  Call call("load_onnx", node.place);
  const Value x = call.value(node.input(0));
  const ir::Shape sizes = call.shape(given);
  Numbers axes = node.integers("axes");
  if (axes.empty())
    for (int64_t i = 0; i < call.rank(x); ++i)
      axes.push_back(i);
  if (axes.size() != sizes.size())
    node.fail("has " + std::to_string(sizes.size()) + " sizes for " + std::to_string(axes.size()) +
              " axes");
  auto half = [&](const DimExpr &a, const DimExpr &b) {
    const DimExpr more = call.check(ir::max(call.check(ir::sub(a, b)), DimExpr(0)));
    return call.check(ir::floordiv(more, 2));
  };
  ir::Shape result = ir::getShape(x), part = result, starts(result.size(), 0), low = starts;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const size_t axis = size_t(node.axis(axes[i], call.rank(x)));
    const DimExpr size = ir::getShape(x)[axis];
    result[axis] = sizes[i];
    part[axis] = call.check(ir::min(size, sizes[i]));
    starts[axis] = half(size, sizes[i]);
    low[axis] = half(sizes[i], size);
  }
  const Value middle = call.g.slice(call.required(x), starts, part, Numbers(starts.size(), 1));
  return one(call.tensor(call.g.pad(middle, low, Numbers(starts.size(), 0), result)));
}

Values identity(ModelNode &node) { return one(node.value(0)); }

// The lower or the upper triangle of the matrices in the last two axes.
Values triangle(ModelNode &node) {
  Tensor x = node.input(0);
  const bool upper = node.integer("upper", 1);
  Call call("load_onnx", node.place);
  const Value value = call.value(x);
  const int64_t rank = call.rank(value);
  if (rank < 2)
    node.fail("has an input of rank " + std::to_string(rank) + "; needed 2 at least");
  const ir::Shape shape = ir::getShape(value);
  auto type = ir::getTensorType({shape[size_t(rank) - 2], shape[size_t(rank) - 1]},
                                call.builder.getI64Type());
  Value k =
      call.g.broadcastScalar(call.g.integerScalar(0, type.getElementType()), ir::getShape(type));
  if (node.has(1)) {
    const Value given = call.cast(call.value(node.input(1)), DType::Int64);
    k = call.g.broadcastScalar(call.g.reshape(given, {}), ir::getShape(type));
  }
  const Value distance = call.g.sub(call.g.iota(type, 1), call.g.iota(type, 0));
  const Value inside = call.g.compare(upper ? ir::Comparison::GE : ir::Comparison::LE, distance, k);
  const Value mask = call.g.broadcast(inside, shape, {rank - 2, rank - 1});
  if (call.dtypeOf(value) == DType::Bool)
    return one(call.tensor(call.g.and_(mask, value)));
  return one(call.tensor(call.g.select(mask, value, call.like(value, 0))));
}

const OpRecord shapeRecords[] = {
    {"Concat", concat},
    {"DepthToSpace", depthToSpace},
    {"Expand", expand},
    {"Flatten", flatten, "", Narrow::Moved},
    {"CenterCropPad", centerCropPad},
    {"Identity", identity, "", Narrow::Moved},
    {"Pad", pad, "", Narrow::Moved},
    {"Reshape", reshape, "", Narrow::Moved},
    {"Slice", slice},
    {"SpaceToDepth", spaceToDepth},
    {"Split", split},
    {"Squeeze", squeeze, "", Narrow::Moved},
    {"Tile", tile},
    {"Transpose", transpose, "", Narrow::Moved},
    {"Trilu", triangle},
    {"Unsqueeze", unsqueeze, "", Narrow::Moved},
};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::shapeOps() { return shapeRecords; }
