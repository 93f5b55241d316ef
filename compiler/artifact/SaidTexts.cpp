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
  auto found = texts->sizes.find(symbol);
  if (found != texts->sizes.end() && texts->texts[found->second] == name)
    return {name.str(), SaidTexts::hole(found->second)};
  // One that the compiler has made is called by no word of the function.
  return llvm::is_contained(texts->texts, name) ? unknown(name) : fixed(name);
}

Said Wording::message(const ir::SizedText &text, const ir::SizeNames &names) {
  Said said;
  for (const ir::SizedText::Part &part : text.parts()) {
    if (const auto *words = std::get_if<std::string>(&part)) {
      said += fixed(*words);
      continue;
    }
    const char *comma = "";
    for (const ir::DimExpr &of : std::get<ir::Shape>(part)) {
      said += fixed(comma);
      said +=
          {names.textBy([&](int64_t symbol) { return size(symbol, names[symbol]).text; }, of),
           names.textBy([&](int64_t symbol) { return size(symbol, names[symbol]).pattern; }, of)};
      comma = ", ";
    }
  }
  return said;
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
