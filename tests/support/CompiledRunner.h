// Runs a function of the dialect as compiled code, with the interpreter's tensors.
#ifndef KERATIN_TESTS_SUPPORT_COMPILEDRUNNER_H
#define KERATIN_TESTS_SUPPORT_COMPILEDRUNNER_H

#include "compiler/driver/Compiler.h"
#include "ir/reference/HostTensor.h"
#include "runtime/abi/keratin_abi.h"
#include "tests/support/GuardedMemory.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

struct keratin_executable_t;
struct keratin_group_t;
struct keratin_variable_t;

namespace keratin::tests {

// The machine that `native` stands for in tests: KERATIN_TEST_CPU, as --mcpu names it, or ours.
std::string testedMachine();

// The target that `cpu` stands for in tests: KERATIN_TEST_TARGET, as --target names it, or cpu. The
// plain target (tests/support/PlainTarget.h) is known to whoever asks.
std::string testedTarget();

// A compiled copy of a function, with general code beside it where it assumes sizes; arguments
// without keratin.kind are inputs, results without it outputs. Each run has variables of its own,
// which begin as their arguments say; the results of updates are what the variables hold
// afterwards.
//
// All memory that compiled code sees lies next to guard pages: inputs and outputs exactly at the
// given edge, the runtime's own and constants at the end. Whatever else a call may not change is
// compared after it. Where the function runs on a device, Edge::Start puts inputs and outputs
// there, each into a block of its own, whose end the device of PlainTarget.h and the emulator of
// CUDA's driver guard (GuardedDevice.h); kernels have names of their own.
class CompiledRunner {
public:
  // On failure `error` is set and calls fail. Runs on the device of this name, of those that run
  // the code; none: on the first.
  explicit CompiledRunner(mlir::func::FuncOp function, compiler::CompileOptions options = {},
                          const std::string &device = "");
  ~CompiledRunner();

  std::optional<std::vector<ir::HostTensor>> run(llvm::ArrayRef<ir::HostTensor> arguments,
                                                 Edge edge = Edge::End);
  // Runs are those of all ranks of the group.
  void callWith(keratin_group_t *group);
  bool assumesSizes() const { return general != nullptr; }
  const compiler::CompileReport *report() const { return compiled ? &compiled->report() : nullptr; }

  std::string error;

private:
  using Results = std::optional<std::vector<ir::HostTensor>>;
  void placeConstants();
  Results fail(const char *message);
  // With inputs and outputs on the host, or on the device.
  Results call(llvm::ArrayRef<keratin_variable_t *> variables,
               llvm::ArrayRef<ir::HostTensor> arguments, Edge edge);
  Results callOnDevice(llvm::ArrayRef<keratin_variable_t *> variables,
                       llvm::ArrayRef<ir::HostTensor> arguments);

  std::shared_ptr<const compiler::CompiledFunction> compiled;
  std::unique_ptr<CompiledRunner> general;
  keratin_function_desc_t descriptor = {}; // as compiled, with the constants below
  std::vector<GuardedBuffer> constants;
  std::vector<keratin_constant_desc_t> constantDescriptors;
  keratin_executable_t *executable = nullptr;
};

// The largest difference between a compiled result and the interpreter's, relative to 1 +
// |expected|; infinite where NaN, infinities, shapes or dtypes disagree.
double largestDifference(const ir::HostTensor &actual, const ir::HostTensor &expected);
// The same bits, NaN included.
bool areIdentical(const ir::HostTensor &a, const ir::HostTensor &b);

} // namespace keratin::tests

#endif // KERATIN_TESTS_SUPPORT_COMPILEDRUNNER_H
