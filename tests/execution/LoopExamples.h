// Loops and branches of many forms, for tests of gradients and of compiled code.
#ifndef KERATIN_TESTS_EXECUTION_LOOPEXAMPLES_H
#define KERATIN_TESTS_EXECUTION_LOOPEXAMPLES_H

#include "ir/builder/GraphMath.h"

#include <functional>
#include <string>
#include <vector>

namespace keratin::tests {

struct LoopExample {
  std::string label;
  // Shapes of floating inputs, over d0 at most; values of a few tenths are good ones.
  std::vector<ir::Shape> inputs;
  std::function<std::vector<mlir::Value>(ir::GraphMath &, mlir::ValueRange)> build;
  // Loops whose length is d0 are also right for 0 and 1 steps.
  bool usesSymbol() const;
};

// Lengths 0, 1, 5 and unknown; several states, of other types too; in both directions; results that
// nobody uses; loops in loops and branches.
std::vector<LoopExample> scanExamples();
// Loops that end when the data says so: after no step, after some, after the most they may make;
// inside loops and branches.
std::vector<LoopExample> whileExamples();
// Branches taken and not taken, in steps, and with loops inside.
std::vector<LoopExample> ifExamples();

} // namespace keratin::tests

#endif // KERATIN_TESTS_EXECUTION_LOOPEXAMPLES_H
