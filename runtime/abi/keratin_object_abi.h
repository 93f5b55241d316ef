// What a model compiled ahead of time consists of, as data. The object file holds one
// keratin_object_desc_t; the functions of <keratin/object.h> work on it.
#ifndef KERATIN_OBJECT_ABI_H
#define KERATIN_OBJECT_ABI_H

#include "keratin_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KERATIN_OBJECT_MAGIC 0x4a424f4bu // "KOBJ"
#define KERATIN_OBJECT_ABI_VERSION 2

// A variable of the model, shared by its functions. All dims are static.
typedef struct keratin_object_variable_t {
  keratin_tensor_desc_t tensor;
  const void *initial; // row-major; NULL: zeros
  void *reserved[2];
} keratin_object_variable_t;

typedef struct keratin_object_function_t {
  const keratin_function_desc_t *descriptor;
  const int32_t *variables; // of each variable of the signature, its number in the model
  void *reserved[2];
} keratin_object_function_t;

// The functions compiled for one processor.
typedef struct keratin_object_variant_t {
  const char *cpu;
  uint64_t features[2]; // that it needs: bit i is number i of keratin_cpu_features.h
  const keratin_object_function_t *functions;
  void *reserved[2];
} keratin_object_variant_t;

typedef struct keratin_object_desc_t {
  uint32_t magic;
  uint32_t abi_version;
  const char *name;
  const char *producer; // the compiler's name and version
  int32_t num_functions, num_variables, num_variants;
  int32_t threads; // of a call, until keratin_set_num_threads; 0: as the runtime decides
  const keratin_object_variable_t *variables;
  const keratin_object_variant_t *variants; // the first that the processor can run is taken
  // What runs the kernels of all functions, as keratin_device_code_t::device; NULL: the CPU.
  const char *device;
  void *reserved[3];
} keratin_object_desc_t;

#ifdef __cplusplus
}
static_assert(sizeof(keratin_object_variable_t) == 72, "layout is part of the ABI");
static_assert(sizeof(keratin_object_function_t) == 32, "layout is part of the ABI");
static_assert(sizeof(keratin_object_variant_t) == 48, "layout is part of the ABI");
static_assert(sizeof(keratin_object_desc_t) == 88, "layout is part of the ABI");
#endif

#endif // KERATIN_OBJECT_ABI_H
