// What an internal error of the compiler leaves behind for those who will mend it.
#ifndef KERATIN_COMPILER_DRIVER_REPRODUCER_H
#define KERATIN_COMPILER_DRIVER_REPRODUCER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace mlir {
class PassManager;
} // namespace mlir

namespace keratin::compiler {

// Keeps a copy of a module before a compilation, which consumes it.
class Reproducer {
public:
  // Without withData: element values other than those of scalars and small integer lists are
  // zeros, and names and messages are gone.
  Reproducer(mlir::ModuleOp module, bool withData);

  // Writes the module and the passes for `keratin-opt --run-reproducer` to a new file that only
  // its owner may read: in this folder, or KERATIN_REPRODUCER_DIR, or where temporary files lie.
  // The file's name; empty if there is none.
  std::string write(std::string directory, mlir::PassManager &passes);

private:
  void removeData();

  mlir::OwningOpRef<mlir::ModuleOp> module;
  bool withData;
};

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_DRIVER_REPRODUCER_H
