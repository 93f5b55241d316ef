// Models in files: saved graphs (.ktg) and textual IR.
#ifndef KERATIN_COMPILER_DRIVER_MODELFILE_H
#define KERATIN_COMPILER_DRIVER_MODELFILE_H

#include "ir/saved/SavedGraph.h"

#include "absl/status/statusor.h"

#include <string>

namespace mlir {
class DialectRegistry;
}

namespace keratin::compiler {

// The dialects that models are written in. A context to read models should know no others: what
// textual IR may name is what is registered.
void registerModelDialects(mlir::DialectRegistry &registry);

// Reads the file, whichever of the two it is ("-": standard input). With a name, only the function
// of that name and its variables are kept. Errors are INVALID_ARGUMENT, or RESOURCE_EXHAUSTED where
// the text is beyond a limit of ir/text/SourceText.h; with "file:line:column: error: " in front
// where the place is known. The context's diagnostics go to its handlers.
//
// Functions of textual IR have the attributes that compiler/driver/Compiler.h asks for. Where an
// argument has no kind it is an input, where a result has none an output. Variables of one name are
// one variable; its first argument may have keratin.initial, else it begins with zeros.
absl::StatusOr<ir::SavedGraph> readModel(const std::string &path, mlir::MLIRContext &context,
                                         const std::string &function = "");

// The same of the bytes of a saved graph.
absl::StatusOr<ir::SavedGraph> readSavedModel(const std::string &bytes, mlir::MLIRContext &context,
                                              const std::string &function = "");

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_DRIVER_MODELFILE_H
