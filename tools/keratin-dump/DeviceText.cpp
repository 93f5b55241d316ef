#include "tools/keratin-dump/DeviceText.h"

#include "codegen/gpu/DeviceTraits.h"
#include "codegen/gpu/ptx/CudaArchitectures.h"
#include "codegen/gpu/ptx/PtxModule.h"
#include "codegen/gpu/ptx/Ptxas.h"
#include "codegen/gpu/ptx/Sass.h"
#include "compiler/driver/FunctionCompiler.h"
#include "compiler/driver/ModelCompiler.h"
#include "runtime/abi/keratin_cuda_abi.h"

#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <map>

using namespace keratin;
using namespace keratin::dump;
using llvm::StringRef;

namespace {

// The kernels of a function for some architectures.
struct DeviceModule {
  std::string ptx;
  codegen::KernelListing kernels;                        // by the names in the PTX
  std::map<std::string, keratin_cuda_kernel_t> launches; // by the names of kernels in the PTX
  std::vector<std::string> architectures;
};

} // namespace

static absl::StatusOr<std::shared_ptr<const codegen::Target>>
targetOf(const compiler::CompileOptions &options, const std::string &name,
         const std::string &deviceArchitecture = "") {
  std::string error;
  codegen::TargetChoice choice = compiler::portableChoice(name, options.cpu, options);
  choice.deviceArchitecture = deviceArchitecture;
  std::shared_ptr<const codegen::Target> target = codegen::makeTarget(choice, &error);
  if (!target)
    return absl::InvalidArgumentError(error);
  return target;
}

// The module of an architecture's own, ":sm_90a", or that for all, "".
static DeviceModule moduleOf(const keratin_device_code_t &device, const std::string &ending) {
  DeviceModule module;
  for (int64_t i = 0; i < device.num_images; ++i) {
    StringRef kind = device.images[i].kind;
    auto *data = static_cast<const char *>(device.images[i].data);
    if (kind == KERATIN_CUDA_IMAGE_PTX + ending)
      module.ptx = data;
    else if (kind == KERATIN_CUDA_IMAGE_KERNELS + ending)
      for (int64_t k = 0; k < device.num_kernels; ++k)
        std::memcpy(&module.launches[device.kernels[k]],
                    data + size_t(k) * sizeof(keratin_cuda_kernel_t),
                    sizeof(keratin_cuda_kernel_t));
  }
  return module;
}

// Those that the target's architectures run: the one for all first, then those of their own.
static absl::StatusOr<std::vector<DeviceModule>>
modulesOf(mlir::ModuleOp module, StringRef stage, const compiler::CompileOptions &options) {
  if (auto checked = targetOf(options, options.target); !checked.ok())
    return checked.status();
  auto [name, list] = StringRef(options.target).split(':');
  std::string error;
  std::vector<std::string> architectures = {codegen::cudaArchitectures().front().str()};
  if (!list.empty())
    architectures = *codegen::cudaArchitecturesOf(list, &error);
  // Nothing is assembled with the function, as what the assembler says of each kernel is wanted
  // too: but of a device that has forms of its own, if the assembler takes it.
  std::string device;
  for (const std::string &architecture : architectures)
    if (codegen::DeviceTraits().on(architecture))
      device = StringRef(architecture).drop_back().str();
  auto target = targetOf(options, name.str(), device);
  if (!target.ok())
    return target.status();
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  compiler::FunctionCompiler compiler(*copy, *target, options);
  if (absl::Status status = compiler.plan(); !status.ok())
    return status;
  auto code = compiler.generate(**target, "model");
  if (!code.ok())
    return code.status();
  const keratin_device_code_t *made = code->description->descriptor.device_code;
  DeviceModule forAll = made ? moduleOf(*made, "") : DeviceModule();
  if (forAll.ptx.empty())
    return absl::InvalidArgumentError("--stage=" + stage.str() + ": the target '" + options.target +
                                      "' makes no PTX; needed --target=" KERATIN_CUDA_DEVICE);
  std::vector<DeviceModule> modules;
  for (const std::string &architecture : architectures) {
    DeviceModule own = moduleOf(*made, KERATIN_CUDA_IMAGE_OF + architecture);
    if (own.ptx.empty()) {
      forAll.architectures.push_back(architecture);
    } else {
      own.architectures.push_back(architecture);
      modules.push_back(std::move(own));
    }
  }
  if (!forAll.architectures.empty())
    modules.insert(modules.begin(), std::move(forAll));
  for (DeviceModule &each : modules) {
    each.kernels = code->listing;
    for (std::string &function : each.kernels.functions)
      function = codegen::ptxName(function);
  }
  return modules;
}

