#include "codegen/gpu/ptx/CudaPrograms.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace keratin::codegen;
using llvm::StringRef;

static constexpr StringRef usualFolder = "/usr/local/cuda/bin";

std::optional<std::string> keratin::codegen::findCudaProgram(StringRef name, const char *variable,
                                                             std::string *error) {
  if (const char *named = std::getenv(variable)) {
    if (*named && llvm::sys::fs::can_execute(named))
      return named;
    *error = name.str() + " is not there: " + variable +
             (*named ? std::string(" names '") + named + "', which cannot be executed"
                     : std::string(" is empty"));
    return std::nullopt;
  }
  if (auto found = llvm::sys::findProgramByName(name))
    return *found;
  if (auto found = llvm::sys::findProgramByName(name, {usualFolder}))
    return *found;
  *error = name.str() + " is not there: it is neither named by " + variable +
           " nor in PATH nor in " + usualFolder.str() + " (it comes with the CUDA Toolkit)";
  return std::nullopt;
}

ProgramRun keratin::codegen::runProgram(const std::string &path,
                                        llvm::ArrayRef<StringRef> arguments) {
  ScratchFile output("log");
  ProgramRun run;
  if (output.path().empty()) {
    run.output = "no temporary file can be made";
    return run;
  }
  llvm::SmallVector<StringRef> words = {path};
  words.append(arguments.begin(), arguments.end());
  std::string problem;
  // Both streams to one file: as a terminal would show them.
  const std::optional<StringRef> streams[] = {StringRef(), StringRef(output.path()),
                                              StringRef(output.path())};
  int code = llvm::sys::ExecuteAndWait(path, words, /*Env=*/std::nullopt, streams,
                                       /*SecondsToWait=*/0, /*MemoryLimit=*/0, &problem);
  run.isGood = code == 0;
  run.output = output.read();
  if (!problem.empty())
    run.output += path + ": " + problem;
  return run;
}

ScratchFile::ScratchFile(StringRef suffix) {
  llvm::SmallString<128> made;
  if (!llvm::sys::fs::createTemporaryFile("keratin", suffix, made))
    name = made.str().str();
}

ScratchFile::~ScratchFile() {
  if (!name.empty())
    llvm::sys::fs::remove(name);
}

bool ScratchFile::write(StringRef bytes) const {
  std::error_code error;
  llvm::raw_fd_ostream out(name, error);
  if (error)
    return false;
  out << bytes;
  out.close();
  bool isWhole = !out.has_error();
  out.clear_error();
  return isWhole;
}

std::string ScratchFile::read() const {
  auto buffer = llvm::MemoryBuffer::getFile(name, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  return buffer ? (*buffer)->getBuffer().str() : "";
}
