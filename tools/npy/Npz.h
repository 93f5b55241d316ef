// NumPy's .npz files: zip archives of .npy files.
// Source: PKWARE APPNOTE.TXT 6.3.10 (.ZIP File Format Specification).
//
// Hostile input, as in Npy.h. Sizes come from the central directory and are checked against the
// archive; no name in it is ever used as a path.
#ifndef KERATIN_TOOLS_NPY_NPZ_H
#define KERATIN_TOOLS_NPY_NPZ_H

#include "tools/npy/Array.h"

#include "absl/status/statusor.h"

#include <string_view>

namespace keratin::tools {

// What an archive may ask of memory: all members together, inflated.
constexpr uint64_t npzBytesAllowed(uint64_t archiveBytes) {
  return (uint64_t(64) << 20) + 16 * archiveBytes;
}
constexpr size_t maxNpzMembers = 10'000;

// In the archive's order, names without ".npy". Stored and deflated members, no encryption, no
// zip64. Errors as parseNpy, or RESOURCE_EXHAUSTED for more than is allowed.
absl::StatusOr<std::vector<NamedArray>> parseNpz(std::string_view bytes);

// Stored members. The archive must stay below 4 GiB (else RESOURCE_EXHAUSTED).
absl::StatusOr<std::string> formatNpz(const std::vector<NamedArray> &arrays);

} // namespace keratin::tools

#endif // KERATIN_TOOLS_NPY_NPZ_H
