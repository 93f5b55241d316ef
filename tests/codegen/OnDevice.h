// A function of one input on the device "cuda", by the emulator: what the interpreter has within
// its bounds, and the same bits in any order of blocks and warps.
#ifndef KERATIN_TESTS_CODEGEN_ONDEVICE_H
#define KERATIN_TESTS_CODEGEN_ONDEVICE_H

#include "tests/support/CompiledRunner.h"
#include "tests/support/RandomTensor.h"

#include "mlir/IR/BuiltinOps.h"

namespace keratin::tests {

using Dims = std::vector<int64_t>;

class OnDevice {
public:
  // Of x of a type; the body begins with the type of the results.
  OnDevice(const std::string &type, const std::string &body);

  // Sizes of x that are not known are symbols, in their order.
  void check(const ir::HostTensor &x, std::vector<int64_t> symbols = {});

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  std::unique_ptr<CompiledRunner> runner;
};

inline ir::HostTensor random(Dims dims, keratin_dtype_t dtype = KERATIN_DTYPE_FLOAT32) {
  return *randomTensor(dtype, std::move(dims), 5);
}

} // namespace keratin::tests

#endif // KERATIN_TESTS_CODEGEN_ONDEVICE_H
