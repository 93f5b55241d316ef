#include "compiler/artifact/SaidTexts.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <tuple>

using namespace keratin::compiler;
using llvm::StringRef;

static constexpr char kOpen = '\x01', kClose = '\x02';

size_t SaidTexts::addPlace(StringRef text) {
  auto [found, isNew] = places.try_emplace(text, texts.size());
  if (isNew)
    texts.push_back(text.str());
  return found->second;
}

std::string SaidTexts::hole(size_t number) { return kOpen + std::to_string(number) + kClose; }

std::string SaidTexts::literal(StringRef text) {
  std::string pattern;
  for (char letter : text) {
    pattern += letter;
    if (letter == kOpen)
      pattern += kClose;
  }
  return pattern;
}

std::string SaidTexts::fill(StringRef pattern) const {
  std::string text;
  while (!pattern.empty()) {
    auto [before, hole] = pattern.split(kOpen);
    text += before;
    if (before.size() == pattern.size())
      break;
    StringRef number;
    std::tie(number, pattern) = hole.split(kClose);
    size_t index;
    bool isFile = number.consume_back("/");
    if (number.empty())
      text += kOpen;
    else if (llvm::to_integer(number, index, 10) && index < texts.size())
      text += isFile ? llvm::sys::path::filename(texts[index]) : StringRef(texts[index]);
  }
  return text;
}

Said Wording::unknown(StringRef text) {
  isKnown = false;
  return fixed(text);
}

static bool isPartOfWord(char letter) {
  return llvm::isAlnum(letter) || StringRef("_-./:").contains(letter);
}

// Whether a size is called after a dimension (ir::SizeNames): no word of the compiler's is like
// that.
static bool isDimension(StringRef name) {
  const size_t found = name.rfind("_dim");
  return found != StringRef::npos && found + 4 < name.size() && llvm::isDigit(name[found + 4]);
}

void Wording::collectWords() {
  if (numberOf)
    return;
  numberOf.emplace();
  llvm::StringMap<unsigned> counts;
  for (const std::string &each : texts->texts) {
    if (each.empty())
      continue;
    numberOf->try_emplace(each);
    ++counts[each];
    if (!llvm::all_of(each, isPartOfWord) && !texts->places.contains(each))
      phrases.push_back(each);
  }
  for (const auto &[symbol, number] : texts->sizes)
    if (const std::string &name = texts->texts[number]; isDimension(name) && counts[name] == 1)
      (*numberOf)[name] = number;
}

Said Wording::message(StringRef text) {
  if (!texts)
    return fixed(text);
  collectWords();
  if (llvm::any_of(phrases, [&](StringRef phrase) { return text.contains(phrase); }))
    return unknown(text);
  Said said;
  for (StringRef rest = text; !rest.empty();) {
    said += fixed(rest.take_until(isPartOfWord));
    rest = rest.drop_until(isPartOfWord);
    const StringRef word = rest.take_while(isPartOfWord);
    rest = rest.drop_front(word.size());
    // "-x_dim0" may be the size x_dim0.
    StringRef name = word.rtrim(":."), unsignedName = name;
    auto found = numberOf->find(name);
    if (unsignedName.consume_front("-"))
      if (auto other = numberOf->find(unsignedName); other != numberOf->end()) {
        if (found != numberOf->end())
          return unknown(text);
        said += fixed("-");
        found = other;
        name = unsignedName;
      }
    if (found == numberOf->end()) {
      said += fixed(word);
    } else if (std::optional<size_t> number = found->second) {
      said += {name.str(), SaidTexts::hole(*number)};
      said += fixed(word.drop_front(name.end() - word.begin()));
    } else {
      return unknown(text);
    }
  }
  return said;
}

Said Wording::known(const std::vector<size_t> &numbers, unsigned i, StringRef name) {
  if (!texts || i >= numbers.size() || texts->texts[numbers[i]] != name)
    return unknown(name);
  return {name.str(), SaidTexts::hole(numbers[i])};
}

Said Wording::argument(unsigned number, StringRef name) {
  return texts ? known(texts->arguments, number, name) : unknown(name);
}

Said Wording::result(unsigned number, StringRef name) {
  return texts ? known(texts->results, number, name) : unknown(name);
}

Said Wording::size(int64_t symbol, StringRef name) {
  if (!texts)
    return unknown(name);
  // One that the compiler has made is called by no word of the function.
  auto found = texts->sizes.find(symbol);
  return found == texts->sizes.end() || texts->texts[found->second] != name
             ? message(name)
             : Said{name.str(), SaidTexts::hole(found->second)};
}

Said Wording::place(StringRef text) {
  if (text.empty())
    return {};
  auto found = texts ? texts->places.find(text) : decltype(texts->places.find(text))();
  return !texts || found == texts->places.end() ? unknown(text)
                                                : Said{text.str(), SaidTexts::hole(found->second)};
}

Said Wording::withLine(Said message, StringRef line) {
  if (!line.empty()) {
    message += fixed("; at ");
    message += place(line);
  }
  return message;
}
