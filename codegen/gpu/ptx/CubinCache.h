// Machine code that was assembled before, on the disk.
#ifndef KERATIN_CODEGEN_GPU_PTX_CUBINCACHE_H
#define KERATIN_CODEGEN_GPU_PTX_CUBINCACHE_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace keratin::codegen {

// A folder with a file for each different pair of what was assembled and by what, named by its
// digest. Files appear whole; one that is damaged counts as none, and is written anew. Together
// they take no more than so many bytes: those that were used last stay. Any number of processes may
// use a folder.
class CubinCache {
public:
  static constexpr uint64_t usualBytes = uint64_t(1) << 30;

  explicit CubinCache(std::string folder, uint64_t mostBytes = usualBytes)
      : folder(std::move(folder)), mostBytes(mostBytes) {}
  // In the folder that the environment's KERATIN_CACHE_DIR names, else in `keratin` of
  // XDG_CACHE_HOME or of $HOME/.cache. Without any of these, or where KERATIN_CACHE_DIR is empty,
  // nothing is kept. KERATIN_CACHE_BYTES says how much at most, where it is a number.
  static CubinCache ofEnvironment();

  // 256 bits of what was assembled, for which architecture and by what, as hexadecimal digits.
  static std::string keyOf(llvm::StringRef ptx, llvm::StringRef architecture,
                           llvm::StringRef assembler);

  std::optional<std::string> find(const std::string &key) const;
  // Where it cannot be kept, it is not. Others go that were not used for longest.
  void keep(const std::string &key, llvm::StringRef cubin) const;

private:
  std::string fileOf(const std::string &key) const;
  void trim() const;

  std::string folder; // "": none
  uint64_t mostBytes;
};

// Whether there is ptxas or, else, nvJitLink; a message if there is neither.
bool canAssemble(std::string *missing);
// Machine code of PTX out of the cache, else by one of them and into the cache. Nullopt with a
// message.
std::optional<std::string> cubinOf(llvm::StringRef ptx, llvm::StringRef architecture,
                                   std::string *error);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_PTX_CUBINCACHE_H
