// Messages of checks that say which element has failed (runtime/abi/keratin_site_message.h).
#ifndef KERATIN_IR_DIALECT_SITEMESSAGE_H
#define KERATIN_IR_DIALECT_SITEMESSAGE_H

#include "runtime/abi/keratin_site_message.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace keratin::ir {

// How many elements the message tells apart, and one for all others; 1: it tells of none.
inline int64_t toldElements(llvm::StringRef message) {
  return keratin_site_message(message.str().c_str()).numbers;
}

// What it says of the element of this number.
inline std::string tellElement(llvm::StringRef message, int64_t number) {
  const std::string pattern = message.str();
  std::string text(keratin_site_write(pattern.c_str(), number, nullptr, 0), '\0');
  (void)keratin_site_write(pattern.c_str(), number, text.data(), text.size() + 1);
  return text;
}

// Without an element.
inline std::string tellNone(llvm::StringRef message) {
  return tellElement(message, KERATIN_SITE_MOST_NUMBERS);
}

} // namespace keratin::ir

#endif // KERATIN_IR_DIALECT_SITEMESSAGE_H
