#include "codegen/llvm/SharedObjects.h"

#include "codegen/llvm/Beginning.h"

#include <algorithm>

using namespace keratin::codegen;

// Nothing is asked for under the lock, which a recovery would leave locked.

SharedObjects &SharedObjects::ofProcess() {
  static constinit Lasting<SharedObjects> objects;
  return objects.get([] { return new SharedObjects(); });
}

SharedObjects::Object SharedObjects::find(const std::string &name) {
  std::lock_guard lock(mutex);
  auto found = objects.find(name);
  return found == objects.end() ? nullptr : found->second;
}

void SharedObjects::add(const std::string &name, Object object) {
  std::map<std::string, Object> made;
  made.emplace(name, std::move(object));
  std::lock_guard lock(mutex);
  objects.merge(made);
}

SharedObjects::Object SharedObjects::findKernel(const std::string &name) {
  std::lock_guard lock(mutex);
  auto found = kernels.find(name);
  return found == kernels.end() ? nullptr : found->second.lock();
}

void SharedObjects::addKernel(const std::string &name, const Object &object) {
  std::map<std::string, std::weak_ptr<llvm::MemoryBuffer>> made, gone;
  made.emplace(name, object);
  std::lock_guard lock(mutex);
  if (kernels.size() >= 2 * kernelsAtSweep) {
    for (auto it = kernels.begin(); it != kernels.end();) {
      auto next = std::next(it);
      if (it->second.expired())
        gone.insert(kernels.extract(it));
      it = next;
    }
    kernelsAtSweep = std::max<size_t>(kernels.size(), 64);
  }
  if (auto known = kernels.find(name); known != kernels.end())
    known->second = object;
  else
    kernels.merge(made);
}
