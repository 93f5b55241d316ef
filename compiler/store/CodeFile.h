// Code with all that belongs to it, as the bytes of a file.
#ifndef KERATIN_COMPILER_STORE_CODEFILE_H
#define KERATIN_COMPILER_STORE_CODEFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keratin::compiler {

// Everything that a process needs to have the code of a key. The texts are views of bytes that must
// outlive this.
struct CodeFile {
  llvm::StringRef producer;  // who made it: only the same may read it
  llvm::StringRef structure; // of the key
  llvm::StringRef description, memoryPlanPattern;
  int64_t kernels = 0, uniqueKernels = 0, arenaBytes = 0, maxLiveBytes = 0;
  std::vector<int64_t> scalarOfConstant; // as LoadedCode
  std::vector<llvm::StringRef> constants, objects;

  // What stands before the constants and the objects, which follow in this order.
  std::string head() const;
  // Of bytes that may be anything: nothing is read outside of them. Nullopt if they are not the
  // whole of one such file.
  static std::optional<CodeFile> of(llvm::StringRef bytes);
};

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_STORE_CODEFILE_H
