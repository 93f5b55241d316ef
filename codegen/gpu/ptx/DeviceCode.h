// What code for a device may consist of.
#ifndef KERATIN_CODEGEN_GPU_PTX_DEVICECODE_H
#define KERATIN_CODEGEN_GPU_PTX_DEVICECODE_H

#include "llvm/IR/Module.h"

#include <string>

namespace keratin::codegen {

// LLVM's code generator for PTX ends the process where it has no instruction for something, and
// makes calls or slow code of much else. So before it sees a module this looks through it: "", or
// what is there that has no form on a device, and in which function.
std::string unfitFor(const llvm::Module &module);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_PTX_DEVICECODE_H
