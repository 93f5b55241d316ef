// The ops that may stand in a saved graph, with the attributes that the format gives them.
#ifndef KERATIN_IR_SAVED_SAVEDOPS_H
#define KERATIN_IR_SAVED_SAVEDOPS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace keratin::ir {

enum class SavedAttributeKind {
  Flag,
  Integer,
  Integers,
  Flags,    // integers that are 0 or 1
  Segments, // integers: how many operands are for each of the op's lists of them
  Text,
  Comparison,
  Requirement,
  RankReduction,
  Dims,
  Dense
};

struct SavedAttribute {
  const char *name;
  SavedAttributeKind kind;
  bool optional = kind == SavedAttributeKind::Flag; // need not be there
};

struct SavedOp {
  const char *name; // without the dialect
  llvm::ArrayRef<SavedAttribute> attributes;
  uint32_t minor = 0; // the format 1.minor has it, earlier ones have not
  int regions = 0;
  int segments = 0; // entries of the attribute of this kind
};

// All of them, from the records. An op of the dialect that is not here cannot be saved on purpose:
// it belongs to the frontend's graph (placeholder, variable, literal, update, depend, gradients) or
// to the compiler (kernel), or is written as a part of another op (yield). The list is a promise
// about files: tests/saved/format.txt has it too, so that no change of a record changes it
// unnoticed.
llvm::ArrayRef<SavedOp> savedOps();
// Null for an op that may not be in a file.
const SavedOp *findSavedOp(llvm::StringRef name);

// What a message calls the kind: "a list of integers".
const char *kindName(SavedAttributeKind kind);

} // namespace keratin::ir

#endif // KERATIN_IR_SAVED_SAVEDOPS_H
