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

// How the ranks of a job have a variable among them.
typedef enum keratin_part_kind_t {
  // Of n elements along a dimension rank r of N has those from r*n/N up to (r+1)*n/N.
  KERATIN_PART_ALONG = 1,
  // Of n elements, in one line, rank r has as many as any other, ceil(n/N), from r*ceil(n/N) on;
  // behind the last there are zeros. Functions see a tensor of this one dimension.
  KERATIN_PART_ELEMENTS = 2
} keratin_part_kind_t;

typedef struct keratin_object_part_t {
  int32_t kind;      // keratin_part_kind_t
  int32_t dimension; // of KERATIN_PART_ALONG
  const char *axis;  // of a mesh, by its name: r and N are of the ranks along it; NULL: of all
  int64_t ranks;     // N, where the code is for parts of n/N elements; 0: any number of ranks
  void *reserved[1];
} keratin_object_part_t;

// A variable of the model, shared by its functions. All dims are static, and those of the whole.
typedef struct keratin_object_variable_t {
  keratin_tensor_desc_t tensor;
  const void *initial;               // row-major; NULL: zeros
  const keratin_object_part_t *part; // that each rank has; NULL: each has the whole
  void *reserved[1];
} keratin_object_variable_t;

// What functions know of the ranks, to them a variable that nobody updates: an int64 scalar.
typedef enum keratin_rank_number_kind_t {
  KERATIN_RANK_PLACE = 1, // r
  KERATIN_RANK_COUNT = 2, // N
  KERATIN_RANK_BEGIN = 3, // r*size/N
  KERATIN_RANK_SIZE = 4   // (r+1)*size/N - r*size/N
} keratin_rank_number_kind_t;

typedef struct keratin_rank_number_t {
  int64_t kind;     // keratin_rank_number_kind_t
  int64_t size;     // of BEGIN and SIZE
  const char *axis; // as keratin_object_part_t::axis
  void *reserved[1];
} keratin_rank_number_t;

typedef struct keratin_rank_numbers_t {
  int64_t num_numbers;
  const keratin_rank_number_t *numbers;
  void *reserved[2];
} keratin_rank_numbers_t;

// Of an output that is a part along several axes of a mesh, all but the one that its descriptor and
// keratin_part_axes_t::outputs say.
typedef struct keratin_further_part_t {
  int32_t output;
  int32_t dimension;
  const char *axis;
} keratin_further_part_t;

// Of each input and each output of which a rank has a part (keratin_tensor_desc_t::part) the axis
// of a mesh, by its name, along which ranks have the parts; NULL: all ranks have.
typedef struct keratin_part_axes_t {
  const char *const *inputs;
  const char *const *outputs;
  int64_t num_further;
  const keratin_further_part_t *further;
} keratin_part_axes_t;

typedef struct keratin_object_function_t {
  const keratin_function_desc_t *descriptor;
  // Of each variable of the signature, its number in the model;
  // keratin_object_desc_t::num_variables and more are those of rank numbers.
  const int32_t *variables;
  const keratin_part_axes_t *part_axes; // NULL: no part is along an axis
  void *reserved[1];
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
  const keratin_rank_numbers_t *rank_numbers; // NULL: there are none
  void *reserved[2];
} keratin_object_desc_t;

#ifdef __cplusplus
}
static_assert(sizeof(keratin_object_part_t) == 32, "layout is part of the ABI");
static_assert(sizeof(keratin_rank_number_t) == 32, "layout is part of the ABI");
static_assert(sizeof(keratin_rank_numbers_t) == 32, "layout is part of the ABI");
static_assert(sizeof(keratin_further_part_t) == 16, "layout is part of the ABI");
static_assert(sizeof(keratin_part_axes_t) == 32, "layout is part of the ABI");
static_assert(sizeof(keratin_object_variable_t) == 72, "layout is part of the ABI");
static_assert(sizeof(keratin_object_function_t) == 32, "layout is part of the ABI");
static_assert(sizeof(keratin_object_variant_t) == 48, "layout is part of the ABI");
static_assert(sizeof(keratin_object_desc_t) == 88, "layout is part of the ABI");
#endif

#endif // KERATIN_OBJECT_ABI_H
