#include "codegen/lowering/ConvolutionSpec.h"

#include <numeric>

using namespace keratin::codegen;

WindowSteps keratin::codegen::stepsOf(const ConvolutionWindow &window) {
  WindowSteps steps;
  int64_t byOutput = std::gcd(window.stride, window.xDilation);
  int64_t byTap = std::gcd(window.dilation, window.xDilation);
  steps.hasZeros = window.xDilation != 1;
  steps.phases = window.xDilation / byOutput;
  steps.taps = window.xDilation / byTap;
  steps.oStep = window.stride / byOutput;
  steps.iStep = window.dilation / byTap;
  // One output or one tap steps nowhere.
  bool oneOutput = window.y.constant == 1, oneTap = window.filter.constant == 1;
  if (oneOutput && oneTap)
    steps.oStep = steps.iStep = 1;
  else if (oneTap)
    steps.iStep = steps.oStep;
  else if (oneOutput)
    steps.oStep = steps.iStep;
  // Positions that no output reads are not copied.
  steps.step = std::gcd(steps.oStep, steps.iStep);
  steps.oStep /= steps.step;
  steps.iStep /= steps.step;
  return steps;
}
