#include "tests/cuda/Mutants.h"

#include "tests/cuda/ptx/Program.h"

#include <algorithm>

namespace keratin::ptx {

namespace {

bool isOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool has(const Statement &statement, std::string_view word) {
  return std::find(statement.words.begin(), statement.words.end(), word) != statement.words.end();
}

bool comparesBySize(const Statement &statement) {
  if (statement.words[0] != "setp" || statement.words.size() < 3)
    return false;
  const TypeFacts *type = typeNamed(statement.words.back());
  return type && !isFloat(type->type) &&
         isOneOf(statement.words[1], {".lt", ".le", ".gt", ".ge", ".lo", ".ls", ".hi", ".hs"});
}

// Whether the guard of statement `index` was last set by such a comparison.
bool isSizeGuard(const Function &function, size_t index) {
  const Statement &guarded = function.statements[index];
  for (size_t i = index; i-- > 0;) {
    const Statement &before = function.statements[i];
    if (before.operands.empty())
      continue;
    const Operand &result = before.operands[0];
    if (result.kind == Operand::RegisterName && result.index == guarded.guard)
      return comparesBySize(before);
  }
  return false;
}

bool isGuardedAccess(const Function &function, size_t index) {
  const Statement &statement = function.statements[index];
  return statement.guarded && isOneOf(statement.words[0], {"ld", "st", "atom", "red"}) &&
         isSizeGuard(function, index);
}

bool isForwardBranch(const Function &function, size_t index) {
  const Statement &statement = function.statements[index];
  return statement.guarded && statement.words[0] == "bra" && statement.operands[0].index > index &&
         isSizeGuard(function, index);
}

// The text with `length` characters from `from` on blanked out.
std::string without(std::string_view text, size_t from, size_t length) {
  std::string result(text);
  for (size_t i = from; i < from + length; ++i)
    if (result[i] != '\n')
      result[i] = ' ';
  return result;
}

void mutateFunction(std::string_view ptx, const Function &function, std::vector<Mutant> &into) {
  for (size_t i = 0; i < function.statements.size(); ++i) {
    const Statement &statement = function.statements[i];
    size_t begin = size_t(statement.text.data() - ptx.data()), end = ptx.find(';', begin) + 1;
    // The guard stands before the text.
    size_t guard = statement.guarded ? ptx.rfind('@', begin) : begin;
    auto add = [&](Mutant::Kind kind, size_t from, size_t to) {
      into.push_back({kind, statement.line, std::string(ptx.substr(guard, end - guard)),
                      without(ptx, from, to - from)});
    };
    bool isBarrier = isOneOf(statement.words[0], {"bar", "barrier"}) && !has(statement, ".red");
    bool isWait = isOneOf(statement.words[0], {"cp", "wgmma"}) &&
                  (has(statement, ".wait_group") || has(statement, ".wait_all"));
    bool isFence = (statement.words[0] == "wgmma" &&
                    (has(statement, ".fence") || has(statement, ".commit_group"))) ||
                   (statement.words[0] == "fence" && has(statement, ".proxy"));
    if (isBarrier)
      add(Mutant::Barrier, guard, end);
    else if (isWait)
      add(Mutant::Wait, guard, end);
    else if (isFence)
      add(Mutant::Fence, guard, end);
    else if (isForwardBranch(function, i))
      add(Mutant::Guard, guard, end);
    else if (isGuardedAccess(function, i))
      add(Mutant::Guard, guard, begin);
  }
}

} // namespace

std::vector<Mutant> mutants(std::string_view ptx) {
  Program program = parseProgram(ptx);
  std::vector<Mutant> all;
  for (const auto &function : program.functions)
    mutateFunction(ptx, *function, all);
  return all;
}

} // namespace keratin::ptx
