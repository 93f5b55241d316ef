// One op as a function that is compiled for several machines and compared with the interpreter.
#ifndef KERATIN_TESTS_CODEGEN_COMPILEDOP_H
#define KERATIN_TESTS_CODEGEN_COMPILEDOP_H

#include "ir/reference/EvaluationContext.h"
#include "tests/support/CompiledRunner.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

namespace keratin::tests {

using Dims = std::vector<int64_t>;

const char *nameOf(keratin_dtype_t dtype);
// tensor<2x3xf32>, or with symbols d<first>, d<first + 1>, … for all sizes.
std::string typeOf(keratin_dtype_t dtype, const Dims &dims, int firstSymbol = -1);

// Functions for all machines, called with any sizes that fit them. Where KERATIN_TEST_EVERY says
// so, ours and some of the others, which are others for the next op and the next day.
class CompiledOp {
public:
  // `op` is the text behind "keratin."; operands are %0, %1, ….
  CompiledOp(const std::string &op, const std::vector<std::string> &arguments,
             const std::string &result);

  // Symbols are the sizes of the arguments' dimensions, in order. The interpreter's numbers,
  // exactly.
  void check(const std::vector<ir::HostTensor> &arguments, Edge edge = Edge::End);
  // For ops that round: within the bounds that interpretWithBounds computes.
  void checkWithinBounds(const std::vector<ir::HostTensor> &arguments);
  void checkFails(const std::vector<ir::HostTensor> &arguments, const std::string &message);

private:
  // The context in which the interpreter runs the function on these.
  static ir::EvaluationContext evaluationOf(const std::vector<ir::HostTensor> &arguments);
  void onEachMachine(const std::vector<ir::HostTensor> &arguments, Edge edge,
                     llvm::function_ref<void(const ir::HostTensor &)> test);

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  std::vector<std::pair<const char *, std::unique_ptr<CompiledRunner>>> runners;
};

} // namespace keratin::tests

#endif // KERATIN_TESTS_CODEGEN_COMPILEDOP_H
