// Sums and choices over windows as nodes of ONNX.
#include "frontend/onnx/GraphExporter.h"

#include "ir/interfaces/WindowShape.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>

using namespace keratin;
using namespace keratin::frontend::onnx_models;
using ir::DimExpr;

DimExpr keratin::frontend::onnx_models::placesAfter(const Windows &windows) {
  const auto &[size, count, low, reach, stride] = windows;
  // (count - 1) * stride + reach - low - size.
  const DimExpr last = checked(ir::mul(checked(ir::sub(count, 1)), DimExpr(stride)));
  const DimExpr exact =
      checked(ir::sub(checked(ir::sub(checked(ir::add(last, reach)), low)), size));
  if (exact.isConstant())
    return -exact.constantValue() > 0 && -exact.constantValue() < stride ? DimExpr(0) : exact;
  if (!low.isConstant() || !reach.isConstant())
    return exact;
  for (int64_t after = 0; after <= reach.constantValue() + stride; ++after) {
    const DimExpr padded = checked(ir::add(checked(ir::add(size, low)), DimExpr(after)));
    const DimExpr room = checked(ir::sub(padded, reach));
    if (checked(ir::add(checked(ir::floordiv(room, DimExpr(stride))), 1)) == count)
      return DimExpr(after);
  }
  return exact;
}

const char *keratin::frontend::onnx_models::sameRule(llvm::ArrayRef<Windows> all) {
  for (const bool isUpper : {true, false}) {
    const bool isSame = llvm::all_of(all, [&](const Windows &windows) {
      const auto &[size, count, low, reach, stride] = windows;
      // ONNX Runtime refuses it of windows that leave places out.
      if (!reach.isConstant() || reach.constantValue() < stride)
        return false;
      if (checked(ir::ceildiv(size, DimExpr(stride))) != count)
        return false;
      const DimExpr last = checked(ir::mul(checked(ir::sub(count, 1)), DimExpr(stride)));
      const DimExpr missing =
          checked(ir::max(checked(ir::sub(checked(ir::add(last, reach)), size)), DimExpr(0)));
      const DimExpr half = checked(ir::floordiv(missing, 2));
      return low == (isUpper ? half : checked(ir::sub(missing, half)));
    });
    if (isSame)
      return isUpper ? "SAME_UPPER" : "SAME_LOWER";
  }
  return nullptr;
}

