// What was made before and takes long to make, in files.
#ifndef KERATIN_CODEGEN_LLVM_CACHEFOLDER_H
#define KERATIN_CODEGEN_LLVM_CACHEFOLDER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace keratin::codegen {

// A folder with a file for each entry. Files appear whole, with a checksum; one that is damaged, or
// stands under another name than it was written under, counts as none. Together they take about so
// many bytes: those that were used last stay. Any number of processes may use a folder.
//
// Entries are code that will run. So the folder and its files must be the user's own, and nobody
// else may write them: a folder or a file of which that is not so counts as none. Where nothing can
// be written nothing is kept; no failure is anybody's error.
class CacheFolder {
public:
  static constexpr uint64_t usualBytes = uint64_t(1) << 30;

  explicit CacheFolder(std::string path, uint64_t mostBytes = usualBytes)
      : path(std::move(path)), mostBytes(mostBytes) {}
  // The folder that the environment's KERATIN_CACHE names, else `keratin` of XDG_CACHE_HOME or of
  // $HOME/.cache. Without any of these, or where KERATIN_CACHE is empty or "off", nothing is kept.
  // KERATIN_CACHE_BYTES says how much at most, where it is a number.
  static CacheFolder ofEnvironment();

  bool isOff() const { return path.empty() || mostBytes == 0; }

  // The name of the entry for a list of parts that determine it: 256 bits of them in hexadecimal,
  // and behind a point what kind of thing it is.
  static std::string nameOf(llvm::ArrayRef<llvm::StringRef> parts, llvm::StringRef kind);

  std::optional<std::string> find(const std::string &name) const;
  // The parts, one behind the other. Others go that were not used for longest.
  void keep(const std::string &name, llvm::ArrayRef<llvm::StringRef> parts) const;

private:
  int open() const;
  int openToWrite() const;
  void trim(int folder, const std::string &newest) const;

  std::string path; // "": none
  uint64_t mostBytes;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LLVM_CACHEFOLDER_H
