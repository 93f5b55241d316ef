#include "tests/support/PtxLint.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <string_view>

using namespace keratin::tests;

static const std::set<std::string_view> &knownInstructions() {
  static const std::set<std::string_view> known = {
      "abs",   "add",  "addc",   "and",   "atom",     "bar", "barrier",   "bfe",  "bfi",
      "bfind", "bra",  "brev",   "clz",   "copysign", "cp",  "cvt",       "cvta", "div",
      "ex2",   "exit", "fence",  "fma",   "fns",      "ld",  "ldmatrix",  "lop3", "mad",
      "madc",  "max",  "membar", "min",   "mma",      "mov", "mul",       "neg",  "not",
      "or",    "popc", "prmt",   "redux", "rem",      "ret", "rcp",       "sad",  "selp",
      "set",   "setp", "shf",    "shfl",  "shl",      "shr", "slct",      "sqrt", "st",
      "sub",   "subc", "testp",  "trap",  "vote",     "xor", "activemask"};
  return known;
}

static std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    parts.push_back(part);
  return parts;
}

static bool isFloat(const std::string &type) {
  return type == "f16" || type == "f16x2" || type == "bf16" || type == "bf16x2" || type == "f32" ||
         type == "f64";
}

static constexpr const char *notIeee = "arithmetic that is not IEEE's";

// What weights of attention are, which are rounded to 11 bits.
static bool isPower(const std::vector<std::string> &words) {
  return words == std::vector<std::string>{"ex2", "approx", "ftz", "f32"};
}

// Of an instruction, its name cut at the points.
static std::string problemOf(const std::vector<std::string> &words) {
  auto has = [&](std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  const std::string &name = words.front(), &type = words.back();
  if (!knownInstructions().contains(name))
    return "an instruction that no kernel is known to use";
  if (!isPower(words) && (has("ftz") || has("approx") || has("sat")))
    return notIeee;
  static const std::set<std::string_view> rounded = {"add", "sub", "mul",  "div",
                                                     "fma", "mad", "sqrt", "rcp"};
  if (rounded.contains(name) && isFloat(type) && !has("rn"))
    return "arithmetic that does not say that it rounds to the nearest";
  if (name == "mul" && has("hi") && type == "u32")
    return "a high word that ptxas subtracts from wrongly (HighWords.h)";
  bool accesses = name == "ld" || name == "st" || name == "atom";
  if (accesses && !has("global") && !has("shared") && !has("param"))
    return "an access to no memory in particular";
  if (has("local"))
    return "memory of a thread's own";
  return "";
}

static std::string trimmed(const std::string &line) {
  size_t begin = line.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : line.substr(begin);
}

std::string keratin::tests::lintPtx(const std::string &text) {
  int number = 0;
  std::string firstPower; // of the kernel, while it has no products
  bool hasProducts = false;
  for (const std::string &whole : split(text, '\n')) {
    ++number;
    std::string line = trimmed(whole.substr(0, whole.find("//")));
    if (line.starts_with("@"))
      line = trimmed(line.substr(line.find_first_of(" \t")));
    auto refuse = [&](const std::string &why) {
      return "line " + std::to_string(number) + ": " + why + ": " + line;
    };
    if (line.starts_with(".local"))
      return refuse("memory of a thread's own");
    if (line.starts_with(".visible .entry")) {
      if (!firstPower.empty())
        return firstPower;
      hasProducts = false;
    }
    bool isInstruction = !line.empty() && line[0] >= 'a' && line[0] <= 'z';
    if (!isInstruction)
      continue;
    std::string word = line.substr(0, line.find_first_of(" \t;"));
    const std::vector<std::string> words = split(word, '.');
    if (std::string why = problemOf(words); !why.empty())
      return refuse(why);
    hasProducts |= words.front() == "mma";
    if (hasProducts)
      firstPower.clear();
    else if (isPower(words) && firstPower.empty())
      firstPower = refuse(notIeee);
  }
  return firstPower;
}

PtxParts keratin::tests::partsOfPtx(const std::string &text) {
  static const std::string beginning = ".visible .entry ";
  PtxParts parts;
  size_t at = text.find("\n", text.find(".address_size"));
  parts.header = text.substr(0, at + 1);
  while (at != std::string::npos) {
    size_t begin = text.find(beginning, at);
    parts.shared += text.substr(at, begin == std::string::npos ? begin : begin - at);
    if (begin == std::string::npos)
      break;
    size_t name = begin + beginning.size(), end = text.find("\n}", begin) + 2;
    parts.kernels.push_back(
        {text.substr(name, text.find('(', name) - name), text.substr(begin, end - begin)});
    at = end;
  }
  return parts;
}
