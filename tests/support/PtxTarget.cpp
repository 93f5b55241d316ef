#include "tests/support/PtxTarget.h"

#include "codegen/Target.h"
#include "codegen/cpu/CpuTarget.h"
#include "codegen/cpu/KernelLowering.h"
#include "codegen/gpu/CudaMachine.h"
#include "codegen/gpu/DevicePlan.h"
#include "codegen/llvm/LowerToLlvm.h"
#include "codegen/llvm/ObjectEmitter.h"
#include "runtime/abi/keratin_cuda_abi.h"
#include "tests/support/PlainDevice.h"
#include "tests/support/PlainTarget.h"
#include "tests/support/PtxLint.h"

#include "llvm/Support/MemoryBuffer.h"

#include <cstdlib>
#include <fstream>
#include <mutex>
#include <set>
#include <unistd.h>

using namespace keratin;
using namespace keratin::tests;
using namespace mlir;

namespace {

// Files of different kernels.
class Collection {
public:
  explicit Collection(std::string folder) : folder(std::move(folder)) {}

  void add(const std::string &ptx) {
    PtxParts parts = partsOfPtx(ptx);
    std::lock_guard lock(mutex);
    // Names of tables would meet.
    if (parts.shared.find(".global") != std::string::npos) {
      if (known.insert(ptx).second)
        open(ptx);
      return;
    }
    size_t memory = parts.shared.find(".extern .shared");
    if (memory != std::string::npos)
      sharedMemory = parts.shared.substr(memory, parts.shared.find('\n', memory) + 1 - memory);
    for (const PtxParts::Kernel &kernel : parts.kernels)
      add(parts.header, kernel);
  }

private:
  static constexpr int kernelsOfFile = 32;

  void open(const std::string &text) {
    file = std::ofstream(folder + "/ptx-" + std::to_string(getpid()) + "-" +
                         std::to_string(files++) + ".ptx");
    file << text;
    inFile = kernelsOfFile;
  }

  void add(const std::string &header, const PtxParts::Kernel &kernel) {
    auto named = [&](const std::string &name) {
      std::string text = kernel.text;
      for (size_t at = 0; (at = text.find(kernel.name, at)) != std::string::npos; at += name.size())
        text.replace(at, kernel.name.size(), name);
      return text;
    };
    if (!known.insert(named("k")).second)
      return;
    if (inFile == kernelsOfFile) {
      open(header);
      inFile = 0;
      declaresMemory = false;
    }
    if (!declaresMemory && !sharedMemory.empty()) {
      file << sharedMemory;
      declaresMemory = true;
    }
    file << named("k" + std::to_string(inFile++)) << "\n" << std::flush;
  }

  const std::string folder;
  std::mutex mutex;
  std::set<std::string> known;
  std::ofstream file;
  std::string sharedMemory;    // the declaration of what blocks share, the same in all modules
  bool declaresMemory = false; // the file has it
  int files = 0, inFile = kernelsOfFile;
};

Collection *collection() {
  static Collection *const made = [] {
    const char *folder = std::getenv("KERATIN_PTX_FOLDER");
    return folder ? new Collection(folder) : nullptr;
  }();
  return made;
}

class PtxTarget : public codegen::Target {
public:
  PtxTarget(std::unique_ptr<codegen::Target> cuda, codegen::MachineTarget host)
      : cuda(std::move(cuda)), processor(std::move(host)), device(codegen::cudaMachine()) {}

  StringRef name() const override { return ptxTarget; }
  codegen::TargetLimits limits() const override { return cuda->limits(); }
  const codegen::MachineTarget &host() const override { return processor; }
  std::array<uint64_t, 2> requiredFeatures() const override { return cuda->requiredFeatures(); }

  LogicalResult lower(func::FuncOp function, host::ProgramOp program, ModuleOp into, StringRef name,
                      codegen::EntryDescription &description) const override {
    codegen::EntryDescription onCuda = description;
    OwningOpRef<ModuleOp> unused = ModuleOp::create(function.getLoc());
    if (failed(cuda->lower(function, program, *unused, name, onCuda)))
      return failure();
    for (const codegen::DeviceImage &image : onCuda.images)
      if (image.kind == KERATIN_CUDA_IMAGE_PTX && failed(judge(function, image.bytes.data())))
        return failure();
    return lowerUnits(function, program, into, name, description);
  }

  LogicalResult printKernels(llvm::raw_ostream &out, func::FuncOp function) const override {
    return cuda->printKernels(out, function);
  }

private:
  static LogicalResult judge(func::FuncOp function, const std::string &ptx) {
    if (std::string problem = lintPtx(ptx); !problem.empty())
      return function.emitError("the PTX breaks a rule: ") << problem;
    if (Collection *kept = collection())
      kept->add(ptx);
    return success();
  }

  // What threads do, for the plain device.
  LogicalResult lowerUnits(func::FuncOp function, host::ProgramOp program, ModuleOp into,
                           StringRef name, codegen::EntryDescription &description) const {
    OwningOpRef<ModuleOp> kernels = ModuleOp::create(function.getLoc());
    codegen::DeviceModule units = {
        *kernels, [this](ir::KernelOp kernel, OpBuilder &builder, StringRef name) {
          auto plan = codegen::planDeviceKernel(kernel, device, /*warpThreads=*/1);
          return plan ? FailureOr(plan->lower(builder, name, device))
                      : FailureOr<codegen::KernelFunction>();
        }};
    if (failed(
            codegen::lowerFunction(function, program, into, name, host(), description, &units)) ||
        failed(codegen::lowerToLlvm(*kernels)))
      return failure();
    auto code = codegen::emitCode(*kernels, processor);
    if (failed(code))
      return failure();
    StringRef bytes = (*code)->getBuffer();
    description.device = plainTarget;
    description.images.push_back({plainImageKind, std::vector<char>(bytes.begin(), bytes.end())});
    return success();
  }

  std::unique_ptr<codegen::Target> cuda;
  codegen::MachineTarget processor, device;
};

std::unique_ptr<codegen::Target> makePtxTarget(const codegen::TargetChoice &choice,
                                               std::string *error) {
  codegen::TargetChoice other = choice;
  other.name = KERATIN_CUDA_DEVICE;
  auto cuda = codegen::makeTarget(other, error);
  auto host = codegen::hostMachineOf(choice, error);
  return cuda && host ? std::make_unique<PtxTarget>(std::move(cuda), std::move(host->target))
                      : nullptr;
}

} // namespace

void keratin::tests::registerPtxTarget() {
  registerPlainTarget();
  codegen::registerTarget(ptxTarget, makePtxTarget);
}
