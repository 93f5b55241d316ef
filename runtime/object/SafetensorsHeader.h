// The header of a safetensors file, entry by entry. It need not be trusted.
// Source: https://github.com/huggingface/safetensors (README.md, Format).
#ifndef KERATIN_RUNTIME_OBJECT_SAFETENSORSHEADER_H
#define KERATIN_RUNTIME_OBJECT_SAFETENSORSHEADER_H

#include "runtime/include/keratin/runtime.h"
#include "runtime/object/JsonText.h"

namespace keratin::runtime {

// What the format calls dtypes.
struct SafetensorsDType {
  const char *name;
  keratin_dtype_t dtype;
};
inline constexpr SafetensorsDType safetensorsDTypes[] = {
    {"BOOL", KERATIN_DTYPE_BOOL},     {"I8", KERATIN_DTYPE_INT8},
    {"I16", KERATIN_DTYPE_INT16},     {"I32", KERATIN_DTYPE_INT32},
    {"I64", KERATIN_DTYPE_INT64},     {"U8", KERATIN_DTYPE_UINT8},
    {"U16", KERATIN_DTYPE_UINT16},    {"U32", KERATIN_DTYPE_UINT32},
    {"U64", KERATIN_DTYPE_UINT64},    {"F16", KERATIN_DTYPE_FLOAT16},
    {"BF16", KERATIN_DTYPE_BFLOAT16}, {"F32", KERATIN_DTYPE_FLOAT32},
    {"F64", KERATIN_DTYPE_FLOAT64},   {"C64", KERATIN_DTYPE_COMPLEX64}};

// What the header says of one tensor; its elements are the bytes [begin, end) behind the header.
struct SafetensorsEntry {
  Text name; // ends in a NUL
  int32_t dtype = KERATIN_DTYPE_INVALID, rank = 0;
  int64_t dims[KERATIN_MAX_RANK];
  uint64_t begin = 0, end = 0;
};

// Reads the JSON as the format has it, nothing else: an object of objects.
class SafetensorsHeader : public JsonText {
public:
  SafetensorsHeader(const char *json, size_t bytes) : JsonText(json, bytes, "its header") {}

  // The next entry, or false behind the last one and where something is wrong.
  bool next(SafetensorsEntry &entry);

private:
  bool numbers(uint64_t *values, int32_t most, int32_t &count);
  bool describe(SafetensorsEntry &entry);
  bool field(SafetensorsEntry &entry, unsigned &seen);
  bool skipMetadata();

  bool isOpen = false, hasEntries = false;
};

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_OBJECT_SAFETENSORSHEADER_H
