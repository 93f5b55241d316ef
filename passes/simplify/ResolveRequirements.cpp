#include "passes/Passes.h"

#include "ir/dialect/GraphError.h"
#include "ir/dialect/SizeLimits.h"
#include "ir/dialect/SizeNames.h"
#include "ir/dialect/SizedText.h"

#include <set>

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_RESOLVEREQUIREMENTS
#include "passes/Passes.h.inc"

namespace {

constexpr StringLiteral kChecksAttribute = "keratin.checks";

enum class Truth { Holds, Fails, Unknown };

// What is known of the sizes of one function.
class RequirementFacts {
public:
  explicit RequirementFacts(func::FuncOp function) : limited(function), names(function) {}

  Truth decide(Requirement kind, const DimExpr &lhs, const DimExpr &rhs) const;
  // In the user's words.
  std::string text(const SizedText &said) const { return said.text(names); }

private:
  // Whether a - b is at least `least` for all sizes.
  bool differsAtLeast(const DimExpr &a, const DimExpr &b, int64_t least) const {
    std::optional<DimExpr> difference = sub(a, b);
    std::optional<int64_t> bound = difference ? limited.least(*difference) : std::nullopt;
    return bound && *bound >= least;
  }
  // Whether two sizes are different for all values of the symbols.
  bool neverEqual(const DimExpr &a, const DimExpr &b) const {
    return differsAtLeast(a, b, 1) || differsAtLeast(b, a, 1);
  }

  LimitedSizes limited;
  SizeNames names;
};

Truth RequirementFacts::decide(Requirement kind, const DimExpr &lhs, const DimExpr &rhs) const {
  switch (kind) {
  case Requirement::Equal:
    return lhs == rhs ? Truth::Holds : neverEqual(lhs, rhs) ? Truth::Fails : Truth::Unknown;
  case Requirement::Broadcast:
    if (lhs == rhs || lhs == DimExpr(1))
      return Truth::Holds;
    return neverEqual(lhs, rhs) && neverEqual(lhs, DimExpr(1)) ? Truth::Fails : Truth::Unknown;
  case Requirement::AtLeast:
    if (differsAtLeast(lhs, rhs, 0))
      return Truth::Holds;
    return differsAtLeast(rhs, lhs, 1) ? Truth::Fails : Truth::Unknown;
  }
  llvm_unreachable("all requirements are listed");
}

// start + (size - 1) * step + 1: one past the last place of a strided box. With size 0 it is not
// beyond start, so that an empty box may stand anywhere inside.
std::optional<DimExpr> endOfBox(const DimExpr &start, const DimExpr &size, int64_t step) {
  std::optional<DimExpr> end = sub(size, DimExpr(1));
  end = end ? mul(*end, DimExpr(step)) : end;
  end = end ? add(*end, start) : end;
  return end ? add(*end, DimExpr(1)) : end;
}

// The checks of one function, each once.
class Checks {
public:
  explicit Checks(func::FuncOp function) : sizes(function), builder(function.getContext()) {
    if (auto existing = function->getAttrOfType<ArrayAttr>(kChecksAttribute))
      list.append(existing.begin(), existing.end());
  }

  // Notes that lhs[i] and rhs[i] must agree. Failure, with a diagnostic, if they cannot.
  LogicalResult require(Operation *op, Requirement kind, const Shape &lhs, const Shape &rhs,
                        const SizedText &message) {
    Shape left, right;
    for (auto [a, b] : llvm::zip(lhs, rhs)) {
      Truth truth = sizes.decide(kind, a, b);
      if (truth == Truth::Fails)
        return emitGraphError(op) << sizes.text(message + " (" + SizedText::size(a) + " and " +
                                                SizedText::size(b) + ")");
      if (truth == Truth::Holds || !seen.insert({kind, a, b}).second)
        continue;
      left.push_back(a);
      right.push_back(b);
    }
    if (left.empty())
      return success();
    list.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("kind", RequirementAttr::get(builder.getContext(), kind)),
         builder.getNamedAttr("lhs", DimsAttr::get(builder.getContext(), left)),
         builder.getNamedAttr("rhs", DimsAttr::get(builder.getContext(), right)),
         builder.getNamedAttr("message", message.attribute(builder.getContext())),
         builder.getNamedAttr("location", op->getLoc())}));
    return success();
  }

  // The same for an expression that may not be representable: then the sizes cannot exist either.
  LogicalResult require(Operation *op, Requirement kind, const DimExpr &lhs,
                        const std::optional<DimExpr> &rhs, const SizedText &message) {
    if (!rhs)
      return emitGraphError(op) << sizes.text(message + " (a size does not fit 64 bits)");
    return require(op, kind, Shape{lhs}, Shape{*rhs}, message);
  }

  void attachTo(func::FuncOp function) const {
    if (!list.empty())
      function->setAttr(kChecksAttribute, builder.getArrayAttr(list));
  }

  bool holds(Requirement kind, const DimExpr &lhs, const DimExpr &rhs) const {
    return sizes.decide(kind, lhs, rhs) == Truth::Holds;
  }

private:
  RequirementFacts sizes;
  mutable Builder builder;
  SmallVector<Attribute> list;
  std::set<std::tuple<Requirement, DimExpr, DimExpr>> seen;
};

std::string mnemonic(Operation *op) { return op->getName().stripDialect().str(); }

