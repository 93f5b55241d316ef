#include "tests/cuda/ptx/Lexer.h"

#include <bit>
#include <cctype>
#include <cstdlib>

namespace keratin::ptx {

namespace {
bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }
bool beginsName(char c) {
  return (isWord(c) && !std::isdigit(static_cast<unsigned char>(c))) || c == '%';
}
bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }
} // namespace

void Lexer::skipBlanks() {
  while (!rest.empty()) {
    if (rest.starts_with("//") || rest[0] == '#') {
      rest.remove_prefix(std::min(rest.find('\n'), rest.size()));
    } else if (rest.starts_with("/*")) {
      size_t end = rest.find("*/");
      if (end == std::string_view::npos)
        throw ParseError(line, "a comment begins here and does not end");
      for (char c : rest.substr(0, end))
        line += c == '\n';
      rest.remove_prefix(end + 2);
    } else if (std::isspace(static_cast<unsigned char>(rest[0])) || rest[0] == '\0') {
      line += rest[0] == '\n';
      rest.remove_prefix(1);
    } else {
      return;
    }
  }
}

Token Lexer::take(TokenKind kind, size_t length) {
  Token token{kind, rest.substr(0, length), 0, line};
  rest.remove_prefix(length);
  return token;
}

Token Lexer::number() {
  size_t length = 1;
  while (length < rest.size() &&
         (isWord(rest[length]) ||
          (rest[length] == '.' && length + 1 < rest.size() && isDigit(rest[length + 1]))))
    ++length;
  Token token = take(TokenKind::Integer, length);
  std::string text(token.text);
  char *end = nullptr;
  if (text.size() > 1 && text[0] == '0' &&
      std::string_view("fFdD").find(text[1]) != std::string_view::npos) {
    bool single = text[1] == 'f' || text[1] == 'F';
    token.bits = std::strtoull(text.c_str() + 2, &end, 16);
    token.kind = single ? TokenKind::Single : TokenKind::Float;
    if (text.size() != (single ? 10u : 18u) || *end)
      throw ParseError(line, "'" + text + "' is no floating-point constant: " +
                                 (single ? "8" : "16") + " hexadecimal digits are needed");
    return token;
  }
  if (text.find('.') != std::string::npos) {
    token.kind = TokenKind::Float;
    token.bits = std::bit_cast<uint64_t>(std::strtod(text.c_str(), &end));
  } else if (text.starts_with("0b") || text.starts_with("0B")) {
    token.bits = std::strtoull(text.c_str() + 2, &end, 2);
  } else {
    token.bits = std::strtoull(text.c_str(), &end, 0);
    if (*end == 'U')
      ++end;
  }
  if (*end)
    throw ParseError(line, "'" + text + "' is no number");
  return token;
}

Token Lexer::next() {
  skipBlanks();
  if (rest.empty())
    return {TokenKind::End, "the end of the text", 0, line};
  char c = rest[0];
  if (isDigit(c))
    return number();
  if (beginsName(c)) {
    size_t length = 1;
    while (length < rest.size() && isWord(rest[length]))
      ++length;
    return take(TokenKind::Name, length);
  }
  if (c == '.' && rest.size() > 1 && isWord(rest[1])) {
    size_t length = 1;
    while (length < rest.size() &&
           (isWord(rest[length]) || (rest[length] == ':' && length + 1 < rest.size() &&
                                     (rest[length + 1] == ':' || rest[length - 1] == ':'))))
      ++length;
    return take(TokenKind::Dot, length);
  }
  if (c == '"') {
    size_t end = rest.find('"', 1);
    if (end == std::string_view::npos)
      throw ParseError(line, "a string begins here and does not end");
    return take(TokenKind::String, end + 1);
  }
  return take(TokenKind::Punctuation, 1);
}

} // namespace keratin::ptx
