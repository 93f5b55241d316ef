// What is known of the sizes of a function before it is called, beside that they are not negative.
// A function keeps it in an attribute of which nobody else knows:
//
//   func.func @f(%x: tensor<?x4xf32, #keratin.dims<d0, 4>>)
//       attributes {keratin.limits = {d0 = {max = 512 : i64, multiple_of = 8 : i64}}}
//
// Only sizes that are a dimension of an input have limits: the call checks them before any work.
// Whoever asks what a size is at most takes them from here. That a size is a multiple shows in the
// expressions themselves once keratin-divide-sizes has made the symbol count it by a unit:
//
//   func.func @f(%x: tensor<?x4xf32, #keratin.dims<8*d0, 4>>)
//       attributes {keratin.limits = {d0 = {max = 512 : i64, multiple_of = 8 : i64, unit = 8 :
//       i64}}}
#ifndef KERATIN_IR_DIALECT_SIZELIMITS_H
#define KERATIN_IR_DIALECT_SIZELIMITS_H

#include "ir/shapes/DimExpr.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include <limits>
#include <map>
#include <string>

namespace keratin::ir {

struct SizeLimits {
  static constexpr int64_t kNoMax = std::numeric_limits<int64_t>::max();

  int64_t min = 0, max = kNoMax, multipleOf = 1;

  // As far as multiples of multipleOf reach; without a max kNoMax.
  int64_t least() const;
  int64_t most() const;
  // Whether they say anything; whether there is a size that they allow, which least() is then.
  bool areStated() const { return min > 0 || max != kNoMax || multipleOf > 1; }
  bool canHold() const;
  bool allow(int64_t size) const;
  // A size that they allow, near another one, and not 0 for one that is not 0.
  int64_t nearest(int64_t size) const;
  // "at least 1, at most 512, a multiple of 8"
  std::string str() const;
  // What both say; nullopt where they contradict each other in a number that both state.
  std::optional<SizeLimits> with(const SizeLimits &other) const;
  bool operator==(const SizeLimits &other) const = default;
};

// A size of a function: `unit` times the symbol.
struct LimitedSize {
  SizeLimits limits;
  int64_t unit = 1;
};

// Those of a function that have limits, by symbol.
class LimitedSizes {
public:
  LimitedSizes() = default;
  explicit LimitedSizes(mlir::FunctionOpInterface function);
  // For the dialect's verifier.
  static mlir::LogicalResult verify(mlir::Operation *op, mlir::NamedAttribute attribute);
  static bool isAttribute(llvm::StringRef name);

  void set(int64_t symbol, const LimitedSize &size) { sizes[symbol] = size; }
  void attachTo(mlir::FunctionOpInterface function) const;

  const std::map<int64_t, LimitedSize> &all() const { return sizes; }
  // Of a symbol that has none: no limits, a unit of 1.
  LimitedSize of(int64_t symbol) const;
  // The symbol that a dimension of an input gives its value, if it is the unit of one: its number
  // is the dimension divided by the unit.
  std::optional<int64_t> symbolCountedBy(const DimExpr &dimension) const;
  // Bounds of a number computed from sizes; nullopt where there is none.
  std::optional<int64_t> least(const DimExpr &number) const;
  std::optional<int64_t> most(const DimExpr &number) const;

private:
  std::map<int64_t, LimitedSize> sizes;
};

} // namespace keratin::ir

#endif // KERATIN_IR_DIALECT_SIZELIMITS_H
