#include "tools/support/Tool.h"

#include "compiler/driver/Attempt.h"
#include "tools/support/OutputFile.h"

#include "mlir/IR/Location.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

#include <csignal>

using namespace keratin::tools;
using llvm::StringRef;

Tool::Tool(std::string name) : name(std::move(name)) { std::signal(SIGXFSZ, SIG_IGN); }

bool keratin::tools::parseLlvmOptions(int argc, char **argv, const char *overview) {
  return llvm::cl::ParseCommandLineOptions(argc, argv, overview, &llvm::errs());
}

std::optional<ExitCode> Tool::parse(CommandLine &line, int argc, char **argv,
                                    llvm::function_ref<std::string()> conflict) const {
  bool helped = false;
  std::string problem = line.parse(argc, argv, helped);
  if (helped)
    return ExitCode::Success;
  if (problem.empty())
    problem = conflict();
  if (problem.empty())
    return std::nullopt;
  llvm::errs() << name << ": error: " << problem << "\n";
  return ExitCode::Usage;
}

// "file:3: why" or "why; at file:3" as "file:3: error: why"; others begin with `start`.
static std::string errorLine(StringRef line, StringRef start) {
  llvm::SmallVector<StringRef> parts;
  if (llvm::Regex("^([^ ]+|.*:[0-9]+): (error|note): ").match(line))
    return line.str();
  if (llvm::Regex("^(.*); at ([^ ]+:[0-9]+)$").match(line, &parts))
    return (parts[2] + ": error: " + parts[1]).str();
  return (start + ": error: " + line).str();
}

static std::string errorLines(StringRef text, StringRef start) {
  std::string result;
  for (StringRef line : llvm::split(text, '\n'))
    result += (result.empty() ? "" : "\n") + errorLine(line, start);
  return result;
}

absl::Status Tool::attempt(llvm::function_ref<absl::Status()> work) const {
  absl::Status status;
  absl::Status ended = compiler::attempt(name, [&] { status = work(); });
  if (ended.ok())
    return status;
  std::_Exit(finish(ended));
}

int Tool::finish(absl::Status status) const {
  absl::Status printed = flushStandardOutput();
  if (status.ok())
    status = printed;
  if (status.ok())
    return int(ExitCode::Success);
  StringRef text(status.message().data(), status.message().size());
  llvm::errs() << errorLines(text, name) << "\n";
  switch (status.code()) {
  case absl::StatusCode::kInvalidArgument:
  case absl::StatusCode::kNotFound:
  case absl::StatusCode::kUnimplemented:
  case absl::StatusCode::kFailedPrecondition:
  case absl::StatusCode::kAborted:     // another rank of the job has failed
  case absl::StatusCode::kUnavailable: // a file cannot be read or written; a rank is lost
    return int(ExitCode::BadInput);
  case absl::StatusCode::kResourceExhausted:
    return int(ExitCode::LimitExceeded);
  case absl::StatusCode::kDataLoss:
    return int(ExitCode::NumericMismatch);
  default:
    return int(ExitCode::InternalError);
  }
}

absl::Status keratin::tools::inFile(const std::string &file, const absl::Status &status) {
  StringRef text(status.message().data(), status.message().size());
  return absl::Status(status.code(), errorLines(text, file));
}

DiagnosticLines::DiagnosticLines(mlir::MLIRContext &context)
    : handler(&context, [this](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
          return mlir::success();
        std::string line;
        llvm::raw_string_ostream stream(line);
        if (auto place = diagnostic.getLocation()->findInstanceOf<mlir::FileLineColLoc>())
          stream << place.getFilename().getValue() << ":" << place.getLine() << ":"
                 << place.getColumn() << ": error: ";
        stream << diagnostic;
        lines += (lines.empty() ? "" : "\n") + line;
        return mlir::success();
      }) {}

absl::Status DiagnosticLines::orElse(const absl::Status &status) const {
  return lines.empty() ? status : absl::Status(status.code(), lines);
}
