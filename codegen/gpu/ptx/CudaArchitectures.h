// The architectures of NVIDIA's devices that machine code is made for, by their names: "sm_90".
#ifndef KERATIN_CODEGEN_GPU_PTX_CUDAARCHITECTURES_H
#define KERATIN_CODEGEN_GPU_PTX_CUDAARCHITECTURES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace keratin::codegen {

// Those that are known. The first is what PTX is made for.
llvm::ArrayRef<llvm::StringRef> cudaArchitectures();

// Of "sm_80,sm_90": each once, in this order. Nullopt, with a message that lists what is known,
// where the list is empty or names anything else.
std::optional<std::vector<std::string>> cudaArchitecturesOf(llvm::StringRef list,
                                                            std::string *error);

// The best known one whose machine code a device of this architecture runs: its own with what it
// alone has ("sm_90a" of "sm_90"), else of the same major number and no higher minor one. "" if
// there is none.
llvm::StringRef cudaArchitectureFor(llvm::StringRef device);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_PTX_CUDAARCHITECTURES_H
