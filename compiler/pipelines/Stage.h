// What can be looked at of a compilation, by one name in all tools, dump folders and pages.
#ifndef KERATIN_COMPILER_PIPELINES_STAGE_H
#define KERATIN_COMPILER_PIPELINES_STAGE_H

#include <optional>
#include <string>
#include <vector>

namespace keratin::compiler {

// In order: what each phase of planning leaves, and what comes of that.
enum class Stage {
  Input,      // as given
  Graph,      // in formulas that do not overflow, before gradients
  Gradient,   // gradients expanded
  Simplified, // after algebra, constants, common subexpressions
  Fused,      // kernels formed
  Plan,       // kernels in order, with their places in memory
  Host,       // with the host's program beside the function
  Kernels,    // what the target makes of each kernel
  Llvm,       // the host's code
  Assembly,
  Ptx, // a device's code
  Sass
};
inline constexpr int stageCount = int(Stage::Sass) + 1;

// "input", "graph", "grad", "simplified", "fused", "plan", "host", "kernels", "llvm", "asm", "ptx",
// "sass".
const char *stageName(Stage stage);
std::optional<Stage> stageByName(const std::string &name);
// From the first to the last, for lists of choices.
std::vector<std::string> stageNames(Stage first, Stage last);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_PIPELINES_STAGE_H
