// Descriptions of functions as bytes: for functions that have the same code but other texts, and
// for the disk.
#ifndef KERATIN_COMPILER_ARTIFACT_SAVEDDESCRIPTION_H
#define KERATIN_COMPILER_ARTIFACT_SAVEDDESCRIPTION_H

#include "compiler/artifact/FunctionDescription.h"

namespace keratin::compiler {

// All but the address of the entry function and the elements of constants, which are not copied.
std::string saveDescription(FunctionDescription &description);

// With these texts and constants. Null for bytes that saveDescription() did not make: nothing is
// read outside of them, and what is asked of the memory is bounded by their number.
std::unique_ptr<FunctionDescription>
loadDescription(llvm::StringRef bytes, const SaidTexts &said,
                const std::vector<std::shared_ptr<const char>> &constants);

// Memory for a constant of so many bytes, as code expects it. Null where there is none.
std::shared_ptr<char> constantMemory(size_t bytes);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_ARTIFACT_SAVEDDESCRIPTION_H
