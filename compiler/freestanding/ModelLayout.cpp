#include "compiler/freestanding/ModelLayout.h"

#include "llvm/ADT/STLExtras.h"

using namespace keratin;
using namespace keratin::compiler;

ModelLayout::ModelLayout(const ir::SavedGraph &graph,
                         const std::vector<FreestandingFunction> &functions, int64_t alignment)
    : boundary(alignment), offsets(graph.variables.size()) {
  std::vector<bool> isUpdated(graph.variables.size());
  for (const FreestandingFunction &function : functions) {
    const keratin_function_desc_t &f = function.descriptor();
    for (int32_t i = 0; i < f.num_updates; ++i)
      isUpdated[size_t(function.variables[size_t(f.updates[i].variable)])] = true;
  }
  for (auto [number, variable] : llvm::enumerate(graph.variables)) {
    bytes.push_back(int64_t(variable.bytes.size()));
    if (!isUpdated[number])
      continue;
    offsets[number] = state;
    state += aligned(bytes.back());
  }
}

bool ModelLayout::usesState(const FreestandingFunction &function) const {
  return llvm::any_of(function.variables,
                      [&](int32_t variable) { return offsets[size_t(variable)].has_value(); });
}

bool ModelLayout::writesState(const FreestandingFunction &function) const {
  return function.descriptor().num_updates > 0;
}

ModelLayout::Workspace ModelLayout::workspaceOf(const FreestandingFunction &function) const {
  const keratin_function_desc_t &f = function.descriptor();
  Workspace workspace;
  workspace.scratch = aligned(function.arenaBytes);
  workspace.bytes = workspace.scratch + aligned(f.scratch_bytes);
  for (int32_t i = 0; i < f.num_updates; ++i) {
    workspace.updates.emplace_back();
    if (f.updates[i].in_place)
      continue;
    workspace.updates.back() = workspace.bytes;
    workspace.bytes += aligned(bytes[size_t(function.variables[size_t(f.updates[i].variable)])]);
  }
  return workspace;
}
