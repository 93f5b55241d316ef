// FunctionOptions::timeLimit.
#include "tests/frontend/FrontendTest.h"

#include <cstdlib>
#include <limits>

using namespace keratin;

// Code that is there takes no time: a size of its own makes it new.
static Function compileWithin(double seconds, int64_t size = 3) {
  Tensor x = K::placeholder({size});
  FunctionOptions options;
  options.timeLimit = seconds;
  return K::function({x}, {K::tanh(x) * 2.0}, {}, "limited", options);
}

TEST_CASE("compiling ends when its time is over", "[function]") {
  if (std::getenv("KERATIN_TEST_PROGRAM")) // nothing is compiled
    return;
  std::string error = errorOf<RuntimeError>([] { compileWithin(1e-9, 3331); });
  INFO(error);
  CHECK(has(error, "compiling function 'limited' takes longer than 1e-06 ms; stopped before pass "
                   "keratin-"));
}

TEST_CASE("a time limit that is not reached changes nothing", "[function]") {
  Array x{0.5, -1.0, 2.0};
  Array expected = compileWithin(0)({x})[0];
  checkArray(compileWithin(1e6)({x})[0], expected);
  checkArray(compileWithin(std::numeric_limits<double>::infinity())({x})[0], expected);
}

TEST_CASE("a time limit below zero is refused", "[function]") {
  CHECK(errorOf<ValueError>([] {
          compileWithin(-1);
        }).find("a time limit of -1.000000 seconds; needed at least 0 (no limit)") !=
        std::string::npos);
  CHECK_THROWS_AS(compileWithin(std::numeric_limits<double>::quiet_NaN()), ValueError);
}
