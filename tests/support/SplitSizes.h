// Functions in which inputs have sizes of their own, where they had one.
#ifndef KERATIN_TESTS_SUPPORT_SPLITSIZES_H
#define KERATIN_TESTS_SUPPORT_SPLITSIZES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdint>
#include <map>

namespace keratin::tests {

// Each dimension of an input that is one of the given symbols, but for the first that has it, gets
// a symbol of its own; it may be 1 then, and is broadcast as the frontend does it. Returns the new
// symbols, each with the one that it was.
std::map<int64_t, int64_t> splitSizes(mlir::func::FuncOp function, int64_t numSymbols);

} // namespace keratin::tests

#endif // KERATIN_TESTS_SUPPORT_SPLITSIZES_H
