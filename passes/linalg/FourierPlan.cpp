#include "passes/linalg/FourierPlan.h"

#include "ir/reference/FourierTransform.h"

#include "llvm/ADT/bit.h"

#include <algorithm>
#include <limits>
#include <map>

using namespace llvm;

namespace keratin::passes {

// Of an element in a stage: operations of the contraction with a matrix of 2 r rows, and what
// reading, turning and writing it takes, in as many operations.
static constexpr int64_t kTurn = 128;
static int64_t costOf(int64_t factor) { return 8 * factor + kTurn; }

// Matrices at most of this size, where smaller ones would do as well.
static constexpr int64_t kLargestFactor = 32;

namespace {

struct StageChoice {
  int64_t cost = 0, first = 1;
};

// The cheapest stages of a length and, on the way, of what is left of it behind each first one.
class StageSearch {
public:
  // A cost of more than any for a length that has none.
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

  const StageChoice &of(int64_t length);

private:
  std::map<int64_t, StageChoice> known{{1, {}}};
};

} // namespace

static bool isPrime(int64_t n) {
  for (int64_t p = 2; p * p <= n; ++p)
    if (n % p == 0)
      return false;
  return true;
}

const StageChoice &StageSearch::of(int64_t length) {
  auto [entry, isNew] = known.insert({length, {kNone, 1}});
  StageChoice &best = entry->second;
  if (!isNew)
    return best;
  for (int64_t factor = 2; factor <= std::min(length, ir::kLargestFourierFactor); ++factor) {
    if (length % factor != 0 || (factor > kLargestFactor && !isPrime(factor)))
      continue;
    const StageChoice &rest = of(length / factor);
    if (rest.cost != kNone && rest.cost + costOf(factor) < best.cost)
      best = {rest.cost + costOf(factor), factor};
  }
  return best;
}

std::optional<SmallVector<int64_t>> stageFactors(int64_t length) {
  StageSearch search;
  if (search.of(length).cost == StageSearch::kNone)
    return std::nullopt;
  SmallVector<int64_t> factors;
  for (int64_t rest = length; rest > 1; rest /= factors.back())
    factors.push_back(search.of(rest).first);
  std::sort(factors.rbegin(), factors.rend());
  return factors;
}

// Eights and fours of a power of two, then the odd primes; empty if there is one above 7.
static SmallVector<int64_t> writtenOut(int64_t length) {
  SmallVector<int64_t> factors;
  const unsigned twos = unsigned(llvm::countr_zero(uint64_t(length)));
  length >>= twos;
  // 16 is 4 x 4, which is less than 8 x 2.
  const unsigned fours = twos == 1 ? 0 : twos % 3 == 1 ? 2 : twos % 3 == 2 ? 1 : 0;
  factors.append((twos - 2 * fours) / 3, 8);
  factors.append(fours, 4);
  factors.append(twos == 1, 2);
  for (int64_t prime : {7, 5, 3})
    for (; length % prime == 0; length /= prime)
      factors.push_back(prime);
  return length == 1 ? factors : SmallVector<int64_t>();
}

SmallVector<int64_t> factorsSideBySide(int64_t length) {
  // What there are two rounds for is longer; the product with a smaller matrix takes less than
  // moves to columns and back.
  constexpr int64_t kLeast = 16, kMost = 63;
  return length < kLeast || length > kMost ? SmallVector<int64_t>() : writtenOut(length);
}

int64_t productOf(ArrayRef<int64_t> factors) {
  int64_t product = 1;
  for (int64_t factor : factors)
    product *= factor;
  return product;
}

int64_t FourierRounds::rows() const { return productOf(first); }
int64_t FourierRounds::columns() const { return productOf(second); }

std::optional<FourierRounds> fourierRounds(int64_t length, unsigned bits) {
  // Above, tables of rotations would have to be of more digits than two; and of float32 the fewer
  // stages of contractions with larger matrices take less once each goes through memory.
  constexpr int64_t kLeast = 64, kMost = 1 << 22, kMostFloats = 1 << 18;
  if (length < kLeast || length > (bits == 32 ? kMostFloats : kMost) || writtenOut(length).empty())
    return std::nullopt;
  int64_t rows = 1;
  for (int64_t divisor = 2; divisor * divisor <= length; ++divisor)
    if (length % divisor == 0)
      rows = divisor;
  return FourierRounds{writtenOut(rows), writtenOut(length / rows)};
}

int64_t lengthOfSmallFactors(int64_t least) {
  StageSearch search;
  int64_t best = 0;
  double bestCost = std::numeric_limits<double>::infinity();
  // Twice as long is a stage's cost too much.
  for (int64_t fives = 1; fives < 2 * least; fives *= 5)
    for (int64_t threes = fives; threes < 2 * least; threes *= 3)
      for (int64_t length = threes; length < 2 * least; length *= 2)
        if (length >= least && length > 1) {
          const double cost = double(length) * double(search.of(length).cost);
          if (cost < bestCost) {
            best = length;
            bestCost = cost;
          }
        }
  return best;
}

} // namespace keratin::passes
