// Slots of the sizes of a function.
#include "codegen/lowering/EntryFunction.h"

using namespace keratin::codegen;
using keratin::ir::DimExpr;

bool EntryDescription::addSymbol(int64_t id, int64_t unit) {
  assert(sizes.empty() && "slots of symbols come first");
  auto [symbol, isNew] = symbolSlots.try_emplace(id, int64_t(symbolSlots.size()));
  if (isNew && unit != 1) {
    counts.insert(id);
    // The product is the dimension of an input.
    sizeSlots[*mul(DimExpr::symbol(id), DimExpr(unit))] = symbol->second;
  }
  return isNew;
}

std::optional<int64_t> EntryDescription::slotOfSymbol(int64_t id) const {
  auto found = symbolSlots.find(id);
  return found == symbolSlots.end() ? std::nullopt : std::optional(found->second);
}

int64_t EntryDescription::slotOf(const DimExpr &size) {
  if (size.isSymbol() && !counts.contains(size.symbolId()))
    if (std::optional<int64_t> slot = slotOfSymbol(size.symbolId()))
      return *slot;
  auto [found, isNew] = sizeSlots.try_emplace(size, int64_t(symbolSlots.size() + sizes.size()));
  if (isNew)
    sizes.push_back(size);
  return found->second;
}
