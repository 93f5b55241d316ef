// Instances of every op for the sweep over compiled code.
#ifndef KERATIN_TESTS_EXECUTION_SWEEPCASES_H
#define KERATIN_TESTS_EXECUTION_SWEEPCASES_H

#include "tests/execution/SweepHarness.h"

#include "llvm/ADT/StringRef.h"

namespace keratin::tests {

std::vector<keratin_dtype_t> allDtypes();

// Instances of an op that is not elementwise, over dtypes, ranks 0 to 5, sizes 0 and 1 and unknown
// dimensions; none for an op that nobody wrote instances for.
std::vector<SweepCase> sweepCases(llvm::StringRef op);

} // namespace keratin::tests

#endif // KERATIN_TESTS_EXECUTION_SWEEPCASES_H
