#include "ir/dialect/SizeLimits.h"

#include "ir/dialect/Keratin.h"
#include "ir/dialect/Signature.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace keratin::ir;
using namespace mlir;

static constexpr llvm::StringLiteral kLimits = "keratin.limits";
static constexpr llvm::StringLiteral kMin = "min", kMax = "max", kMultipleOf = "multiple_of",
                                     kUnit = "unit";

//===-- One size ------------------------------------------------------------------------------===//

int64_t SizeLimits::most() const { return max == kNoMax ? kNoMax : max / multipleOf * multipleOf; }

int64_t SizeLimits::least() const {
  const int64_t below = min / multipleOf * multipleOf;
  int64_t least = below;
  if (below < min && llvm::AddOverflow(below, multipleOf, least))
    return kNoMax;
  return least;
}

bool SizeLimits::canHold() const {
  return min >= 0 && max >= 0 && multipleOf >= 1 && least() <= most() && least() != kNoMax;
}

bool SizeLimits::allow(int64_t size) const {
  return size >= min && size <= max && size % multipleOf == 0;
}

int64_t SizeLimits::nearest(int64_t size) const {
  int64_t multiple = (size + (multipleOf - 1) / 2) / multipleOf * multipleOf;
  if (size > 0)
    multiple = std::max(multiple, multipleOf);
  return std::clamp(multiple, least(), most());
}

std::string SizeLimits::str() const {
  std::vector<std::string> parts;
  if (min > 0)
    parts.push_back("at least " + std::to_string(min));
  if (max != kNoMax)
    parts.push_back("at most " + std::to_string(max));
  if (multipleOf > 1)
    parts.push_back("a multiple of " + std::to_string(multipleOf));
  return llvm::join(parts, ", ");
}

std::optional<SizeLimits> SizeLimits::with(const SizeLimits &other) const {
  const SizeLimits nothing;
  SizeLimits both = *this;
  for (auto number : {&SizeLimits::min, &SizeLimits::max, &SizeLimits::multipleOf}) {
    if (other.*number == nothing.*number)
      continue;
    if (both.*number != nothing.*number && both.*number != other.*number)
      return std::nullopt;
    both.*number = other.*number;
  }
  return both.canHold() ? std::optional(both) : std::nullopt;
}

//===-- Those of a function -------------------------------------------------------------------===//

static std::optional<int64_t> symbolNamed(StringRef key) {
  int64_t symbol;
  if (!key.consume_front("d") || key.getAsInteger(10, symbol) || symbol < 0)
    return std::nullopt;
  return symbol;
}

// nullopt for what is no such entry.
static std::optional<LimitedSize> sizeOf(Attribute attribute) {
  auto entry = dyn_cast<DictionaryAttr>(attribute);
  if (!entry)
    return std::nullopt;
  LimitedSize size;
  for (NamedAttribute number : entry) {
    auto value = dyn_cast<IntegerAttr>(number.getValue());
    int64_t *place = number.getName() == kMin          ? &size.limits.min
                     : number.getName() == kMax        ? &size.limits.max
                     : number.getName() == kMultipleOf ? &size.limits.multipleOf
                     : number.getName() == kUnit       ? &size.unit
                                                       : nullptr;
    if (!place || !value || !value.getType().isSignlessInteger(64))
      return std::nullopt;
    *place = value.getInt();
  }
  if (!size.limits.canHold() || size.unit < 1 || size.limits.multipleOf % size.unit != 0)
    return std::nullopt;
  return size;
}

LimitedSizes::LimitedSizes(FunctionOpInterface function) {
  if (auto all = function->getAttrOfType<DictionaryAttr>(kLimits))
    for (NamedAttribute entry : all)
      sizes[*symbolNamed(entry.getName())] = *sizeOf(entry.getValue());
}

bool LimitedSizes::isAttribute(StringRef name) { return name == kLimits; }

