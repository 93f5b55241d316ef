#include "runtime/core/Print.h"
#include "runtime/core/DType.h"
#include "runtime/core/NumpyFormat.h"
#include "runtime/core/Status.h"

#include <inttypes.h>
#include <stdio.h>

namespace keratin::runtime {

// One call, so that lines of several threads do not mix; flushed, so that what the host prints
// next comes next.
static void printToStdout(void *, const char *text, size_t length) {
  fwrite(text, 1, length, stdout);
  fflush(stdout);
}

static keratin_printer_t printer = {printToStdout, nullptr};

static Code checkPrintable(const keratin_tensor_t &tensor, keratin_status_t *status) {
  if (!isDType(tensor.dtype))
    return fail(status, KERATIN_INVALID_ARGUMENT, "print: %" PRId32 " is no dtype", tensor.dtype);
  int64_t bytes = 0;
  if (tensor.rank < 0 || tensor.rank > KERATIN_MAX_RANK || (tensor.rank && !tensor.dims) ||
      !tensorBytes(tensor.dtype, tensor.rank, tensor.dims, bytes))
    return fail(status, KERATIN_INVALID_ARGUMENT, "print: the tensor has a bad shape");
  if (bytes && !tensor.data)
    return fail(status, KERATIN_INVALID_ARGUMENT, "print: the tensor has no data");
  return KERATIN_OK;
}

static Code print(const char *message, const keratin_tensor_t &tensor, keratin_status_t *status) {
  Text text;
  text.append(message ? message : "");
  text.append(" ");
  formatTensor(tensor, text);
  text.append("\n");
  printer.print(printer.user, text.data(), text.size());
  if (text.outOfMemory())
    return fail(status, KERATIN_RESOURCE_EXHAUSTED, "print: no memory for the text");
  return succeed(status);
}

void printFromKernel(keratin_context_t *, const char *message, int32_t dtype, int32_t rank,
                     const int64_t *dims, const void *data) {
  // Printing is no reason to fail a call: without memory the text is cut.
  (void)print(message, {const_cast<void *>(data), dtype, rank, dims, nullptr, nullptr}, nullptr);
}

} // namespace keratin::runtime

using namespace keratin::runtime;

extern "C" keratin_status_code_t keratin_print(const char *message, const keratin_tensor_t *tensor,
                                               keratin_status_t *status) {
  if (Code code = checkPointers(status, __func__, {{tensor, "tensor"}}))
    return code;
  if (Code code = checkPrintable(*tensor, status))
    return code;
  return print(message, *tensor, status);
}

extern "C" void keratin_set_printer(const keratin_printer_t *given) {
  printer = given ? *given : keratin_printer_t{printToStdout, nullptr};
}

extern "C" keratin_status_code_t keratin_format(const keratin_tensor_t *tensor, char *text,
                                                size_t capacity, size_t *length,
                                                keratin_status_t *status) {
  if (Code code =
          checkPointers(status, __func__, {{tensor, "tensor"}, {text, "text", capacity > 0}}))
    return code;
  if (Code code = checkPrintable(*tensor, status))
    return code;
  Text whole;
  formatTensor(*tensor, whole);
  if (whole.outOfMemory())
    return fail(status, KERATIN_RESOURCE_EXHAUSTED, "print: no memory for the text");
  if (length)
    *length = whole.size();
  if (capacity) {
    size_t kept = whole.size() < capacity ? whole.size() : capacity - 1;
    memcpy(text, whole.data(), kept);
    text[kept] = '\0';
  }
  return succeed(status);
}
