// A position along a dimension as code of vectors has it: one for each lane.
#ifndef KERATIN_CODEGEN_ELEMENTS_LANEINDEX_H
#define KERATIN_CODEGEN_ELEMENTS_LANEINDEX_H

#include "ir/interfaces/ScalarBuilder.h"

namespace keratin::codegen {

struct LaneIndex {
  mlir::Value base;     // scalar position of the first lane
  int64_t laneStep = 0; // distance between lanes, if the same for all
  mlir::Value lanes;    // a position for each lane, if they have no common step

  bool varies() const { return lanes || laneStep != 0; }
};

// What ops see of it, and back.
inline ir::Index opaque(const LaneIndex &index) {
  return {{index.base.getAsOpaquePointer(), reinterpret_cast<const void *>(index.laneStep),
           index.lanes.getAsOpaquePointer()}};
}
inline LaneIndex transparent(const ir::Index &index) {
  return {mlir::Value::getFromOpaquePointer(index.words[0]),
          reinterpret_cast<int64_t>(index.words[1]),
          mlir::Value::getFromOpaquePointer(index.words[2])};
}
inline llvm::SmallVector<LaneIndex> transparent(llvm::ArrayRef<ir::Index> index) {
  return llvm::map_to_vector(index, [](const ir::Index &i) { return transparent(i); });
}

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_LANEINDEX_H
