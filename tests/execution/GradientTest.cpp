// Every differentiable op against central differences, first and second derivative.
#include "tests/execution/GradientCases.h"
#include "tests/support/TestEnvironment.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <catch2/catch.hpp>

#include <set>
#include <string>

using namespace keratin::tests;

static const std::set<std::string> derivatives = {"keratin.gradients", "keratin.jvp",
                                                  "keratin.vjp"};

TEST_CASE("every differentiable op has the gradient that differences show", "[gradient]") {
  mlir::MLIRContext context;
  context.loadDialect<keratin::ir::KeratinDialect, mlir::func::FuncDialect>();
  static Sample sample; // of all sections together
  for (const OpEntry &op : opTable()) {
    // Derivatives are what the others are tested by, twice over.
    if (!op.isDifferentiable || derivatives.contains(op.name))
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
