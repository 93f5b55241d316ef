// Writes what each phase leaves to a folder, for people.
#ifndef KERATIN_COMPILER_DRIVER_PHASEDUMP_H
#define KERATIN_COMPILER_DRIVER_PHASEDUMP_H

#include "compiler/pipelines/Stage.h"

#include "mlir/IR/BuiltinOps.h"

#include "absl/status/status.h"

#include <string>

namespace keratin::compiler {

// The folder of a dump: that of an option, or of KERATIN_DUMP_DIR where it is empty, or none. Made
// if it is not there. For tools, before they begin: whether files can be written to it.
absl::Status checkDumpFolder(const std::string &option);

// Does nothing unless a folder is given. A dump never makes a compilation fail: a file that cannot
// be written is left out, and the first one in a process is reported on standard error.
class PhaseDump {
public:
  PhaseDump() = default;
  // Of a function with several codes each has a name of its own; "" for one of them.
  PhaseDump(std::string directory, std::string function, std::string code = "");

  bool enabled() const { return !directory.empty(); }
  // The same for one of several machines.
  PhaseDump of(llvm::StringRef machine) const;
  // To FUNCTION.5-plan.mlir, FUNCTION.9-asm.s, FUNCTION.9-asm.general.x86-64-v3.s and so on.
  void module(Stage stage, mlir::ModuleOp module) const;
  void text(Stage stage, llvm::StringRef suffix, llvm::StringRef text) const;

private:
  std::string directory, function, code;
};

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_DRIVER_PHASEDUMP_H
