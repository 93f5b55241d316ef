// What is said to people of a function, apart from its code: names of the function, its arguments
// and sizes, lines and scopes. Functions that differ in these only have the same code
// (compiler/store), so texts made of them are kept as patterns, which are filled in for each.
#ifndef KERATIN_COMPILER_ARTIFACT_SAIDTEXTS_H
#define KERATIN_COMPILER_ARTIFACT_SAIDTEXTS_H

#include "ir/dialect/SizedText.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace keratin::compiler {

// A text of one function, and what it is of any that has the same code.
struct Said {
  std::string text, pattern;

  Said &operator+=(const Said &other) {
    text += other.text;
    pattern += other.pattern;
    return *this;
  }
};

// In a pattern, number 12 of a function's texts stands as "\x01" "12\x02", the last part of it if
// it is a path as "\x01" "12/\x02"; "\x01\x02" is the first of these letters.
struct SaidTexts {
  std::vector<std::string> texts; // by their numbers; that of the function's name is 0
  // Of arguments and results by their place in the signature, of sizes by their symbols.
  std::vector<size_t> arguments, results;
  std::map<int64_t, size_t> sizes;
  llvm::StringMap<size_t> places; // lines and scopes, by what they are

  size_t add(llvm::StringRef text) {
    texts.push_back(text.str());
    return texts.size() - 1;
  }
  // Of a line or scope, which all have one number that are the same.
  size_t addPlace(llvm::StringRef text);

  static std::string hole(size_t number);
  static std::string literal(llvm::StringRef text);
  std::string fill(llvm::StringRef pattern) const;
};

// Makes texts of a function, and notes if there is one that cannot be told apart from what it says
// of this function alone. Without texts patterns are of no use.
class Wording {
public:
  explicit Wording(const SaidTexts *texts = nullptr) : texts(texts) {}

  // The compiler's own words.
  static Said fixed(llvm::StringRef text) { return {text.str(), SaidTexts::literal(text)}; }
  // Words that are of this function alone.
  Said unknown(llvm::StringRef text);
  Said function(llvm::StringRef name) { return {name.str(), SaidTexts::hole(0)}; }
  Said argument(unsigned number, llvm::StringRef name);
  Said result(unsigned number, llvm::StringRef name);
  Said size(int64_t symbol, llvm::StringRef name);
  // Of words that are the compiler's own or part of the graph, and of sizes.
  Said message(const ir::SizedText &text, const ir::SizeNames &names);
  Said place(llvm::StringRef text); // "" stays
  // As ir::withSourceLine().
  Said withLine(Said message, llvm::StringRef line);

  bool isComplete() const { return texts && isKnown; }

private:
  Said known(const std::vector<size_t> &numbers, unsigned i, llvm::StringRef name);

  const SaidTexts *texts;
  bool isKnown = true;
};

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_ARTIFACT_SAIDTEXTS_H
