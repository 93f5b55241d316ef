// Programs of the CUDA Toolkit, where they are installed. Nothing needs them: the driver compiles
// PTX.
#ifndef KERATIN_CODEGEN_GPU_PTX_CUDAPROGRAMS_H
#define KERATIN_CODEGEN_GPU_PTX_CUDAPROGRAMS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace keratin::codegen {

// The path of a program: what the environment's variable names, else the program of that name in
// PATH, else in /usr/local/cuda/bin. A variable that is set and empty says that there is none.
// Nullopt, with a message that says where it was looked for.
std::optional<std::string> findCudaProgram(llvm::StringRef name, const char *variable,
                                           std::string *error);

struct ProgramRun {
  bool isGood = false;
  std::string output; // standard output and standard error
};
// Runs it with these arguments and no input, and waits for its end.
ProgramRun runProgram(const std::string &path, llvm::ArrayRef<llvm::StringRef> arguments);

// A file of this process alone, which goes when this object does. Its path is "" where none could
// be made.
class ScratchFile {
public:
  explicit ScratchFile(llvm::StringRef suffix);
  ~ScratchFile();
  ScratchFile(const ScratchFile &) = delete;
  ScratchFile &operator=(const ScratchFile &) = delete;

  const std::string &path() const { return name; }
  bool write(llvm::StringRef bytes) const;
  std::string read() const;

private:
  std::string name;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_PTX_CUDAPROGRAMS_H
