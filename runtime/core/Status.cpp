#include "runtime/core/Status.h"

#include <inttypes.h>
#include <stdio.h>

namespace keratin::runtime {

Code fail(keratin_status_t *status, Code code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  failWith(status, code, format, arguments);
  va_end(arguments);
  return code;
}

Code failWith(keratin_status_t *status, Code code, const char *format, va_list arguments) {
  if (status) {
    status->code = code;
    vsnprintf(status->message, sizeof(status->message), format, arguments);
  }
  return code;
}

Code failAtNull(keratin_status_t *status, const char *function, const NeededPointer &pointer) {
  return fail(status, KERATIN_INVALID_ARGUMENT, "%s: %s is NULL", function, pointer.name);
}

ShortText &ShortText::add(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int written = vsnprintf(characters + length, sizeof(characters) - length, format, arguments);
  va_end(arguments);
  if (written > 0)
    length += size_t(written);
  if (length > sizeof(characters) - 1)
    length = sizeof(characters) - 1;
  return *this;
}

ShortText dimsText(int32_t rank, const int64_t *dims) {
  ShortText text;
  // Who gives such a rank has no such dims.
  if (rank < 0 || rank > KERATIN_MAX_RANK)
    return text.add("of rank %" PRId32, rank);
  text.add("(");
  for (int32_t axis = 0; axis < rank; ++axis)
    text.add(axis ? ", %" PRId64 : "%" PRId64, dims[axis]);
  text.add(rank == 1 ? ",)" : ")");
  return text;
}

} // namespace keratin::runtime

extern "C" const char *keratin_status_code_name(int32_t code) {
  switch (code) {
  case KERATIN_OK:
    return "OK";
  case KERATIN_INVALID_ARGUMENT:
    return "INVALID_ARGUMENT";
  case KERATIN_OUT_OF_RANGE:
    return "OUT_OF_RANGE";
  case KERATIN_RESOURCE_EXHAUSTED:
    return "RESOURCE_EXHAUSTED";
  case KERATIN_FAILED_PRECONDITION:
    return "FAILED_PRECONDITION";
  case KERATIN_UNIMPLEMENTED:
    return "UNIMPLEMENTED";
  case KERATIN_INTERNAL:
    return "INTERNAL";
  case KERATIN_NOT_FINITE:
    return "NOT_FINITE";
  case KERATIN_SIZES_DIFFER:
    return "SIZES_DIFFER";
  case KERATIN_ABORTED:
    return "ABORTED";
  case KERATIN_UNAVAILABLE:
    return "UNAVAILABLE";
  default:
    return "UNKNOWN";
  }
}
