#include "benchmarks/keratin-bench/InnerLoops.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <vector>

using namespace keratin::bench;

namespace {

// A kernel as a row of instructions, with the places that labels stand at.
struct Code {
  struct Branch {
    size_t at;
    std::string label;
  };
  std::vector<bool> isProduct;
  std::map<std::string, size_t> labels;
  std::vector<Branch> branches;

  InnerLoop range(size_t begin, size_t end) const {
    InnerLoop loop;
    loop.instructions = int(end - begin);
    loop.products =
        int(std::count(isProduct.begin() + long(begin), isProduct.begin() + long(end), true));
    return loop;
  }

  InnerLoop innerLoop() const {
    std::vector<std::pair<size_t, size_t>> loops;
    for (const Branch &branch : branches)
      if (auto label = labels.find(branch.label);
          label != labels.end() &&
          label->second < branch.at) // what only branches to itself is padding
        loops.push_back({label->second, branch.at + 1});
    std::optional<InnerLoop> best;
    for (const auto &loop : loops) {
      bool hasInner = std::any_of(loops.begin(), loops.end(), [&](const auto &other) {
        return other != loop && other.first >= loop.first && other.second <= loop.second;
      });
      InnerLoop found = range(loop.first, loop.second);
      if (!hasInner && (!best || found.products > best->products))
        best = found;
    }
    // Loops that are written out leave others.
    InnerLoop whole = range(0, isProduct.size());
    return best && (best->products || !whole.products) ? *best : whole;
  }
};

bool startsWith(const std::string &text, const char *beginning) {
  return text.rfind(beginning, 0) == 0;
}

std::string trimmed(const std::string &line) {
  size_t begin = line.find_first_not_of(" \t"), end = line.find_last_not_of(" \t\r");
  return begin == std::string::npos ? "" : line.substr(begin, end + 1 - begin);
}

std::map<std::string, InnerLoop> loopsOf(const std::map<std::string, Code> &kernels) {
  std::map<std::string, InnerLoop> loops;
  for (const auto &[name, code] : kernels)
    loops[name] = code.innerLoop();
  return loops;
}

// Behind the predicate: "@%p1 bra $L" is "bra $L", "@!P0 BRA" is "BRA".
std::string withoutPredicate(const std::string &text) {
  return startsWith(text, "@") ? trimmed(text.substr(text.find_first_of(" \t"))) : text;
}

} // namespace

std::map<std::string, InnerLoop> keratin::bench::innerLoopsOfPtx(const std::string &text) {
  static const std::string entry = ".visible .entry ";
  std::map<std::string, Code> kernels;
  Code *code = nullptr;
  std::stringstream stream(text);
  for (std::string whole; std::getline(stream, whole);) {
    std::string line = trimmed(whole.substr(0, whole.find("//")));
    if (startsWith(line, entry.c_str()))
      code = &kernels[line.substr(entry.size(), line.find('(') - entry.size())];
    if (!code)
      continue;
    if (line.size() > 1 && line.back() == ':') {
      code->labels[line.substr(0, line.size() - 1)] = code->isProduct.size();
      continue;
    }
    std::string words = withoutPredicate(line);
    if (words.empty() || words[0] < 'a' || words[0] > 'z')
      continue;
    if (startsWith(words, "bra")) {
      size_t begin = words.find_first_of(" \t");
      code->branches.push_back(
          {code->isProduct.size(), trimmed(words.substr(begin, words.find(';') - begin))});
    }
    code->isProduct.push_back(startsWith(words, "fma.rn.f32") || startsWith(words, "mma.sync"));
  }
  return loopsOf(kernels);
}

// Instructions stand behind their addresses: "/*0040*/  @!P0 BRA `(.L_x_1) ;".
std::map<std::string, InnerLoop> keratin::bench::innerLoopsOfSass(const std::string &text) {
  static const std::string section = ".section\t.text.";
  std::map<std::string, Code> kernels;
  Code *code = nullptr;
  std::stringstream stream(text);
  for (std::string whole; std::getline(stream, whole);) {
    std::string line = trimmed(whole);
    if (size_t at = line.find(section); at != std::string::npos) {
      size_t name = at + section.size();
      code = &kernels[line.substr(name, line.find_first_of(",\t ", name) - name)];
    }
    if (!code)
      continue;
    if (startsWith(line, ".L_") && line.find(':') != std::string::npos) {
      code->labels[line.substr(0, line.find(':'))] = code->isProduct.size();
      continue;
    }
    size_t behind = startsWith(line, "/*") ? line.find("*/") : std::string::npos;
    if (behind == std::string::npos)
      continue;
    std::string words = withoutPredicate(trimmed(line.substr(behind + 2)));
    if (words.empty() || words[0] < 'A' || words[0] > 'Z' || startsWith(words, "NOP"))
      continue;
    if (size_t label = words.find("`("); startsWith(words, "BRA") && label != std::string::npos)
      code->branches.push_back(
          {code->isProduct.size(), words.substr(label + 2, words.find(')') - label - 2)});
    code->isProduct.push_back(startsWith(words, "FFMA") || startsWith(words, "HMMA"));
  }
  return loopsOf(kernels);
}
