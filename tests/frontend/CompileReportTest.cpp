#include "tests/frontend/FrontendTest.h"

#include <cstdlib>

// Of sizes that no other test has, so that the first of them is compiled.
static K::Function scaledTanh() {
  K::Tensor x = K::placeholder({13, 29});
  return K::function({x}, {K::tanh(x * 2.5) + K::sum(x, 1, true)});
}

TEST_CASE("A function says what its compilation took", "[report]") {
  if (std::getenv("KERATIN_TEST_PROGRAM"))
    return; // nothing is compiled
  const K::Function first = scaledTanh();
  INFO(first.compileReport());
  for (const char *part : {" kernels, ", " ms  passes\n", " ms    keratin-form-kernels\n",
                           " ms  machine code\n", " ms    kernel 0: "})
    CHECK_THAT(first.compileReport(), Catch::Contains(part));

  const K::Function second = scaledTanh();
  CHECK_THAT(second.compileReport(),
             Catch::EndsWith(" ms, code of an equal function of this process\n"));
}
