// The inputs of a call: from files, from sizes and a seed.
#ifndef KERATIN_TOOLS_KERATINRUN_FEEDS_H
#define KERATIN_TOOLS_KERATINRUN_FEEDS_H

#include "tools/keratin-run/Program.h"
#include "tools/support/CommandLine.h"

#include <functional>
#include <map>
#include <optional>

namespace keratin::tools {

struct FeedOptions {
  std::vector<std::string> files; // NAME=FILE.npy, else FILE.npz
  NamedNumbers sizes;
  std::optional<uint64_t> seed; // random values for inputs that no file gives
  // Values of inputs that need not be given, by name.
  std::map<std::string, Array> defaults;
  // Other names of the signature's unknown sizes.
  std::vector<std::string> symbols;
};

// One array for each input of the signature. Every size that is not known from the files, from
// `sizes` or from a variable is 4. A float32 array is rounded for an input of bfloat16, which NumPy
// lacks; all else must have the input's dtype.
absl::StatusOr<std::vector<Array>> makeFeeds(const Program &program, const FeedOptions &options);

} // namespace keratin::tools

#endif // KERATIN_TOOLS_KERATINRUN_FEEDS_H
