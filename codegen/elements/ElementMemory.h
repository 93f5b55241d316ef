// Elements in registers and in memory.
#ifndef KERATIN_CODEGEN_ELEMENTS_ELEMENTMEMORY_H
#define KERATIN_CODEGEN_ELEMENTS_ELEMENTMEMORY_H

#include "codegen/elements/LanePositions.h"

#include "llvm/ADT/DenseMap.h"

namespace keratin::codegen {

// Which lanes count; null: all.
struct LaneMasks {
  mlir::Value active; // that are real
  // The mask of the innermost elementOrZero whose answer varies between lanes, or null. Where it is
  // false for all lanes, indices may lie outside, and what is uniform may not be read.
  mlir::Value condition;
};

// Bools are i1, float16 and bfloat16 are f32 in registers; in memory bools are bytes, and integers
// have no sign.
class ElementMemory {
public:
  using Value = mlir::Value;
  using Index = LaneIndex;

  ElementMemory(LaneCode &code, LanePositions &positions, const ElementTarget &target)
      : code(code), positions(positions), target(target) {}

  mlir::Type registerType(mlir::Type elementType) const;
  Value toRegister(Value stored, mlir::Type elementType);
  Value toStorage(Value registers, mlir::Type elementType);
  // Rounds f32 to float16 or bfloat16, in registers. Where it is stored it is not rounded again.
  Value rounded(Value registers, mlir::Type elementType);

  // At an offset in elements. Lanes that do not count read zero.
  Value load(Value pointer, mlir::Type elementType, const Index &offset, const LaneMasks &masks);
  // Asks for the line of a cache that an element is in, which need not be there.
  void prefetch(Value pointer, mlir::Type elementType, Value offset, bool willStore);
  // Lanes that are not real are left out; what is uniform is one scalar.
  void store(Value registers, Value pointer, mlir::Type elementType, const Index &offset,
             Value mask);

private:
  mlir::Type storageType(mlir::Type elementType) const;
  Value address(Value pointer, mlir::Type storage, Value offset);
  Value loadUniform(Value pointer, mlir::Type elementType, Value offset, Value condition);
  Value loadNeighbours(Value pointer, mlir::Type elementType, Value offset, Value mask);
  Value gather(Value pointer, mlir::Type elementType, Value offsets, Value mask);
  Value allLanes();

  LaneCode &code;
  LanePositions &positions;
  const ElementTarget &target;
  llvm::DenseMap<Value, Value> narrow; // of what has been rounded
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_ELEMENTMEMORY_H
