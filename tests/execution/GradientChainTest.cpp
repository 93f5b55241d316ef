// Length costs time, not stack.
#include "tests/execution/GradientHarness.h"
#include "tests/support/SmallStack.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <catch2/catch.hpp>

using namespace keratin::ir;
using namespace mlir;

TEST_CASE("a long chain is differentiated with little stack", "[gradient]") {
  constexpr int kLength = 100000;
  size_t opCount = 0;
  keratin::tests::onSmallStack([&] {
    MLIRContext context(MLIRContext::Threading::DISABLED);
    context.loadDialect<KeratinDialect, func::FuncDialect>();
    auto module = keratin::tests::differentiatedScalar(context, [](GraphMath &g, Value y) {
      for (int i = 0; i < kLength; ++i)
        y = g.tanh(y);
      return y;
    });
    module->walk([&](Operation *) { ++opCount; });
  });
  // Each op and its gradient: 1 - y * y, times dy.
  CHECK(opCount > size_t(kLength) * 3);
  CHECK(opCount < size_t(kLength) * 6);
}
