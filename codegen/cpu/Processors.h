// What was measured once on a family of processors, by their names in LLVM.
#ifndef KERATIN_CODEGEN_CPU_PROCESSORS_H
#define KERATIN_CODEGEN_CPU_PROCESSORS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace keratin::codegen {

// Of products of matrices. Measured by `contraction_bench native "square 1024" f32 KIB ROWS`
// (docs/contractions.md).
struct ProductTraits {
  // How much of B is packed at once: what stays near while rows of A go past it.
  int64_t heldColumnBytes = 2048 * 1024;
  // How many rows of B ahead of their use large tiles bring into the first-level cache; 0 if
  // loads alone are as fast.
  int64_t rowsAhead = 0;
};

// `hasAmx`: of a name that says nothing (x86-64-v4), AMX says that it is an Intel.
ProductTraits productTraits(llvm::StringRef cpu, bool hasAmx);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_PROCESSORS_H
