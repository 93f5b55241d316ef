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

std::string keratin::dump::withSizeNames(llvm::StringRef text, const ir::SizeNames &names) {
  constexpr llvm::StringLiteral begin = "#keratin.dims<";
  std::string result;
  for (size_t place; (place = text.find(begin)) != llvm::StringRef::npos;) {
    result += text.take_front(place + begin.size());
    text = text.drop_front(place + begin.size());
    // Expressions have parentheses, and commas in them, but no brackets.
    llvm::StringRef dims = text.take_until([](char c) { return c == '>'; });
    text = text.drop_front(dims.size());
    while (!dims.empty()) {
      int depth = 0;
      llvm::StringRef dim = dims.take_until([&](char c) {
        depth += (c == '(') - (c == ')');
        return c == ',' && depth == 0;
      });
      std::optional<ir::DimExpr> size = ir::DimExpr::parse(dim.trim());
      result += size ? names.text(*size) : dim.trim().str();
      dims = dims.drop_front(dim.size());
      if (dims.consume_front(","))
        result += ", ";
    }
  }
  return result + text.str();
}

std::string keratin::dump::shortPlace(llvm::StringRef place) {
  return place.rsplit(':').first.rsplit('/').second.empty()
             ? place.rsplit(':').first.str()
             : place.rsplit(':').first.rsplit('/').second.str();
}
