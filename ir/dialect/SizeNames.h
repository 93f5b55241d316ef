// How people call the sizes of a function. Its symbols are numbers (d0); a user may name a size
// ("batch"), which a function keeps in an attribute of which nobody else knows:
//
//   func.func @f(…) attributes {keratin.sizes = ["batch", ""]}     d0 is batch, d1 has no name
//
// A size without a name is called after what gives it its value: "images_dim0", the first dimension
// of an input; "n_value", "n_positive_part" and "n_negative_part", what an input or variable is;
// "computed_size", what the call computes. Where a symbol counts a size by a unit (SizeLimits.h),
// the name is the whole size's: 8*d0 is batch.
#ifndef KERATIN_IR_DIALECT_SIZENAMES_H
#define KERATIN_IR_DIALECT_SIZENAMES_H

#include "ir/dialect/SizeLimits.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

#include <string>
#include <utility>
#include <vector>

namespace keratin::ir {

class SizeNames {
public:
  static constexpr size_t kMostLetters = 64;

  // What a user may call a size: letters, digits and _, a letter first.
  static bool isName(llvm::StringRef text);
  // Says how the user calls symbols.
  static void set(mlir::FunctionOpInterface function,
                  const std::vector<std::pair<int64_t, std::string>> &names);
  // All that the user gave; of a symbol, "" if it has none.
  static std::vector<llvm::StringRef> given(mlir::FunctionOpInterface function);
  static llvm::StringRef given(mlir::FunctionOpInterface function, int64_t symbol);
  // For the dialect's verifier.
  static mlir::LogicalResult verify(mlir::Operation *op, mlir::NamedAttribute attribute);
  static llvm::StringRef attribute();
  static bool isAttribute(llvm::StringRef name) { return name == attribute(); }

  explicit SizeNames(mlir::FunctionOpInterface function);

  // Different for different symbols. The name of the size that the symbol is, or counts.
  std::string operator[](int64_t symbol) const;
  // Of all sizes that something gives a value, by their symbols.
  std::vector<std::pair<int64_t, std::string>> all() const;
  // "4*batch + 3"
  std::string text(const DimExpr &size) const;
  // "(2, batch)"
  std::string text(const std::vector<DimExpr> &shape) const;
  static std::string text(const DimExpr &size,
                          llvm::function_ref<std::string(int64_t symbol)> name);
  // As text(), but by these names of the sizes that symbols are, or count.
  std::string textBy(llvm::function_ref<std::string(int64_t symbol)> name,
                     const DimExpr &size) const;

private:
  void add(int64_t symbol, const std::string &name);

  LimitedSizes limits;
  llvm::DenseMap<int64_t, std::string> names;
  llvm::StringSet<> taken;
};

} // namespace keratin::ir

#endif // KERATIN_IR_DIALECT_SIZENAMES_H
