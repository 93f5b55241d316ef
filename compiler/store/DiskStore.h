// Code that any process of this machine has made, in the user's cache folder.
#ifndef KERATIN_COMPILER_STORE_DISKSTORE_H
#define KERATIN_COMPILER_STORE_DISKSTORE_H

#include "codegen/llvm/CacheFolder.h"
#include "compiler/store/LoadedCode.h"

#include <memory>
#include <string>
#include <vector>

namespace keratin::compiler {

class DiskStore {
public:
  // What takes more, by its constants, is not kept: it would put out hundreds of others.
  static constexpr size_t kMostBytes = size_t(64) << 20;

  explicit DiskStore(codegen::CacheFolder folder) : folder(std::move(folder)) {}
  static DiskStore ofEnvironment() { return DiskStore(codegen::CacheFolder::ofEnvironment()); }

  // Also where it cannot be said who makes code here: another one's must never be taken for it.
  bool isOff() const;

  // Code of the key, loaded, that of full effort if there is such. Null if there is none that is
  // whole. Within attempt(), and nothing of LLVM's targets is started for it.
  std::shared_ptr<LoadedCode> find(const std::shared_ptr<const GraphKey> &key) const;
  // Code that serves functions with other texts, with its objects.
  void keep(const LoadedCode &code, const std::vector<std::string> &objects) const;
  // As FunctionStore.
  bool hasOthersOf(const GraphKey &form) const;

private:
  std::string nameOf(const GraphKey &key, const char *kind) const;
  std::shared_ptr<LoadedCode> find(const std::shared_ptr<const GraphKey> &key,
                                   codegen::Effort effort) const;

  codegen::CacheFolder folder;
};

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_STORE_DISKSTORE_H
