// Element types.
#ifndef KERATIN_DTYPE_H
#define KERATIN_DTYPE_H

#include "keratin/error.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

namespace keratin {

// Python's None where a K function takes it.
inline constexpr std::nullopt_t None = std::nullopt;

// The numbers are those of keratin_dtype_t.
enum class DType : int32_t {
  Bool = 1,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Float16,
  BFloat16,
  Float32,
  Float64,
  Complex64,
  Complex128
};

// "float32", …; "invalid" for a number that is no DType.
const char *dtypeName(DType dtype);
// TypeError for an unknown name, or NULL.
DType dtypeFromName(const std::string &name);
DType dtypeFromName(const char *name);
// 0 for a number that is no DType, which neither of the others is.
size_t dtypeSize(DType dtype);
bool isFloating(DType dtype); // not complex
bool isInteger(DType dtype);  // not bool
bool isComplex(DType dtype);

// The same DType; TypeError for a number that is none.
DType checkedDType(DType dtype);

// The DType of a C++ type; bool is stored as one byte.
template <typename T> constexpr DType dtypeOf() {
  static_assert(std::is_arithmetic_v<T>, "no DType holds this type");
  if constexpr (std::is_same_v<T, bool>)
    return DType::Bool;
  else if constexpr (std::is_same_v<T, float>)
    return DType::Float32;
  else if constexpr (std::is_floating_point_v<T>)
    return DType::Float64;
  else if constexpr (std::is_signed_v<T>)
    return sizeof(T) == 1   ? DType::Int8
           : sizeof(T) == 2 ? DType::Int16
           : sizeof(T) == 4 ? DType::Int32
                            : DType::Int64;
  else
    return sizeof(T) == 1   ? DType::UInt8
           : sizeof(T) == 2 ? DType::UInt16
           : sizeof(T) == 4 ? DType::UInt32
                            : DType::UInt64;
}

// A dtype parameter: a DType, its name, or None (what that means is said by each function).
class DTypeArgument {
public:
  DTypeArgument(std::nullopt_t) {}
  DTypeArgument(DType type) : dtype(checkedDType(type)) {}
  DTypeArgument(const char *name) : dtype(dtypeFromName(name)) {}
  DTypeArgument(const std::string &name) : dtype(dtypeFromName(name)) {}

  bool isNone() const { return !dtype; }
  DType valueOr(DType other) const { return dtype.value_or(other); }

private:
  std::optional<DType> dtype;
};

} // namespace keratin

#endif // KERATIN_DTYPE_H
