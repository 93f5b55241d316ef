#include "tests/support/FailureReduction.h"

#include "compiler/numerics/FunctionReducer.h"

#include <regex>

using namespace keratin;
using namespace keratin::tests;
using namespace mlir;

Failure tests::failureIn(const std::string &step, const std::string &detail) {
  return {step, detail.empty() ? step : step + ": " + detail};
}

Failure tests::refusalIn(const std::string &step, const std::string &message) {
  static const std::regex own("; at .*|\\[[^\\]]*\\]|\\([^)]*\\)|[-%#]?[0-9][0-9.]*");
  return {step + ": " + std::regex_replace(message, own, "_"), step + ": " + message};
}

ReducedFailure tests::reduceFailure(func::FuncOp function, std::vector<Symbols> calls,
                                    const Failure &failure, const FindFailure &find) {
  auto fails = [&](func::FuncOp candidate, const std::vector<Symbols> &with) {
    std::optional<Failure> found = find(candidate, with);
    return found && found->kind == failure.kind;
  };
  for (const Symbols &call : calls)
    if (fails(function, {call})) {
      calls = {call};
      break;
    }
  compiler::FunctionReducer reducer(
      function, [&](func::FuncOp candidate) { return fails(candidate, calls); });
  reducer.run();
  for (auto [id, was] : Symbols(calls.front()))
    for (int64_t size = 1; size < std::min<int64_t>(was, 6); ++size) {
      std::vector<Symbols> smaller = calls;
      smaller.front()[id] = size;
      if (fails(reducer.function(), smaller)) {
        calls = std::move(smaller);
        break;
      }
    }
  std::optional<Failure> last = find(reducer.function(), calls);
  return {compiler::copyOf(reducer.function()), std::move(calls), last ? *last : failure};
}
