// Names and sizes of element types.
#include "keratin/dtype.h"
#include "keratin/error.h"

#include "runtime/abi/keratin_abi.h"

using namespace keratin;

static_assert(int(DType::Bool) == KERATIN_DTYPE_BOOL && int(DType::UInt8) == KERATIN_DTYPE_UINT8 &&
                  int(DType::Float16) == KERATIN_DTYPE_FLOAT16 &&
                  int(DType::Complex128) == KERATIN_DTYPE_COMPLEX128,
              "DType and keratin_dtype_t have the same numbers");

static const struct {
  const char *name;
  size_t size;
} kDtypes[] = {{"invalid", 0}, {"bool", 1},    {"int8", 1},      {"int16", 2},
               {"int32", 4},   {"int64", 8},   {"uint8", 1},     {"uint16", 2},
               {"uint32", 4},  {"uint64", 8},  {"float16", 2},   {"bfloat16", 2},
               {"float32", 4}, {"float64", 8}, {"complex64", 8}, {"complex128", 16}};

static bool isKnown(DType dtype) { return dtype >= DType::Bool && dtype <= DType::Complex128; }

const char *keratin::dtypeName(DType dtype) {
  return kDtypes[isKnown(dtype) ? int(dtype) : 0].name;
}
size_t keratin::dtypeSize(DType dtype) { return kDtypes[isKnown(dtype) ? int(dtype) : 0].size; }
bool keratin::isFloating(DType dtype) { return dtype >= DType::Float16 && dtype <= DType::Float64; }
bool keratin::isInteger(DType dtype) { return dtype > DType::Bool && dtype < DType::Float16; }
bool keratin::isComplex(DType dtype) { return dtype >= DType::Complex64 && isKnown(dtype); }

DType keratin::checkedDType(DType dtype) {
  if (!isKnown(dtype))
    throw TypeError("dtype: no DType has the number " + std::to_string(int(dtype)));
  return dtype;
}

DType keratin::dtypeFromName(const char *name) {
  if (!name)
    throw TypeError("dtype: the name is NULL");
  return dtypeFromName(std::string(name));
}

DType keratin::dtypeFromName(const std::string &name) {
  for (int i = 1; i <= int(DType::Complex128); ++i)
    if (name == kDtypes[i].name)
      return DType(i);
  throw TypeError("dtype: unknown name '" + name +
                  "'; needed float16, bfloat16, float32, float64, int8 to int64, uint8 to uint64, "
                  "complex64, complex128 or bool");
}
