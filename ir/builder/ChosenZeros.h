// Where cotangents are zero because there is no path, so that no derivative may make them NaN.
#ifndef KERATIN_IR_BUILDER_CHOSENZEROS_H
#define KERATIN_IR_BUILDER_CHOSENZEROS_H

#include "mlir/IR/Value.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace keratin::ir {

// Why elements of a cotangent may be zeros that stand for "no path", whatever derivative they are
// multiplied by, an infinite one included.
struct ChosenZeros {
  // An op on the way from the loss chose other elements there.
  bool byChoice = false;
  // In a loop's first step: nothing reads the state after the last one. Unlike a choice, this ends
  // where a path from elsewhere joins.
  bool atStart = false;
  // Only parts of the value were taken by slices. Together they may be all of it: settle() knows.
  bool bySlice = false;

  explicit operator bool() const { return byChoice || atStart || bySlice; }
  bool operator==(const ChosenZeros &other) const = default;
  // Of the sum of two cotangents of a value.
  ChosenZeros operator+(const ChosenZeros &other) const {
    return {byChoice || other.byChoice, atStart && other.atStart, bySlice || other.bySlice};
  }
  // Of either of two, as those of an op's results are for its operands.
  ChosenZeros operator|(const ChosenZeros &other) const {
    return {byChoice || other.byChoice, atStart || other.atStart, bySlice || other.bySlice};
  }

  // What the operands of an op get for the zeros of its results.
  ChosenZeros through(mlir::Operation *op) const;
  // Of a value's cotangent once all its parts have arrived: slices that cover the value, as the
  // gates of a recurrent net do, leave no zeros. `isReached` says which values have cotangents.
  ChosenZeros settle(mlir::Value value, llvm::function_ref<bool(mlir::Value)> isReached) const;
};

} // namespace keratin::ir

#endif // KERATIN_IR_BUILDER_CHOSENZEROS_H
