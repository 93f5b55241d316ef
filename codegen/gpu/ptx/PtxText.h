// PTX modules as text.
#ifndef KERATIN_CODEGEN_GPU_PTX_PTXTEXT_H
#define KERATIN_CODEGEN_GPU_PTX_PTXTEXT_H

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>

namespace keratin::codegen {

// One module with all that is in these, which emitPtx() made: for the newest version and the
// highest target named in one of them, since PTX for a target is also good for later ones. Dynamic
// shared memory that several declare is declared once, aligned for all. Nullopt, with a message,
// if two define different things of one name.
std::optional<std::string> mergePtx(llvm::ArrayRef<std::string> modules, std::string *error);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_PTX_PTXTEXT_H
