// The numbers of a slice that another slice of the same structure may have otherwise.
#ifndef KERATIN_FRONTEND_GRAPH_OPENNUMBERS_H
#define KERATIN_FRONTEND_GRAPH_OPENNUMBERS_H

#include "ir/dialect/Keratin.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace keratin::frontend {

struct OpenNumbers {
  // Of the shapes of values, one for each place.
  std::vector<int64_t> sizes;
  // Of the ops' lists of sizes (where a slice starts) and of integer constants (a count of
  // elements), one for each place.
  std::vector<int64_t> others;

  bool empty() const { return sizes.empty() && others.empty(); }

  // 0 and 1 mean something of their own (nothing there, repeated), and what is beyond any memory is
  // for the compiler to refuse.
  static bool isOpen(int64_t number) { return number > 1 && number < int64_t(1) << 40; }
  static bool isOpen(const ir::DimExpr &size) {
    return size.isConstant() && isOpen(size.constantValue());
  }
  // The number of a scalar constant that is open; nullopt for any other op.
  static std::optional<int64_t> ofConstant(mlir::Operation *op);
};

// Which of the open sizes of a slice are equal. Those are one size to the code that is made for it,
// so what broadcasts and what must agree is as it is there.
class SizePattern {
public:
  SizePattern() = default;
  explicit SizePattern(const std::vector<int64_t> &sizes);

  size_t count() const { return numDistinct; }
  bool operator==(const SizePattern &other) const { return numbers == other.numbers; }
  // Each of the sizes once, in the order in which they are met first. False, if some that are equal
  // in the pattern differ here; of different ones some may be equal.
  bool match(const std::vector<int64_t> &sizes, std::vector<int64_t> &distinct) const;

private:
  std::vector<uint32_t> numbers; // for each place that of its size
  size_t numDistinct = 0;
};

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_OPENNUMBERS_H
