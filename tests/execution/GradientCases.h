// Valid instances of every differentiable op.
#ifndef KERATIN_TESTS_EXECUTION_GRADIENTCASES_H
#define KERATIN_TESTS_EXECUTION_GRADIENTCASES_H

#include "tests/execution/GradientHarness.h"

#include "llvm/ADT/StringRef.h"

namespace keratin::tests {

// What its record says of an op.
struct OpEntry {
  const char *name;
  unsigned operands;
  const char *domain;
  bool isDifferentiable;
};

llvm::ArrayRef<OpEntry> opTable();

// Instances of the op over ranks 0 to 4, sizes 0 and 1, and unknown dimensions; none for an op that
// nobody wrote instances for.
std::vector<GradientCase> gradientCases(mlir::MLIRContext &context, const OpEntry &op);

} // namespace keratin::tests

#endif // KERATIN_TESTS_EXECUTION_GRADIENTCASES_H
