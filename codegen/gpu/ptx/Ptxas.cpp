#include "codegen/gpu/ptx/Ptxas.h"

#include "codegen/gpu/ptx/CudaPrograms.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"

using namespace keratin::codegen;
using llvm::StringRef;

std::optional<Ptxas> Ptxas::find(std::string *error) {
  auto path = findCudaProgram("ptxas", "KERATIN_PTXAS", error);
  return path ? std::optional(Ptxas(std::move(*path))) : std::nullopt;
}

std::string Ptxas::version() const { return runProgram(path, {"--version"}).output; }

std::string Ptxas::identity() const {
  llvm::sys::fs::file_status status;
  (void)llvm::sys::fs::status(path, status);
  auto time = status.getLastModificationTime().time_since_epoch().count();
  return path + " " + std::to_string(time) + " " + std::to_string(status.getSize());
}

std::optional<AssembledPtx> Ptxas::assemble(StringRef ptx, StringRef architecture,
                                            std::string *error) const {
  ScratchFile text("ptx"), code("cubin");
  if (text.path().empty() || code.path().empty() || !text.write(ptx)) {
    *error = "ptxas: no temporary file can be written";
    return std::nullopt;
  }
  std::string architectureOption = ("-arch=" + architecture).str();
  llvm::SmallVector<StringRef> arguments = {"-v", architectureOption, text.path(), "-o",
                                            code.path()};
  // The kernels of a module at the same time: the code is the same. Older ones may not know it.
  if (StringRef(version()).contains("release 13."))
    arguments.push_back("--split-compile=0");
  ProgramRun run = runProgram(path, arguments);
  AssembledPtx result{code.read(), resourcesOf(run.output)};
  if (run.isGood && !result.cubin.empty())
    return result;
  *error = "ptxas for " + architecture.str() + ": " + StringRef(run.output).trim().str();
  return std::nullopt;
}

// The number before the words, 0 where they are not there: "16 bytes spill stores".
static int64_t numberBefore(StringRef line, StringRef words) {
  size_t end = line.find((" " + words).str());
  if (end == StringRef::npos)
    return 0;
  StringRef before = line.take_front(end);
  int64_t number = 0;
  return before.take_back(before.size() - before.find_last_not_of("0123456789") - 1)
                 .getAsInteger(10, number)
             ? 0
             : number;
}

std::vector<KernelResources> keratin::codegen::resourcesOf(StringRef log) {
  std::vector<KernelResources> kernels;
  llvm::SmallVector<StringRef> lines;
  log.split(lines, '\n');
  for (StringRef line : lines) {
    if (auto [before, behind] = line.split("Compiling entry function '"); !behind.empty())
      kernels.push_back({.kernel = behind.split('\'').first.str()});
    if (kernels.empty())
      continue;
    KernelResources &kernel = kernels.back();
    if (line.contains("bytes stack frame")) {
      kernel.stackBytes = numberBefore(line, "bytes stack frame");
      kernel.spillStores = numberBefore(line, "bytes spill stores");
      kernel.spillLoads = numberBefore(line, "bytes spill loads");
    } else if (line.contains("Used ")) {
      kernel.registers = numberBefore(line, "registers");
      kernel.sharedBytes = numberBefore(line, "bytes smem");
    }
  }
  return kernels;
}
