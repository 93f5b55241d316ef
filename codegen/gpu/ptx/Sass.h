// Machine code of CUDA devices as text.
#ifndef KERATIN_CODEGEN_GPU_PTX_SASS_H
#define KERATIN_CODEGEN_GPU_PTX_SASS_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace keratin::codegen {

// By nvdisasm (KERATIN_NVDISASM), else by cuobjdump (KERATIN_CUOBJDUMP), found as
// findCudaProgram() finds them. Nullopt with a message.
std::optional<std::string> disassembleCubin(llvm::StringRef cubin, std::string *error);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_PTX_SASS_H
