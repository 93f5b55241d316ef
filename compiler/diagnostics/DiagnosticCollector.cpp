#include "compiler/diagnostics/DiagnosticCollector.h"

#include "ir/dialect/SourceLine.h"

#include "llvm/Support/Threading.h"

using namespace keratin::compiler;
using namespace mlir;

DiagnosticCollector::DiagnosticCollector(MLIRContext *context)
    : handler(context, [this, thread = llvm::get_threadid()](Diagnostic &diagnostic) {
        if (llvm::get_threadid() != thread)
          return failure(); // another compilation's
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return success();
        if (std::optional<ir::GraphError> error = ir::graphErrorOf(diagnostic.getLocation()))
          graphError = error;
        errors += (errors.empty() ? "" : "\n") +
                  ir::withSourceLine(diagnostic.str(), diagnostic.getLocation());
        return success();
      }) {}

absl::Status DiagnosticCollector::status() const {
  absl::StatusCode code = absl::StatusCode::kInternal;
  if (graphError)
    code = *graphError == ir::GraphError::Invalid ? absl::StatusCode::kInvalidArgument
                                                  : absl::StatusCode::kResourceExhausted;
  else if (errors.find("not implemented") != std::string::npos)
    code = absl::StatusCode::kUnimplemented;
  return absl::Status(code, errors.empty() ? "the compiler failed without a message" : errors);
}
