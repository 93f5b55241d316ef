// FunctionOptions::target.
#include "tests/frontend/FrontendTest.h"

#include <cstdlib>

using namespace keratin;

static Function compileFor(const char *target) {
  Tensor x = K::placeholder({3});
  FunctionOptions options;
  options.target = target;
  return K::function({x}, {K::tanh(x) * 2.0}, {}, "", options);
}

TEST_CASE("a function is compiled for the target of that name", "[function]") {
  Array x{0.5, -1.0, 2.0};
  checkArray(compileFor("cpu")({x})[0], compileFor(FunctionOptions().target.c_str())({x})[0]);
}

TEST_CASE("an unknown target is refused with those that there are", "[function]") {
  if (std::getenv("KERATIN_TEST_PROGRAM")) // nothing is compiled
    return;
  CHECK(errorOf<ValueError>([] {
          compileFor("abacus");
        }).find("unknown target 'abacus'; known targets: cpu, cuda") != std::string::npos);
}
