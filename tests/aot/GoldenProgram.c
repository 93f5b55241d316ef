// Runs the function of one compiled model on the inputs in a file and compares with the outputs
// there: GoldenProgram <libm.so> <values.txt>. A line is "in|out|update dtype [dims] values...".
#include "keratin_object_abi.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMaxTensors = 16, kMaxElements = 4096 };

typedef struct {
  char kind[8];
  int32_t dtype, rank;
  int64_t dims[KERATIN_MAX_RANK], count;
  double values[kMaxElements];
} Tensor;

static Tensor tensors[kMaxTensors];
static int numTensors;

static const char *const names[] = {"",        "bool",     "int8",    "int16",  "int32",
                                    "int64",   "uint8",    "uint16",  "uint32", "uint64",
                                    "float16", "bfloat16", "float32", "float64"};
static const size_t sizes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8};

static int readValues(const char *path) {
  static char line[1 << 18];
  FILE *file = fopen(path, "r");
  if (!file)
    return 0;
  for (; fgets(line, sizeof line, file); ++numTensors) {
    Tensor *t = &tensors[numTensors];
    char dtype[16], dims[256];
    int used = 0;
    if (numTensors == kMaxTensors ||
        sscanf(line, "%7s %15s %255s%n", t->kind, dtype, dims, &used) != 3)
      return 0;
    for (t->dtype = KERATIN_DTYPE_FLOAT64; t->dtype && strcmp(names[t->dtype], dtype) != 0;)
      --t->dtype;
    t->count = 1;
    for (char *place = dims + 1; *place && *place != ']'; place += *place == ',') {
      t->dims[t->rank] = strtoll(place, &place, 10);
      t->count *= t->dims[t->rank++];
    }
    char *place = line + used;
    for (int64_t i = 0; i < t->count && i < kMaxElements; ++i)
      t->values[i] = strtod(place, &place);
  }
  fclose(file);
  return numTensors > 0;
}

// Halves are outputs only.
static double element(const void *data, int32_t dtype, int64_t i) {
  uint32_t bits;
  float single;
  switch (dtype) {
  case KERATIN_DTYPE_BOOL:
  case KERATIN_DTYPE_UINT8:
    return ((const uint8_t *)data)[i];
  case KERATIN_DTYPE_INT8:
    return ((const int8_t *)data)[i];
  case KERATIN_DTYPE_INT16:
    return ((const int16_t *)data)[i];
  case KERATIN_DTYPE_UINT16:
    return ((const uint16_t *)data)[i];
  case KERATIN_DTYPE_INT32:
    return ((const int32_t *)data)[i];
  case KERATIN_DTYPE_UINT32:
    return ((const uint32_t *)data)[i];
  case KERATIN_DTYPE_INT64:
    return (double)((const int64_t *)data)[i];
  case KERATIN_DTYPE_UINT64:
    return (double)((const uint64_t *)data)[i];
  case KERATIN_DTYPE_BFLOAT16:
    bits = (uint32_t)((const uint16_t *)data)[i] << 16;
    memcpy(&single, &bits, sizeof single);
    return single;
  case KERATIN_DTYPE_FLOAT32:
    return ((const float *)data)[i];
  default:
    return ((const double *)data)[i];
  }
}

static void setElement(void *data, int32_t dtype, int64_t i, double value) {
  switch (dtype) {
  case KERATIN_DTYPE_BOOL:
  case KERATIN_DTYPE_UINT8:
    ((uint8_t *)data)[i] = (uint8_t)value;
    break;
  case KERATIN_DTYPE_INT8:
    ((int8_t *)data)[i] = (int8_t)value;
    break;
  case KERATIN_DTYPE_INT16:
    ((int16_t *)data)[i] = (int16_t)value;
    break;
  case KERATIN_DTYPE_INT32:
    ((int32_t *)data)[i] = (int32_t)value;
    break;
  case KERATIN_DTYPE_UINT32:
    ((uint32_t *)data)[i] = (uint32_t)value;
    break;
  case KERATIN_DTYPE_INT64:
    ((int64_t *)data)[i] = (int64_t)value;
    break;
  case KERATIN_DTYPE_FLOAT32:
    ((float *)data)[i] = (float)value;
    break;
  default:
    ((double *)data)[i] = value;
  }
}

static int compare(const Tensor *expected, const void *data, const char *path) {
  double tolerance = expected->dtype == KERATIN_DTYPE_BFLOAT16  ? 0x1p-7
                     : expected->dtype == KERATIN_DTYPE_FLOAT32 ? 0x1p-20
                     : expected->dtype == KERATIN_DTYPE_FLOAT64 ? 0x1p-48
                                                                : 0;
  for (int64_t i = 0; i < expected->count; ++i) {
    double want = expected->values[i], found = element(data, expected->dtype, i);
    int same = want == found || (isnan(want) && isnan(found)) ||
               fabs(want - found) <= tolerance * (1 + fabs(want));
    if (!same) {
      fprintf(stderr, "%s: %s element %lld is %.9g, expected %.9g\n", path, expected->kind,
              (long long)i, found, want);
      return 0;
    }
  }
  return 1;
}

