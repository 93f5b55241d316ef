// Values with a gradient that somebody gives.
#ifndef KERATIN_FRONTEND_GRAPH_GIVENGRADIENT_H
#define KERATIN_FRONTEND_GRAPH_GIVENGRADIENT_H

#include "frontend/graph/Call.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <vector>

namespace keratin::frontend {

// Makes the gradients of the inputs, of their types, for values that stand for the outputs and for
// their cotangents.
using BuildGradients = llvm::function_ref<std::vector<Value>(llvm::ArrayRef<Value> outputs,
                                                             llvm::ArrayRef<Value> cotangents)>;
// Makes the tangents of the outputs, for values that stand for these and for the tangents of the
// inputs.
using BuildTangents = llvm::function_ref<std::vector<Value>(llvm::ArrayRef<Value> outputs,
                                                            llvm::ArrayRef<Value> tangents)>;

// Outputs that were made of inputs, both floats, with this gradient for the one that their ops
// have. `callable` is for messages, "the vjp of custom_gradient". In forward mode the tangents are
// the transpose of the gradient, or, with `forwardByOps`, what the outputs' ops make of them.
std::vector<Value> withGradient(Call &call, const std::string &callable,
                                llvm::ArrayRef<Value> outputs, llvm::ArrayRef<Value> inputs,
                                BuildGradients build, bool forwardByOps = false);
// The same with tangents for those that their ops have. The gradient is their transpose.
std::vector<Value> withTangents(Call &call, const std::string &callable,
                                llvm::ArrayRef<Value> outputs, llvm::ArrayRef<Value> inputs,
                                BuildTangents build);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_GIVENGRADIENT_H
