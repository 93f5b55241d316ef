// Threads of a unit that put their results together.
#ifndef KERATIN_CODEGEN_GPU_THREADS_THREADMEETING_H
#define KERATIN_CODEGEN_GPU_THREADS_THREADMEETING_H

#include "codegen/gpu/threads/Shuffle.h"
#include "codegen/gpu/threads/ThreadBlock.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace keratin::codegen {

// Values in memory that only the threads of a kernel see: elements of 32 bits at least, so that a
// vector of them is one access.
struct Slot {
  static int64_t bytes(mlir::Type registers);
  // Of so many elements of a tensor, as they are in registers.
  static int64_t bytes(mlir::Type elementType, unsigned lanes);
  static void store(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value, mlir::Value pointer);
  static mlir::Value load(mlir::OpBuilder &b, mlir::Location loc, mlir::Type registers,
                          mlir::Value pointer);
};

// The threads of a unit stand in rows of `columns`, neighbours next to each other; `rows` threads
// stand in a column. Both are powers of two. Columns of a warp meet by shuffles, those of a block
// by its memory then: in pairs, in pairs of pairs, in the same order whatever the device.
class ThreadMeeting {
public:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<Value>;
  // Two results that are one, a before b.
  using Combine = llvm::function_ref<Values(llvm::ArrayRef<Value> a, llvm::ArrayRef<Value> b)>;

  ThreadMeeting(mlir::OpBuilder &b, mlir::Location loc, unsigned columns, unsigned rows);

  // Of a block's memory, for values of so many bytes.
  static int64_t sharedBytes(llvm::ArrayRef<int64_t> slots, unsigned columns, unsigned rows);

  // Where this thread stands, as i64.
  Value column();
  Value row();
  // What the threads of each column have, scalars or vectors, together; all threads of the column
  // get it. All threads of the unit come here.
  Values meet(llvm::ArrayRef<Value> own, Combine combine);
  // Says that all have come to a barrier since they last met: what they read then may be written.
  void haveWaited() { isFree = true; }

private:
  // Threads of a column that stand in the same warp, and groups of these.
  static unsigned rowsOfWarp(unsigned columns, unsigned rows);
  Value thread();
  Value eachLane(Value value, llvm::function_ref<Value(Value)> exchange);
  Values meetInBlock(llvm::ArrayRef<Value> own, Combine combine);
  Value slot(int64_t offset, Value group, mlir::Type type);
  Value i64(int64_t value);

  mlir::OpBuilder &b;
  mlir::Location loc;
  unsigned columns, rows;
  Warp warp;
  ThreadBlock block;
  bool isFree = false; // the block's memory
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_THREADS_THREADMEETING_H
