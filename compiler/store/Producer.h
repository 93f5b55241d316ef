// Who makes code.
#ifndef KERATIN_COMPILER_STORE_PRODUCER_H
#define KERATIN_COMPILER_STORE_PRODUCER_H

#include <string>

namespace keratin::compiler {

// Keratin's version and LLVM's, and the ids that the linker gave to the files that hold this code,
// LLVM and MLIR: two builds of them are never the same. "" where one of the files has none.
const std::string &codeProducer();

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_STORE_PRODUCER_H
