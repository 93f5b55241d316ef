// Convolutions of ONNX.
#include "frontend/onnx/Windows.h"

#include <numeric>

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;

namespace {

// A filter (out, in, spatial…) as (spatial…, in, out).
Value filterLast(Call &call, Value filter) {
  std::vector<int64_t> order(size_t(call.rank(filter)) - 2);
  std::iota(order.begin(), order.end(), 2);
  order.push_back(1);
  order.push_back(0);
  return call.g.transpose(filter, order);
}

Value withBias(Call &call, Value y, const ModelNode &node, size_t input) {
  if (!node.has(input))
    return y;
  const Value bias = call.value(node.input(input));
  if (call.rank(bias) > 1)
    node.fail("has a bias of rank " + std::to_string(call.rank(bias)) + "; needed 1");
  return call.g.add(y, call.broadcastTo(bias, ir::getShape(y)));
}

// The axis cut into groups.
Value cut(Call &call, Value x, size_t axis, int64_t groups) {
  ir::Shape shape = ir::getShape(x);
  const DimExpr each = call.check(ir::floordiv(shape[axis], groups));
  call.requireEqual(call.check(ir::mul(each, groups)), shape[axis],
                    "groups must have all channels");
  shape[axis] = each;
  shape.insert(shape.begin() + int64_t(axis), groups);
  return call.g.reshape(x, shape);
}

Value joined(Call &call, Value x, size_t axis) {
  ir::Shape shape = ir::getShape(x);
  shape[axis + 1] = call.check(ir::mul(shape[axis], shape[axis + 1]));
  shape.erase(shape.begin() + int64_t(axis));
  return call.g.reshape(x, shape);
}

// The windows over x that the filter has.
Geometry geometryOver(ModelNode &node, Call &call, Value x, Value filter) {
  const ir::Shape shape = ir::getShape(filter);
  if (shape.size() < 3)
    node.fail("has a filter of rank " + std::to_string(shape.size()) + "; needed 3 at least");
  ir::Shape sizes(shape.begin() + 2, shape.end());
  if (const Numbers window = node.integers("kernel_shape"); !window.empty()) {
    if (window.size() != sizes.size())
      node.fail("has a kernel_shape that the filter has not");
    for (size_t i = 0; i < window.size(); ++i)
      call.requireEqual(sizes[i], window[i], "the filter and kernel_shape must agree");
    sizes.assign(window.begin(), window.end());
  }
  if (sizes.size() > 3)
    node.notImplemented("convolutions of more than three axes");
  const int64_t rank = int64_t(sizes.size()) + 2;
  if (call.rank(x) != rank)
    node.fail("has x of rank " + std::to_string(call.rank(x)) + "; needed " + std::to_string(rank));
  return geometryOf(node, sizes);
}

int64_t groupsOf(ModelNode &node) {
  const int64_t groups = node.integer("group", 1);
  if (groups < 1 || groups > (1 << 30))
    node.fail("has " + std::to_string(groups) + " groups");
  return groups;
}

// Short integers are summed in int32, and widened by what sums them.
Value sumOfProducts(Call &call, Value x, Value filter,
                    const ir::GraphMath::ConvolutionWindows &windows, const ir::Shape &result) {
  auto wide = [&](Value operand) {
    const DType dtype = call.dtypeOf(operand);
    return isInteger(dtype) && dtypeSize(dtype) < 4 ? call.cast(operand, DType::Int32) : operand;
  };
  return call.g.convolution(wide(x), wide(filter), windows, result);
}

Value convolved(ModelNode &node, Call &call, Value x, Value filter) {
  const Geometry g = geometryOver(node, call, x, filter);
  const size_t spatial = g.window.size();
  const int64_t groups = groupsOf(node);
  x = channelsLast(call, x);
  filter = filterLast(call, filter);
  const std::string image = std::string("012").substr(0, spatial);
  ir::GraphMath::ConvolutionWindows windows;
  const ir::Shape sizes = ir::getShape(x);
  ir::Shape result{sizes.front()};
  for (size_t i = 0; i < spatial; ++i) {
    const Extent extent = extentOf(call, g, i, sizes[i + 1]);
    windows.strides.push_back(g.strides[i]);
    windows.dilation.push_back(g.dilations[i]);
    windows.xDilation.push_back(1);
    windows.reversed.push_back(false);
    windows.low.push_back(extent.low);
    result.push_back(extent.count);
  }
  if (groups == 1) {
    const std::string what = "the channels of x and the filter";
    const DimExpr channels = call.unify(sizes.back(), ir::getShape(filter)[spatial], what);
    x = call.withSize(call.required(x), int64_t(spatial) + 1, channels, what);
    filter = call.withSize(filter, int64_t(spatial), channels, what);
    windows.dims = "b" + image + "c," + image + "cf->b" + image + "f";
    result.push_back(ir::getShape(filter).back());
    return sumOfProducts(call, x, filter, windows, result);
  }
  x = cut(call, x, spatial + 1, groups);
  filter = cut(call, filter, spatial + 1, groups); // (spatial…, in, groups, out)
  Numbers order(spatial + 3);
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[spatial], order[spatial + 1]);
  filter = call.g.transpose(filter, order);
  const std::string what = "the channels of a group and the filter";
  const DimExpr each = call.unify(ir::getShape(x).back(), ir::getShape(filter)[spatial + 1], what);
  x = call.withSize(call.required(x), int64_t(spatial) + 2, each, what);
  filter = call.withSize(filter, int64_t(spatial) + 1, each, what);
  result.push_back(groups);
  result.push_back(ir::getShape(filter).back());
  if (each == DimExpr(1)) {
    // One channel each.
    auto without = [&](Value value, size_t axis) {
      ir::Shape shape = ir::getShape(value);
      shape.erase(shape.begin() + int64_t(axis));
      return call.g.reshape(value, shape);
    };
    x = without(x, spatial + 2);
    filter = without(filter, spatial + 1);
    windows.dims = "b" + image + "g," + image + "gf->b" + image + "gf";
  } else {
    windows.dims = "b" + image + "gc," + image + "gcf->b" + image + "gf";
  }
  return joined(call, sumOfProducts(call, x, filter, windows, result), spatial + 1);
}

