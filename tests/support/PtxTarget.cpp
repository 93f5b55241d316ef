#include "tests/support/PtxTarget.h"

#include "codegen/Target.h"
#include "codegen/cpu/CpuTarget.h"
#include "codegen/cpu/KernelLowering.h"
#include "codegen/gpu/CudaMachine.h"
#include "codegen/gpu/DevicePlan.h"
#include "codegen/gpu/UnitsPlan.h"
#include "codegen/gpu/ptx/PtxModule.h"
#include "codegen/llvm/LowerToLlvm.h"
#include "codegen/llvm/ObjectEmitter.h"
#include "runtime/abi/keratin_cuda_abi.h"
#include "tests/support/PlainDevice.h"
#include "tests/support/PlainTarget.h"
#include "tests/support/PtxLint.h"

#include "llvm/Support/MemoryBuffer.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <typeinfo>
#include <unistd.h>

using namespace keratin;
using namespace keratin::tests;
using namespace mlir;

namespace {

// Before each kernel in a file: what form it has. tests/codegen/ptx-sweep.py reads it.
constexpr const char *ptxFormComment = "// form: ";

// Files of different kernels.
class Collection {
public:
  explicit Collection(std::string folder) : folder(std::move(folder)) {}

  // With the form of each kernel, by its name.
  void add(const std::string &ptx, const std::map<std::string, std::string> &forms) {
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
    for (const PtxParts::Kernel &kernel : parts.kernels) {
      auto form = forms.find(kernel.name);
      add(parts.header, kernel, form == forms.end() ? "" : form->second);
    }
  }

private:
  static constexpr int kernelsOfFile = 32;

  void open(const std::string &text) {
    file = std::ofstream(folder + "/ptx-" + std::to_string(getpid()) + "-" +
                         std::to_string(files++) + ".ptx");
    file << text;
    inFile = kernelsOfFile;
  }

  void add(const std::string &header, const PtxParts::Kernel &kernel, const std::string &form) {
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
    file << ptxFormComment << form << "\n"
         << named("k" + std::to_string(inFile++)) << "\n"
         << std::flush;
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

// The first part of what a plan says of its schedule, with N for numbers: "N elements a thread".
std::string formOf(StringRef plan) {
  StringRef schedule = plan.split("schedule: ").second;
  std::string form;
  for (char c : schedule.take_until([](char c) { return c == ',' || c == ';' || c == '\n'; })) {
    bool isDigit = c >= '0' && c <= '9';
    if (!isDigit)
      form += c;
    else if (!StringRef(form).ends_with("N"))
      form += 'N';
  }
  return form;
}

class PtxTarget : public codegen::Target {
public:
  PtxTarget(std::unique_ptr<codegen::Target> cuda, codegen::MachineTarget host,
            codegen::Float32Products float32Products)
      : cuda(std::move(cuda)), processor(std::move(host)) {
    device.float32Products = float32Products;
  }

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
      if (image.kind == KERATIN_CUDA_IMAGE_PTX &&
          failed(judge(function, image.bytes.data(), onCuda)))
        return failure();
    return lowerUnits(function, program, into, name, description);
  }

private:
  LogicalResult judge(func::FuncOp function, const std::string &ptx,
                      const codegen::EntryDescription &onCuda) const {
    if (std::string problem = lintPtx(ptx); !problem.empty())
      return function.emitError("the PTX breaks a rule: ") << problem;
    if (Collection *kept = collection())
      kept->add(ptx, formsOf(function, onCuda.kernelFunctions));
    return success();
  }

  // Of each kernel by its name in the PTX. The functions are those of the kernels in their order.
  std::map<std::string, std::string> formsOf(func::FuncOp function,
                                             ArrayRef<std::string> functions) const {
    std::map<std::string, std::string> forms;
    for (auto [kernel, name] : llvm::zip(ir::numberedKernels(function), functions)) {
      std::string text;
      llvm::raw_string_ostream out(text);
      auto plan = codegen::planDeviceKernel(kernel, device);
      if (!plan || name.empty())
        continue;
      plan->printSchedule(out);
      // What has no form of its own is a thread's for each unit, as the CPU would do it.
      const codegen::DevicePlan &made = *plan;
      bool isUnits = typeid(made) == typeid(codegen::UnitsPlan);
      forms[codegen::ptxName(name)] = (isUnits ? "units: " : "") + formOf(text);
    }
    return forms;
  }

  // What threads do, for the plain device.
  LogicalResult lowerUnits(func::FuncOp function, host::ProgramOp program, ModuleOp into,
                           StringRef name, codegen::EntryDescription &description) const {
    OwningOpRef<ModuleOp> kernels = ModuleOp::create(function.getLoc());
    codegen::DeviceTraits plain = device;
    plain.warpThreads = 1;
    codegen::DeviceModule units = {
        *kernels, [&](ir::KernelOp kernel, OpBuilder &builder, StringRef name) {
          auto plan = codegen::planDeviceKernel(kernel, plain);
          description.plans[kernel] = plan;
          return plan ? FailureOr(plan->lower(builder, name, device.machine))
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
  codegen::MachineTarget processor;
  codegen::DeviceTraits device;
};

std::unique_ptr<codegen::Target> makePtxTarget(const codegen::TargetChoice &choice,
                                               std::string *error) {
  codegen::TargetChoice other = choice;
  other.name = KERATIN_CUDA_DEVICE;
  auto cuda = codegen::makeTarget(other, error);
  auto host = codegen::hostMachineOf(choice, error);
  return cuda && host ? std::make_unique<PtxTarget>(std::move(cuda), std::move(host->target),
                                                    choice.float32Products)
                      : nullptr;
}

} // namespace

void keratin::tests::registerPtxTarget() {
  registerPlainTarget();
  codegen::registerTarget(ptxTarget, makePtxTarget);
}