LogicalResult LimitedSizes::verify(Operation *op, NamedAttribute attribute) {
  auto all = dyn_cast<DictionaryAttr>(attribute.getValue());
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!all || !function)
    return op->emitError() << kLimits << " must be a dictionary of a function's sizes";
  for (NamedAttribute entry : all) {
    std::optional<int64_t> symbol = symbolNamed(entry.getName());
    std::optional<LimitedSize> size = sizeOf(entry.getValue());
    if (!symbol || !size)
      return op->emitError() << kLimits << ": " << entry.getName().strref() << " = "
                             << entry.getValue()
                             << "; needed the limits of a size, as in d0 = {min = 1, max = 512, "
                                "multiple_of = 8}, which some size keeps";
    std::optional<DimExpr> whole = mul(DimExpr::symbol(*symbol), DimExpr(size->unit));
    const Signature signature(function);
    bool isInput = false;
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
      isInput |= isa<RankedTensorType>(type) && whole &&
                 llvm::is_contained(signature.statedShape(unsigned(i)), *whole);
    if (!isInput)
      return op->emitError() << kLimits << ": " << entry.getName().strref()
                             << " is no dimension of an input";
  }
  return success();
}

void LimitedSizes::attachTo(FunctionOpInterface function) const {
  Builder b(function->getContext());
  SmallVector<NamedAttribute> all;
  for (const auto &[symbol, size] : sizes) {
    const SizeLimits nothing;
    SmallVector<NamedAttribute> numbers;
    auto add = [&](StringRef name, int64_t number, int64_t unsaid) {
      if (number != unsaid)
        numbers.push_back(b.getNamedAttr(name, b.getI64IntegerAttr(number)));
    };
    add(kMin, size.limits.min, nothing.min);
    add(kMax, size.limits.max, nothing.max);
    add(kMultipleOf, size.limits.multipleOf, nothing.multipleOf);
    add(kUnit, size.unit, 1);
    if (!numbers.empty())
      all.push_back(b.getNamedAttr("d" + std::to_string(symbol), b.getDictionaryAttr(numbers)));
  }
  if (all.empty())
    function->removeAttr(kLimits);
  else
    function->setAttr(kLimits, b.getDictionaryAttr(all));
}

LimitedSize LimitedSizes::of(int64_t symbol) const {
  auto found = sizes.find(symbol);
  return found == sizes.end() ? LimitedSize() : found->second;
}

std::optional<int64_t> LimitedSizes::symbolCountedBy(const DimExpr &dimension) const {
  if (dimension.isConstant())
    return std::nullopt;
  std::vector<int64_t> symbols = dimension.symbols();
  if (symbols.size() != 1 || dimension != mul(DimExpr::symbol(symbols[0]), of(symbols[0]).unit))
    return std::nullopt;
  return symbols[0];
}

// With symbols for what sizes are above the least, so that 0 is the least of all.
static std::optional<DimExpr> aboveLeast(const DimExpr &number, const LimitedSizes &limited) {
  return number.substitute([&](int64_t symbol) {
    const LimitedSize size = limited.of(symbol);
    return add(DimExpr::symbol(symbol), DimExpr(size.limits.least() / size.unit));
  });
}

std::optional<int64_t> LimitedSizes::most(const DimExpr &number) const {
  if (number.isConstant())
    return number.constantValue();
  std::optional<DimExpr> above = sizes.empty() ? std::nullopt : aboveLeast(number, *this);
  if (!above)
    return std::nullopt;
  std::optional<DimExpr> bound = above->atMost([&](int64_t symbol) -> std::optional<DimExpr> {
    const LimitedSize size = of(symbol);
    if (size.limits.max == SizeLimits::kNoMax)
      return std::nullopt;
    return DimExpr((size.limits.most() - size.limits.least()) / size.unit);
  });
  return bound && bound->isConstant() ? std::optional(bound->constantValue()) : std::nullopt;
}

std::optional<int64_t> LimitedSizes::least(const DimExpr &number) const {
  if (sizes.empty())
    return number.lowerBound();
  std::optional<DimExpr> above = aboveLeast(number, *this), negated = sub(DimExpr(0), number);
  std::optional<int64_t> least = above ? above->lowerBound() : number.lowerBound();
  // What the negative is at most.
  std::optional<int64_t> most = negated ? this->most(*negated) : std::nullopt;
  if (most && *most != std::numeric_limits<int64_t>::min() && (!least || -*most > *least))
    least = -*most;
  return least;
}
