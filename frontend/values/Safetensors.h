// Hugging Face's safetensors files: named arrays.
// Source: https://github.com/huggingface/safetensors (README.md, Format).
//
// What is read is treated as hostile: sizes are checked against the file before anything is asked
// for, and only what is wanted is kept.
#ifndef KERATIN_FRONTEND_VALUES_SAFETENSORS_H
#define KERATIN_FRONTEND_VALUES_SAFETENSORS_H

#include "keratin/array.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace keratin::frontend {

// What the header says of one tensor; its elements are the bytes [begin, end) behind the header.
struct SafetensorsEntry {
  std::string name;
  DType dtype;
  std::vector<int64_t> dims;
  uint64_t begin, end;
};

// A header, which is JSON, beyond this is refused.
constexpr uint64_t kMaxSafetensorsHeader = uint64_t(16) << 20;

// In the order of their bytes, which lie one behind the other and fill the `bytes` behind the
// header. ValueError, which says what is wrong, for anything else.
std::vector<SafetensorsEntry> parseSafetensorsHeader(std::string_view json, uint64_t bytes);

// The arrays of a file of those names that `isWanted`, in the file's order. ValueError for what is
// no such file, RuntimeError if it cannot be read; texts without the path.
std::vector<std::pair<std::string, Array>>
readSafetensors(const std::string &path, const std::function<bool(const std::string &)> &isWanted);

// RuntimeError if it cannot be written; then the file is as it was.
void writeSafetensors(const std::string &path,
                      const std::vector<std::pair<std::string, Array>> &arrays);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_VALUES_SAFETENSORS_H
