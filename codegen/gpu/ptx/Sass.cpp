#include "codegen/gpu/ptx/Sass.h"

#include "codegen/gpu/ptx/CudaPrograms.h"

using namespace keratin::codegen;
using llvm::StringRef;

std::optional<std::string> keratin::codegen::disassembleCubin(StringRef cubin, std::string *error) {
  std::string also;
  auto program = findCudaProgram("nvdisasm", "KERATIN_NVDISASM", error);
  StringRef option = "-c"; // the code alone
  if (!program) {
    program = findCudaProgram("cuobjdump", "KERATIN_CUOBJDUMP", &also);
    option = "-sass";
  }
  if (!program) {
    *error += "; " + also;
    return std::nullopt;
  }
  ScratchFile file("cubin");
  if (file.path().empty() || !file.write(cubin)) {
    *error = "no temporary file can be written";
    return std::nullopt;
  }
  ProgramRun run = runProgram(*program, {option, file.path()});
  if (run.isGood)
    return std::move(run.output);
  *error = *program + ": " + StringRef(run.output).trim().str();
  return std::nullopt;
}
