// What follows elementwise from tiles of finished sums, done while they are in registers.
#ifndef KERATIN_CODEGEN_ELEMENTS_TILEEPILOGUE_H
#define KERATIN_CODEGEN_ELEMENTS_TILEEPILOGUE_H

#include "codegen/elements/ElementEmitter.h"

namespace keratin::codegen {

class TileEpilogue {
public:
  // Of a kernel whose op makes `tile`, tile by tile. What it yields of `others` is made elsewhere.
  TileEpilogue(KernelBuilder &k, const ElementTarget &target, mlir::Value tile,
               llvm::ArrayRef<mlir::Value> others = {})
      : k(k), target(target), tile(tile), others(others) {}

  // Emits all that the kernel computes from a sum or a vector of sums, and stores what the kernel
  // yields. `position` gives the index of the vector's lanes, or of the one sum, an entry for each
  // dimension of the tile's squeezed shape; every value that is read or written has that shape or
  // is broadcast into it. A null mask means all lanes.
  void emit(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value sums, mlir::Value mask,
            llvm::function_ref<llvm::SmallVector<LaneIndex>(ElementEmitter &emitter)> position);
  // Asks for the lines of what the kernel yields so many bytes behind the position, which will be
  // stored to.
  void askForResults(mlir::OpBuilder &builder, mlir::Location loc, unsigned lanes, int64_t bytes,
                     llvm::function_ref<llvm::SmallVector<LaneIndex>(ElementEmitter &)> position);

private:
  // Results that are made here, and where they go.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> results() const;

  KernelBuilder &k;
  const ElementTarget &target;
  mlir::Value tile;
  llvm::SmallVector<mlir::Value, 2> others;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_TILEEPILOGUE_H
