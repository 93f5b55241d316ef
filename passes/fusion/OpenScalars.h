// Numbers in kernels that might be any others: functions that differ in these only have the same
// code, which takes them from memory.
#ifndef KERATIN_PASSES_FUSION_OPENSCALARS_H
#define KERATIN_PASSES_FUSION_OPENSCALARS_H

#include "ir/dialect/Keratin.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/MapVector.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace keratin::passes {

// Of a function whose kernels were formed: floating scalars that are finite, and neither 0 nor a
// power of two, with which machines compute in other ways. All that depends on their values was
// decided before. Equal ones are one, and they have numbers in the order in which they come up.
class OpenScalars {
public:
  explicit OpenScalars(mlir::func::FuncOp function);

  // Nullopt: the constant is not open.
  std::optional<size_t> numberOf(ir::ConstantOp constant) const;
  size_t size() const { return numbers.size(); }
  // The bytes of each, by their numbers.
  std::vector<std::string> bytes() const;

  // Of a constant that keratin-open-scalars has made; nullopt: of another.
  static std::optional<int64_t> numberOfOpened(mlir::Value constant);

private:
  llvm::MapVector<mlir::Attribute, size_t> numbers;
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_FUSION_OPENSCALARS_H
