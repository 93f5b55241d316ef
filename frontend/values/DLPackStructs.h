// The ABI of DLPack's DLManagedTensor, after dlpack/dlpack.h of https://github.com/dmlc/dlpack
// (Apache License 2.0): the same layout, without its macros.
#ifndef KERATIN_FRONTEND_VALUES_DLPACKSTRUCTS_H
#define KERATIN_FRONTEND_VALUES_DLPACKSTRUCTS_H

#include <cstdint>

extern "C" {

enum : int32_t { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3 };
struct DLDevice {
  int32_t device_type;
  int32_t device_id;
};

enum : uint8_t {
  kDLInt = 0,
  kDLUInt = 1,
  kDLFloat = 2,
  kDLBfloat = 4,
  kDLComplex = 5,
  kDLBool = 6
};
struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct DLTensor {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides; // in elements; null: row-major
  uint64_t byte_offset;
};

struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(DLManagedTensor *self);
};

} // extern "C"

static_assert(sizeof(DLTensor) == 48 && sizeof(DLManagedTensor) == 64);

#endif // KERATIN_FRONTEND_VALUES_DLPACKSTRUCTS_H
