// NVIDIA's assembler: PTX to machine code of one architecture.
#ifndef KERATIN_CODEGEN_GPU_PTX_PTXAS_H
#define KERATIN_CODEGEN_GPU_PTX_PTXAS_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace keratin::codegen {

// What a kernel takes, as the assembler says.
struct KernelResources {
  std::string kernel;                                     // its name in the PTX
  int64_t registers = 0, spillStores = 0, spillLoads = 0; // of a thread; spills in bytes
  int64_t stackBytes = 0;                                 // of a thread, spills among them
  int64_t sharedBytes = 0;                                // of a block, without what a launch adds
};

struct AssembledPtx {
  std::string cubin;
  std::vector<KernelResources> kernels; // in the order of their assembly
};

class Ptxas {
public:
  // As findCudaProgram(), by KERATIN_PTXAS.
  static std::optional<Ptxas> find(std::string *error);

  // Nullopt with what the assembler says. The architecture is one of cudaArchitectures().
  std::optional<AssembledPtx> assemble(llvm::StringRef ptx, llvm::StringRef architecture,
                                       std::string *error) const;
  // What it says of itself.
  std::string version() const;
  // Its path, time and size.
  std::string identity() const;

private:
  explicit Ptxas(std::string path) : path(std::move(path)) {}
  std::string path;
};

// Of what the assembler prints with -v.
std::vector<KernelResources> resourcesOf(llvm::StringRef log);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_PTX_PTXAS_H
