// Which of two elements is chosen: the order of arg_max, arg_min and choices over windows.
#ifndef KERATIN_CODEGEN_ELEMENTS_CHOICE_H
#define KERATIN_CODEGEN_ELEMENTS_CHOICE_H

#include "ir/interfaces/ScalarBuilder.h"

#include "mlir/IR/Builders.h"

namespace keratin::codegen {

// Whether an element takes the place of the best before it, in each lane: a NaN beats every number,
// and nothing beats a NaN.
mlir::Value beats(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type, mlir::Value element,
                  mlir::Value best, bool largest);

// What no element of the type is less than.
mlir::Value least(ir::ScalarBuilder &builder, mlir::Type type);

// The best of some elements and where it is, in each lane. Of equals it is the first.
struct Best {
  mlir::Value value, index;
};

class BestOf {
public:
  BestOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type, bool largest)
      : b(b), loc(loc), type(type), largest(largest) {}

  // With an element further on than all before; where the mask is false it does not count (null:
  // everywhere it does).
  Best keep(Best best, Best element, mlir::Value mask = {});
  // Of two, whichever has the smaller indices.
  Best merge(Best x, Best y);

private:
  mlir::Value beats(mlir::Value element, mlir::Value best) {
    return codegen::beats(b, loc, type, element, best, largest);
  }
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type type;
  bool largest;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_CHOICE_H
