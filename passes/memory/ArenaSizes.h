// Sizes that are known only at run time, for the files that lay out the arena: rounded up, guessed
// and compared.
#ifndef KERATIN_PASSES_MEMORY_ARENASIZES_H
#define KERATIN_PASSES_MEMORY_ARENASIZES_H

#include "ir/shapes/DimExpr.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>

namespace keratin::passes {

std::optional<ir::DimExpr> roundUp(const ir::DimExpr &bytes, int64_t alignment);
std::optional<int64_t> roundUp(int64_t bytes, int64_t alignment);

// Where guesses are made about sizes: few, usual, many.
inline constexpr int64_t kSampleSizes[] = {1, 32, 1000};
using Samples = std::array<int64_t, std::size(kSampleSizes)>;
inline constexpr size_t kUsual = 1;
// The values where all symbols are one of those; nullopt if one has none.
std::optional<Samples> sample(const ir::DimExpr &expr);

// Whether that is known of all sizes.
bool isNeverAbove(const ir::DimExpr &low, const ir::DimExpr &high);

} // namespace keratin::passes

#endif // KERATIN_PASSES_MEMORY_ARENASIZES_H
