// Object code that modules have in common.
#ifndef KERATIN_CODEGEN_LLVM_SHAREDOBJECTS_H
#define KERATIN_CODEGEN_LLVM_SHAREDOBJECTS_H

#include "llvm/Support/MemoryBuffer.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace keratin::codegen {

// By names that say all that the code follows from. Any thread may ask.
class SharedObjects {
public:
  using Object = std::shared_ptr<llvm::MemoryBuffer>;

  static SharedObjects &ofProcess();

  // Shared functions (kSharedFunctionAttr), for the life of the process. Null: there is none.
  Object find(const std::string &name);
  void add(const std::string &name, Object object);

  // Kernels (SharedKernels), as long as somebody has them.
  Object findKernel(const std::string &name);
  void addKernel(const std::string &name, const Object &object);

private:
  std::mutex mutex;
  std::map<std::string, Object> objects;
  std::map<std::string, std::weak_ptr<llvm::MemoryBuffer>> kernels;
  size_t kernelsAtSweep = 64; // how many were left when those that are gone were taken out
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LLVM_SHAREDOBJECTS_H
