// Sizes that meet get one name: those that must be equal always, those that are broadcast to each
// other where the function is compiled for the case that they are equal.
#include "passes/Passes.h"

#include "ir/dialect/Signature.h"
#include "ir/dialect/SizeLimits.h"
#include "ir/dialect/SizeNames.h"
#include "ir/interfaces/ComputedSizes.h"
#include "passes/simplify/GradientPins.h"

#include "mlir/IR/AttrTypeSubElements.h"

#include <map>
#include <set>

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_UNIFYSIZES
#include "passes/Passes.h.inc"

namespace {

// Two sizes of one check.
struct Meeting {
  DictionaryAttr check;
  DimExpr lhs, rhs;

  Requirement kind() const { return check.getAs<RequirementAttr>("kind").getValue(); }
};

std::vector<Meeting> meetingsOf(func::FuncOp function) {
  std::vector<Meeting> meetings;
  if (auto checks = function->getAttrOfType<ArrayAttr>("keratin.checks"))
    for (auto check : checks.getAsRange<DictionaryAttr>())
      for (auto [lhs, rhs] : llvm::zip(check.getAs<DimsAttr>("lhs").getDims(),
                                       check.getAs<DimsAttr>("rhs").getDims()))
        meetings.push_back({check, lhs, rhs});
  return meetings;
}

bool mentions(const DimExpr &size, int64_t symbol) {
  return llvm::is_contained(size.symbols(), symbol);
}

// What symbols are known to be, in terms of the symbols that are left.
class KnownSizes {
public:
  explicit KnownSizes(func::FuncOp function) : function(function), limited(function) {
    Signature signature(function);
    llvm::DenseSet<int64_t> values; // symbols that are what an argument is
    for (BlockArgument argument : function.getArguments()) {
      unsigned number = argument.getArgNumber();
      for (const ArgumentSymbol &symbol : signature.symbols(number))
        values.insert(symbol.id);
      if (!signature.isVariable(number))
        for (const DimExpr &dim : getShape(argument)) {
          if (dim.isSymbol())
            inputs.insert(dim.symbolId());
          for (int64_t symbol : dim.symbols())
            given.insert(symbol);
        }
    }
    for (int64_t symbol : values) {
      given.insert(symbol);
      inputs.erase(symbol);
    }
  }

  bool empty() const { return known.empty(); }
  // nullopt: it cannot be represented.
  std::optional<DimExpr> of(const DimExpr &size) const {
    if (llvm::none_of(size.symbols(), [&](int64_t id) { return known.count(id); }))
      return size;
    return size.substitute([&](int64_t id) -> std::optional<DimExpr> {
      auto found = known.find(id);
      return found == known.end() ? DimExpr::symbol(id) : found->second;
    });
  }

  // The two are equal in every call.
  void require(const DimExpr &lhs, const DimExpr &rhs) {
    std::optional<DimExpr> a = of(lhs), b = of(rhs);
    if (!a || !b || *a == *b)
      return;
    auto isSimple = [](const DimExpr &size) { return size.isSymbol() || size.isConstant(); };
    if (isSimple(*a) && isSimple(*b))
      (void)solve(*a, *b);
    else
      (void)(refine(*a, *b) || refine(*b, *a));
  }

  // The two are equal in the calls that the function is for.
  void assume(const DimExpr &lhs, const DimExpr &rhs) {
    std::optional<DimExpr> a = of(lhs), b = of(rhs);
    if (!a || !b || *a == *b)
      return;
    if (isNamed(*a) && isNamed(*b))
      return;
    std::optional<int64_t> solved = solve(*a, *b);
    if (!solved)
      solved = solveAlike(*a, *b);
    if (solved)
      assumptions.emplace_back(DimExpr::symbol(*solved), known.find(*solved)->second);
  }

  // Each a symbol and what it is assumed to be.
  ArrayRef<std::pair<DimExpr, DimExpr>> assumed() const { return assumptions; }

private:
  // By the user, or known for what it may be.
  bool isNamed(int64_t symbol) const {
    return !SizeNames::given(function, symbol).empty() || limited.all().contains(symbol);
  }
  bool isNamed(const DimExpr &size) const {
    std::optional<int64_t> symbol = limited.symbolCountedBy(size);
    return symbol && isNamed(*symbol);
  }

