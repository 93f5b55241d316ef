// Values of other threads of a warp.
#ifndef KERATIN_CODEGEN_GPU_THREADS_SHUFFLE_H
#define KERATIN_CODEGEN_GPU_THREADS_SHUFFLE_H

#include "codegen/gpu/CudaMachine.h"

#include "mlir/IR/Builders.h"

namespace keratin::codegen {

// The threads of a warp, all of which come to the same exchange together; or those of a part of it:
// parts of a power of two of neighbouring threads need not wait for each other.
class Warp {
public:
  Warp(mlir::OpBuilder &b, mlir::Location loc, unsigned threads = warpThreads)
      : b(b), loc(loc), threads(threads) {}

  // The number of this thread in its warp, or in its part of it, as i64.
  mlir::Value lane();
  // The value, a scalar, of the thread that is so many further, or before; its own where there is
  // none.
  mlir::Value fromFurther(mlir::Value value, unsigned distance);
  mlir::Value fromBefore(mlir::Value value, unsigned distance);
  // That of the thread whose number differs in these bits.
  mlir::Value fromAcross(mlir::Value value, unsigned bits);
  // The value of the first thread; of the thread of this number (i32 or i64).
  mlir::Value fromFirst(mlir::Value value);
  mlir::Value from(mlir::Value value, mlir::Value lane);
  // A bit (of an i32) for each thread: whether the condition holds there. Whether it does for any.
  mlir::Value ballot(mlir::Value condition);
  mlir::Value any(mlir::Value condition);

private:
  enum class Mode { Up, Down, Across, Index };
  mlir::Value i32(int64_t value);
  mlir::Value special(const char *name);
  mlir::Value members();
  mlir::Value exchange(Mode mode, mlir::Value value, mlir::Value argument);
  mlir::Value exchangeWord(Mode mode, mlir::Value word, mlir::Value argument);
  mlir::Value vote(const char *name, mlir::Type type, mlir::Value condition);

  mlir::OpBuilder &b;
  mlir::Location loc;
  unsigned threads;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_THREADS_SHUFFLE_H
