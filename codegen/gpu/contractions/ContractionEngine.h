// A tile of a product, made by a block of threads: in registers, from tiles of
// A and B in shared memory.
#ifndef KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONENGINE_H
#define KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONENGINE_H

#include "codegen/gpu/contractions/ContractionNumbers.h"
#include "codegen/gpu/contractions/ContractionSource.h"
#include "codegen/gpu/contractions/ContractionTile.h"

#include <memory>

namespace keratin::codegen {

// The type of sums of products of these elements while a block makes them: f32,
// f64, i32 or i64.
mlir::Type sumTypeOf(mlir::Type elementType);

// Whoever has a product to make, a contraction or a convolution, says where A
// and B are (ContractionSource) and what becomes of the sums. All threads of
// the block come to each of its functions together. What it does with the
// block's memory is over behind a barrier at the end of `finish`.
class ContractionEngine {
public:
  using Value = mlir::Value;
  using Values = LoopEmitter::Values;

  // As the tile says. `shared`: ContractionTile::sharedBytes() of the block's
  // memory.
  static std::unique_ptr<ContractionEngine> make(LoopEmitter &emit, const ContractionTile &tile,
                                                 mlir::Type sumType, Value shared, Value thread);
  ContractionEngine(LoopEmitter &emit, const ContractionTile &tile, mlir::Type sumType,
                    Value shared, Value thread);
  virtual ~ContractionEngine();

  // What this thread has of the sums over the depths [begin, end), i64. The
  // next tiles of A and B are read while the products of the last are summed.
  // The order of each sum is that of the depth.
  virtual Values multiply(ContractionSource &a, ContractionSource &b, Value begin, Value end) = 0;

  // Hands the sums on: neighbouring threads have neighbouring groups of columns
  // of a row. The function is emitted once or twice: for vectors of sums,
  // groups, where `isGrouped` holds (i1; null: nowhere), which then are whole
  // among the first columns; else for scalars. Rows and columns are i64, of the
  // tile.
  struct Result {
    Value rows, columns; // that exist; null: all
    Value isGrouped;
  };
  using Store = llvm::function_ref<void(Value row, Value column, Value sums)>;
  void finish(mlir::ValueRange sums, const Result &result, Store store);
  // The same with sums from elsewhere: the load gives those of as many places
  // as it is asked for, `atOnce` at most, each a group of as many. They are of
  // the tile, whether the result has them or not.
  struct Place {
    Value row, column;
  };
  using Load = llvm::function_ref<Values(llvm::ArrayRef<Place>, int64_t group)>;
  void hand(const Result &result, int64_t atOnce, Load load, Store store);

protected:
  // A slice of the rows of each warp, to the beginning of shared memory.
  virtual void writeSlice(mlir::ValueRange sums, int64_t slice) = 0;
  // Where this thread's sums of a slice begin, if these are its first row and
  // column in it.
  Value inSlice(Value row, Value column);

  Value load(mlir::Type type, Value pointer, int64_t alignment);
  void store(Value value, Value pointer, int64_t alignment);
  // What lies so many bytes into the block's memory.
  Value place(Value bytes) { return emit.address(shared, emit.builder.getI8Type(), bytes); }
  mlir::Type groupType() const { return mlir::VectorType::get(tile.group(), sumType); }

  LoopEmitter &emit;
  const ContractionTile &tile;
  mlir::Type sumType;
  Value shared, thread;
  // Of this thread: of its warp among those of the block, and of it in the
  // warp.
  Value warpRow, warpColumn, laneRow, laneColumn;

private:
  // Of rows in the order in which they are loaded, and which they are in the
  // tile.
  void handOn(int64_t rows, const Result &result, llvm::function_ref<Value(Value)> rowOf, Load load,
              Store store);
  void forEach(int64_t rows, int64_t group, const Result &result, int64_t atOnce,
               llvm::function_ref<Value(Value)> rowOf, Load load, Store store);
  // Runs it where the result has the place.
  void whereExists(const Result &result, const Place &place, llvm::function_ref<void()> run);
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONENGINE_H
