// A module kept for a later compilation, as bytes: what a context of its own would take is many
// times that.
#ifndef KERATIN_COMPILER_DRIVER_KEPTMODULE_H
#define KERATIN_COMPILER_DRIVER_KEPTMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace keratin::compiler {

class KeptModule {
public:
  KeptModule() = default;
  // Within attempt().
  explicit KeptModule(mlir::ModuleOp module);

  bool empty() const { return bytes.empty(); }
  // The same module again, in a context with all dialects (makeContext); within attempt(). Null
  // where nothing is kept.
  mlir::OwningOpRef<mlir::ModuleOp> read(mlir::MLIRContext &context) const;

private:
  std::string bytes;
};

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_DRIVER_KEPTMODULE_H
