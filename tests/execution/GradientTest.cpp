// Every differentiable op against central differences, first and second derivative.
#include "tests/execution/GradientCases.h"
#include "tests/support/TestEnvironment.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <catch2/catch.hpp>

using namespace keratin::tests;

TEST_CASE("every differentiable op has the gradient that differences show", "[gradient]") {
  mlir::MLIRContext context;
  context.loadDialect<keratin::ir::KeratinDialect, mlir::func::FuncDialect>();
  static Sample sample; // of all sections together
  for (const OpEntry &op : opTable()) {
    // keratin.gradients is what the others are tested by, twice over.
    if (!op.isDifferentiable || llvm::StringRef(op.name) == "keratin.gradients")
      continue;
    DYNAMIC_SECTION(op.name) {
      std::vector<GradientCase> cases = gradientCases(context, op);
      // A new op that is not elementwise needs instances in GradientCases.cpp.
      CHECK(!cases.empty());
      for (const GradientCase &test : cases)
        if (sample.takesNext())
          checkGradients(context, test);
    }
  }
}
