// What the command line tools have in common: usage, diagnostics, exit codes.
#ifndef KERATIN_TOOLS_SUPPORT_TOOL_H
#define KERATIN_TOOLS_SUPPORT_TOOL_H

#include "tools/support/CommandLine.h"

#include "absl/status/status.h"

#include "mlir/IR/Diagnostics.h"

#include <optional>
#include <string>

namespace keratin::tools {

// docs/tools.md says which is when. Usage is what no model and no machine could make right.
enum class ExitCode {
  Success = 0,
  BadInput = 1,
  Usage = 2,
  InternalError = 3,
  LimitExceeded = 4,
  NumericMismatch = 5
};

// Options of llvm::cl, which by itself ends a process with 1 where the line is wrong. Whether it is
// right; what is wrong has been said.
bool parseLlvmOptions(int argc, char **argv, const char *overview);

class Tool {
public:
  // A limit of size is from now on an error of what is written.
  explicit Tool(std::string name);

  // What to exit with, if the tool is done already: --help was asked for, or the line is wrong.
  // `conflict` gives what is wrong with options that are right by themselves, or "".
  std::optional<ExitCode> parse(CommandLine &line, int argc, char **argv,
                                llvm::function_ref<std::string()> conflict) const;

  // Does the tool's work. Where there is no memory, or LLVM dies, the process ends here with what
  // finish() says: nothing that the work had in hands can be destroyed.
  absl::Status attempt(llvm::function_ref<absl::Status()> work) const;

  // Prints what went wrong, a line an error: "file:line:col: error: ...", or the tool's name where
  // no place is known. INVALID_ARGUMENT, NOT_FOUND, UNIMPLEMENTED, UNAVAILABLE and
  // FAILED_PRECONDITION are bad input, RESOURCE_EXHAUSTED a limit, DATA_LOSS a numeric mismatch,
  // all else an internal error. What was printed must have arrived too.
  int finish(absl::Status status) const;

private:
  std::string name;
};

// The status with the file's name in front of each line that names no place.
absl::Status inFile(const std::string &file, const absl::Status &status);

// Collects the errors that MLIR reports while a file is read.
class DiagnosticLines {
public:
  explicit DiagnosticLines(mlir::MLIRContext &context);
  // Those errors, where there are any: they say more than the status.
  absl::Status orElse(const absl::Status &status) const;

private:
  std::string lines;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace keratin::tools

#endif // KERATIN_TOOLS_SUPPORT_TOOL_H
