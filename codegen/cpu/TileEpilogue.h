// What follows elementwise from tiles of finished sums, done while they are in registers.
#ifndef KERATIN_CODEGEN_CPU_TILEEPILOGUE_H
#define KERATIN_CODEGEN_CPU_TILEEPILOGUE_H

#include "codegen/cpu/CpuKernelPlan.h"
#include "codegen/elements/ElementEmitter.h"

namespace keratin::codegen {

class TileEpilogue {
public:
  // Of a kernel whose op makes `tile`, tile by tile.
  TileEpilogue(CpuKernelBuilder &k, mlir::Value tile) : k(k), tile(tile) {}

  // Emits all that the kernel computes from a vector of sums, and stores what the kernel yields.
  // `position` gives the index of the vector's lanes, an entry for each dimension of the tile's
  // squeezed shape; every value that is read or written has that shape or is broadcast into it. A
  // null mask means all lanes.
  void emit(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value sums, mlir::Value mask,
            llvm::function_ref<llvm::SmallVector<LaneIndex>(ElementEmitter &emitter)> position);

private:
  CpuKernelBuilder &k;
  mlir::Value tile;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_TILEEPILOGUE_H
