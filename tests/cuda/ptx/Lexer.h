// Tokens of PTX.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace keratin::ptx {

enum class TokenKind : uint8_t {
  End,
  Name,    // of a register, a variable, a label, a mnemonic's first word; % and $ belong to it
  Dot,     // a dot with the word after it: .global, .v4, .L2::128B
  Integer, // value in `bits`
  Float,   // 0fXXXXXXXX or 0dXXXXXXXXXXXXXXXX or decimal: the bits of the double in `bits`
  Single,  // 0fXXXXXXXX: the 32 bits as written
  String,
  Punctuation // one character
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;
  uint64_t bits = 0;
  int line = 0;
  bool is(char c) const { return kind == TokenKind::Punctuation && text[0] == c; }
  bool is(std::string_view spelling) const { return text == spelling && kind != TokenKind::String; }
};

// What is wrong with a module, and where. It leaves this library only as the text that
// Module::parse gives.
struct ParseError : std::runtime_error {
  ParseError(int line, const std::string &what)
      : std::runtime_error("line " + std::to_string(line) + ": " + what), line(line) {}
  int line;
};

class Lexer {
public:
  explicit Lexer(std::string_view text) : rest(text) {}
  Token next();

private:
  void skipBlanks();
  Token number();
  Token take(TokenKind kind, size_t length);

  std::string_view rest;
  int line = 1;
};

} // namespace keratin::ptx
