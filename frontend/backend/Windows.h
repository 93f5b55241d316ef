// What the K functions share whose windows slide along spatial axes: convolutions, pooling,
// resizing. Inside, images are channels last: (batch, spatial…, channels).
#ifndef KERATIN_FRONTEND_BACKEND_WINDOWS_H
#define KERATIN_FRONTEND_BACKEND_WINDOWS_H

#include "frontend/graph/Call.h"

namespace keratin::frontend {

// Of a data_format that may be None.
bool isChannelsFirst(const Call &call, const DataFormat &format);

// x with its channels last; the same the other way round. Passes move these transposes on and
// cancel them between layers.
Value toChannelsLast(Call &call, Value x, bool channelsFirst);
Value fromChannelsLast(Call &call, Value x, bool channelsFirst);

// Strides, dilations, sizes of windows: as many numbers as there are spatial axes, or one for all.
std::vector<int64_t> stepsOf(Call &call, const Shape &steps, size_t axes, const char *name);

enum class PaddingRule { Valid, Same, Causal };
PaddingRule paddingRule(const Call &call, const std::string &name, bool mayBeCausal = false);

// ValueError unless x has `spatial` + 2 axes.
void requireSpatialRank(const Call &call, Value x, const char *name, size_t spatial);

// Along one axis: how many windows there are, and how many zeros come first (spec 11.1).
struct WindowExtent {
  ir::DimExpr count, low;
};
// `what` names the axis for messages: "axis 1 of x".
WindowExtent windowExtent(Call &call, const ir::DimExpr &size, const ir::DimExpr &window,
                          int64_t stride, int64_t dilation, PaddingRule rule,
                          const std::string &what);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_WINDOWS_H
