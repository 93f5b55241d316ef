#include "passes/Passes.h"

#include "ir/dialect/SizeLimits.h"

#include "mlir/IR/AttrTypeSubElements.h"

#include "llvm/ADT/DenseSet.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_DIVIDESIZES
#include "passes/Passes.h.inc"

namespace {

struct DivideSizesPass : impl::DivideSizesBase<DivideSizesPass> {
  void runOnOperation() override {
    LimitedSizes sizes(getOperation());
    for (auto [symbol, size] : std::map(sizes.all()))
      if (size.limits.multipleOf > size.unit) {
        size.unit = size.limits.multipleOf;
        if (divide(symbol, size.unit / sizes.of(symbol).unit))
          sizes.set(symbol, size);
      }
    sizes.attachTo(getOperation());
  }

  // False, and nothing has changed, if a size cannot be written so.
  bool divide(int64_t symbol, int64_t unit) {
    bool fits = true;
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](DimsAttr dims) -> std::optional<Attribute> {
      std::optional<Shape> divided = divide(dims, symbol, unit);
      fits &= divided.has_value();
      return divided ? DimsAttr::get(&getContext(), *divided) : dims;
    });
    auto replaceAll = [&](Operation *op) {
      replacer.recursivelyReplaceElementsIn(op, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                            /*replaceTypes=*/true);
    };
    // Tried on a copy, which shows all that fails before anything is written.
    OwningOpRef<Operation *> attempt(getOperation()->clone());
    replaceAll(*attempt);
    if (fits)
      replaceAll(getOperation());
    return fits;
  }

  static std::optional<Shape> divide(DimsAttr dims, int64_t symbol, int64_t unit) {
    Shape divided;
    for (const DimExpr &dim : dims.getDims()) {
      std::optional<DimExpr> size = dim.substitute(
          [&](int64_t id) { return mul(DimExpr::symbol(id), DimExpr(id == symbol ? unit : 1)); });
      if (!size)
        return std::nullopt;
      divided.push_back(std::move(*size));
    }
    return divided;
  }
};

} // namespace
} // namespace keratin::passes
