// What a saved graph (.ktg) holds, in memory.
#ifndef KERATIN_IR_SAVED_SAVEDGRAPH_H
#define KERATIN_IR_SAVED_SAVEDGRAPH_H

#include "runtime/abi/keratin_types.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace keratin::ir {

// State that the functions of a file share.
struct SavedVariable {
  std::string name; // unique in the file
  keratin_dtype_t dtype = KERATIN_DTYPE_INVALID;
  std::vector<int64_t> dims;
  std::string bytes; // row-major, little-endian; a bool is a byte 0 or 1
  bool trainable = true;
  // The state of one random node: an int64 scalar to which each call of a function that uses it
  // adds one (the addition is among the function's updates).
  bool countsDraws = false;
};

// What a func.func cannot hold. Its arguments and results have the attributes that
// compiler/driver/Compiler.h asks for, and
//  - keratin.name (a string) on outputs too, if they have one;
//  - keratin.default (dense) on inputs that need not be fed.
struct SavedFunction {
  std::string name;
  // The index in SavedGraph::variables of each of the function's variables, in their order.
  std::vector<size_t> variables;
  // Names for the symbols d0, d1, … of the function's sizes. Made by the reader and the writer.
  std::vector<std::string> symbols;
};

struct SavedGraph {
  // One func.func for each function, in the same order.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<SavedFunction> functions;
  std::vector<SavedVariable> variables;
};

} // namespace keratin::ir

#endif // KERATIN_IR_SAVED_SAVEDGRAPH_H
