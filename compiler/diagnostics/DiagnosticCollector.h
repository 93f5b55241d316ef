// Diagnostics of a compilation as one status.
#ifndef KERATIN_COMPILER_DIAGNOSTICS_DIAGNOSTICCOLLECTOR_H
#define KERATIN_COMPILER_DIAGNOSTICS_DIAGNOSTICCOLLECTOR_H

#include "absl/status/status.h"

#include "ir/dialect/GraphError.h"

#include "mlir/IR/Diagnostics.h"

#include <string>

namespace keratin::compiler {

// Takes the diagnostics of its context, from this thread, while it lives.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext *context);

  // The errors collected: INVALID_ARGUMENT or RESOURCE_EXHAUSTED for those of the graph
  // (ir/dialect/GraphError.h), UNIMPLEMENTED if one begins with "not implemented", else INTERNAL.
  absl::Status status() const;

private:
  std::string errors;
  std::optional<ir::GraphError> graphError;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_DIAGNOSTICS_DIAGNOSTICCOLLECTOR_H
