// Where all threads of a grid meet.
#ifndef KERATIN_CODEGEN_GPU_THREADS_GRIDBARRIER_H
#define KERATIN_CODEGEN_GPU_THREADS_GRIDBARRIER_H

#include "mlir/IR/Builders.h"

namespace keratin::codegen {

// All threads of a grid whose blocks are resident at once (KERATIN_CUDA_COOPERATIVE); all come to
// the same barrier together. What they have written to the device's memory, all see behind it.
class GridBarrier {
public:
  GridBarrier(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  void wait();
  // Waits, and gives all threads the same answer (i1). The question is asked by one thread when all
  // have come and before any has gone on: whatever it looks at, nobody is writing it.
  mlir::Value ask(llvm::function_ref<mlir::Value()> question);

private:
  using Question = llvm::function_ref<mlir::Value()>;

  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  mlir::Value word(int64_t number);
  mlir::Value read(mlir::Value word);
  void fence();
  // What the one or the other gives, in the branches of the function that is there already.
  mlir::Value choose(mlir::Value condition, Question first, Question second);
  mlir::Value answerOf(Question question);
  mlir::Value meetOthers(mlir::Value blocks, Question question);
  mlir::Value ofFirstThread(Question question);

  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_THREADS_GRIDBARRIER_H
