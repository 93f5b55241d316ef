// The one kernel of a function from x (float32) to y, as the runtime launches it but by a few
// blocks, which come again and again, and with parts of it left out.
#ifndef KERATIN_TESTS_CODEGEN_LAUNCHEDKERNEL_H
#define KERATIN_TESTS_CODEGEN_LAUNCHEDKERNEL_H

#include "runtime/abi/keratin_cuda_abi.h"
#include "tests/cuda/Launcher.h"
#include "tests/cuda/Mutants.h"

#include <functional>

namespace keratin::tests {

class LaunchedKernel {
public:
  using Bytes = std::vector<char>;

  // Of so many elements of x, what y is of them, and so many units.
  template <typename Numbers>
  LaunchedKernel(const std::string &function, size_t size,
                 std::function<Numbers(const float *x)> expected, uint32_t units,
                 uint32_t blocks = 3)
      : size(size), units(units), blocks(blocks), expected([expected](const float *x) {
          Numbers numbers = expected(x);
          auto *bytes = reinterpret_cast<const char *>(numbers.data());
          return Bytes(bytes, bytes + numbers.size() * sizeof(numbers[0]));
        }) {
    compile(function);
  }

  // What keeps the kernel of this text from giving y, twice; "" if nothing does. From the first
  // element, and from the second, which is no multiple of 16 bytes.
  std::string problem(const std::string &text, ptx::Order order) const;
  // What is missing, and the text without: each barrier, and each fence.
  std::vector<std::pair<std::string, std::string>> mutants() const;
  // Of those that nothing keeps from giving y in two orders, what is missing.
  std::vector<std::string> unnoticed() const;

  std::string ptx;
  keratin_cuda_kernel_t launch = {};

private:
  void compile(const std::string &function);

  size_t size;
  uint32_t units, blocks;
  std::function<Bytes(const float *x)> expected;
  std::string name;
};

} // namespace keratin::tests

#endif // KERATIN_TESTS_CODEGEN_LAUNCHEDKERNEL_H
