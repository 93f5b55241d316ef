// Ahead of time, for machines without an operating system: the functions of a model in, code that
// needs nothing out, with its C header. docs/freestanding.md says what it is.
#ifndef KERATIN_COMPILER_FREESTANDING_FREESTANDINGCOMPILER_H
#define KERATIN_COMPILER_FREESTANDING_FREESTANDINGCOMPILER_H

#include "compiler/driver/ModelCompiler.h"
#include "compiler/freestanding/KnownSizes.h"

namespace keratin::compiler {

// A source is C99, of scalar code: the processor is codegen::kScalarCpu.
enum class FreestandingKind { Object, Source };

struct FreestandingOptions {
  std::string target = "cpu"; // as --target: a CPU
  std::string cpu = "native";
  FreestandingKind kind = FreestandingKind::Object;
  NamedSizes sizes;
  CompileOptions compile; // as ModelOptions; nothing is prepared
};

struct FreestandingModel {
  std::string code; // bytes of an object, or a file of C
  std::string header;
  std::vector<std::pair<std::string, CompileReport>> reports; // of each function
};

// Errors as compile(); INVALID_ARGUMENT, with the function, the op and its source line, for what a
// model without a runtime cannot have.
absl::StatusOr<FreestandingModel> compileFreestanding(Model model,
                                                      const FreestandingOptions &options);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_FREESTANDING_FREESTANDINGCOMPILER_H
