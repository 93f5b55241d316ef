#include "compiler/pipelines/Stage.h"

#include <iterator>

using namespace keratin::compiler;

static constexpr const char *names[] = {"input", "graph",   "grad", "simplified", "fused", "plan",
                                        "host",  "kernels", "llvm", "asm",        "ptx",   "sass"};
static_assert(std::size(names) == stageCount);

const char *keratin::compiler::stageName(Stage stage) { return names[int(stage)]; }

std::optional<Stage> keratin::compiler::stageByName(const std::string &name) {
  for (int i = 0; i < stageCount; ++i)
    if (name == names[i])
      return Stage(i);
  return std::nullopt;
}

std::vector<std::string> keratin::compiler::stageNames(Stage first, Stage last) {
  return {names + int(first), names + int(last) + 1};
}
