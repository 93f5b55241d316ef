#include "frontend/onnx/Windows.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;

Numbers keratin::frontend::onnx_models::orAll(Numbers given, size_t count, int64_t otherwise,
                                              ModelNode &node, const char *name) {
  if (given.empty())
    given.assign(count, otherwise);
  if (given.size() != count)
    node.fail("has " + std::to_string(given.size()) + " " + name + "; needed " +
              std::to_string(count));
  return given;
}

Geometry keratin::frontend::onnx_models::geometryOf(ModelNode &node, const Numbers &window) {
  return geometryOf(node, ir::Shape(window.begin(), window.end()));
}

Geometry keratin::frontend::onnx_models::geometryOf(ModelNode &node, const ir::Shape &sizes) {
  Geometry g;
  const size_t count = sizes.size();
  g.sizes = sizes;
  for (const DimExpr &size : sizes) {
    if (size.isConstant() && (size.constantValue() < 1 || size.constantValue() > (1 << 30)))
      node.fail("has " + size.str() + " for a window, stride or dilation");
    g.window.push_back(size.isConstant() ? size.constantValue() : 0);
  }
  g.strides = orAll(node.integers("strides"), count, 1, node, "strides");
  g.dilations = orAll(node.integers("dilations"), count, 1, node, "dilations");
  const Numbers pads = orAll(node.integers("pads"), 2 * count, 0, node, "pads");
  g.before.assign(pads.begin(), pads.begin() + int64_t(count));
  g.after.assign(pads.begin() + int64_t(count), pads.end());
  g.rule = node.text("auto_pad", "NOTSET");
  g.roundsUp = node.integer("ceil_mode", 0);
  if (g.rule != "NOTSET" && g.rule != "VALID" && g.rule != "SAME_UPPER" && g.rule != "SAME_LOWER")
    node.fail("has auto_pad '" + g.rule + "'; needed NOTSET, VALID, SAME_UPPER or SAME_LOWER");
  for (const Numbers *numbers : {&g.strides, &g.dilations})
    for (int64_t number : *numbers)
      if (number < 1 || number > (1 << 30))
        node.fail("has " + std::to_string(number) + " for a window, stride or dilation");
  for (const Numbers *numbers : {&g.before, &g.after})
    for (int64_t number : *numbers)
      if (number < 0 || number > (1 << 30))
        node.fail("has a pad of " + std::to_string(number));
  return g;
}

Extent keratin::frontend::onnx_models::extentOf(Call &call, const Geometry &g, size_t i,
                                                const DimExpr &size) {
  const DimExpr stride(g.strides[i]), steps = call.check(ir::sub(g.sizes[i], 1));
  const DimExpr reach = call.check(ir::add(call.check(ir::mul(steps, DimExpr(g.dilations[i]))), 1));
  const std::string what = "axis " + std::to_string(i + 2) + " of x";
  if (g.rule == "SAME_UPPER" || g.rule == "SAME_LOWER") {
    const DimExpr count = call.check(ir::ceildiv(size, stride));
    const DimExpr last = call.check(ir::mul(call.check(ir::sub(count, 1)), stride));
    const DimExpr missing = call.check(
        ir::max(call.check(ir::sub(call.check(ir::add(last, reach)), size)), DimExpr(0)));
    const DimExpr half = call.check(ir::floordiv(missing, 2));
    return {count, g.rule == "SAME_UPPER" ? half : call.check(ir::sub(missing, half))};
  }
  const bool isValid = g.rule == "VALID";
  const int64_t before = isValid ? 0 : g.before[i], after = isValid ? 0 : g.after[i];
  const DimExpr padded = call.check(ir::add(size, before + after));
  call.requireAtLeast(padded, reach, what + " must hold a window");
  const DimExpr room = call.check(ir::sub(padded, reach));
  DimExpr count = call.check(
      ir::add(call.check(g.roundsUp ? ir::ceildiv(room, stride) : ir::floordiv(room, stride)), 1));
  // None begins behind x.
  if (g.roundsUp)
    count = call.check(
        ir::min(count, call.check(ir::ceildiv(call.check(ir::add(size, before)), stride))));
  return {count, DimExpr(before)};
}
