#include "tools/support/Sizes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace keratin;

void tools::addSizeOption(CommandLine &line, NamedNumbers &arguments, const char *help) {
  line.namedNumbers("--size", arguments, "NAME=N", help);
}

// "batch (d0), x_dim1 (d1)": first what people say.
static std::string listOf(llvm::ArrayRef<tools::KnownSize> known) {
  std::vector<std::string> texts;
  for (const tools::KnownSize &size : known) {
    std::vector<std::string> names = size.names;
    if (names.size() > 1)
      std::swap(names[0], names[1]);
    auto others = llvm::drop_begin(names);
    texts.push_back(names.front() + (others.empty() ? "" : " (" + llvm::join(others, ", ") + ")"));
  }
  return texts.empty() ? "it has no unknown sizes" : "there are " + llvm::join(texts, ", ");
}

absl::StatusOr<std::map<size_t, int64_t>> tools::findSizes(const NamedNumbers &arguments,
                                                           llvm::ArrayRef<KnownSize> known) {
  std::map<size_t, int64_t> sizes;
  for (const auto &[name, size] : arguments) {
    auto *found = llvm::find_if(known, [&name = name](const KnownSize &size) {
      return llvm::is_contained(size.names, name);
    });
    if (found == known.end())
      return absl::InvalidArgumentError("--size: the function has no size '" + name + "'; " +
                                        listOf(known));
    if (!found->limits.allow(size))
      return absl::InvalidArgumentError("--size: '" + name + "' is " + std::to_string(size) +
                                        "; needed " + found->limits.str());
    if (!sizes.try_emplace(size_t(found - known.begin()), size).second)
      return absl::InvalidArgumentError("--size: '" + name + "' is given twice");
  }
  return sizes;
}
