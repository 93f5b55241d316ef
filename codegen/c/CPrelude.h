// What generated C needs before its functions: types, and helpers for what C has no operator for,
// or leaves undefined.
#ifndef KERATIN_CODEGEN_C_CPRELUDE_H
#define KERATIN_CODEGEN_C_CPRELUDE_H

#include "llvm/ADT/StringRef.h"

#include <set>
#include <string>

namespace keratin::codegen {

// The helpers that somebody calls, by their names.
class CHelpers {
public:
  // "keratin_sqrt32", noted; the name must be one that there is.
  std::string use(llvm::StringRef name);
  // C text of those that are used, and of what they use.
  std::string text() const;

private:
  std::set<std::string> used;
};

// Stands before all else: what the compiler must do, and the types.
llvm::StringRef cPrelude();

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_C_CPRELUDE_H
