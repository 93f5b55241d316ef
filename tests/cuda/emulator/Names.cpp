#include "tests/cuda/emulator/Emulator.h"

#include <iterator>

namespace keratin::ptx {

const char *name(FaultKind kind) {
  static constexpr const char *names[] = {
      "bad launch",        "out of bounds", "uninitialised",     "misaligned",           "race",
      "divergent barrier", "deadlock",      "asynchronous copy", "asynchronous product", "trap",
      "infinite loop",     "unsupported"};
  static_assert(std::size(names) == size_t(FaultKind::Unsupported) + 1);
  return names[size_t(kind)];
}

} // namespace keratin::ptx
