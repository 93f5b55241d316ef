// Arguments of random functions, the same for a function and its sizes on every machine.
#ifndef KERATIN_TESTS_SUPPORT_RANDOMARGUMENTS_H
#define KERATIN_TESTS_SUPPORT_RANDOMARGUMENTS_H

#include "ir/reference/HostTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <optional>
#include <vector>

namespace keratin::tests {

// By the function's `check.seed`, if it has one; nullopt where a size has no value or is too large.
std::optional<std::vector<ir::HostTensor>>
randomArguments(mlir::func::FuncOp function, const std::map<int64_t, int64_t> &symbols);

} // namespace keratin::tests

#endif // KERATIN_TESTS_SUPPORT_RANDOMARGUMENTS_H
