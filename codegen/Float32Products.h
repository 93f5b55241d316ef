// In what precision products of float32 numbers may be computed.
#ifndef KERATIN_CODEGEN_FLOAT32PRODUCTS_H
#define KERATIN_CODEGEN_FLOAT32PRODUCTS_H

#include "llvm/ADT/StringSwitch.h"

#include <optional>

namespace keratin::codegen {

// Of contractions and convolutions. Whoever asks for less than float32 allows it: a target that
// gains nothing by it computes in float32.
enum class Float32Products {
  Float32,
  Tf32, // factors are rounded to the 11 significant bits of tf32; sums stay float32
};

// "float32" or "tf32", as options say it; nullopt for anything else.
inline std::optional<Float32Products> float32ProductsByName(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Float32Products>>(name)
      .Case("float32", Float32Products::Float32)
      .Case("tf32", Float32Products::Tf32)
      .Default(std::nullopt);
}

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_FLOAT32PRODUCTS_H
