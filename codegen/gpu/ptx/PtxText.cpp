#include "codegen/gpu/ptx/PtxText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <tuple>
#include <vector>

using namespace keratin::codegen;
using llvm::StringRef;

namespace {

// ".version 8.4", ".target sm_90a".
struct Header {
  std::tuple<unsigned, unsigned> version;
  std::tuple<unsigned, std::string> target; // 90, "a"

  void read(StringRef line) {
    if (line.consume_front(".version")) {
      auto [major, minor] = line.trim().split('.');
      unsigned first = 0, second = 0;
      major.getAsInteger(10, first);
      minor.getAsInteger(10, second);
      version = std::max(version, std::tuple(first, second));
    } else if (line.consume_front(".target")) {
      line = line.trim();
      line.consume_front("sm_");
      unsigned number = 0;
      line.consumeInteger(10, number);
      target = std::max(target, std::tuple(number, line.str()));
    }
  }
  std::string text() const {
    return ".version " + std::to_string(std::get<0>(version)) + "." +
           std::to_string(std::get<1>(version)) + "\n.target sm_" +
           std::to_string(std::get<0>(target)) + std::get<1>(target) + "\n.address_size 64\n";
  }
};

// What a module defines or declares, with the comments above it.
struct Item {
  std::string text;
  std::string code; // without comments
};

// "f" of ".visible .entry f(", ".extern .shared .align 16 .b8 f[];"
StringRef nameOf(StringRef code) {
  llvm::SmallVector<StringRef> words;
  llvm::SplitString(code.take_until([](char c) { return StringRef("([=;{").contains(c); }), words);
  return words.empty() ? StringRef() : words.back();
}

// Of dynamic shared memory.
constexpr StringRef sharedStart = ".extern .shared .align ";

unsigned alignmentOf(StringRef code) {
  unsigned alignment = 1;
  code.consume_front(sharedStart);
  code.consumeInteger(10, alignment);
  return alignment;
}

// Lines outside braces end an item with a ';', and inside the last brace ends one.
std::vector<Item> itemsOf(StringRef module, Header &header) {
  std::vector<Item> items;
  Item item;
  int64_t depth = 0;
  bool hasBody = false;
  for (StringRef line : llvm::split(module, '\n')) {
    StringRef code = line.split("//").first.trim();
    if (depth == 0 && !hasBody &&
        (code.starts_with(".version") || code.starts_with(".target") ||
         code.starts_with(".address_size"))) {
      header.read(code);
      item = {}; // of the comments above, who made the module
      continue;
    }
    if (line.trim() == "// -- End function" && !items.empty()) {
      items.back().text += line.str() + "\n";
      continue;
    }
    item.text += line.str() + "\n";
    if (code.empty())
      continue;
    item.code += code.str() + "\n";
    hasBody |= code.contains('{');
    depth += int64_t(code.count('{')) - int64_t(code.count('}'));
    if (depth == 0 && (hasBody ? code.contains('}') : code.ends_with(";"))) {
      items.push_back(std::move(item));
      item = {};
      hasBody = false;
    }
  }
  return items;
}

} // namespace

std::optional<std::string> keratin::codegen::mergePtx(llvm::ArrayRef<std::string> modules,
                                                      std::string *error) {
  Header header;
  std::vector<Item> merged;
  llvm::StringMap<size_t> places; // by name
  for (const std::string &module : modules)
    for (Item &item : itemsOf(module, header)) {
      auto [place, isNew] = places.try_emplace(nameOf(item.code), merged.size());
      if (isNew) {
        merged.push_back(std::move(item));
        continue;
      }
      Item &known = merged[place->second];
      if (known.code == item.code)
        continue;
      if (!StringRef(known.code).starts_with(sharedStart) ||
          !StringRef(item.code).starts_with(sharedStart)) {
        *error = "two functions define '" + place->first().str() + "' in PTX";
        return std::nullopt;
      }
      if (alignmentOf(item.code) > alignmentOf(known.code))
        known = std::move(item);
    }
  std::string text = header.text();
  for (const Item &item : merged)
    text += "\n" + StringRef(item.text).trim('\n').str() + "\n";
  return text;
}