static std::string commentOf(const codegen::KernelResources &resources,
                             const keratin_cuda_kernel_t &launch, StringRef architecture) {
  std::string text;
  llvm::raw_string_ostream(text) << "// " << architecture << ": " << resources.registers
                                 << " registers, spills " << resources.spillStores
                                 << " bytes stored and " << resources.spillLoads
                                 << " loaded, shared memory "
                                 << resources.sharedBytes + int64_t(launch.shared_bytes)
                                 << " bytes, stack " << resources.stackBytes << " bytes\n";
  return text;
}

// The kernel that begins in a line of PTX.
static StringRef entryIn(StringRef line) {
  return line.consume_front(".visible .entry ") ? line.split('(').first : StringRef();
}

// The kernels' names, and what the assembler says of them.
static std::string annotated(const DeviceModule &module, const codegen::Ptxas &assembler) {
  std::map<std::string, std::string> comments; // by kernel
  std::string text;
  for (const std::string &architecture : module.architectures) {
    std::string error;
    auto assembled = assembler.assemble(module.ptx, architecture, &error);
    if (!assembled) {
      llvm::SmallVector<StringRef> lines;
      StringRef(error).split(lines, '\n');
      for (StringRef line : lines)
        text += "// " + line.str() + "\n";
      continue;
    }
    for (const codegen::KernelResources &kernel : assembled->kernels)
      if (auto launch = module.launches.find(kernel.kernel); launch != module.launches.end())
        comments[kernel.kernel] += commentOf(kernel, launch->second, architecture);
  }
  std::string named = module.kernels.annotate(module.ptx, "//", entryIn);
  for (StringRef line : llvm::split(StringRef(named).rtrim('\n'), '\n'))
    text += comments[entryIn(line).str()] + line.str() + "\n";
  return text;
}

absl::StatusOr<std::string> keratin::dump::devicePtx(mlir::ModuleOp module,
                                                     const compiler::CompileOptions &options) {
  auto modules = modulesOf(module, "ptx", options);
  if (!modules.ok())
    return modules.status();
  std::string text, missing;
  auto assembler = codegen::Ptxas::find(&missing);
  if (!assembler)
    text = "// registers, spills, shared memory: not known; " + missing + "\n";
  for (const DeviceModule &each : *modules)
    text +=
        assembler ? annotated(each, *assembler) : each.kernels.annotate(each.ptx, "//", entryIn);
  return text;
}

absl::StatusOr<std::string> keratin::dump::deviceSass(mlir::ModuleOp module,
                                                      const compiler::CompileOptions &options) {
  auto modules = modulesOf(module, "sass", options);
  if (!modules.ok())
    return modules.status();
  std::string text, error;
  auto assembler = codegen::Ptxas::find(&error);
  if (!assembler)
    return absl::FailedPreconditionError("--stage=sass: " + error);
  for (const DeviceModule &each : *modules)
    for (const std::string &architecture : each.architectures) {
      auto assembled = assembler->assemble(each.ptx, architecture, &error);
      if (!assembled)
        return absl::InternalError(error);
      auto sass = codegen::disassembleCubin(assembled->cubin, &error);
      if (!sass)
        return absl::FailedPreconditionError("--stage=sass: " + error);
      text += "// " + architecture + "\n" + *sass;
    }
  return text;
}