bool areZero(const Array *numbers) {
  if (!numbers)
    return false;
  const std::vector<int64_t> all = numbers->toVector<int64_t>();
  return llvm::all_of(all, [](int64_t number) { return number == 0; });
}

// Integers less their zero points, one in all or one for each place along an axis, as short as they
// are exact.
Value lessZeroPoint(ModelNode &node, Call &call, Quantized operand, int64_t axis) {
  const Value x = call.value(node.input(operand.integers));
  if (!node.has(operand.zeroPoint) || areZero(node.constant(operand.zeroPoint)))
    return x;
  const DType wide = dtypeSize(call.dtypeOf(x)) == 1 ? DType::Int16 : DType::Int32;
  const Value from = call.cast(x, wide);
  const ir::Shape shape = ir::getShape(x);
  Value zero = call.cast(call.value(node.input(operand.zeroPoint)), wide);
  if (call.rank(zero) == 0 || (call.rank(zero) == 1 && ir::getShape(zero).front() == DimExpr(1)))
    return call.g.sub(from, call.g.broadcastScalar(call.g.reshape(zero, {}), shape));
  if (call.rank(zero) != 1 || axis >= int64_t(shape.size()))
    node.fail("has zero points of rank " + std::to_string(call.rank(zero)) +
              " beside integers of rank " + std::to_string(shape.size()));
  zero = call.withSize(zero, 0, shape[size_t(axis)], "the zero points and their axis");
  return call.g.sub(from, call.g.broadcast(zero, shape, {axis}));
}

} // namespace

Tensor keratin::frontend::onnx_models::exactConvolution(ModelNode &node, Quantized x,
                                                        Quantized filter) {
  Call call("load_onnx", node.place);
  return channelsFirst(call, convolved(node, call, lessZeroPoint(node, call, x, 1),
                                       lessZeroPoint(node, call, filter, 0)));
}

