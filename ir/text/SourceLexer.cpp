#include "ir/text/SourceLexer.h"

#include "llvm/ADT/StringExtras.h"

using namespace keratin::ir;
using llvm::isAlnum;
using llvm::isAlpha;
using llvm::isDigit;
using llvm::isHexDigit;

static bool isWordCharacter(char c) { return isAlnum(c) || c == '_' || c == '$' || c == '.'; }
// Of names after %, ^, # and !.
static bool isNameCharacter(char c) { return isWordCharacter(c) || c == '-'; }

// Spaces and comments; a carriage return ends a comment, too.
void SourceLexer::skipSpace() {
  for (; position != end; ++position) {
    switch (*position) {
    case '\n':
    case '\r':
    case ' ':
    case '\t':
      break;
    case '/':
      if (peek(1) != '/')
        return;
      while (position + 1 != end && position[1] != '\n' && position[1] != '\r')
        ++position;
      break;
    default:
      return;
    }
  }
}

SourceToken SourceLexer::next() {
  skipSpace();
  start = position;
  if (position == end)
    return token(TokenKind::End);
  char c = *position;
  if (isAlpha(c) || c == '_')
    return word();
  if (isDigit(c))
    return number();
  switch (c) {
  case '"':
    return string(TokenKind::String);
  case '@':
    ++position;
    if (peek() == '"')
      return string(TokenKind::Symbol);
    if (!isAlpha(peek()) && peek() != '_')
      return refuse("no name follows '@'");
    while (position != end && isWordCharacter(*position))
      ++position;
    return token(TokenKind::Symbol);
  case '%':
    return name(TokenKind::Value);
  case '^':
    return name(TokenKind::Block);
  case '!':
    return name(TokenKind::Type);
  case '#':
    if (peek(1) != '-' || peek(2) != '}')
      return name(TokenKind::Attribute);
    position += 3;
    return token(TokenKind::Resources);
  case '{':
    if (peek(1) != '-' || peek(2) != '#')
      break;
    position += 3;
    return token(TokenKind::Resources);
  case '-':
    if (peek(1) != '>')
      break;
    position += 2;
    return token(TokenKind::Arrow);
  default:
    if (!llvm::isPrint(c))
      return refuse("a character that belongs in strings and comments only");
    break;
  }
  ++position;
  return token(TokenKind::Mark);
}

SourceToken SourceLexer::word() {
  while (position != end && isWordCharacter(*position))
    ++position;
  return token(TokenKind::Word);
}

SourceToken SourceLexer::number() {
  if (*position == '0' && peek(1) == 'x' && isHexDigit(peek(2))) {
    position += 2;
    while (isHexDigit(peek()))
      ++position;
    return token(TokenKind::Number);
  }
  while (isDigit(peek()))
    ++position;
  if (peek() != '.')
    return token(TokenKind::Number);
  ++position;
  while (isDigit(peek()))
    ++position;
  bool hasExponent = (peek() == 'e' || peek() == 'E') &&
                     (isDigit(peek(1)) || ((peek(1) == '-' || peek(1) == '+') && isDigit(peek(2))));
  if (hasExponent) {
    position += 2;
    while (isDigit(peek()))
      ++position;
  }
  return token(TokenKind::Number);
}

SourceToken SourceLexer::string(TokenKind kind) {
  for (++position; position != end && *position != '"'; ++position) {
    if (*position == '\n' || *position == '\v' || *position == '\f')
      return refuse("a string goes on beyond its line");
    if (*position != '\\')
      continue;
    ++position;
    if (isHexDigit(peek()) && isHexDigit(peek(1)))
      ++position;
    else if (peek() == '\0' || !llvm::StringRef("\"\\nt").contains(peek()))
      return refuse("an unknown escape in a string");
  }
  if (position == end)
    return refuse("a string without an end");
  ++position;
  return token(kind);
}

SourceToken SourceLexer::name(TokenKind kind) {
  ++position;
  if (isDigit(peek()))
    while (isDigit(peek()))
      ++position;
  else
    while (position != end && isNameCharacter(*position))
      ++position;
  return position - start > 1 ? token(kind) : refuse("no name follows");
}
