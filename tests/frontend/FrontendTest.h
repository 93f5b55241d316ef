// What the tests of the frontend share. KERATIN_TEST_PROGRAM=interpreter runs graphs with the
// reference interpreter instead of the compiler.
#ifndef KERATIN_TESTS_FRONTEND_FRONTENDTEST_H
#define KERATIN_TESTS_FRONTEND_FRONTENDTEST_H

#include "keratin/backend.h"
#include "keratin/error.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <iomanip>
#include <string>
#include <vector>

namespace K = keratin::backend;
using keratin::Array;
using keratin::DType;
using keratin::None;
using keratin::Operand;
using keratin::StaticShape;
using keratin::Tensor;

// The distance of neighbouring numbers at 1.
constexpr double float32Ulp = 0x1p-23, float64Ulp = 0x1p-52;

// Equal shapes and elements: the expected ones are rounded to the dtype of those found, and NaN
// equals NaN. Where a function is not exact its test says how far it may be off, relative to the
// larger of 1 and the expected number.
inline void checkArray(const Array &found, const Array &expected, double tolerance = 0) {
  REQUIRE(keratin::toString(found.shape()) == keratin::toString(expected.shape()));
  const Array rounded = expected.astype(found.dtype());
  for (int64_t i = 0; i < expected.size(); ++i) {
    double a = found.item<double>(i), b = rounded.item<double>(i);
    INFO("element " << i << ": found " << std::setprecision(17) << a << ", expected " << b);
    CHECK((std::isnan(b) ? std::isnan(a)
                         : a == b || std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b))));
  }
}

inline void checkValue(const Tensor &tensor, const Array &expected, double tolerance = 0) {
  checkArray(tensor.eval(), expected, tolerance);
}

// The message of the error that the call throws, which must be of this class.
template <typename Kind, typename Callable> std::string errorOf(Callable &&callable) {
  try {
    callable();
  } catch (const Kind &error) {
    return error.what();
  } catch (const std::exception &error) {
    FAIL("another kind of error: " << error.what());
  }
  FAIL("no error");
  return {};
}

// Whether the text has the part; told with the next check that fails.
inline bool has(const std::string &text, const std::string &part) {
  UNSCOPED_INFO(text);
  return text.find(part) != std::string::npos;
}

#endif // KERATIN_TESTS_FRONTEND_FRONTENDTEST_H
