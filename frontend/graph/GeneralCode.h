// The code of a function for calls whose sizes are not those that its first code assumes: compiled
// when such a call comes.
#ifndef KERATIN_FRONTEND_GRAPH_GENERALCODE_H
#define KERATIN_FRONTEND_GRAPH_GENERALCODE_H

#include "compiler/driver/Compiler.h"
#include "compiler/driver/KeptModule.h"

#include <memory>
#include <mutex>

struct keratin_executable_t;

namespace keratin::frontend {

class GeneralCode {
public:
  GeneralCode(compiler::KeptModule module, compiler::CompileOptions options)
      : module(std::move(module)), options(std::move(options)) {}
  // After the executable that it was given to.
  ~GeneralCode();

  // Whether sizes may meet in a broadcast: without, no code assumes anything.
  static bool mayBeNeeded(mlir::ModuleOp module);

  // The first caller compiles, others wait. Throws what the compiler refuses; the next call then
  // tries again.
  void giveTo(keratin_executable_t *assuming);

private:
  void compile(const keratin_executable_t *assuming);

  std::mutex mutex;
  compiler::KeptModule module; // none once it is compiled
  const compiler::CompileOptions options;
  std::shared_ptr<const compiler::CompiledFunction> code;
  keratin_executable_t *executable = nullptr;
};

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_GENERALCODE_H
