#include "tools/keratin-dump/DeviceText.h"

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

// The images of a function, and the architectures that the target names.
struct DeviceImages {
  std::string ptx;
  codegen::KernelListing kernels;                        // by the names in the PTX
  std::map<std::string, keratin_cuda_kernel_t> launches; // by the names of kernels in the PTX
  std::vector<std::string> architectures;
};

} // namespace

static absl::StatusOr<std::shared_ptr<const codegen::Target>>
targetOf(const compiler::CompileOptions &options, const std::string &name) {
  std::string error;
  std::shared_ptr<const codegen::Target> target =
      codegen::makeTarget(compiler::portableChoice(name, options.cpu), &error);
  if (!target)
    return absl::InvalidArgumentError(error);
  return target;
}

static absl::StatusOr<DeviceImages> imagesOf(mlir::ModuleOp module, StringRef stage,
                                             const compiler::CompileOptions &options) {
  if (auto checked = targetOf(options, options.target); !checked.ok())
    return checked.status();
  auto [name, list] = StringRef(options.target).split(':');
  // Nothing is assembled with the function: what the assembler says of each kernel is wanted too.
  auto target = targetOf(options, name.str());
  if (!target.ok())
    return target.status();
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  compiler::FunctionCompiler compiler(*copy, *target, options);
  if (absl::Status status = compiler.plan(); !status.ok())
    return status;
  auto code = compiler.generate(**target, "model");
  if (!code.ok())
    return code.status();
  DeviceImages images;
  images.kernels = code->listing;
  for (std::string &function : images.kernels.functions)
    function = codegen::ptxName(function);
  if (const keratin_device_code_t *device = code->description->descriptor.device_code)
    for (int64_t i = 0; i < device->num_images; ++i) {
      StringRef kind = device->images[i].kind;
      auto *data = static_cast<const char *>(device->images[i].data);
      if (kind == KERATIN_CUDA_IMAGE_PTX)
        images.ptx = data;
      else if (kind == KERATIN_CUDA_IMAGE_KERNELS)
        for (int64_t k = 0; k < device->num_kernels; ++k)
          std::memcpy(&images.launches[device->kernels[k]],
                      data + size_t(k) * sizeof(keratin_cuda_kernel_t),
                      sizeof(keratin_cuda_kernel_t));
    }
  if (images.ptx.empty())
    return absl::InvalidArgumentError("--stage=" + stage.str() + ": the target '" + options.target +
                                      "' makes no PTX; needed --target=" KERATIN_CUDA_DEVICE);
  std::string error;
  images.architectures = {codegen::cudaArchitectures().front().str()};
  if (!list.empty())
    images.architectures = *codegen::cudaArchitecturesOf(list, &error);
  return images;
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

// What the assembler says, above the kernels that it says it of.
static std::string annotated(const DeviceImages &images, const codegen::Ptxas &assembler) {
  std::map<std::string, std::string> comments; // by kernel
  std::string text;
  for (const std::string &architecture : images.architectures) {
    std::string error;
    auto assembled = assembler.assemble(images.ptx, architecture, &error);
    if (!assembled) {
      llvm::SmallVector<StringRef> lines;
      StringRef(error).split(lines, '\n');
      for (StringRef line : lines)
        text += "// " + line.str() + "\n";
      continue;
    }
    for (const codegen::KernelResources &kernel : assembled->kernels)
      if (auto launch = images.launches.find(kernel.kernel); launch != images.launches.end())
        comments[kernel.kernel] += commentOf(kernel, launch->second, architecture);
  }
  for (StringRef line : llvm::split(StringRef(images.ptx).rtrim('\n'), '\n'))
    text += comments[entryIn(line).str()] + line.str() + "\n";
  return text;
}

absl::StatusOr<std::string> keratin::dump::devicePtx(mlir::ModuleOp module,
                                                     const compiler::CompileOptions &options) {
  auto images = imagesOf(module, "ptx", options);
  if (!images.ok())
    return images.status();
  std::string missing;
  if (auto assembler = codegen::Ptxas::find(&missing))
    return images->kernels.annotate(annotated(*images, *assembler), "//", entryIn);
  return "// registers, spills, shared memory: not known; " + missing + "\n" +
         images->kernels.annotate(images->ptx, "//", entryIn);
}

absl::StatusOr<std::string> keratin::dump::deviceSass(mlir::ModuleOp module,
                                                      const compiler::CompileOptions &options) {
  auto images = imagesOf(module, "sass", options);
  if (!images.ok())
    return images.status();
  std::string text, error;
  auto assembler = codegen::Ptxas::find(&error);
  if (!assembler)
    return absl::FailedPreconditionError("--stage=sass: " + error);
  for (const std::string &architecture : images->architectures) {
    auto assembled = assembler->assemble(images->ptx, architecture, &error);
    if (!assembled)
      return absl::InternalError(error);
    auto sass = codegen::disassembleCubin(assembled->cubin, &error);
    if (!sass)
      return absl::FailedPreconditionError("--stage=sass: " + error);
    text += "// " + architecture + "\n" + *sass;
  }
  return text;
}
