// From a function in which a test has found a failure to a small one that shows the same failure.
#ifndef KERATIN_TESTS_SUPPORT_FAILUREREDUCTION_H
#define KERATIN_TESTS_SUPPORT_FAILUREREDUCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace keratin::tests {

// The sizes of a call.
using Symbols = std::map<int64_t, int64_t>;

struct Failure {
  std::string kind; // the same in a smaller function: "after phase fusion, a result differs"
  std::string text; // with what is this function's: which result, which element
};

// A failure in this step; the detail is no part of its kind.
Failure failureIn(const std::string &step, const std::string &detail = "");
// What a step refuses with this message, which is part of the kind, but for numbers, lists, names
// of values and the place.
Failure refusalIn(const std::string &step, const std::string &message);

// The first failure of a valid function in these calls, if any.
using FindFailure =
    std::function<std::optional<Failure>(mlir::func::FuncOp, const std::vector<Symbols> &)>;

struct ReducedFailure {
  mlir::OwningOpRef<mlir::ModuleOp> module; // with the function alone
  std::vector<Symbols> calls;
  Failure failure;
};

// Drops calls, results and ops, and makes sizes smaller, as long as what is left is valid and fails
// in the same way. (What fails in another way has another fault, or is none of the generator's.)
ReducedFailure reduceFailure(mlir::func::FuncOp function, std::vector<Symbols> calls,
                             const Failure &failure, const FindFailure &find);

} // namespace keratin::tests

#endif // KERATIN_TESTS_SUPPORT_FAILUREREDUCTION_H
