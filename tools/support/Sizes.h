// --size=NAME=N of the tools: what sizes are that only a call knows.
#ifndef KERATIN_TOOLS_SUPPORT_SIZES_H
#define KERATIN_TOOLS_SUPPORT_SIZES_H

#include "ir/dialect/SizeLimits.h"
#include "tools/support/CommandLine.h"

#include "absl/status/statusor.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace keratin::tools {

// Adds the option, which may be given several times; `help` says what holds without it.
void addSizeOption(CommandLine &line, NamedNumbers &arguments, const char *help);

struct KnownSize {
  // "d0", the axis of an input as the C header calls it ("x_dim0"), the name in a saved graph.
  std::vector<std::string> names;
  ir::SizeLimits limits;
};

// The sizes that the arguments give, by their numbers in `known`. Fails for a name that no size
// has, a size that is given twice, and one outside of its limits.
absl::StatusOr<std::map<size_t, int64_t>> findSizes(const NamedNumbers &arguments,
                                                    llvm::ArrayRef<KnownSize> known);

} // namespace keratin::tools

#endif // KERATIN_TOOLS_SUPPORT_SIZES_H