  // Whether a symbol can be said to be an expression of it, as 2*floordiv(d0 + 1, 2): it is what
  // the symbol is rounded to, and rounded again it stays what it is.
  static bool isRounded(const DimExpr &size, int64_t symbol) {
    return size.symbols().size() == 1 && with(size, symbol, size) == size;
  }
  static std::optional<DimExpr> with(const DimExpr &size, int64_t symbol, const DimExpr &value) {
    return size.substitute([&](int64_t id) -> std::optional<DimExpr> {
      return id == symbol ? value : DimExpr::symbol(id);
    });
  }

  // Whether a symbol can be said to be `size`, which is known before the call.
  bool canBe(const DimExpr &symbol, const DimExpr &size) const {
    if (!symbol.isSymbol() || !inputs.contains(symbol.symbolId()) ||
        (mentions(size, symbol.symbolId()) && !isRounded(size, symbol.symbolId())))
      return false;
    return llvm::all_of(size.symbols(), [&](int64_t id) { return given.contains(id); });
  }

  // Of two symbols the one that goes: not the user's name, else not the first.
  bool goesFirst(int64_t a, int64_t b) const {
    return isNamed(a) != isNamed(b) ? isNamed(b) : a > b;
  }

  // Makes two sizes one; returns the symbol that is gone.
  std::optional<int64_t> solve(const DimExpr &a, const DimExpr &b) {
    bool aCan = canBe(a, b), bCan = canBe(b, a);
    if (!aCan && !bCan)
      return std::nullopt;
    bool takesA = aCan && (!bCan || goesFirst(a.symbolId(), b.symbolId()));
    const DimExpr &gone = takesA ? a : b, &kept = takesA ? b : a;
    if (!set(gone.symbolId(), kept))
      return std::nullopt;
    return gone.symbolId();
  }

  // Returns whether it can be written down.
  bool set(int64_t gone, const DimExpr &kept) {
    std::map<int64_t, DimExpr> before = known;
    known[gone] = kept;
    for (auto &[symbol, size] : known) {
      std::optional<DimExpr> next = of(size);
      if (!next) {
        known = std::move(before);
        return false;
      }
      size = *next;
    }
    return true;
  }

  // If d0 is 2 a of an expression a of d0, and a is b, then d0 is 2 b.
  bool refine(const DimExpr &a, const DimExpr &b) {
    std::vector<int64_t> symbols = a.symbols();
    auto found = symbols.size() == 1 ? known.find(symbols[0]) : known.end();
    if (found == known.end() || a.isSymbol())
      return false;
    std::optional<DimExpr> factor = floordiv(found->second, a), next;
    if (!factor || mul(*factor, a) != found->second || !(next = mul(*factor, b)))
      return false;
    return isRounded(*next, symbols[0]) &&
           with(a, symbols[0], *next) == with(b, symbols[0], *next) && set(symbols[0], *next);
  }

  // d0 - 2 and d1 - 2 are equal if d0 and d1 are.
  std::optional<int64_t> solveAlike(const DimExpr &a, const DimExpr &b) {
    std::vector<int64_t> inA = a.symbols(), inB = b.symbols();
    if (inA.size() != 1 || inB.size() != 1 || (isNamed(inA[0]) && isNamed(inB[0])))
      return std::nullopt;
    DimExpr symbol = DimExpr::symbol(inB[0]);
    std::optional<DimExpr> same = a.substitute([&](int64_t) { return std::optional(symbol); });
    return same == b ? solve(DimExpr::symbol(inA[0]), symbol) : std::nullopt;
  }

