// NumPy's .npz files: zip archives of .npy files.
// Source: PKWARE APPNOTE.TXT 6.3.10 (.ZIP File Format Specification).
//
// Hostile input, as in Npy.h. Sizes come from the central directory and are checked against the
// archive; no name in it is ever used as a path.
#ifndef KERATIN_COMPILER_ARRAYS_NPZ_H
#define KERATIN_COMPILER_ARRAYS_NPZ_H

#include "compiler/arrays/Array.h"

#include "absl/status/statusor.h"

#include <string_view>

namespace keratin::compiler {

// What an archive may ask of memory: all members together, inflated.
constexpr uint64_t npzBytesAllowed(uint64_t archiveBytes) {
  return (uint64_t(64) << 20) + 16 * archiveBytes;
}
constexpr size_t maxNpzMembers = 100'000;

// Those whose names, without ".npy", are wanted, in the archive's order; without a question, all.
// Stored and deflated members, zip64, no encryption. Errors as parseNpy, or RESOURCE_EXHAUSTED for
// more than is allowed.
absl::StatusOr<std::vector<NamedArray>>
parseNpz(std::string_view bytes,
         const std::function<bool(const std::string &)> &isWanted = nullptr);

// Stored members, with zip64's fields where numbers need them. Equal arrays give equal bytes.
// RESOURCE_EXHAUSTED, before anything is written, where names are too long or too many.
absl::Status writeNpz(const std::vector<NamedView> &arrays, const ByteSink &sink);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_ARRAYS_NPZ_H
