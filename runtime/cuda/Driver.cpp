#include "runtime/cuda/Driver.h"

#include "runtime/cuda/Mutex.h"

#include <dlfcn.h>
#include <stdlib.h>

namespace keratin::cuda {

using runtime::Code;
using runtime::fail;
using runtime::ShortText;

ShortText Driver::describe(CUresult result) const {
  const char *name = nullptr, *text = nullptr;
  ShortText described;
  if (cuGetErrorName(result, &name) != CUDA_SUCCESS || !name)
    return described.add("CUDA error %d", result);
  described.add("%s", name);
  if (cuGetErrorString(result, &text) == CUDA_SUCCESS && text)
    described.add(" (%s)", text);
  return described;
}

static constexpr const char *standardLibrary = "libcuda.so.1";

// The name of a function the library lacks, or nullptr.
static const char *resolve(void *library, Driver &driver) {
#define KERATIN_CUDA_FUNCTION(name, parameters)                                                    \
  driver.name = reinterpret_cast<CUresult(*) parameters>(dlsym(library, #name));                   \
  if (!driver.name)                                                                                \
    return #name;
  KERATIN_CUDA_DRIVER_FUNCTIONS(KERATIN_CUDA_FUNCTION)
#undef KERATIN_CUDA_FUNCTION
  return nullptr;
}

// "12.4"
static ShortText versionText(int version) {
  return ShortText().add("%d.%d", version / 1000, version % 1000 / 10);
}

// Asked for first: an old driver lacks functions because it is old.
static Code checkVersion(void *library, const char *path, Driver &driver,
                         keratin_status_t *status) {
  auto ask = reinterpret_cast<CUresult (*)(int *)>(dlsym(library, "cuDriverGetVersion"));
  if (!ask)
    return fail(status, KERATIN_FAILED_PRECONDITION,
                "CUDA: '%s' has no function cuDriverGetVersion; needed is the library of a driver "
                "of version %s or later",
                path, versionText(oldestDriver).text());
  if (CUresult result = ask(&driver.version))
    return fail(status, KERATIN_FAILED_PRECONDITION,
                "CUDA: cuDriverGetVersion of '%s' failed: CUDA error %d", path, result);
  if (driver.version >= oldestDriver)
    return KERATIN_OK;
  return fail(status, KERATIN_FAILED_PRECONDITION,
              "CUDA: the driver '%s' has version %s; needed is %s or later, since code for it is "
              "PTX 8.0",
              path, versionText(driver.version).text(), versionText(oldestDriver).text());
}

static Code start(void *library, const char *path, Driver &driver, keratin_status_t *status) {
  if (Code code = checkVersion(library, path, driver, status))
    return code;
  if (const char *missing = resolve(library, driver))
    return fail(status, KERATIN_FAILED_PRECONDITION,
                "CUDA: the driver '%s' of version %s has no function %s", path,
                versionText(driver.version).text(), missing);
  if (CUresult result = driver.cuInit(0))
    return fail(status, KERATIN_FAILED_PRECONDITION, "CUDA: cuInit of '%s' failed: %s", path,
                driver.describe(result).text());
  return KERATIN_OK;
}

static constinit Mutex mutex;
static constinit Driver theDriver;
static constinit bool isStarted = false;

Code findDriver(const Driver **driver, keratin_status_t *status) {
  MutexGuard guard(mutex);
  *driver = &theDriver;
  if (isStarted)
    return KERATIN_OK;
  const char *named = getenv("KERATIN_CUDA_DRIVER");
  const char *path = named && *named ? named : standardLibrary;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *why = dlerror();
    return fail(status, KERATIN_FAILED_PRECONDITION,
                "CUDA: the driver cannot be opened (%s); needed is %s of NVIDIA's driver, version "
                "%s or later, or a library that KERATIN_CUDA_DRIVER names",
                why ? why : path, standardLibrary, versionText(oldestDriver).text());
  }
  Driver opened;
  if (Code code = start(library, path, opened, status)) {
    dlclose(library);
    return code;
  }
  theDriver = opened;
  isStarted = true;
  return KERATIN_OK;
}

} // namespace keratin::cuda
