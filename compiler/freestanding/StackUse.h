// How much of the stack calls take, from what the code generator says of each function.
#ifndef KERATIN_COMPILER_FREESTANDING_STACKUSE_H
#define KERATIN_COMPILER_FREESTANDING_STACKUSE_H

#include "absl/status/statusor.h"

#include "llvm/Support/MemoryBufferRef.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace keratin::compiler {

// Of each of the named functions of a module what it and those that it calls take at most. The
// object is what the module became, with sections .stack_sizes (LlvmCode::isForParts).
// `boundary`: what frames may be aligned to.
absl::StatusOr<std::vector<int64_t>> stackUse(const llvm::Module &module,
                                              llvm::MemoryBufferRef object,
                                              const std::vector<std::string> &names,
                                              int64_t boundary);

// What the object needs and does not define.
absl::StatusOr<std::vector<std::string>> undefinedSymbols(llvm::MemoryBufferRef object);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_FREESTANDING_STACKUSE_H
