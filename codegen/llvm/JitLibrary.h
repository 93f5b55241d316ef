// Machine code loaded into this process.
#ifndef KERATIN_CODEGEN_LLVM_JITLIBRARY_H
#define KERATIN_CODEGEN_LLVM_JITLIBRARY_H

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class MemoryBuffer;
}

namespace keratin::codegen {

// Owns the code; addresses handed out live as long as it does. Immutable after creation, so any
// thread may look up.
class JitLibrary {
public:
  // Links the objects among themselves and to memcpy and the like of the process. Null with a
  // message on failure.
  static std::unique_ptr<JitLibrary> load(std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects,
                                          std::string *error);
  ~JitLibrary();

  // Null if there is no such symbol.
  void *lookup(const std::string &symbol) const;

private:
  JitLibrary();
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LLVM_JITLIBRARY_H
