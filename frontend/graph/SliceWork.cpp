#include "frontend/graph/SliceWork.h"

#include "ir/interfaces/OpCost.h"
#include "ir/interfaces/OpProperties.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace keratin;
using namespace keratin::frontend;

static uint64_t elementsOf(mlir::ValueRange values) {
  uint64_t most = 0;
  for (mlir::Value value : values) {
    uint64_t elements = 1;
    for (int64_t size : ir::getTensorType(value).getShape())
      elements = mlir::ShapedType::isDynamic(size)
                     ? UINT64_MAX
                     : llvm::SaturatingMultiply(elements, uint64_t(size));
    most = std::max(most, elements);
  }
  return most;
}

// What is not known is too much.
static uint64_t numberOf(const ir::Count &count) {
  return count && count->isConstant() ? uint64_t(count->constantValue()) : UINT64_MAX;
}

static uint64_t workOf(mlir::Operation *op) {
  constexpr uint64_t movedElement = 32;
  if (llvm::isa<ir::LiteralOp, ir::UpdateOp, ir::DependOp>(op) || ir::costsNothing(op))
    return 0;
  if (llvm::isa<ir::ElementwiseOpInterface>(op))
    return elementsOf(op->getResults());
  if (ir::isContraction(op))
    return numberOf(ir::operationCount(op));
  if (op->getNumRegions()) {
    // Of the steps of some loops nobody knows the number, and what is moved in a step not counted.
    bool isUnbounded = llvm::isa<ir::WhileOp>(op);
    for (mlir::Region &region : op->getRegions())
      region.walk([&](ir::WhileOp) { isUnbounded = true; });
    return isUnbounded ? UINT64_MAX
                       : llvm::SaturatingMultiply(numberOf(ir::operationCount(op)), movedElement);
  }
  return llvm::SaturatingMultiply(
      std::max(elementsOf(op->getOperands()), elementsOf(op->getResults())), movedElement);
}

uint64_t frontend::workOf(const GraphSlice &slice) {
  uint64_t work = 0;
  for (mlir::Operation *op : slice.ops)
    work = llvm::SaturatingAdd(work, ::workOf(op));
  return work;
}

uint64_t WorkDone::add(const OpenNumbers &numbers, uint64_t work) {
  const size_t digest =
      llvm::hash_combine(llvm::hash_combine_range(numbers.sizes.begin(), numbers.sizes.end()),
                         llvm::hash_combine_range(numbers.others.begin(), numbers.others.end()));
  auto entry = llvm::find_if(entries, [&](const Entry &known) { return known.digest == digest; });
  if (entry == entries.end()) {
    entry = &entries[oldest++ % entries.size()];
    *entry = {digest, 0};
  }
  all = llvm::SaturatingAdd(all, work);
  return entry->work = llvm::SaturatingAdd(entry->work, work);
}
