// A function called through the runtime's C API alone, as a program without a frontend calls it.
#ifndef KERATIN_BENCHMARKS_INVOKEDFUNCTION_H
#define KERATIN_BENCHMARKS_INVOKEDFUNCTION_H

#include <keratin/runtime.h>

#include <memory>
#include <string>

namespace keratin::bench {

class InvokedFunction {
public:
  // Compiles a module of the dialect that holds one function. Throws std::runtime_error.
  explicit InvokedFunction(const std::string &moduleText);
  ~InvokedFunction();
  InvokedFunction(const InvokedFunction &) = delete;
  InvokedFunction &operator=(const InvokedFunction &) = delete;

  keratin_executable_t *executable() const { return handle; }
  double compileMilliseconds() const { return milliseconds; }

private:
  std::shared_ptr<const void> code; // outlives the executable
  keratin_executable_t *handle = nullptr;
  double milliseconds = 0;
};

} // namespace keratin::bench

#endif // KERATIN_BENCHMARKS_INVOKEDFUNCTION_H
