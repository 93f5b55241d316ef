#include "tools/keratin-dump/Text.h"

#include "llvm/Support/JSON.h"

std::string keratin::dump::readable(llvm::StringRef text, size_t most) {
  std::string valid = llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
  for (char &c : valid)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
      c = ' ';
  if (!most || valid.size() <= most)
    return valid;
  // Not within a character.
  while (most && (static_cast<unsigned char>(valid[most]) & 0xc0) == 0x80)
    --most;
  return valid.substr(0, most) + "…";
}

std::string keratin::dump::shortPlace(llvm::StringRef place) {
  return place.rsplit(':').first.rsplit('/').second.empty()
             ? place.rsplit(':').first.str()
             : place.rsplit(':').first.rsplit('/').second.str();
}
