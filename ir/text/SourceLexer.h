// Textual IR as the words that MLIR's parser will see.
//
// It cuts the text where MLIR's own lexer does, or refuses it: what one of the two takes for a
// comment or a string must never be code for the other.
#ifndef KERATIN_IR_TEXT_SOURCELEXER_H
#define KERATIN_IR_TEXT_SOURCELEXER_H

#include "llvm/ADT/StringRef.h"

namespace keratin::ir {

enum class TokenKind {
  End,
  Word,      // func.func, tensor, i32
  Number,    // 12, 0x1F, 1.5e-3
  String,    // "x"
  Value,     // %x
  Block,     // ^bb0
  Symbol,    // @f
  Attribute, // #a, #keratin.dims
  Type,      // !t
  Arrow,     // ->
  Resources, // {-#, and #-} at their end
  Mark,      // one other character
  Wrong      // no token: the lexer's message says why
};

struct SourceToken {
  TokenKind kind = TokenKind::End;
  llvm::StringRef text; // within the source

  bool is(char mark) const { return kind == TokenKind::Mark && text.front() == mark; }
};

class SourceLexer {
public:
  explicit SourceLexer(llvm::StringRef source) : position(source.begin()), end(source.end()) {}

  SourceToken next();
  // What comes after the token that next() gave last.
  SourceToken peekToken() const { return SourceLexer(*this).next(); }
  // Whether nothing, not even a space, stands between that token and the character.
  bool isFollowedBy(char c) const { return peek() == c; }
  // Of the last token, which is Wrong.
  const char *message() const { return wrong; }

private:
  char peek(size_t ahead = 0) const {
    return size_t(end - position) > ahead ? position[ahead] : '\0';
  }
  void skipSpace();
  SourceToken token(TokenKind kind) {
    return {kind, llvm::StringRef(start, size_t(position - start))};
  }
  SourceToken refuse(const char *why) {
    wrong = why;
    return token(TokenKind::Wrong);
  }
  SourceToken word();
  SourceToken number();
  SourceToken string(TokenKind kind);
  SourceToken name(TokenKind kind);

  const char *position, *end;
  const char *start = nullptr;
  const char *wrong = "";
};

} // namespace keratin::ir

#endif // KERATIN_IR_TEXT_SOURCELEXER_H
