// Values of other threads of a warp.
#ifndef KERATIN_CODEGEN_GPU_SHUFFLE_H
#define KERATIN_CODEGEN_GPU_SHUFFLE_H

#include "mlir/IR/Builders.h"

namespace keratin::codegen {

// The threads of a warp, all of which come to the same exchange together.
class Warp {
public:
  Warp(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  // The number of this thread in its warp, as i64.
  mlir::Value lane();
  // The value, a scalar, of the thread that is so many further; its own where there is none.
  mlir::Value fromFurther(mlir::Value value, unsigned distance);
  // The value of the first thread.
  mlir::Value fromFirst(mlir::Value value);
  // The i32 of the thread with this number (i32).
  mlir::Value fromLane(mlir::Value word, mlir::Value lane);
  // A bit (of an i32) for each thread: whether the condition holds there. Whether it does for any.
  mlir::Value ballot(mlir::Value condition);
  mlir::Value any(mlir::Value condition);

private:
  enum class Mode { Down, Index };
  mlir::Value i32(int64_t value);
  mlir::Value exchange(Mode mode, mlir::Value value, unsigned number);
  mlir::Value exchangeWord(Mode mode, mlir::Value word, mlir::Value argument);
  mlir::Value vote(const char *name, mlir::Type type, mlir::Value condition);

  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_SHUFFLE_H
