// What the tests of the frontend share. KERATIN_TEST_PROGRAM=interpreter runs graphs with the
// reference interpreter instead of the compiler.
#ifndef KERATIN_TESTS_FRONTEND_FRONTENDTEST_H
#define KERATIN_TESTS_FRONTEND_FRONTENDTEST_H

#include "keratin/backend.h"
#include "keratin/error.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace K = keratin::backend;
using keratin::Array;
using keratin::DType;
using keratin::None;
using keratin::Operand;
using keratin::StaticShape;
using keratin::Tensor;

// Equal shapes and nearly equal elements; NaN equals NaN.
inline void checkArray(const Array &found, const Array &expected, double tolerance = 1e-6) {
  REQUIRE(keratin::toString(found.shape()) == keratin::toString(expected.shape()));
  for (int64_t i = 0; i < expected.size(); ++i) {
    double a = found.item<double>(i), b = expected.item<double>(i);
    INFO("element " << i << ": found " << a << ", expected " << b);
    CHECK((std::isnan(b) ? std::isnan(a)
                         : a == b || std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b))));
  }
}

inline void checkValue(const Tensor &tensor, const Array &expected, double tolerance = 1e-6) {
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

#endif // KERATIN_TESTS_FRONTEND_FRONTENDTEST_H
