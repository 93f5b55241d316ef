#include "tools/support/Sizes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace keratin;
using llvm::StringRef;

void tools::addSizeOption(CommandLine &line, std::vector<std::string> &arguments,
                          const char *help) {
  line.texts("--size", arguments, "NAME=N", help);
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

absl::StatusOr<std::map<size_t, int64_t>>
tools::parseSizes(const std::vector<std::string> &arguments, llvm::ArrayRef<KnownSize> known) {
  std::map<size_t, int64_t> sizes;
  for (const std::string &argument : arguments) {
    auto [name, number] = StringRef(argument).rsplit('=');
    int64_t size = 0;
    if (number.getAsInteger(10, size) || size < 0)
      return absl::InvalidArgumentError("--size needs NAME=N, found '" + argument + "'");
    auto *found = llvm::find_if(known, [name = name.str()](const KnownSize &size) {
      return llvm::is_contained(size.names, name);
    });
    if (found == known.end())
      return absl::InvalidArgumentError("--size: the function has no size '" + name.str() + "'; " +
                                        listOf(known));
    if (!found->limits.allow(size))
      return absl::InvalidArgumentError("--size: '" + name.str() + "' is " + std::to_string(size) +
                                        "; needed " + found->limits.str());
    if (!sizes.try_emplace(size_t(found - known.begin()), size).second)
      return absl::InvalidArgumentError("--size: '" + name.str() + "' is given twice");
  }
  return sizes;
}
