#include "frontend/graph/OpenNumbers.h"

#include "llvm/ADT/DenseMap.h"

using namespace keratin;
using namespace keratin::frontend;

std::optional<int64_t> OpenNumbers::ofConstant(mlir::Operation *op) {
  auto constant = llvm::dyn_cast<ir::ConstantOp>(op);
  if (!constant)
    return std::nullopt;
  mlir::RankedTensorType type = ir::getTensorType(constant);
  if (type.getRank() != 0 || !type.getElementType().isSignlessInteger(64))
    return std::nullopt;
  auto number = llvm::cast<mlir::DenseElementsAttr>(constant.getValue()).getSplatValue<int64_t>();
  return isOpen(number) ? std::optional(number) : std::nullopt;
}

SizePattern::SizePattern(const std::vector<int64_t> &sizes) {
  llvm::SmallDenseMap<int64_t, uint32_t, 16> known;
  numbers.reserve(sizes.size());
  for (int64_t size : sizes)
    numbers.push_back(known.try_emplace(size, known.size()).first->second);
  numDistinct = known.size();
}

bool SizePattern::match(const std::vector<int64_t> &sizes, std::vector<int64_t> &distinct) const {
  assert(sizes.size() == numbers.size() && "slices of other structures");
  distinct.assign(numDistinct, 0);
  for (size_t i = 0; i < sizes.size(); ++i) {
    int64_t &known = distinct[numbers[i]];
    if (known && known != sizes[i])
      return false;
    known = sizes[i];
  }
  return true;
}
