// Bytes of a model's names as text that others can read.
#ifndef KERATIN_TOOLS_DUMP_TEXT_H
#define KERATIN_TOOLS_DUMP_TEXT_H

#include "ir/dialect/SizeNames.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace keratin::dump {

// Valid UTF-8, with a mark where it was not, without control characters other than newlines and
// tabs. At most `most` bytes, the rest an ellipsis; 0: all.
std::string readable(llvm::StringRef text, size_t most = 0);

// Text of a type or an attribute, with what people call its sizes in each #keratin.dims<...>.
std::string withSizeNames(llvm::StringRef text, const ir::SizeNames &names);

// "net.cc:57" for "/home/me/net.cc:57:12".
std::string shortPlace(llvm::StringRef place);

} // namespace keratin::dump

#endif // KERATIN_TOOLS_DUMP_TEXT_H
