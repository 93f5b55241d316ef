// Hugging Face's safetensors files: named arrays.
// Source: https://github.com/huggingface/safetensors (README.md, Format).
//
// What is read is treated as hostile: sizes are checked against the file before anything is asked
// for, and only what is wanted is kept.
#ifndef KERATIN_COMPILER_ARRAYS_SAFETENSORS_H
#define KERATIN_COMPILER_ARRAYS_SAFETENSORS_H

#include "compiler/arrays/Array.h"

#include "absl/status/statusor.h"

namespace keratin::compiler {

// A header, which is JSON, beyond this is refused.
constexpr uint64_t kMaxSafetensorsHeader = uint64_t(16) << 20;

// Puts the next so many bytes of a file there; or says why that failed.
using ByteSource = std::function<absl::Status(void *data, size_t bytes)>;

// The arrays of those names that `isWanted`, in the order of a file of so many bytes, which lie one
// behind the other and fill it behind the header. INVALID_ARGUMENT, which says what is wrong, for
// anything else, and what the source says. Nothing is asked for beyond the file's bytes.
absl::StatusOr<std::vector<NamedArray>>
readSafetensors(const ByteSource &source, uint64_t bytes,
                const std::function<bool(const std::string &)> &isWanted);

// The same of a file. UNAVAILABLE if it cannot be read. The bytes of all its arrays are added to
// `arrayBytes`, if there is one.
absl::StatusOr<std::vector<NamedArray>>
readSafetensorsFile(const std::string &path,
                    const std::function<bool(const std::string &)> &isWanted,
                    uint64_t *arrayBytes = nullptr);

void writeSafetensors(const std::vector<NamedView> &arrays, const ByteSink &sink);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_ARRAYS_SAFETENSORS_H
