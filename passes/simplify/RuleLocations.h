// Included before generated rewrite rules: their ops get the location of the op that they replace.
//
// mlir-tblgen fuses the locations of all matched ops. Along a chain of rewrites, each of which
// matches the result of the one before, such a list grows with the chain, and the time with its
// square; and an error would name lines of which only the first is at fault.
#ifndef KERATIN_PASSES_SIMPLIFY_RULELOCATIONS_H
#define KERATIN_PASSES_SIMPLIFY_RULELOCATIONS_H

#include "mlir/IR/Location.h"

#include <initializer_list>

namespace keratin::passes {
inline mlir::Location locationOfRoot(std::initializer_list<mlir::Location> matched) {
  return *matched.begin();
}
} // namespace keratin::passes

#define getFusedLoc(...) getFusedLoc(::keratin::passes::locationOfRoot(__VA_ARGS__))

#endif // KERATIN_PASSES_SIMPLIFY_RULELOCATIONS_H
