#include "frontend/graph/SliceWork.h"

#include "ir/interfaces/OpCost.h"
#include "ir/interfaces/OpProperties.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace keratin;
using namespace keratin::frontend;

uint64_t frontend::workOf(const GraphSlice &slice) {
  constexpr int64_t operationsPerUnit = 32;
  uint64_t work = 0;
  for (mlir::Operation *op : slice.ops) {
    for (mlir::Value result : op->getResults()) {
      uint64_t elements = 1;
      for (int64_t size : ir::getTensorType(result).getShape())
        elements = llvm::SaturatingMultiply(elements, uint64_t(size));
      work = llvm::SaturatingAdd(work, elements);
    }
    if (!ir::isContraction(op))
      continue;
    ir::Count operations = ir::operationCount(op);
    work = llvm::SaturatingAdd(
        work, operations ? uint64_t(operations->constantValue()) / operationsPerUnit : UINT64_MAX);
  }
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
  return entry->work = llvm::SaturatingAdd(entry->work, work);
}
