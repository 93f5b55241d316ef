// Long chains of K functions on a small stack.
#include "tests/frontend/FrontendTest.h"
#include "tests/support/SmallStack.h"

using keratin::tests::onSmallStack;

static Tensor chain(Tensor x, int ops) {
  Tensor y = x;
  for (int i = 0; i < ops; ++i)
    y = i % 2 ? K::tanh(y) : y + x;
  return y;
}

TEST_CASE("A chain of a hundred thousand calls is built, named and destroyed", "[chain]") {
  onSmallStack([] {
    Tensor x = K::placeholder(keratin::Shape{8});
    Tensor y = chain(x, 100'000);
    auto gradient = K::gradients(K::sum(y), {x});
    REQUIRE(gradient[0]);
    CHECK_FALSE(y.name().empty());
    y = Tensor();
    gradient.clear(); // the last handle: everything goes
  });
}

TEST_CASE("A chain of thousands of calls is differentiated, compiled and called", "[chain]") {
  onSmallStack([] {
    Tensor x = K::placeholder(keratin::Shape{8});
    Tensor y = chain(x, 3000);
    auto gradient = K::gradients(K::sum(y), {x});
    keratin::Function f = K::function({x}, {y, *gradient[0]});
    std::vector<Array> results = f({Array(std::vector<float>(8, 0.0f))});
    CHECK(results[0].item<float>(0) == 0.0f);
    CHECK(results[1].item<float>(7) > 1e3f);
  });
}

TEST_CASE("Values come out of a long chain without compiling for each", "[chain]") {
  onSmallStack([] {
    Tensor x = K::variable(std::vector<float>(4, 1.0f));
    CHECK(std::isfinite(chain(x, 2000).eval().item<float>(0)));
  });
}

TEST_CASE("Sums of a thousand unknown sizes are sizes, of many more are refused", "[chain]") {
  auto joined = [](int count) {
    std::vector<Operand> parts;
    for (int i = 0; i < count; ++i)
      parts.push_back(K::placeholder({None}));
    return K::concatenate(parts);
  };
  CHECK(joined(1000).ndim() == 1);
  CHECK(errorOf<keratin::ValueError>([&] { joined(2000); })
            .find("concatenate: a size does not fit 64 bits, or is a formula of more than 4096 "
                  "numbers") != std::string::npos);
}
