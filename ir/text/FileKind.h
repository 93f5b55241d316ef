// What a file is that is not the model that was asked for.
#ifndef KERATIN_IR_TEXT_FILEKIND_H
#define KERATIN_IR_TEXT_FILEKIND_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace keratin::ir {

// Of a file's bytes, or its beginning of at least 64: "an ELF shared object for AArch64", "an array
// of NumPy (.npy)". "" for what is none of the kinds that are known, texts and saved graphs among
// them.
std::string fileKind(llvm::StringRef bytes);

// The processor of an ELF file, by the number that its header has: "x86-64".
std::string elfMachine(unsigned number);

} // namespace keratin::ir

#endif // KERATIN_IR_TEXT_FILEKIND_H
