// Random valid functions of the dialect, the same for a seed on every machine.
#ifndef KERATIN_TESTS_SUPPORT_RANDOMGRAPH_H
#define KERATIN_TESTS_SUPPORT_RANDOMGRAPH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>
#include <map>
#include <vector>

namespace keratin::tests {

// A function @main that is several independent graphs, one for each seed: compiling many small
// graphs as one costs less. Its results are outputs and, last, updates; arguments are inputs and,
// last, variables. Symbols d0, d1 and d2 are bound by the first three arguments.
struct RandomFunction {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  std::vector<size_t> graphOfResult; // index into the seeds
};

// A graph has up to `ops` operations, and a few more where one needs helpers.
RandomFunction makeRandomFunction(mlir::MLIRContext *context, const std::vector<uint64_t> &seeds,
                                  int ops);

// Values of d0, d1, d2 for a call: a few ordinary ones, then also 0 and 1.
std::map<int64_t, int64_t> randomSymbols(uint64_t seed, bool withZero);

} // namespace keratin::tests

#endif // KERATIN_TESTS_SUPPORT_RANDOMGRAPH_H
