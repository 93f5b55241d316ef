// Diagnostics of a compilation as one status.
#ifndef KERATIN_COMPILER_DIAGNOSTICS_DIAGNOSTICCOLLECTOR_H
#define KERATIN_COMPILER_DIAGNOSTICS_DIAGNOSTICCOLLECTOR_H

#include "absl/status/status.h"

#include "mlir/IR/Diagnostics.h"

#include <string>

namespace keratin::compiler {

// Takes the diagnostics of its context, from this thread, while it lives.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext *context);

  // The errors collected. A message that begins with "not implemented" makes the code
  // UNIMPLEMENTED.
  absl::Status status(absl::StatusCode code) const;

private:
  std::string errors;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_DIAGNOSTICS_DIAGNOSTICCOLLECTOR_H
