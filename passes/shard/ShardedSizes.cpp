#include "passes/shard/ShardedSizes.h"

using namespace keratin::passes;
using namespace keratin::ir;

bool keratin::passes::isAdditive(const DimExpr &size, const Symbols &sharded) {
  auto scaled = [&](int64_t factor) {
    return size.substitute([&](int64_t symbol) {
      DimExpr own = DimExpr::symbol(symbol);
      return sharded.contains(symbol) ? mul(own, DimExpr(factor)) : std::optional(own);
    });
  };
  std::optional<DimExpr> twice = mul(size, DimExpr(2)), seven = mul(size, DimExpr(7));
  return twice && seven && scaled(2) == twice && scaled(7) == seven;
}
