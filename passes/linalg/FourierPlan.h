// In which stages a Fourier transform of a known length is done.
#ifndef KERATIN_PASSES_LINALG_FOURIERPLAN_H
#define KERATIN_PASSES_LINALG_FOURIERPLAN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace keratin::passes {

// Elements of a table of rotations at most. Above, rotations are products of those by each digit of
// a place.
constexpr int64_t kTableElements = 1 << 14;

int64_t productOf(llvm::ArrayRef<int64_t> factors);

// The factors whose product the length is, the largest first: each is a stage, a contraction with a
// matrix of that size. nullopt if a prime factor is too large for that. Precondition: length > 1.
std::optional<llvm::SmallVector<int64_t>> stageFactors(int64_t length);

// The factors of rows and columns of the matrix that a line is; each is a stage of a round.
struct FourierRounds {
  llvm::SmallVector<int64_t> first, second;

  int64_t rows() const;
  int64_t columns() const;
};

// nullopt if the length has a prime factor above 7, too few elements for rows and columns to be
// worth it, or too many of so many bits.
std::optional<FourierRounds> fourierRounds(int64_t length, unsigned bits);

// The factors of a short line of which many are transformed side by side, in stages of one round;
// empty: it is not short, or has a prime factor above 7.
llvm::SmallVector<int64_t> factorsSideBySide(int64_t length);

// Of the lengths with small factors, none less than `least`, the one whose stages cost least.
int64_t lengthOfSmallFactors(int64_t least);

} // namespace keratin::passes

#endif // KERATIN_PASSES_LINALG_FOURIERPLAN_H
