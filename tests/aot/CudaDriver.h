// The driver as programs use it that have memory and streams of their own.
#ifndef KERATIN_TESTS_AOT_CUDADRIVER_H
#define KERATIN_TESTS_AOT_CUDADRIVER_H

#include "Check.h"

#include <dlfcn.h>
#include <stdint.h>

// Of the driver what is used here.
typedef struct {
  int (*cuInit)(unsigned flags);
  int (*cuDevicePrimaryCtxRetain)(void **context, int device);
  int (*cuCtxSetCurrent)(void *context);
  int (*cuStreamCreate)(void **stream, unsigned flags);
  int (*cuMemAlloc)(uint64_t *address, size_t bytes);
  int (*cuMemHostAlloc)(void **data, size_t bytes, unsigned flags);
  int (*cuMemcpyHtoDAsync)(uint64_t to, const void *from, size_t bytes, void *stream);
  int (*cuMemcpyDtoHAsync)(void *to, uint64_t from, size_t bytes, void *stream);
  int (*cuStreamSynchronize)(void *stream);
} Driver;

static inline void find(void *library, const char *name, void *function) {
  void *found = dlsym(library, name);
  REQUIRE(found != NULL);
  *(void **)function = found;
}

static inline Driver openDriver(void) {
  Driver driver;
  void *library = dlopen(getenv("KERATIN_CUDA_DRIVER"), RTLD_NOW);
  REQUIRE(library != NULL);
  find(library, "cuInit", &driver.cuInit);
  find(library, "cuDevicePrimaryCtxRetain", &driver.cuDevicePrimaryCtxRetain);
  find(library, "cuCtxSetCurrent", &driver.cuCtxSetCurrent);
  find(library, "cuStreamCreate", &driver.cuStreamCreate);
  find(library, "cuMemAlloc_v2", &driver.cuMemAlloc);
  find(library, "cuMemHostAlloc", &driver.cuMemHostAlloc);
  find(library, "cuMemcpyHtoDAsync_v2", &driver.cuMemcpyHtoDAsync);
  find(library, "cuMemcpyDtoHAsync_v2", &driver.cuMemcpyDtoHAsync);
  find(library, "cuStreamSynchronize", &driver.cuStreamSynchronize);
  return driver;
}

// Of the first device, whose primary context becomes current.
static inline void *newStream(const Driver *driver) {
  void *context = NULL, *stream = NULL;
  REQUIRE(driver->cuInit(0) == 0);
  REQUIRE(driver->cuDevicePrimaryCtxRetain(&context, 0) == 0);
  REQUIRE(driver->cuCtxSetCurrent(context) == 0);
  REQUIRE(driver->cuStreamCreate(&stream, 1) == 0);
  return stream;
}

#endif // KERATIN_TESTS_AOT_CUDADRIVER_H
