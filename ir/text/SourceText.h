// Textual IR from a file, looked at before MLIR's parser sees it.
//
// The parser, and every walk over what it made, recurse for each level of nesting; a file of a few
// kilobytes could overflow the stack. It also takes numbers for the elements of an array of i1, and
// then gives them no memory. Bytecode is no input: its reader trusts its bytes.
#ifndef KERATIN_IR_TEXT_SOURCETEXT_H
#define KERATIN_IR_TEXT_SOURCETEXT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace keratin::ir {

// Levels of brackets, an alias counting as what it stands for.
constexpr unsigned kMaxSourceDepth = 256;

// Why the text must not be parsed, as "line 3: …"; nullopt if it may be.
std::optional<std::string> refuseSource(llvm::StringRef text);

// The module in a file ("-": standard input); null after a message on standard error.
mlir::OwningOpRef<mlir::ModuleOp> parseModuleFile(llvm::StringRef path, mlir::MLIRContext *context);

} // namespace keratin::ir

#endif // KERATIN_IR_TEXT_SOURCETEXT_H
