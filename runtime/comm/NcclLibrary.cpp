#include "runtime/comm/NcclLibrary.h"

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

Code NcclLibrary::open(keratin_status_t *status) {
  const char *named = getenv("KERATIN_NCCL_LIBRARY");
  const char *path = named && *named ? named : "libnccl.so.2";
  if (path != named && getenv("KERATIN_CUDA_DRIVER"))
    return fail(status, KERATIN_FAILED_PRECONDITION,
                "NCCL: KERATIN_CUDA_DRIVER names a driver; needed is a library that "
                "KERATIN_NCCL_LIBRARY names for it");
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return fail(status, KERATIN_FAILED_PRECONDITION, "NCCL: %s", dlerror());
  if (const char *missing = resolve(library))
    return fail(status, KERATIN_FAILED_PRECONDITION, "NCCL: '%s' has no function %s", path,
                missing);
  int version = 0;
  if (Code code = check(ncclGetVersion(&version), "ncclGetVersion", nullptr, status))
    return code;
  if (version < oldestNccl)
    return fail(status, KERATIN_FAILED_PRECONDITION,
                "NCCL: '%s' has version %d.%d.%d; needed is 2.18 or a later one", path,
                version / 10000, version / 100 % 100, version % 100);
  return KERATIN_OK;
}

static constinit NamedLibrary<NcclLibrary> theLibrary{};

Code findNccl(const NcclLibrary **library, keratin_status_t *status) {
  return theLibrary.find(library, status);
}

} // namespace keratin::comm