  func::FuncOp function;
  const LimitedSizes limited;
  llvm::DenseSet<int64_t> inputs; // that are dimensions of inputs, and no more
  llvm::DenseSet<int64_t> given;  // that have values before the call
  std::map<int64_t, DimExpr> known;
  std::vector<std::pair<DimExpr, DimExpr>> assumptions;
};

// What meets in a broadcast is one operand's size and the other's, or the result's where that is
// the other's.
void assumeBroadcasts(const std::vector<Meeting> &meetings, KnownSizes &sizes) {
  std::map<DimExpr, Shape> operands; // by the size of the result
  for (const Meeting &meeting : meetings)
    if (meeting.kind() == Requirement::Broadcast)
      operands[meeting.rhs].push_back(meeting.lhs);
  // In the order of the graph, since the first keep their names.
  for (const Meeting &meeting : meetings) {
    if (meeting.kind() != Requirement::Broadcast)
      continue;
    sizes.assume(meeting.lhs, meeting.rhs);
    sizes.assume(operands[meeting.rhs].front(), meeting.lhs);
  }
}

// How often the frontend repeats a dimension that is 1 or what it shall become, if it is that:
// once, but where the size is 0.
std::optional<DimExpr> onceOf(const DimExpr &size) {
  std::optional<DimExpr> divisor = max(size, DimExpr(1));
  return divisor ? floordiv(size, *divisor) : std::nullopt;
}

class Unifier {
public:
  Unifier(func::FuncOp function, const KnownSizes &sizes) : function(function), sizes(sizes) {
    replacer.addReplacement([this](DimsAttr dims) -> std::optional<Attribute> {
      return DimsAttr::get(dims.getContext(), *known(dims.getDims()));
    });
    replacer.addReplacement([this](RankedTensorType type) -> std::optional<Type> {
      if (!type.getEncoding())
        return std::nullopt;
      return getTensorType(*known(getShape(type)), type.getElementType());
    });
  }

  // Nothing is done unless all can be written down, and can hold.
  bool fits(const std::vector<Meeting> &meetings) {
    bool fits = llvm::none_of(meetings, [&](const Meeting &meeting) { return fails(meeting); });
    AttrTypeWalker walker;
    walker.addWalk([&](DimsAttr dims) { fits &= known(dims.getDims()).has_value(); });
    walker.addWalk([&](RankedTensorType type) {
      std::optional<Shape> shape = known(getShape(type));
      fits &= shape && elementCount(*shape);
    });
    for (Type type : function.getArgumentTypes())
      walker.walk(type);
    for (Operation &op : function.getBody().front())
      op.walk([&](Operation *inner) {
        for (Type type : inner->getResultTypes())
          walker.walk(type);
        for (Region &region : inner->getRegions())
          for (Block &block : region)
            for (Type type : block.getArgumentTypes())
              walker.walk(type);
        walker.walk(inner->getAttrDictionary());
      });
    return fits;
  }

  void run(const std::vector<Meeting> &meetings) {
    Block &body = function.getBody().front();
    Signature signature(function);
    for (BlockArgument argument : body.getArguments()) {
      Type type = replacer.replace(argument.getType());
      if (type == argument.getType())
        continue;
      signature.setStated(argument.getArgNumber(), getShape(argument));
      argument.setType(type);
    }
    for (Operation &op : body)
      replacer.recursivelyReplaceElementsIn(&op, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                            /*replaceTypes=*/true);
    function.setType(FunctionType::get(function.getContext(), body.getArgumentTypes(),
                                       body.getTerminator()->getOperandTypes()));
    {
      const GradientPins pins(function);
      function.walk([&](BroadcastOp op) { repeatNoMore(op); });
    }
    setChecks(meetings);
  }

private:
  // Whether two sizes have become numbers that do not agree: types that say so are no types.
  bool fails(const Meeting &meeting) const {
    std::optional<DimExpr> lhs = sizes.of(meeting.lhs), rhs = sizes.of(meeting.rhs);
    if (!lhs || !rhs || !lhs->isConstant() || !rhs->isConstant())
      return false;
    if (meeting.kind() == Requirement::AtLeast)
      return lhs->constantValue() < rhs->constantValue();
    return *lhs != *rhs && !(meeting.kind() == Requirement::Broadcast && *lhs == DimExpr(1));
  }

  std::optional<Shape> known(ArrayRef<DimExpr> dims) const {
    Shape result;
    for (const DimExpr &dim : dims) {
      std::optional<DimExpr> size = sizes.of(dim);
      if (!size)
        return std::nullopt;
      result.push_back(*size);
    }
    return result;
  }

