// NVIDIA's library that makes machine code of PTX in process, where it is installed.
#ifndef KERATIN_CODEGEN_GPU_PTX_NVJITLINK_H
#define KERATIN_CODEGEN_GPU_PTX_NVJITLINK_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace keratin::codegen {

class NvJitLink {
public:
  // The library that the environment's KERATIN_NVJITLINK names, else libnvJitLink.so of version 13
  // or 12, where the loader finds it or in /usr/local/cuda. A variable that is set and empty says
  // that there is none. It stays open.
  static std::optional<NvJitLink> find(std::string *error);

  // Nullopt with what the library says.
  std::optional<std::string> assemble(llvm::StringRef ptx, llvm::StringRef architecture,
                                      std::string *error) const;
  std::string version() const;

private:
  explicit NvJitLink(void *library) : library(library) {}
  void *library;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_PTX_NVJITLINK_H
