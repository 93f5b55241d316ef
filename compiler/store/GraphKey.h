// What a function is to the compiler: two functions with equal keys get equal code.
#ifndef KERATIN_COMPILER_STORE_GRAPHKEY_H
#define KERATIN_COMPILER_STORE_GRAPHKEY_H

#include "codegen/Effort.h"
#include "compiler/artifact/SaidTexts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keratin::passes {
class OpenScalars;
}

namespace keratin::compiler {

// BLAKE3's.
using Digest = std::array<uint8_t, 32>;

// Elements of large constants count by their digest, everything else as it is. What is said to
// people only, the name of the function and of its arguments, of its sizes, lines and scopes, is
// no part of the structure, which knows them by number: two ops of one line in one function are of
// one line in the other.
struct GraphKey {
  std::string structure;
  SaidTexts said;
  Digest digest; // of the structure
  // The bytes of the scalars that are open, by their numbers, which the structure knows.
  std::vector<std::string> scalars;
  // That the code asked for is worth, or that was put into it. Code of more effort serves too.
  codegen::Effort effort = codegen::Effort::Full;

  // The function has the contract of Compiler.h; `settings` is what its code depends on besides.
  // Nullopt if it holds something that has no name outside of its context. With scalars, which are
  // the function's, the key is that of code which takes these from memory.
  static std::optional<GraphKey> of(mlir::func::FuncOp function, llvm::StringRef settings,
                                    const passes::OpenScalars *scalars = nullptr);

  bool operator==(const GraphKey &other) const {
    return digest == other.digest && structure == other.structure;
  }
};

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_STORE_GRAPHKEY_H
