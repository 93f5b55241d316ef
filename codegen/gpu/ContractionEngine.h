// A tile of a product, made by a block of threads: in registers, from tiles of A and B in shared
// memory.
#ifndef KERATIN_CODEGEN_GPU_CONTRACTIONENGINE_H
#define KERATIN_CODEGEN_GPU_CONTRACTIONENGINE_H

#include "codegen/gpu/ContractionSource.h"
#include "codegen/gpu/ContractionTile.h"

namespace keratin::codegen {

// The type of sums of products of these elements while a block makes them: f32, f64, i32 or i64.
mlir::Type sumTypeOf(mlir::Type elementType);

// Whoever has a product to make, a contraction or a convolution, says where A and B are
// (ContractionSource) and what becomes of the sums. All threads of the block come to each of its
// functions together. The next tile of A and B is read while the sums of the last are made, so that
// there is one barrier a tile. A number is the sum of its products in the order of depth.
class ContractionEngine {
public:
  using Value = mlir::Value;
  using Values = LoopEmitter::Values;

  // `shared`: ContractionTile::sharedBytes() of the block's memory; it is free behind a barrier
  // after either of the two below.
  ContractionEngine(LoopEmitter &emit, const ContractionTile &tile, mlir::Type sumType,
                    Value shared, Value thread);

  // What this thread has of the sums over the depths [begin, end), i64.
  Values multiply(ContractionSource &a, ContractionSource &b, Value begin, Value end);

  // Hands the sums on: neighbouring threads have neighbouring groups of columns of a row. The
  // function is emitted once or twice: for vectors of sums, groups, where `isGrouped` holds (i1;
  // null: nowhere), which then are whole among the first columns; else for scalars. Rows and
  // columns are i64, of the tile.
  struct Result {
    Value rows, columns; // that exist; null: all
    Value isGrouped;
  };
  using Store = llvm::function_ref<void(Value row, Value column, Value sums)>;
  void finish(mlir::ValueRange sums, const Result &result, Store store);
  // The same with sums from elsewhere: the load gives as many as it is asked for.
  using Load = llvm::function_ref<Value(Value row, Value column, int64_t group)>;
  void hand(const Result &result, Load load, Store store);

private:
  // What a thread reads of an operand for a tile: groups of neighbours.
  struct Copy {
    ContractionSource *source;
    int64_t lines;
    int64_t group; // elements
    int64_t base;  // bytes of the stage before it
    struct Piece {
      Values line;
      Value depth, place; // in the tile; bytes of shared memory
    };
    llvm::SmallVector<Piece> pieces;
  };
  Copy planCopy(ContractionSource &source, int64_t lines, int64_t group, int64_t base);
  Values read(Copy &copy, Value depth);
  void write(Copy &copy, mlir::ValueRange values, Value stage);
  Values multiplyBy(llvm::MutableArrayRef<Copy> copies, Value begin, Value end, bool unrolls);
  // The sums with the products of the stage at one depth, or all.
  Values addProducts(mlir::ValueRange sums, Value stage, bool unrolls);
  struct Fragments {
    Values a, b;
  };
  Fragments fragments(Value aPlace, Value bPlace, int64_t depth);
  Values addProducts(mlir::ValueRange sums, const Fragments &factors);
  void writeSlice(mlir::ValueRange sums, int64_t slice);
  // Of rows in the order in which they are loaded, and which they are in the tile.
  void handOn(int64_t rows, const Result &result, llvm::function_ref<Value(Value)> rowOf, Load load,
              Store store);
  void forEach(int64_t rows, int64_t group, const Result &result,
               llvm::function_ref<Value(Value)> rowOf, Load load, Store store);

  Value place(Value bytes) { return emit.address(shared, emit.builder.getI8Type(), bytes); }
  Value load(mlir::Type type, Value pointer, int64_t alignment);
  void store(Value value, Value pointer, int64_t alignment);
  Value toSum(Value stored, mlir::Type elementType);
  mlir::Type groupType() const;

  LoopEmitter &emit;
  const ContractionTile &tile;
  mlir::Type sumType;
  Value shared, thread;
  // Of this thread: the first row and column of its groups, in the tile.
  Value row, column;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_CONTRACTIONENGINE_H
