// The settings that a keras.json holds.
#ifndef KERATIN_FRONTEND_BACKEND_KERASJSON_H
#define KERATIN_FRONTEND_BACKEND_KERASJSON_H

#include <optional>
#include <string>
#include <string_view>

namespace keratin::frontend {

// Empty where the file says nothing.
struct KerasJson {
  std::string floatx, dataFormat, backend;
  std::optional<double> epsilon;
};

// Larger files are not read: what they become takes many times their bytes.
constexpr size_t kMaxKerasJsonBytes = size_t(1) << 20;

// Invalid JSON counts as empty, as it does to Keras; an illegal value throws an AssertionError that
// names the path.
KerasJson parseKerasJson(std::string_view text, const std::string &path);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_KERASJSON_H
