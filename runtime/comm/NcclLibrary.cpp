#include "runtime/comm/NcclLibrary.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

namespace keratin::comm {

using runtime::fail;

Code NcclLibrary::check(ncclResult_t result, const char *function, ncclComm_t comm,
                        keratin_status_t *status) const {
  if (result == ncclSuccess)
    return KERATIN_OK;
  const char *last = ncclGetLastError(comm);
  bool says = last && *last;
  return fail(status, KERATIN_INTERNAL, "NCCL: %s failed: %s%s%s%s", function,
              ncclGetErrorString(result), says ? " (" : "", says ? last : "", says ? ")" : "");
}

// The name of a function the library lacks, or nullptr.
static const char *resolve(void *library, NcclLibrary &nccl) {
#define KERATIN_NCCL_FUNCTION(type, name, parameters)                                              \
  nccl.name = reinterpret_cast<type(*) parameters>(dlsym(library, #name));                         \
  if (!nccl.name)                                                                                  \
    return #name;
  KERATIN_NCCL_FUNCTIONS(KERATIN_NCCL_FUNCTION)
#undef KERATIN_NCCL_FUNCTION
  return nullptr;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static constinit NcclLibrary theLibrary{};
static constinit bool isOpen = false;

static Code open(keratin_status_t *status) {
  const char *named = getenv("KERATIN_NCCL_LIBRARY");
  const char *path = named && *named ? named : "libnccl.so.2";
  if (path != named && getenv("KERATIN_CUDA_DRIVER"))
    return fail(status, KERATIN_FAILED_PRECONDITION,
                "NCCL: KERATIN_CUDA_DRIVER names a driver; needed is a library that "
                "KERATIN_NCCL_LIBRARY names for it");
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return fail(status, KERATIN_FAILED_PRECONDITION, "NCCL: %s", dlerror());
  NcclLibrary opened{};
  if (const char *missing = resolve(library, opened))
    return fail(status, KERATIN_FAILED_PRECONDITION, "NCCL: '%s' has no function %s", path,
                missing);
  int version = 0;
  if (Code code = opened.check(opened.ncclGetVersion(&version), "ncclGetVersion", nullptr, status))
    return code;
  if (version < oldestNccl)
    return fail(status, KERATIN_FAILED_PRECONDITION,
                "NCCL: '%s' has version %d.%d.%d; needed is 2.18 or a later one", path,
                version / 10000, version / 100 % 100, version % 100);
  theLibrary = opened;
  isOpen = true;
  return KERATIN_OK;
}

Code findNccl(const NcclLibrary **library, keratin_status_t *status) {
  pthread_mutex_lock(&mutex);
  Code code = isOpen ? KERATIN_OK : open(status);
  pthread_mutex_unlock(&mutex);
  *library = &theLibrary;
  return code;
}

} // namespace keratin::comm
