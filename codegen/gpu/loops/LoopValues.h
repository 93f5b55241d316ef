// What the steps of a loop on a device know of the host's program.
#ifndef KERATIN_CODEGEN_GPU_LOOPS_LOOPVALUES_H
#define KERATIN_CODEGEN_GPU_LOOPS_LOOPVALUES_H

#include "codegen/lowering/LoopFunction.h"

#include "mlir/IR/Builders.h"

#include <map>

namespace keratin::codegen {

// Values of the host's program in the function of a resident loop. What was made before the loop is
// in its arguments, which are read where the function begins, or follows from them; what is made in
// the loop is told here when it is.
class LoopValues {
public:
  using Value = mlir::Value;
  using Type = mlir::Type;

  // Both belong to who emits the function.
  LoopValues(mlir::OpBuilder &b, mlir::Location &loc) : b(b), loc(loc) {}

  // Precondition of what follows: the function's argv, and before what all threads come by.
  void begin(Value slots, mlir::Operation *end) {
    argv = slots;
    prologueEnd = end;
  }

  // A value of the program, here.
  Value of(Value value);
  void set(Value value, Value here) { known[value] = here; }
  Value sizeOf(const ir::DimExpr &size);
  // One more slot of argv.
  Value argument(LoopArgument argument, Type type);
  std::vector<LoopArgument> takeArguments() { return std::move(arguments); }

  // The place that the op is, where it begins: see host.at and host.element.
  static Value baseOf(mlir::Operation *op);
  Value placeBehind(Value base, mlir::Operation *op);

  // Of the program's types.
  Type typeOf(Type type) { return mlir::isa<host::PlaceType>(type) ? pointer : type; }
  Value offsetBy(Value place, Value bytes);
  Value i64(int64_t value);
  // What it emits stands where the function begins.
  Value hoisted(llvm::function_ref<Value()> emit);

private:
  Value outside(Value value);

  mlir::OpBuilder &b;
  mlir::Location &loc;
  Type pointer = mlir::LLVM::LLVMPointerType::get(b.getContext());
  Value argv;
  mlir::Operation *prologueEnd = nullptr;
  std::vector<LoopArgument> arguments;
  llvm::DenseMap<Value, Value> known; // by those of the program
  std::map<ir::DimExpr, Value> sizes;
  std::map<std::pair<llvm::StringRef, int64_t>, Value> beginnings; // of what has a number
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_LOOPS_LOOPVALUES_H
