// What ops of ONNX have in common whose windows slide along spatial axes.
//
// Images are (batch, channels, spatial…) there; inside, channels come last, and passes move the
// transposes on and cancel them between layers.
#ifndef KERATIN_FRONTEND_ONNX_WINDOWS_H
#define KERATIN_FRONTEND_ONNX_WINDOWS_H

#include "frontend/backend/Windows.h"
#include "frontend/onnx/ModelNode.h"

namespace keratin::frontend::onnx_models {

// For each spatial axis.
struct Geometry {
  // The windows' sizes; what is not known before a call is 0 in `window`.
  ir::Shape sizes;
  Numbers window, strides, dilations, before, after;
  std::string rule; // auto_pad
  bool roundsUp = false;
};
// Of a node's attributes; ValueError for numbers that no window has.
Geometry geometryOf(ModelNode &node, const ir::Shape &sizes);
Geometry geometryOf(ModelNode &node, const Numbers &window);
// As many as there are axes, all the same where none is given.
Numbers orAll(Numbers given, size_t count, int64_t otherwise, ModelNode &node, const char *name);

// Windows along one axis of a size: how many, and how many places before x the first begins.
struct Extent {
  DimExpr count, low;
};
Extent extentOf(Call &call, const Geometry &geometry, size_t axis, const DimExpr &size);

inline Value channelsLast(Call &call, Value x) { return toChannelsLast(call, x, true); }
inline Tensor channelsFirst(Call &call, Value x) {
  return call.tensor(fromChannelsLast(call, x, true));
}

} // namespace keratin::frontend::onnx_models

#endif // KERATIN_FRONTEND_ONNX_WINDOWS_H