namespace {

Values conv(ModelNode &node) {
  Call call("load_onnx", node.place);
  auto [x, filter] = call.promoted(node.input(0), node.input(1));
  const Value y = convolved(node, call, x, filter);
  return one(channelsFirst(call, withBias(call, y, node, 2)));
}

Values convInteger(ModelNode &node) { return one(exactConvolution(node, {0, 2}, {1, 3})); }

Values convTranspose(ModelNode &node) {
  Call call("load_onnx", node.place);
  auto [x, filter] = call.promoted(node.input(0), node.input(1));
  const Geometry g = geometryOver(node, call, x, filter);
  const size_t spatial = g.window.size();
  const Numbers more = orAll(node.integers("output_padding"), spatial, 0, node, "output_padding");
  for (int64_t number : more)
    if (number < 0 || number > (1 << 30))
      node.fail("has an output_padding of " + std::to_string(number));
  Numbers wanted = node.integers("output_shape");
  for (int64_t number : wanted)
    if (number < 0)
      node.fail("has an output_shape with " + std::to_string(number));
  if (wanted.size() == spatial + 2)
    wanted.erase(wanted.begin(), wanted.begin() + 2);
  if (!wanted.empty() && wanted.size() != spatial)
    node.fail("has " + std::to_string(wanted.size()) + " entries of output_shape");
  const int64_t groups = groupsOf(node);
  x = channelsLast(call, x);
  // (in, out, spatial…) to (spatial…, in, out).
  Numbers order(spatial);
  std::iota(order.begin(), order.end(), 2);
  order.push_back(0);
  order.push_back(1);
  filter = call.g.transpose(filter, order);
  const std::string image = std::string("012").substr(0, spatial);
  ir::GraphMath::ConvolutionWindows windows;
  const ir::Shape sizes = ir::getShape(x);
  ir::Shape result{sizes.front()};
  for (size_t i = 0; i < spatial; ++i) {
    if (!g.sizes[i].isConstant())
      node.notImplemented("transposed filters whose sizes only a call knows");
    const int64_t reach = (g.window[i] - 1) * g.dilations[i] + 1;
    // All places that the windows reach.
    const DimExpr last = call.check(ir::mul(call.check(ir::sub(sizes[i + 1], 1)), g.strides[i]));
    const DimExpr whole = call.check(ir::add(last, reach + more[i]));
    DimExpr low(g.before[i]), size = whole;
    if (!wanted.empty() || g.rule == "SAME_UPPER" || g.rule == "SAME_LOWER") {
      size = wanted.empty() ? call.check(ir::mul(sizes[i + 1], g.strides[i])) : DimExpr(wanted[i]);
      const DimExpr cut = call.check(ir::max(call.check(ir::sub(whole, size)), DimExpr(0)));
      const DimExpr half = call.check(ir::floordiv(cut, 2));
      low = g.rule == "SAME_UPPER" ? half : call.check(ir::sub(cut, half));
    } else if (g.rule == "NOTSET") {
      size = call.check(ir::sub(whole, g.before[i] + g.after[i]));
      call.requireAtLeast(size, 0, "pads must leave something of axis " + std::to_string(i + 2));
    } else {
      low = 0;
    }
    windows.strides.push_back(1);
    windows.dilation.push_back(g.dilations[i]);
    windows.xDilation.push_back(g.strides[i]);
    windows.reversed.push_back(true);
    windows.low.push_back(call.check(ir::sub(DimExpr(reach - 1), low)));
    result.push_back(size);
  }
  const std::string what = "the channels of x and the filter";
  const DimExpr channels = call.unify(sizes.back(), ir::getShape(filter)[spatial], what);
  x = call.withSize(call.required(x), int64_t(spatial) + 1, channels, what);
  filter = call.withSize(filter, int64_t(spatial), channels, what);
  Value y;
  if (groups == 1) {
    windows.dims = "b" + image + "c," + image + "cf->b" + image + "f";
    result.push_back(ir::getShape(filter).back());
    y = call.g.convolution(x, filter, windows, result);
  } else {
    x = cut(call, x, spatial + 1, groups);
    filter = cut(call, filter, spatial, groups);
    windows.dims = "b" + image + "gc," + image + "gcf->b" + image + "gf";
    result.push_back(groups);
    result.push_back(ir::getShape(filter).back());
    y = joined(call, call.g.convolution(x, filter, windows, result), spatial + 1);
  }
  return one(channelsFirst(call, withBias(call, y, node, 2)));
}

// Blocks, (batch, channels and their places, blocks), added up where they lie in an image.
Values blocksToImage(ModelNode &node) {
  const Shape given = node.shapeOf(1);
  const Geometry geometry = geometryOf(node, node.integersOf(2, "the shape of blocks"));
  Call call("load_onnx", node.place);
  auto &g = call.g;
  const ir::Shape image = call.shape(given);
  const size_t spatial = image.size();
  Value x = call.value(node.input(0));
  if (call.rank(x) != 3 || !spatial || geometry.window.size() != spatial)
    node.fail("needs blocks of rank 3, and as many sizes of a block as of the image");
  int64_t volume = 1;
  constexpr int64_t most = 1 << 20;
  for (int64_t size : geometry.window)
    volume = volume > most ? volume : volume * size;
  if (volume > most)
    node.notImplemented("blocks of more than " + std::to_string(most) + " places");
  ir::Shape padded, counts, places;
  for (size_t i = 0; i < spatial; ++i) {
    const Extent extent = extentOf(call, geometry, i, image[i]);
    padded.push_back(call.check(ir::add(image[i], geometry.before[i] + geometry.after[i])));
    counts.push_back(extent.count);
    places.push_back(geometry.window[i]);
  }
  places.insert(places.end(), counts.begin(), counts.end());
  // Each element's number in the image with its padding.
  std::vector<Value> indices;
  const auto type = ir::getTensorType(places, call.elementType(DType::Int64));
  for (size_t i = 0; i < spatial; ++i) {
    const Value place = g.iota(type, int64_t(i)), block = g.iota(type, int64_t(spatial + i));
    indices.push_back(g.add(g.scale(place, double(geometry.dilations[i])),
                            g.scale(block, double(geometry.strides[i]))));
  }
  const ir::Shape shape = ir::getShape(x);
  const DimExpr channels = call.check(ir::floordiv(shape[1], DimExpr(volume)));
  const DimExpr blocks = call.check(ir::product(counts)), all = call.check(ir::product(padded)),
                lines = call.check(ir::mul(shape[0], channels));
  x = call.requireShape(x, {shape[0], call.check(ir::mul(channels, DimExpr(volume))), blocks},
                        "the blocks and those of the image");
  // (batch, channels, places, blocks) to (places, blocks, lines), and back.
  x = g.transpose(g.reshape(x, {lines, DimExpr(volume), blocks}), {1, 2, 0});
  ir::Shape rows = places;
  rows.push_back(lines);
  const Value sums = g.scatterAdd(flatIndex(call, indices, padded),
                                  g.reshape(call.required(x), rows), {all, lines});
  ir::Shape wide = padded, starts(spatial, 0), part = image;
  for (size_t i = 0; i < spatial; ++i)
    starts[i] = geometry.before[i];
  wide.push_back(lines);
  part.push_back(lines);
  starts.push_back(0);
  const Value inside = g.slice(g.reshape(sums, wide), starts, part, Numbers(spatial + 1, 1));
  Numbers order{int64_t(spatial)};
  for (size_t i = 0; i < spatial; ++i)
    order.push_back(int64_t(i));
  ir::Shape result{shape[0], channels};
  result.insert(result.end(), image.begin(), image.end());
  return one(call.tensor(g.reshape(g.transpose(inside, order), result)));
}

const OpRecord convolutionRecords[] = {
    {"Col2Im", blocksToImage},
    {"Conv", conv},
    {"ConvInteger", convInteger},
    {"ConvTranspose", convTranspose},
};

} // namespace

llvm::ArrayRef<OpRecord> keratin::frontend::onnx_models::convolutionOps() {
  return convolutionRecords;
}