namespace {

// A tensor as images of one channel: (all dimensions that no window slides along, 1, the others).
struct Images {
  Numbers still, sliding, order;
  ir::Shape xMoved, xImages, yMoved, yImages;
  Numbers window, strides;
  ir::Shape low, high;
  std::vector<ir::WindowDim> dims;
  std::vector<Windows> along;
  const char *rule = nullptr; // in place of pads
  // Before the node: pads that are no numbers, or as large as the window.
  bool isPadded = false;
};

Images imagesOf(GraphExporter &e, mlir::Operation *op) {
  Images images;
  const auto dims = ir::getWindowDims(op);
  for (size_t i = 0; i < dims.size(); ++i)
    (dims[i].slides() ? images.sliding : images.still).push_back(int64_t(i));
  if (images.sliding.empty())
    images.sliding.push_back(images.still.back()), images.still.pop_back();
  images.order = images.still;
  images.order.insert(images.order.end(), images.sliding.begin(), images.sliding.end());
  ir::Shape still;
  for (int64_t axis : images.still)
    still.push_back(dims[size_t(axis)].x);
  images.xImages = images.yImages = {checked(ir::product(still)), DimExpr(1)};
  for (int64_t axis : images.order) {
    images.xMoved.push_back(dims[size_t(axis)].x);
    images.yMoved.push_back(dims[size_t(axis)].y);
  }
  for (int64_t axis : images.sliding) {
    const ir::WindowDim &dim = dims[size_t(axis)];
    images.dims.push_back(dim);
    images.xImages.push_back(dim.x);
    images.yImages.push_back(dim.y);
    images.window.push_back(dim.window);
    images.strides.push_back(dim.stride);
    images.low.push_back(dim.low);
    const DimExpr spread = checked(ir::mul(dim.x, DimExpr(dim.xDilation)));
    images.along.push_back({spread, dim.y, dim.low, DimExpr(dim.window), dim.stride});
    images.high.push_back(placesAfter(images.along.back()));
    for (const DimExpr &pad : {images.low.back(), images.high.back()})
      images.isPadded = images.isPadded || !pad.isConstant() || pad.constantValue() < 0 ||
                        pad.constantValue() >= dim.window;
  }
  if (images.isPadded && (images.rule = sameRule(images.along)))
    images.isPadded = false;
  return images;
}

std::string toImages(GraphExporter &e, mlir::Value x, const Images &images) {
  return e.reshape(e.transpose(e.value(x), images.order), images.xMoved, images.xImages);
}

std::string fromImages(GraphExporter &e, const std::string &y, const Images &images, bool isX) {
  Numbers back(images.order.size());
  for (size_t i = 0; i < back.size(); ++i)
    back[size_t(images.order[i])] = int64_t(i);
  return e.transpose(
      e.reshape(y, isX ? images.xImages : images.yImages, isX ? images.xMoved : images.yMoved),
      back);
}

// What the windows reach of images of this shape, with this number where x is not.
std::string around(GraphExporter &e, const std::string &x, const ir::Shape &shape,
                   const Images &images, double value, mlir::Type type) {
  ir::Shape before{0, 0}, after{0, 0};
  before.insert(before.end(), images.low.begin(), images.low.end());
  after.insert(after.end(), images.high.begin(), images.high.end());
  return e.padded(x, shape, before, after, type, value);
}

NodeAttributes attributesOf(const Images &images) {
  NodeAttributes attributes{{"kernel_shape", images.window}, {"strides", images.strides}};
  if (images.isPadded)
    return attributes;
  if (images.rule) {
    attributes.push_back({"auto_pad", std::string(images.rule)});
    return attributes;
  }
  Numbers pads;
  for (const ir::Shape *shape : {&images.low, &images.high})
    for (const DimExpr &pad : *shape)
      pads.push_back(pad.constantValue());
  if (llvm::any_of(pads, [](int64_t pad) { return pad != 0; }))
    attributes.push_back({"pads", pads});
  return attributes;
}

void needFloats(GraphExporter &e, mlir::Type type) {
  if (!llvm::isa<mlir::FloatType>(type))
    e.notImplemented("windows over integers");
}

void windowSum(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::WindowSumOp>(op);
  const mlir::Type type = ir::getElementType(of.getX());
  needFloats(e, type);
  Images images = imagesOf(e, op);
  std::string x = toImages(e, of.getX(), images);
  ir::Shape shape = images.xImages;
  for (size_t i = 0; i < images.dims.size(); ++i)
    x = e.spread(x, shape, i + 2, images.dims[i].xDilation);
  if (images.isPadded)
    x = around(e, x, shape, images, 0, type);
  NodeAttributes attributes = attributesOf(images);
  double count = 1;
  for (int64_t size : images.window)
    count *= double(size);
  attributes.push_back({"count_include_pad", int64_t(1)});
  const std::string mean = e.node("AveragePool", {x}, attributes);
  const std::string sum = e.node("Mul", {mean, e.scalar(count, type)});
  e.define(of.getY(), fromImages(e, sum, images, false));
}

void windowMax(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::WindowMaxOp>(op);
  const mlir::Type type = ir::getElementType(of.getX());
  const Images images = imagesOf(e, op);
  std::string x = toImages(e, of.getX(), images);
  // Of integers, ONNX takes those of 8 bits; float64 holds those of 32.
  auto integer = llvm::dyn_cast<mlir::IntegerType>(type);
  const bool isWidened = integer && (images.isPadded || integer.getWidth() != 8);
  if (isWidened && (integer.getWidth() > 32 || integer.getWidth() == 1))
    needFloats(e, type);
  const mlir::Type wide = isWidened ? mlir::Float64Type::get(op->getContext()) : type;
  if (isWidened)
    x = e.cast(x, wide);
  double least = -std::numeric_limits<double>::infinity();
  if (isWidened)
    least = integer.isUnsigned() ? 0 : -std::ldexp(1.0, int(integer.getWidth()) - 1);
  if (images.isPadded)
    x = around(e, x, images.xImages, images, least, wide);
  const std::string y = e.node("MaxPool", {x}, attributesOf(images));
  e.define(of.getY(), fromImages(e, isWidened ? e.cast(y, type) : y, images, false));
}

// The place of the largest of each window among all elements of all images.
std::string placesOf(GraphExporter &e, mlir::Operation *op, const Images &images) {
  needFloats(e, ir::getElementType(op->getOperand(0)));
  if (images.isPadded)
    e.notImplemented("places in windows whose padding is no number, or as large as a window");
  const std::string x = toImages(e, op->getOperand(0), images);
  return e.nodes("MaxPool", {x}, 2, attributesOf(images))[1];
}

void windowPick(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::WindowPickOp>(op);
  const Images images = imagesOf(e, op);
  const std::string places = placesOf(e, op, images);
  const std::string flat = e.reshape(toImages(e, of.getV(), images), images.xImages,
                                     {checked(ir::product(images.xImages))});
  const std::string picked = e.node("Gather", {flat, places}, {{"axis", int64_t(0)}});
  e.define(of.getY(), fromImages(e, picked, images, false));
}

void windowScatter(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::WindowScatterOp>(op);
  e.need(16, "ScatterND with reduction add");
  const Images images = imagesOf(e, op);
  const std::string places = placesOf(e, op, images);
  const ir::Shape flat{checked(ir::product(images.xImages))};
  // What is added has the windows' dimensions.
  ir::Shape moved = images.yMoved;
  const std::string v =
      e.reshape(e.transpose(e.value(of.getV()), images.order), moved, images.yImages);
  const std::string sums = e.node("ScatterND",
                                  {e.zeros(flat, ir::getElementType(of.getY())),
                                   e.unsqueeze(places, {int64_t(images.yImages.size())}), v},
                                  {{"reduction", std::string("add")}});
  e.define(of.getY(), fromImages(e, e.reshape(sums, flat, images.xImages), images, true));
}

const ExportRecord windowExportRecords[] = {
    {"window_max", windowMax, "MaxPool"},
    {"window_pick", windowPick, "MaxPool with places, Gather"},
    {"window_scatter", windowScatter, "MaxPool with places, ScatterND (opset 16)"},
    {"window_sum", windowSum, "AveragePool, Mul"},
};

} // namespace

llvm::ArrayRef<ExportRecord> keratin::frontend::onnx_models::windowExports() {
  return windowExportRecords;
}
