#include "frontend/backend/EinsumNotation.h"

#include <algorithm>
#include <map>

using namespace keratin::frontend;

namespace {

class Parser {
public:
  explicit Parser(const std::string &text) : text(text) {}

  EinsumNotation run();

private:
  EinsumTerm term();
  void ellipsis(EinsumTerm &term);
  void checkResult(size_t start);
  void makeResult();

  // The next character that is no space, which is left where it is; 0 at the end.
  char next() {
    while (place < text.size() && text[place] == ' ')
      ++place;
    return place < text.size() ? text[place] : '\0';
  }
  bool takes(char c) {
    if (next() != c)
      return false;
    ++place;
    return true;
  }
  [[noreturn]] void fail(const std::string &what, size_t where) const {
    throw EinsumError("'" + text + "', character " + std::to_string(where + 1) + ": " + what);
  }

  const std::string &text;
  size_t place = 0;
  EinsumNotation notation;
};

bool isLabel(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

void Parser::ellipsis(EinsumTerm &term) {
  size_t start = place;
  if (text.compare(place, 3, "...") != 0)
    fail("'.' is no label; needed '...'", start);
  if (term.ellipsis)
    fail("a second '...' in one term", start);
  place += 3;
  term.ellipsis = term.labels.size();
  term.text += "...";
}

EinsumTerm Parser::term() {
  EinsumTerm term;
  for (char c = next(); c != '\0' && c != ',' && c != '-'; c = next()) {
    if (c == '.') {
      ellipsis(term);
      continue;
    }
    if (!isLabel(c))
      fail("'" + std::string(1, c) + "' is no label; needed a letter, '...', ',' or '->'", place);
    term.labels.push_back(c);
    term.text += c;
    ++place;
  }
  return term;
}

void Parser::checkResult(size_t start) {
  const EinsumTerm &result = notation.result;
  auto isIn = [](const EinsumTerm &term, char label) {
    return std::find(term.labels.begin(), term.labels.end(), label) != term.labels.end();
  };
  for (size_t i = 0; i < result.labels.size(); ++i) {
    char label = result.labels[i];
    size_t where = text.find(label, start);
    std::string name = "'" + std::string(1, label) + "'";
    if (std::find(result.labels.begin(), result.labels.begin() + ptrdiff_t(i), label) !=
        result.labels.begin() + ptrdiff_t(i))
      fail(name + " is twice in the result", text.find(label, where + 1));
    if (std::none_of(notation.operands.begin(), notation.operands.end(),
                     [&](const EinsumTerm &term) { return isIn(term, label); }))
      fail(name + " of the result is in no operand", where);
  }
  bool any = std::any_of(notation.operands.begin(), notation.operands.end(),
                         [](const EinsumTerm &term) { return term.ellipsis.has_value(); });
  if (result.ellipsis && !any)
    fail("'...' of the result is in no operand", text.find('.', start));
}

void Parser::makeResult() {
  std::map<char, int> counts; // in alphabetical order
  for (const EinsumTerm &term : notation.operands) {
    for (char label : term.labels)
      ++counts[label];
    if (term.ellipsis)
      notation.result.ellipsis = 0;
  }
  for (auto [label, count] : counts)
    if (count == 1)
      notation.result.labels.push_back(label);
}

EinsumNotation Parser::run() {
  do
    notation.operands.push_back(term());
  while (takes(','));
  if (next() == '\0') {
    makeResult();
    return notation;
  }
  if (text.compare(place, 2, "->") != 0)
    fail("'-' is no label; needed '->'", place);
  place += 2;
  notation.isExplicit = true;
  size_t start = place;
  notation.result = term();
  if (char c = next(); c != '\0')
    fail(c == ',' ? "a ',' in the result, which is one term" : "a second '->'", place);
  checkResult(start);
  return notation;
}

} // namespace

EinsumNotation keratin::frontend::parseEinsum(const std::string &text) {
  return Parser(text).run();
}
