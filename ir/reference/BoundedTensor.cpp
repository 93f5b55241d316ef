#include "ir/reference/BoundedTensor.h"

#include "ir/reference/HostConversions.h"

#include <cmath>
#include <limits>

using namespace keratin::ir;
using namespace keratin::ir::reference;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double nan64 = std::numeric_limits<double>::quiet_NaN();

//===-- Dtypes --------------------------------------------------------------------------------===//

double keratin::ir::reference::rounded(keratin_dtype_t dtype, double x) {
  switch (dtype) {
  case KERATIN_DTYPE_FLOAT64:
    return x;
  case KERATIN_DTYPE_FLOAT32:
    return double(float(x));
  default:
    return roundToFloat(dtype, x);
  }
}

static bool isDouble(keratin_dtype_t dtype) { return dtype == KERATIN_DTYPE_FLOAT64; }
double keratin::ir::reference::ulp(keratin_dtype_t dtype) {
  return isDouble(dtype) ? 0x1p-52 : 0x1p-23;
}
double keratin::ir::reference::smallest(keratin_dtype_t dtype) {
  return isDouble(dtype) ? 0x1p-1074 : 0x1p-149;
}
double keratin::ir::reference::largest(keratin_dtype_t dtype) {
  return isDouble(dtype) ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max();
}

//===-- Single elements -----------------------------------------------------------------------===//

Known keratin::ir::reference::known(const BoundedTensor &x, size_t i) {
  if (!x.value.isFloat())
    return x.lower.ints[i] == x.upper.ints[i] ? Known::Range : Known::Nothing;
  if (!std::isnan(x.upper.floats[i]))
    return Known::Range;
  return std::isnan(x.lower.floats[i]) ? Known::NotANumber : Known::Nothing;
}

bool keratin::ir::isBounded(const BoundedTensor &tensor, int64_t i) {
  return known(tensor, i) != Known::Nothing;
}

void keratin::ir::reference::forget(BoundedTensor &x, size_t i) {
  if (x.value.isFloat()) {
    x.lower.floats[i] = -infinity;
    x.upper.floats[i] = nan64;
  } else {
    x.lower.ints[i] = 1;
    x.upper.ints[i] = 0;
  }
}

void keratin::ir::reference::forgetAll(BoundedTensor &x) {
  for (int64_t i = 0; i < x.value.size(); ++i)
    forget(x, i);
}

void keratin::ir::reference::setRange(BoundedTensor &x, size_t i, double lower, double upper) {
  x.lower.floats[i] = lower;
  x.upper.floats[i] = upper;
}

bool keratin::ir::reference::isPoint(const BoundedTensor &x, size_t i) {
  return known(x, i) != Known::Nothing &&
         (!x.value.isFloat() || x.lower.floats[i] == x.upper.floats[i] ||
          known(x, i) == Known::NotANumber);
}

bool keratin::ir::reference::isExact(const BoundedTensor &x) {
  for (int64_t i = 0; i < x.value.size(); ++i)
    if (!isPoint(x, i))
      return false;
  return true;
}

BoundedTensor keratin::ir::reference::asOperand(const BoundedTensor &x) {
  BoundedTensor y = x;
  for (size_t i = 0; i < y.value.floats.size(); ++i)
    if (known(x, i) == Known::Range) {
      double &lower = y.lower.floats[i], &upper = y.upper.floats[i];
      lower = std::min(lower, rounded(x.value.dtype, lower));
      upper = std::max(upper, rounded(x.value.dtype, upper));
    }
  return y;
}

HostTensor keratin::ir::reference::mapElements(const BoundedTensor &x,
                                               llvm::function_ref<double(size_t)> function) {
  HostTensor y = makeHostTensor(KERATIN_DTYPE_FLOAT64, x.value.dims).value();
  for (int64_t i = 0; i < y.size(); ++i)
    y.floats[i] = function(i);
  return y;
}

HostTensor keratin::ir::reference::magnitude(const BoundedTensor &x) {
  return mapElements(x, [&](size_t i) {
    return known(x, i) == Known::Range
               ? std::max(std::fabs(x.lower.floats[i]), std::fabs(x.upper.floats[i]))
               : 0.0;
  });
}
HostTensor keratin::ir::reference::valueMagnitude(const BoundedTensor &x) {
  return mapElements(x, [&](size_t i) {
    return std::isfinite(x.value.floats[i]) ? std::fabs(x.value.floats[i]) : 0.0;
  });
}
HostTensor keratin::ir::reference::width(const BoundedTensor &x) {
  return mapElements(x, [&](size_t i) {
    return isPoint(x, i) || known(x, i) != Known::Range
               ? 0.0
               : std::max(x.upper.floats[i] - x.value.floats[i],
                          x.value.floats[i] - x.lower.floats[i]);
  });
}
HostTensor keratin::ir::reference::unknowns(const BoundedTensor &x) {
  return mapElements(x, [&](size_t i) { return known(x, i) == Known::Nothing ? 1.0 : 0.0; });
}
HostTensor keratin::ir::reference::nonFinites(const BoundedTensor &x) {
  return mapElements(x, [&](size_t i) {
    return known(x, i) != Known::Nothing &&
                   !(std::isfinite(x.lower.floats[i]) && std::isfinite(x.upper.floats[i]))
               ? 1.0
               : 0.0;
  });
}
HostTensor keratin::ir::reference::ones(const BoundedTensor &x) {
  return mapElements(x, [](size_t) { return 1.0; });
}
