// Filling a status, and text of bounded length to fill it with.
#ifndef KERATIN_RUNTIME_CORE_STATUS_H
#define KERATIN_RUNTIME_CORE_STATUS_H

#include "runtime/include/keratin/runtime.h"

#include <initializer_list>
#include <stdarg.h>

namespace keratin::runtime {

using Code = keratin_status_code_t;

// Writes code and message where status is given; returns code.
Code fail(keratin_status_t *status, Code code, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

Code failWith(keratin_status_t *status, Code code, const char *format, va_list arguments);

// A pointer that a function of the API cannot do without; or, where `isNeeded` is false, can.
struct NeededPointer {
  const void *pointer;
  const char *name; // of the parameter
  bool isNeeded = true;
};
Code failAtNull(keratin_status_t *status, const char *function, const NeededPointer &pointer)
    __attribute__((cold));
// KERATIN_OK, or the first of them that is NULL as the failure of the function.
inline Code checkPointers(keratin_status_t *status, const char *function,
                          std::initializer_list<NeededPointer> needed) {
  for (const NeededPointer &each : needed)
    if (!each.pointer && each.isNeeded)
      return failAtNull(status, function, each);
  return KERATIN_OK;
}

inline Code succeed(keratin_status_t *status) {
  if (status) {
    status->code = KERATIN_OK;
    status->message[0] = '\0';
  }
  return KERATIN_OK;
}

// A short text on the stack; what does not fit is cut.
class ShortText {
public:
  ShortText &add(const char *format, ...) __attribute__((format(printf, 2, 3)));
  const char *text() const { return characters; }

private:
  char characters[400] = "";
  size_t length = 0;
};

// "(3, 5)", "(7,)", "()".
ShortText dimsText(int32_t rank, const int64_t *dims);

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_STATUS_H