LogicalResult check(ReshapeOp op, Checks &checks) {
  Shape from = getShape(op.getX()), to = getShape(op);
  std::optional<DimExpr> before = elementCount(from), after = elementCount(to);
  if (!before)
    return emitGraphError(op) << "reshape: the number of elements does not fit 64 bits";
  return checks.require(op, Requirement::Equal, *before, after,
                        "reshape: " + SizedText::shape(from) + " cannot take the shape " +
                            SizedText::shape(to));
}

// A strided box at `starts` must lie inside a larger shape, with a start that is not negative.
LogicalResult checkBox(Operation *op, const Shape &starts, const Shape &box, const Shape &whole,
                       ArrayRef<int64_t> steps, Checks &checks) {
  for (size_t i = 0; i < box.size(); ++i) {
    std::string where = mnemonic(op) + ": dimension " + std::to_string(i);
    if (failed(checks.require(op, Requirement::AtLeast, starts[i], DimExpr(0),
                              where + ": the box starts before the first element")) ||
        failed(checks.require(op, Requirement::AtLeast, whole[i],
                              endOfBox(starts[i], box[i], steps[i]),
                              where + ": the box leaves the size " + SizedText::size(whole[i]))))
      return failure();
  }
  return success();
}

LogicalResult check(SliceOp op, Checks &checks) {
  return checkBox(op, op.getStarts().getDims(), getShape(op), getShape(op.getX()), op.getStrides(),
                  checks);
}

LogicalResult check(PadOp op, Checks &checks) {
  SmallVector<int64_t> steps;
  for (int64_t interior : op.getInterior())
    steps.push_back(interior + 1);
  return checkBox(op, op.getLow().getDims(), getShape(op.getX()), getShape(op), steps, checks);
}

// The starts are values that the op itself checks; the box must fit at all.
LogicalResult checkFits(Operation *op, const Shape &box, const Shape &whole, Checks &checks) {
  return checks.require(op, Requirement::AtLeast, whole, box,
                        mnemonic(op) + ": a box of " + SizedText::shape(box) + " does not fit " +
                            SizedText::shape(whole));
}

LogicalResult checkAxis(Operation *op, Value x, int64_t axis, Checks &checks) {
  return checks.require(op, Requirement::AtLeast, Shape{getShape(x)[axis]}, Shape{DimExpr(1)},
                        mnemonic(op) + ": the axis " + std::to_string(axis) + " is empty");
}

LogicalResult check(ScanOp op, Checks &checks) {
  return checks.require(op, Requirement::AtLeast, Shape{op.getSteps()}, Shape{DimExpr(0)},
                        "scan: the number of steps " + SizedText::size(op.getSteps()) +
                            " is negative");
}

LogicalResult check(TopKOp op, Checks &checks) {
  DimExpr size = getShape(op.getX()).back(), k = getShape(op).back();
  return checks.require(op, Requirement::AtLeast, Shape{size}, Shape{k},
                        "top_k: the last axis has fewer elements than k; found size " +
                            SizedText::size(size) + " and k = " + SizedText::size(k));
}

LogicalResult checkOp(Operation *op, Checks &checks) {
  if (auto require = dyn_cast<RequireOp>(op))
    return checks.require(op, require.getKind(), require.getLhs().getDims(),
                          require.getRhs().getDims(), require.getMessage().str());
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return check(reshape, checks);
  if (auto slice = dyn_cast<SliceOp>(op))
    return check(slice, checks);
  if (auto pad = dyn_cast<PadOp>(op))
    return check(pad, checks);
  if (auto slice = dyn_cast<DynamicSliceOp>(op))
    return checkFits(op, getShape(slice), getShape(slice.getX()), checks);
  if (auto unslice = dyn_cast<DynamicUnsliceOp>(op))
    return checkFits(op, getShape(unslice.getX()), getShape(unslice), checks);
  if (auto scan = dyn_cast<ScanOp>(op))
    return check(scan, checks);
  if (auto top = dyn_cast<TopKOp>(op))
    return check(top, checks);
  if (auto search = dyn_cast<CtcBeamSearchOp>(op))
    return checkAxis(op, search.getLogits(), 2, checks);
  if (auto arg = dyn_cast<ArgMaxOp>(op))
    return checkAxis(op, arg.getX(), arg.getAxis(), checks);
  if (auto arg = dyn_cast<ArgMinOp>(op))
    return checkAxis(op, arg.getX(), arg.getAxis(), checks);
  return success();
}

// Sizes computed from others (d0 - 5) must not be negative.
LogicalResult checkSizes(Operation *op, Checks &checks) {
  for (Type type : op->getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.getEncoding())
      continue;
    for (const DimExpr &size : getShape(tensor))
      if (!checks.holds(Requirement::AtLeast, size, DimExpr(0)) &&
          failed(checks.require(op, Requirement::AtLeast, Shape{size}, Shape{DimExpr(0)},
                                mnemonic(op) + ": the size " + SizedText::size(size) +
                                    " is negative")))
        return failure();
  }
  return success();
}

struct ResolveRequirementsPass : impl::ResolveRequirementsBase<ResolveRequirementsPass> {
  void runOnOperation() override {
    Checks checks(getOperation());
    WalkResult result = getOperation().walk([&](Operation *op) {
      if (isa<func::FuncOp>(op))
        return WalkResult::advance();
      if (failed(checkOp(op, checks)) || failed(checkSizes(op, checks)))
        return WalkResult::interrupt();
      if (auto require = dyn_cast<RequireOp>(op)) {
        require.getY().replaceAllUsesWith(require.getX());
        require.erase();
        return WalkResult::skip();
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    checks.attachTo(getOperation());
  }
};

} // namespace
} // namespace keratin::passes
