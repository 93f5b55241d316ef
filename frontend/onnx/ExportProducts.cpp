// Contractions and convolutions as nodes of ONNX.
#include "frontend/onnx/GraphExporter.h"

#include "ir/interfaces/ContractionShape.h"
#include "ir/interfaces/ConvolutionShape.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>

using namespace keratin;
using namespace keratin::frontend::onnx_models;
using ir::DimExpr;

namespace {

//===-- Contractions --------------------------------------------------------------------------===//

// The dimensions of one operand by what they do.
struct Roles {
  Numbers batch, rest, contracted;
};

Roles rolesOf(size_t rank, llvm::ArrayRef<int64_t> batch, llvm::ArrayRef<int64_t> contracted) {
  Roles roles;
  roles.batch.assign(batch.begin(), batch.end());
  roles.contracted.assign(contracted.begin(), contracted.end());
  for (int64_t i = 0; i < int64_t(rank); ++i)
    if (!llvm::is_contained(batch, i) && !llvm::is_contained(contracted, i))
      roles.rest.push_back(i);
  return roles;
}

// The operand as (batch, rows, contracted) or (batch, contracted, columns), each of the last two as
// one dimension.
std::string asMatrices(GraphExporter &e, mlir::Value value, const Roles &roles, bool isLeft) {
  const ir::Shape shape = ir::getShape(value);
  Numbers order = roles.batch;
  const Numbers &first = isLeft ? roles.rest : roles.contracted;
  const Numbers &second = isLeft ? roles.contracted : roles.rest;
  order.insert(order.end(), first.begin(), first.end());
  order.insert(order.end(), second.begin(), second.end());
  ir::Shape moved, joined;
  for (int64_t axis : order)
    moved.push_back(shape[size_t(axis)]);
  for (int64_t axis : roles.batch)
    joined.push_back(shape[size_t(axis)]);
  for (const Numbers *part : {&first, &second}) {
    ir::Shape sizes;
    for (int64_t axis : *part)
      sizes.push_back(shape[size_t(axis)]);
    joined.push_back(checked(ir::product(sizes)));
  }
  return e.reshape(e.transpose(e.value(value), order), moved, joined);
}

void dotGeneral(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::DotGeneralOp>(op);
  const ir::Shape a = ir::getShape(of.getA()), b = ir::getShape(of.getB()),
                  y = ir::getShape(of.getY());
  const Roles left = rolesOf(a.size(), of.getABatch(), of.getAContract());
  const Roles right = rolesOf(b.size(), of.getBBatch(), of.getBContract());
  const mlir::Type type = ir::getElementType(of.getY());
  // Integers of 32 and 64 bits have products of matrices; they wrap around in any width.
  const bool isNarrow = llvm::isa<mlir::IntegerType>(type) && type.getIntOrFloatBitWidth() < 32;
  auto wide = [&](const std::string &x) {
    return isNarrow ? e.cast(x, mlir::IntegerType::get(op->getContext(), 32)) : x;
  };
  std::string product;
  ir::Shape found;
  if (left.batch.empty() && left.contracted == Numbers{int64_t(a.size()) - 1} && a.size() > 1 &&
      right.contracted.size() == 1 && b.size() == 2) {
    // Rows of any number of dimensions.
    const Numbers order{right.contracted.front(), right.rest.front()};
    product =
        e.node("MatMul", {wide(e.value(of.getA())), wide(e.transpose(e.value(of.getB()), order))});
    found = y;
  } else {
    product = e.node("MatMul", {wide(asMatrices(e, of.getA(), left, true)),
                                wide(asMatrices(e, of.getB(), right, false))});
    for (int64_t axis : left.batch)
      found.push_back(a[size_t(axis)]);
    for (const auto &[roles, shape] : {std::pair(&left, &a), std::pair(&right, &b)}) {
      ir::Shape sizes;
      for (int64_t axis : roles->rest)
        sizes.push_back((*shape)[size_t(axis)]);
      found.push_back(checked(ir::product(sizes)));
    }
  }
  product = e.reshape(product, found, y);
  e.define(of.getY(), isNarrow ? e.cast(product, type) : product);
}

//===-- Convolutions --------------------------------------------------------------------------===//

// The dimensions in this order, those that are not there (-1) with size 1, and the ones from `join`
// on, `joined` of them, as one.
std::string ordered(GraphExporter &e, const std::string &x, ir::Shape &shape,
                    const std::vector<int> &places, size_t join) {
  Numbers order;
  for (int place : places)
    if (place >= 0)
      order.push_back(place);
  ir::Shape moved, joined;
  for (int64_t axis : order)
    moved.push_back(shape[size_t(axis)]);
  for (size_t i = 0; i < places.size(); ++i) {
    const DimExpr size = places[i] < 0 ? DimExpr(1) : shape[size_t(places[i])];
    if (i == join + 1)
      joined.back() = checked(ir::mul(joined.back(), size));
    else
      joined.push_back(size);
  }
  shape = joined;
  return e.reshape(e.transpose(x, order), moved, joined);
}

bool areNumbers(const ir::Shape &pads, int64_t least) {
  return llvm::all_of(
      pads, [&](const DimExpr &pad) { return pad.isConstant() && pad.constantValue() >= least; });
}

Numbers numbersOf(const ir::Shape &first, const ir::Shape &second) {
  Numbers numbers;
  for (const ir::Shape *shape : {&first, &second})
    for (const DimExpr &size : *shape)
      numbers.push_back(size.constantValue());
  return numbers;
}

bool areOnes(const Numbers &numbers) {
  return llvm::all_of(numbers, [](int64_t number) { return number == 1; });
}

// The factors of a convolution as nodes take them. ConvInteger sums products of 8 bits; of 16 bits
// Conv does in float64, where they are exact.
struct Factors {
  Factors(GraphExporter &e, ir::ConvolutionOp op) {
    const mlir::Value given[] = {op.getX(), op.getFilter()};
    type = ir::getElementType(given[0]);
    unsigned bits = 0;
    for (const mlir::Value factor : given)
      bits = std::max(bits, ir::getElementType(ir::inMemory(factor)).getIntOrFloatBitWidth());
    const bool areIntegers = !llvm::isa<mlir::FloatType>(type);
    if (areIntegers && bits > 16)
      e.notImplemented("a convolution of integers of " + std::to_string(bits) + " bits");
    areBytes = areIntegers && bits == 8;
    areShorts = areIntegers && bits == 16;
    auto named = [&](mlir::Value factor) {
      const std::string name = e.value(areIntegers ? ir::inMemory(factor) : factor);
      return areShorts ? e.cast(name, type) : name;
    };
    if (areShorts)
      type = mlir::Float64Type::get(op.getContext());
    if (areBytes)
      type = ir::getElementType(ir::inMemory(given[0]));
    x = named(given[0]);
    filter = named(given[1]);
  }

