#include "tests/support/PlainTarget.h"

#include "codegen/cpu/CpuTarget.h"
#include "codegen/cpu/KernelLowering.h"
#include "codegen/llvm/LowerToLlvm.h"
#include "codegen/llvm/ObjectEmitter.h"
#include "tests/support/PlainDevice.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace keratin;
using namespace keratin::tests;
using namespace mlir;

namespace {

class PlainTarget : public codegen::Target {
public:
  explicit PlainTarget(codegen::PortableMachine machine) : machine(std::move(machine)) {
    scalar = this->machine.target;
    scalar.vectorBits = 0;
    scalar.exponents = nullptr;
  }

  StringRef name() const override { return plainTarget; }
  // Other ones than the CPU's, so that a constant left in a pass shows.
  codegen::TargetLimits limits() const override {
    return {.kernelOps = 24,
            .tileTensors = 2,
            .reducesColumnsBesideRows = false,
            .alignment = 256,
            .hasOwnMemory = true};
  }
  const codegen::MachineTarget &host() const override { return machine.target; }
  std::array<uint64_t, 2> requiredFeatures() const override {
    return {machine.required[0], machine.required[1]};
  }

  LogicalResult lower(func::FuncOp function, host::ProgramOp program, ModuleOp into, StringRef name,
                      codegen::EntryDescription &description) const override {
    OwningOpRef<ModuleOp> kernels = ModuleOp::create(function.getLoc());
    codegen::DeviceModule device = {*kernels,
                                    codegen::loweringFor(scalar, /*callsMath=*/false, description)};
    if (failed(codegen::lowerFunction(function, program, into, name, machine.target, description,
                                      &device)) ||
        failed(codegen::lowerToLlvm(*kernels)))
      return failure();
    auto code = codegen::emitCode(*kernels, scalar);
    if (failed(code))
      return failure();
    StringRef bytes = (*code)->getBuffer();
    description.device = plainTarget;
    description.images.push_back({plainImageKind, std::vector<char>(bytes.begin(), bytes.end())});
    return success();
  }

private:
  codegen::PortableMachine machine;
  codegen::MachineTarget scalar; // the same without vectors
};

std::unique_ptr<codegen::Target> makePlainTarget(const codegen::TargetChoice &choice,
                                                 std::string *error) {
  auto machine = codegen::hostMachineOf(choice, error);
  return machine ? std::make_unique<PlainTarget>(std::move(*machine)) : nullptr;
}

} // namespace

void keratin::tests::registerPlainTarget() {
  static const bool once = [] {
    codegen::registerTarget(plainTarget, makePlainTarget);
    registerPlainDevice();
    return true;
  }();
  (void)once;
}
