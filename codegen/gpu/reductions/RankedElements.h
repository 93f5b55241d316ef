// Elements of a line with their places, in the order of top_k.
#ifndef KERATIN_CODEGEN_GPU_REDUCTIONS_RANKEDELEMENTS_H
#define KERATIN_CODEGEN_GPU_REDUCTIONS_RANKEDELEMENTS_H

#include "codegen/elements/LoopEmitter.h"
#include "codegen/lowering/TopKNest.h"

namespace keratin::codegen {

// Integers, of which the larger comes first: the element as an unsigned integer of the same order,
// every NaN as the largest; below it, as the first of equals comes first, the complement of its
// place. No two places are equal, so whatever way they are sorted, the order is one.
class RankedElements {
public:
  using Value = mlir::Value;
  using Entry = llvm::SmallVector<Value, 2>; // words of 64 bits, the upper one first

  RankedElements(LoopEmitter &e, const TopKNest &nest)
      : e(e), b(e.builder), loc(e.loc), type(nest.lines.type.getElementType()),
        words(wordsOf(nest)) {}

  // Of an entry: one where element and place have 32 bits at most.
  static unsigned wordsOf(const TopKNest &nest);

  // An element in registers, and its place (i64).
  Entry of(Value element, Value place);
  // What comes behind every element.
  Entry nothing();
  Value placeOf(const Entry &entry);

  Value precedes(const Entry &x, const Entry &y);
  Entry select(Value condition, const Entry &x, const Entry &y);

private:
  Value ordered(Value element);
  Value i(int64_t value, unsigned width);

  LoopEmitter &e;
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type type;
  unsigned words;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_REDUCTIONS_RANKEDELEMENTS_H