  std::string x, filter;
  mlir::Type type; // of x
  bool areBytes = false, areShorts = false;
};

void convolution(GraphExporter &e, mlir::Operation *op) {
  auto of = llvm::cast<ir::ConvolutionOp>(op);
  const ir::ConvolutionShape shape = ir::getConvolutionShape(of);
  const ir::ConvolutionDims &dims = shape.dims;
  if (!shape.groups.isConstant())
    e.notImplemented("a convolution of as many groups as only a call knows");
  const int64_t groups = shape.groups.constantValue();
  if (groups == 0) {
    e.define(of.getY(), e.zeros(ir::getShape(of.getY()), ir::getElementType(of.getY())));
    return;
  }
  // (batch, groups * channels, image), (groups * filters, channels, image).
  std::vector<int> xOrder{dims.batch.x, dims.groups.x, dims.contracted.x},
      filterOrder{dims.groups.filter, dims.filters.filter, dims.contracted.filter},
      yOrder{dims.batch.y, dims.groups.y, dims.filters.y};
  for (const ir::ConvolutionDims::Places &window : dims.windows) {
    xOrder.push_back(window.x);
    filterOrder.push_back(window.filter);
    yOrder.push_back(window.y);
  }
  ir::Shape xShape = ir::getShape(of.getX()), filterShape = ir::getShape(of.getFilter());
  const Factors factors(e, of);
  std::string x = ordered(e, factors.x, xShape, xOrder, 1);
  std::string filter = ordered(e, factors.filter, filterShape, filterOrder, 0);
  const size_t spatial = shape.windows.size();
  Numbers strides, dilations, xDilations, flipped, window;
  bool isTransposed = false, knowsWindow = true;
  for (size_t i = 0; i < spatial; ++i) {
    const auto &each = shape.windows[i];
    strides.push_back(each.stride);
    dilations.push_back(each.dilation);
    xDilations.push_back(each.xDilation);
    isTransposed = isTransposed || each.xDilation != 1;
    if (each.reversed)
      flipped.push_back(int64_t(i) + 2);
    knowsWindow = knowsWindow && each.filterSize.isConstant();
    if (knowsWindow)
      window.push_back(each.filterSize.constantValue());
  }
  NodeAttributes attributes;
  if (knowsWindow)
    attributes.push_back({"kernel_shape", window});
  auto unlessOnes = [&](const char *name, const Numbers &numbers) {
    if (!areOnes(numbers))
      attributes.push_back({name, numbers});
  };
  ir::Shape before, after;
  std::string y;
  bool isDone = false;
  if (isTransposed && knowsWindow && areOnes(strides) && !factors.areBytes) {
    // What ConvTranspose leaves off at both ends, and puts behind.
    Numbers more;
    bool fits = true;
    for (size_t i = 0; i < spatial; ++i) {
      const auto &each = shape.windows[i];
      const int64_t reach = (window[i] - 1) * each.dilation + 1;
      before.push_back(checked(ir::sub(DimExpr(reach - 1), each.low)));
      const DimExpr whole = checked(
          ir::add(checked(ir::mul(checked(ir::sub(each.xSize, 1)), DimExpr(each.xDilation))),
                  DimExpr(reach)));
      const DimExpr cut = checked(ir::sub(checked(ir::sub(whole, each.ySize)), before.back()));
      const bool isNumber = cut.isConstant();
      const int64_t number = isNumber ? cut.constantValue() : 0;
      fits = fits && isNumber && -number < each.xDilation;
      more.push_back(std::max<int64_t>(-number, 0));
      after.push_back(DimExpr(std::max<int64_t>(number, 0)));
    }
    if (fits && areNumbers(before, 0)) {
      // (groups * channels, filters, image).
      ir::Shape sizes = ir::getShape(of.getFilter());
      std::vector<int> order{dims.groups.filter, dims.contracted.filter, dims.filters.filter};
      for (const ir::ConvolutionDims::Places &each : dims.windows)
        order.push_back(each.filter);
      filter = ordered(e, factors.filter, sizes, order, 0);
      Numbers unflipped;
      for (size_t i = 0; i < spatial; ++i)
        if (!shape.windows[i].reversed)
          unflipped.push_back(int64_t(i) + 2);
      if (!unflipped.empty())
        filter = e.reversed(filter, unflipped);
      attributes.push_back({"pads", numbersOf(before, after)});
      attributes.push_back({"group", groups});
      unlessOnes("strides", xDilations);
      unlessOnes("dilations", dilations);
      if (llvm::any_of(more, [](int64_t number) { return number != 0; }))
        attributes.push_back({"output_padding", more});
      y = e.node("ConvTranspose", {x, filter}, attributes);
      isDone = true;
    }
  }
  if (!isDone) {
    before.assign(2, DimExpr(0));
    after = before;
    ir::Shape low, high;
    std::vector<Windows> all;
    for (size_t i = 0; i < spatial; ++i) {
      const auto &each = shape.windows[i];
      x = e.spread(x, xShape, i + 2, each.xDilation);
      const DimExpr reach = checked(ir::add(
          checked(ir::mul(checked(ir::sub(each.filterSize, 1)), DimExpr(each.dilation))), 1));
      low.push_back(each.low);
      all.push_back({xShape[i + 2], each.ySize, each.low, reach, each.stride});
      high.push_back(placesAfter(all.back()));
    }
    if (!flipped.empty())
      filter = e.reversed(filter, flipped);
    if (areNumbers(low, 0) && areNumbers(high, 0)) {
      attributes.push_back({"pads", numbersOf(low, high)});
    } else if (const char *rule = areOnes(dilations) ? sameRule(all) : nullptr) {
      // ONNX Runtime has no dilations with it.
      attributes.push_back({"auto_pad", std::string(rule)});
    } else {
      before.insert(before.end(), low.begin(), low.end());
      after.insert(after.end(), high.begin(), high.end());
      x = e.padded(x, xShape, before, after, factors.type);
    }
    if (groups != 1)
      attributes.push_back({"group", groups});
    unlessOnes("strides", strides);
    unlessOnes("dilations", dilations);
    y = e.node(factors.areBytes ? "ConvInteger" : "Conv", {x, filter}, attributes);
  }
  // Wrapped in 32 bits.
  if (factors.areShorts)
    y = e.cast(e.cast(y, mlir::IntegerType::get(op->getContext(), 64)),
               ir::getElementType(of.getY()));
  // Back: (batch, groups, filters, image), less those that are not there, in the result's order.
  ir::Shape joined{shape.batch, checked(ir::mul(shape.groups, shape.filters))};
  for (const auto &each : shape.windows)
    joined.push_back(each.ySize);
  ir::Shape apart;
  Numbers places;
  const ir::Shape to = ir::getShape(of.getY());
  for (int place : yOrder)
    if (place >= 0) {
      apart.push_back(to[size_t(place)]);
      places.push_back(place);
    }
  Numbers order(places.size());
  for (size_t i = 0; i < places.size(); ++i)
    order[size_t(places[i])] = int64_t(i);
  e.define(of.getY(), e.transpose(e.reshape(y, joined, apart), order));
}

const ExportRecord productExportRecords[] = {
    {"convolution", convolution,
     "Conv or ConvTranspose, with Transpose around it; Pad; of integers of 8 bits ConvInteger"},
    {"dot_general", dotGeneral, "MatMul, with Transpose and Reshape where it has other dimensions"},
};

} // namespace

llvm::ArrayRef<ExportRecord> keratin::frontend::onnx_models::productExports() {
  return productExportRecords;
}