static int sameDims(const Tensor *expected, const int64_t *dims, const char *path) {
  for (int32_t axis = 0; axis < expected->rank; ++axis)
    if (dims[axis] != expected->dims[axis]) {
      fprintf(stderr, "%s: %s has size %lld along axis %d, expected %lld\n", path, expected->kind,
              (long long)dims[axis], axis, (long long)expected->dims[axis]);
      return 0;
    }
  return 1;
}

int main(int argc, char **argv) {
  keratin_status_t status;
  void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library || !readValues(argv[2])) {
    fprintf(stderr, "%s: cannot be loaded\n", argc == 3 ? argv[2] : "usage");
    return 2;
  }
  // POSIX lets the address of a function come as that of data.
  const keratin_object_desc_t *(*query)(void);
  keratin_status_code_t (*create)(void **, keratin_status_t *);
  keratin_status_code_t (*readVariable)(void *, int32_t, void *, size_t, keratin_status_t *);
  keratin_status_code_t (*run)(void *, const keratin_tensor_t *, const keratin_tensor_t *, void *,
                               size_t, keratin_status_t *);
  *(void **)&query = dlsym(library, "m_keratin_object");
  *(void **)&create = dlsym(library, "m_state_create");
  *(void **)&readVariable = dlsym(library, "m_state_read");
  const keratin_function_desc_t *function = query()->variants[0].functions[0].descriptor;
  keratin_status_code_t (*outputDims)(void *, const keratin_tensor_t *, int32_t, int64_t *,
                                      keratin_status_t *);
  char name[256];
  snprintf(name, sizeof name, "m_%s_run", function->name);
  *(void **)&run = dlsym(library, name);
  snprintf(name, sizeof name, "m_%s_output_dims", function->name);
  *(void **)&outputDims = dlsym(library, name);
  void *state;
  keratin_tensor_t inputs[kMaxTensors], outputs[kMaxTensors];
  int numInputs = 0, numOutputs = 0, update = 0, good = 1;
  // What outputs have at most, then what they have: a call may compute sizes.
  static int64_t dims[kMaxTensors][KERATIN_MAX_RANK];
  for (int i = 0; i < numTensors; ++i) {
    Tensor *t = &tensors[i];
    keratin_tensor_t view = {
        malloc((size_t)t->count * sizes[t->dtype] + 64), t->dtype, t->rank, t->dims, NULL, NULL};
    if (strcmp(t->kind, "in") == 0) {
      for (int64_t k = 0; k < t->count; ++k)
        setElement(view.data, t->dtype, k, t->values[k]);
      inputs[numInputs++] = view;
    } else if (strcmp(t->kind, "out") == 0) {
      outputs[numOutputs++] = view;
    }
  }
  if (!run || create(&state, &status) != KERATIN_OK || function->num_inputs != numInputs ||
      function->num_outputs != numOutputs) {
    fprintf(stderr, "%s: %s\n", argv[2], status.message);
    return 1;
  }
  for (int i = 0; i < numOutputs; ++i) {
    size_t bytes = sizes[outputs[i].dtype];
    if (outputDims(state, inputs, i, dims[i], &status) != KERATIN_OK) {
      fprintf(stderr, "%s: %s\n", argv[2], status.message);
      return 1;
    }
    for (int32_t axis = 0; axis < outputs[i].rank; ++axis)
      bytes *= (size_t)dims[i][axis];
    free(outputs[i].data);
    outputs[i].data = malloc(bytes + 64);
    outputs[i].dims = dims[i];
  }
  if (run(state, inputs, outputs, NULL, 0, &status) != KERATIN_OK) {
    fprintf(stderr, "%s: %s\n", argv[2], status.message);
    return 1;
  }
  numOutputs = 0;
  for (int i = 0; i < numTensors; ++i) {
    Tensor *t = &tensors[i];
    if (strcmp(t->kind, "out") == 0) {
      good &=
          sameDims(t, dims[numOutputs], argv[2]) && compare(t, outputs[numOutputs].data, argv[2]);
      ++numOutputs;
    } else if (strcmp(t->kind, "update") == 0) {
      static double value[kMaxElements];
      int32_t number =
          query()->variants[0].functions[0].variables[function->updates[update++].variable];
      good &= readVariable(state, number, value, (size_t)t->count * sizes[t->dtype], &status) ==
                  KERATIN_OK &&
              compare(t, value, argv[2]);
    }
  }
  return !good;
}
