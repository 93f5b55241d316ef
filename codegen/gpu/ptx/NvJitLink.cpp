#include "codegen/gpu/ptx/NvJitLink.h"

#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>

using namespace keratin::codegen;
using llvm::StringRef;

namespace {

// As nvJitLink.h has it, which need not be there. 0 is success.
using Handle = void *;
constexpr int inputIsPtx = 2;

struct Functions {
  int (*version)(unsigned *, unsigned *);
  int (*create)(Handle *, uint32_t, const char **);
  int (*destroy)(Handle *);
  int (*addData)(Handle, int, const void *, size_t, const char *);
  int (*complete)(Handle);
  int (*cubinSize)(Handle, size_t *);
  int (*cubin)(Handle, void *);
  int (*logSize)(Handle, size_t *);
  int (*log)(Handle, char *);
};

template <typename Function> bool find(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function;
}

std::optional<Functions> functionsOf(void *library) {
  Functions f;
  bool hasAll = find(library, "nvJitLinkVersion", f.version) &&
                find(library, "nvJitLinkCreate", f.create) &&
                find(library, "nvJitLinkDestroy", f.destroy) &&
                find(library, "nvJitLinkAddData", f.addData) &&
                find(library, "nvJitLinkComplete", f.complete) &&
                find(library, "nvJitLinkGetLinkedCubinSize", f.cubinSize) &&
                find(library, "nvJitLinkGetLinkedCubin", f.cubin) &&
                find(library, "nvJitLinkGetErrorLogSize", f.logSize) &&
                find(library, "nvJitLinkGetErrorLog", f.log);
  return hasAll ? std::optional(f) : std::nullopt;
}

std::string errorLog(const Functions &functions, Handle handle) {
  size_t size = 0;
  if (functions.logSize(handle, &size) || !size)
    return "";
  std::string text(size, '\0');
  return functions.log(handle, text.data()) ? "" : StringRef(text.c_str()).trim().str();
}

std::string linkedCubin(const Functions &functions, Handle handle) {
  size_t size = 0;
  if (functions.complete(handle) || functions.cubinSize(handle, &size))
    return "";
  std::string cubin(size, '\0');
  return functions.cubin(handle, cubin.data()) ? "" : cubin;
}

} // namespace

std::optional<NvJitLink> NvJitLink::find(std::string *error) {
  static constexpr const char *usual[] = {"libnvJitLink.so.13", "libnvJitLink.so.12",
                                          "/usr/local/cuda/lib64/libnvJitLink.so"};
  const char *named = std::getenv("KERATIN_NVJITLINK");
  void *library = nullptr;
  if (named && *named)
    library = dlopen(named, RTLD_NOW | RTLD_LOCAL);
  for (const char *name : usual)
    if (!named && !library)
      library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library && functionsOf(library))
    return NvJitLink(library);
  *error = "nvJitLink is not there";
  return std::nullopt;
}

std::string NvJitLink::version() const {
  unsigned major = 0, minor = 0;
  functionsOf(library)->version(&major, &minor);
  return "nvJitLink " + std::to_string(major) + "." + std::to_string(minor);
}

std::optional<std::string> NvJitLink::assemble(StringRef ptx, StringRef architecture,
                                               std::string *error) const {
  const Functions functions = *functionsOf(library);
  const std::string option = ("-arch=" + architecture).str(), text = ptx.str();
  const char *options[] = {option.c_str()};
  Handle handle = nullptr;
  *error = "nvJitLink for " + architecture.str() + ": ";
  if (functions.create(&handle, 1, options)) {
    *error += "the architecture is not known to it";
    return std::nullopt;
  }
  std::string cubin;
  if (functions.addData(handle, inputIsPtx, text.c_str(), text.size() + 1, "kernels") == 0)
    cubin = linkedCubin(functions, handle);
  if (cubin.empty())
    *error += errorLog(functions, handle);
  functions.destroy(&handle);
  return cubin.empty() ? std::nullopt : std::optional(cubin);
}
