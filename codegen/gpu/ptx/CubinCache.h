// Machine code that was assembled before, on the disk.
#ifndef KERATIN_CODEGEN_GPU_PTX_CUBINCACHE_H
#define KERATIN_CODEGEN_GPU_PTX_CUBINCACHE_H

#include "codegen/llvm/CacheFolder.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <utility>

namespace keratin::codegen {

// By what was assembled, for which architecture and by what.
class CubinCache {
public:
  explicit CubinCache(CacheFolder folder) : folder(std::move(folder)) {}
  explicit CubinCache(std::string folder, uint64_t mostBytes = CacheFolder::usualBytes)
      : folder(std::move(folder), mostBytes) {}

  static std::string keyOf(llvm::StringRef ptx, llvm::StringRef architecture,
                           llvm::StringRef assembler);

  std::optional<std::string> find(const std::string &key) const { return folder.find(key); }
  void keep(const std::string &key, llvm::StringRef cubin) const { folder.keep(key, {cubin}); }

private:
  CacheFolder folder;
};

// Whether there is ptxas or, else, nvJitLink; a message if there is neither.
bool canAssemble(std::string *missing);
// Which of them it is, as far as that can be said without running it: "" if there is neither.
std::string assemblerIdentity();
// Machine code of PTX out of the cache, else by one of them and into the cache. Nullopt with a
// message.
std::optional<std::string> cubinOf(llvm::StringRef ptx, llvm::StringRef architecture,
                                   std::string *error);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_PTX_CUBINCACHE_H
