// What one thread that builds the graph is in the midst of.
#ifndef KERATIN_FRONTEND_GRAPH_THREADSTATE_H
#define KERATIN_FRONTEND_GRAPH_THREADSTATE_H

#include "mlir/IR/Value.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace keratin::frontend {

class Trace;

// A thread has one from its first K function to its end. Lives in the graph, under its mutex:
// others look at what is kept here before they erase an op.
struct ThreadState {
  // K functions on the stack, and how many of them are below the user's innermost code.
  int depth = 0, userDepth = 0;

  // The callables that are running, innermost last.
  std::vector<Trace *> traces;

  // What the user has in force, innermost last, known by the object that ends it.
  struct NameScope {
    const void *key;
    std::shared_ptr<const std::string> name; // null for none
  };
  struct ControlScope {
    const void *key;
    llvm::SmallVector<mlir::Value> ops;
    size_t traces; // how many callables were running
  };
  std::vector<NameScope> nameScopes;
  std::vector<ControlScope> controlScopes;

  // Ops that may have become dead: those that the thread's calls made, and those whose last handle
  // went while the calls could have their values in hand. Nobody erases them before the outermost
  // call ends.
  llvm::SetVector<mlir::Operation *> candidates;
  // While a callable runs, nodes with lesser numbers may be what the calls around it have in hand;
  // otherwise 0.
  uint64_t seen = 0;

  bool isIdle() const { return depth == 0 && nameScopes.empty() && controlScopes.empty(); }
};

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_THREADSTATE_H