  // A broadcast along new dimensions that has become one along none: what reshapes it takes the
  // operand.
  void repeatNoMore(BroadcastOp op) {
    Shape shape = getShape(op), kept;
    SmallVector<int64_t> dims;
    for (size_t i = 0; i < shape.size(); ++i) {
      bool isOperands = llvm::is_contained(op.getDims(), int64_t(i));
      if (!isOperands && i > 0 && llvm::is_contained(op.getDims(), int64_t(i) - 1) &&
          !shape[i - 1].isConstant() && onceOf(shape[i - 1]) == shape[i])
        continue;
      if (isOperands)
        dims.push_back(int64_t(kept.size()));
      kept.push_back(shape[i]);
    }
    if (kept.size() == shape.size())
      return;
    OpBuilder b(op);
    Value plain = b.createOrFold<BroadcastOp>(op.getLoc(), getTensorType(kept, getElementType(op)),
                                              op.getX(), dims);
    for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
      if (auto reshape = dyn_cast<ReshapeOp>(user))
        reshape.getXMutable().assign(plain);
  }

  // The number of elements, without dimensions that stand beside the one they repeat once.
  DimExpr withoutRepeats(DimExpr count) const {
    for (const DimExpr &size : repeated) {
      std::optional<DimExpr> once = onceOf(size), rest;
      if (once && !once->isConstant() && (rest = floordiv(count, *once)) &&
          mul(*rest, *once) == count) {
        std::optional<DimExpr> beside = floordiv(*rest, size);
        if (beside && mul(*beside, size) == *rest)
          count = *rest;
      }
    }
    return count;
  }

  // What a check still asks where all that is known holds.
  bool holds(const Meeting &meeting) {
    std::optional<DimExpr> lhs = sizes.of(meeting.lhs), rhs = sizes.of(meeting.rhs);
    if (!lhs || !rhs)
      return false;
    if (meeting.kind() == Requirement::Broadcast)
      return *lhs == *rhs;
    // What has become the same on both sides may be what says so.
    return meeting.kind() == Requirement::Equal && *lhs != *rhs &&
           withoutRepeats(*lhs) == withoutRepeats(*rhs);
  }

  void setChecks(const std::vector<Meeting> &meetings) {
    for (const Meeting &meeting : meetings)
      if (meeting.kind() == Requirement::Broadcast)
        if (std::optional<DimExpr> size = sizes.of(meeting.lhs))
          repeated.insert(*size);
    Builder b(function.getContext());
    SmallVector<Attribute> checks;
    auto add = [&](NamedAttrList entry, const DimExpr &lhs, const DimExpr &rhs) {
      entry.set("lhs", DimsAttr::get(b.getContext(), {lhs}));
      entry.set("rhs", DimsAttr::get(b.getContext(), {rhs}));
      checks.push_back(entry.getDictionary(b.getContext()));
    };
    for (const auto &[symbol, size] : sizes.assumed()) {
      NamedAttrList entry;
      entry.set("assumed", b.getUnitAttr());
      entry.set("kind", RequirementAttr::get(b.getContext(), Requirement::Equal));
      entry.set("message", b.getStringAttr("sizes are assumed to be equal"));
      add(entry, symbol, size);
    }
    for (const Meeting &meeting : meetings)
      if (!holds(meeting))
        add(meeting.check, meeting.lhs, meeting.rhs);
    if (checks.empty())
      function->removeAttr("keratin.checks");
    else
      function->setAttr("keratin.checks", b.getArrayAttr(checks));
  }

  func::FuncOp function;
  const KnownSizes &sizes;
  AttrTypeReplacer replacer;
  std::set<DimExpr> repeated; // sizes that were broadcast to themselves
};

struct UnifySizesPass : impl::UnifySizesBase<UnifySizesPass> {
  using UnifySizesBase::UnifySizesBase;
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    const std::vector<Meeting> meetings = meetingsOf(function);
    KnownSizes sizes(function);
    auto requireAll = [&] {
      if (require)
        for (const Meeting &meeting : meetings)
          if (meeting.kind() == Requirement::Equal)
            sizes.require(meeting.lhs, meeting.rhs);
    };
    requireAll();
    if (assume) {
      assumeBroadcasts(meetings, sizes);
      requireAll();
    }
    Unifier unifier(function, sizes);
    if (sizes.empty() || !unifier.fits(meetings))
      return markAllAnalysesPreserved();
    unifier.run(meetings);
  }
};

} // namespace
} // namespace keratin::passes
