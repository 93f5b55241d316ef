// Layers one after another.
#include "keratin/layers/sequential.h"

using namespace keratin;
using namespace keratin::layers;

Sequential::Sequential(const std::vector<Step> &steps) : steps(steps) {
  for (const Step &step : steps)
    if (step.part)
      addPart(*step.part);
}

Tensor Sequential::operator()(const Tensor &x, const Operand &training,
                              SourceLocation location) const {
  Tensor y = x;
  for (const Step &step : steps)
    y = step.function(y, training, location);
  return y;
}
