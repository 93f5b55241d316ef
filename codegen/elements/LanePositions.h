// Arithmetic on positions of lanes.
#ifndef KERATIN_CODEGEN_ELEMENTS_LANEPOSITIONS_H
#define KERATIN_CODEGEN_ELEMENTS_LANEPOSITIONS_H

#include "codegen/elements/ElementTarget.h"
#include "codegen/elements/LaneCode.h"
#include "codegen/elements/LaneIndex.h"
#include "codegen/lowering/KernelFunction.h"

namespace keratin::codegen {

// Positions that are the same for all lanes, or a step apart, do without vectors as long as they
// can.
class LanePositions {
public:
  using Value = mlir::Value;
  using Index = LaneIndex;

  LanePositions(LaneCode &code, KernelBuilder &k, const ElementTarget &target)
      : code(code), k(k), target(target) {}

  Index scalar(Value position) const { return Index{position, 0, Value()}; }
  Index lane(Value firstPosition) const { return Index{firstPosition, 1, Value()}; }
  // A size as i64.
  Value extent(const ir::DimExpr &value);
  // The integer, scalar or vector, as a position.
  Index ofInteger(Value integer, bool isUnsigned);
  // For each lane, as a vector of i64; the scalar where all lanes have the same.
  Value each(const Index &a);
  Value eachOrScalar(const Index &a) { return a.varies() ? each(a) : a.base; }

  Index add(const Index &a, const Index &b);
  Index sub(const Index &a, const Index &b);
  Index scale(const Index &a, int64_t factor);
  Index scale(const Index &a, const ir::DimExpr &factor);
  Index floorDiv(const Index &a, int64_t divisor);
  // Splits a position by an extent (i64): what is left of it for outer loops, and the remainder.
  std::pair<Index, Index> divMod(const Index &position, Value extent);
  Value less(const Index &a, const Index &b);
  Value equal(const Index &a, const Index &b);
  // The lanes from the position on that are below the bound.
  Value maskBelow(Value position, Value bound);

  // How many elements of a tensor of the type lie before the one at the index.
  Index linearize(mlir::RankedTensorType type, llvm::ArrayRef<Index> index);

private:
  Value binary(Value a, Value b, bool subtract);
  Value compareLanes(bool below, Value from, Value to);
  Value laneNumbers();

  LaneCode &code;
  KernelBuilder &k;
  const ElementTarget &target;
};

// What is known of an integer.
std::optional<int64_t> constantOf(mlir::Value value);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_LANEPOSITIONS_H
