#include "codegen/cpu/Processors.h"

#include "llvm/ADT/STLExtras.h"

using namespace keratin;

codegen::ProductTraits codegen::productTraits(llvm::StringRef cpu, bool hasAmx) {
  // Their third-level cache gives a core 9 bytes a cycle (that of a Zen 5 30): half of their
  // second-level cache.
  static constexpr llvm::StringRef slowThird[] = {"sapphirerapids", "emeraldrapids",
                                                  "graniterapids", "graniterapids-d"};
  if (hasAmx || llvm::is_contained(slowThird, cpu))
    return {.heldColumnBytes = 1024 * 1024, .rowsAhead = 8};
  return {};
}
