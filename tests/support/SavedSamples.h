// Saved graphs for tests.
#ifndef KERATIN_TESTS_SUPPORT_SAVEDSAMPLES_H
#define KERATIN_TESTS_SUPPORT_SAVEDSAMPLES_H

#include "ir/saved/SavedGraph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"

#include <memory>
#include <string>

namespace keratin::tests {

// With the dialects that saved graphs need.
std::unique_ptr<mlir::MLIRContext> makeSavedContext();

// What the writer needs beside a function whose arguments and results have their kinds: gives the
// arguments names, and the variables values made of the seed.
void describeForSaving(mlir::func::FuncOp function, uint64_t seed, ir::SavedFunction &description,
                       std::vector<ir::SavedVariable> &variables);

// Gradients and maps become the ops that compute them, complex numbers pairs. Aborts if that fails.
void expandGradients(mlir::ModuleOp module);

// The bytes of a random graph of up to `ops` ops.
std::string randomSavedGraph(uint64_t seed, int ops);

} // namespace keratin::tests

#endif // KERATIN_TESTS_SUPPORT_SAVEDSAMPLES_H
