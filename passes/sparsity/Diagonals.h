// A sparse Jacobian without products: forward mode whose tangents are not of one direction, but of
// one entry for each element.
//
// What a value made element by element has of derivatives, are some tensors of its own shape: each
// holds, for each element, the derivative by one element of the argument, and which one that is, is
// known. An op joins those of its operands that are by the same elements, and its own rule makes
// the result's of them. A band of a matrix is such a tensor, a diagonal; there are as many as a row
// has entries, whatever colours its columns would need, and nothing is multiplied by zeros.
#ifndef KERATIN_PASSES_SPARSITY_DIAGONALS_H
#define KERATIN_PASSES_SPARSITY_DIAGONALS_H

#include "passes/sparsity/SparsityPattern.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <vector>

namespace keratin::passes {

struct Diagonals {
  // All of them, one behind the other, before the function's end.
  mlir::Value elements;
  // Where each entry of the pattern is found in them.
  std::vector<int64_t> places;
};

// Of a result by an argument; the pattern is that of structureOf(), or for a symmetric matrix has
// entries that one of the two triangles gives. None where there are ops on the way that neither
// work element by element nor move elements, where entries of a row are added up in moving, or
// where it would take more than `mostRules` uses of ops' rules. The function is as it was then, but
// for ops that nobody uses.
std::optional<Diagonals> buildDiagonals(mlir::func::FuncOp function, unsigned argument,
                                        unsigned result, const SparsityPattern &pattern,
                                        int64_t mostRules);

} // namespace keratin::passes

#endif // KERATIN_PASSES_SPARSITY_DIAGONALS_H
