// The records of frontend/backend/Api.td and frontend/backend/api.
#ifndef KERATIN_TOOLS_KERATINTBLGEN_APIRECORDS_H
#define KERATIN_TOOLS_KERATINTBLGEN_APIRECORDS_H

#include "llvm/ADT/StringRef.h"

#include <vector>

namespace llvm {
class Record;
class RecordKeeper;
} // namespace llvm

namespace keratin::tblgen {

// In the order of the file, which groups them.
std::vector<const llvm::Record *> apiFunctions(llvm::RecordKeeper &records);
// The names in a function's signature, but for *arguments and **keywords.
std::vector<llvm::StringRef> apiParameters(const llvm::Record *function);
// The same with what they are if they are left out: "x", "axis=-1".
std::vector<llvm::StringRef> apiParametersWithDefaults(const llvm::Record *function);
// The lines of a function's documentation, without the indentation that they have in the record:
// the first says what the function is. A fatal error if there are none.
std::vector<llvm::StringRef> apiDocumentation(const llvm::Record *function);

} // namespace keratin::tblgen

#endif // KERATIN_TOOLS_KERATINTBLGEN_APIRECORDS_H
