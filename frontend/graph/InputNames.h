// What the inputs of a function are called: in its saved form, in headers, tools and messages.
#ifndef KERATIN_FRONTEND_GRAPH_INPUTNAMES_H
#define KERATIN_FRONTEND_GRAPH_INPUTNAMES_H

#include "frontend/graph/Graph.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace keratin::frontend {

// The names that the user asked for, whatever else the program calls so: a tensor "x_1" is the
// input "x" of a function without another "x". Of several the one whose tensor is "x" keeps the
// name, or else the first; the others are "x_1", "x_2" in the order of the list. What is no
// placeholder is called as its tensor, without the ":0". Under the graph's mutex.
std::vector<std::string> inputNames(Graph &graph, llvm::ArrayRef<mlir::Value> inputs);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_INPUTNAMES_H
