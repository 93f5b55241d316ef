// Writes what each phase leaves to a folder, for people.
#ifndef KERATIN_COMPILER_DRIVER_PHASEDUMP_H
#define KERATIN_COMPILER_DRIVER_PHASEDUMP_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace keratin::compiler {

// Does nothing unless a folder is given, by option or by KERATIN_DUMP_DIR. A file that cannot be
// written is left out: a dump never makes a compilation fail.
class PhaseDump {
public:
  PhaseDump() = default;
  PhaseDump(std::string directory, std::string function);

  bool enabled() const { return !directory.empty(); }
  void module(const std::string &name, mlir::ModuleOp module) const;
  void text(const std::string &name, llvm::StringRef text) const;

private:
  std::string directory, function;
};

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_DRIVER_PHASEDUMP_H
