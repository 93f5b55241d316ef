#include "frontend/graph/ValueRange.h"

#include "frontend/graph/Trace.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>

using namespace keratin;
using namespace keratin::frontend;
using ir::DimExpr;
using mlir::Value;
using Bound = std::optional<DimExpr>;

static constexpr unsigned kMaxDepth = 64;
static constexpr size_t kMaxValues = 1024;
// Longer constants are not looked through.
static constexpr int64_t kMaxElements = 4096;
// Floats beyond it stand for no sizes.
static constexpr double kMaxNumber = 0x1p53;

// Whether a >= b for all values of symbols.
static bool isAtLeast(const Bound &a, const Bound &b) {
  Bound difference = a && b ? ir::sub(*a, *b) : std::nullopt;
  if (!difference)
    return false;
  ir::LimitedSizes limited;
  for (int64_t id : difference->symbols())
    if (const ir::SizeLimits &limits = Graph::get().symbols[id].limits; limits.areStated())
      limited.set(id, {limits});
  return limited.least(*difference).value_or(-1) >= 0;
}

bool ValueRange::isAtLeast(int64_t number) const { return ::isAtLeast(least, DimExpr(number)); }
bool ValueRange::isAtMost(int64_t number) const { return ::isAtLeast(DimExpr(number), most); }

//===-- Arithmetic of bounds ------------------------------------------------------------------===//

using Method = std::optional<DimExpr> (*)(const DimExpr &, const DimExpr &);

static Bound apply(Method method, const Bound &a, const Bound &b) {
  return a && b ? method(*a, *b) : std::nullopt;
}

static ValueRange both(const ValueRange &a, const ValueRange &b) {
  return {apply(ir::min, a.least, b.least), apply(ir::max, a.most, b.most)};
}

static ValueRange number(int64_t value) { return {DimExpr(value), DimExpr(value)}; }

static ValueRange negated(const ValueRange &x) {
  return {apply(ir::sub, DimExpr(0), x.most), apply(ir::sub, DimExpr(0), x.least)};
}

static ValueRange product(const ValueRange &a, const ValueRange &b) {
  if (a.isAtLeast(0) && b.isAtLeast(0))
    return {apply(ir::mul, a.least, b.least), apply(ir::mul, a.most, b.most)};
  for (const auto &[factor, x] : {std::pair(a, b), std::pair(b, a)})
    if (factor.least && factor.least == factor.most && factor.least->isConstant()) {
      bool turns = factor.least->constantValue() < 0;
      ValueRange scaled = turns ? negated(x) : x;
      Bound size = turns ? negated(factor).least : factor.least;
      return {apply(ir::mul, scaled.least, size), apply(ir::mul, scaled.most, size)};
    }
  return {};
}

// Of a sum of up to `count` such numbers.
static ValueRange sum(const ValueRange &x, const Bound &count) {
  return {apply(ir::mul, apply(ir::min, x.least, DimExpr(0)), count),
          apply(ir::mul, apply(ir::max, x.most, DimExpr(0)), count)};
}

static ValueRange quotient(const ValueRange &a, const ValueRange &b) {
  if (!b.isAtLeast(1))
    return {};
  if (b.least == b.most && b.least->isConstant())
    return {apply(ir::floordiv, a.least, b.least), apply(ir::floordiv, a.most, b.least)};
  if (a.isAtLeast(0))
    return {DimExpr(0), a.most};
  return {};
}

static ValueRange remainder(const ValueRange &a, const ValueRange &b) {
  if (!b.isAtLeast(1))
    return {};
  Bound most = apply(ir::sub, b.most, DimExpr(1));
  return {DimExpr(0), most || !a.isAtLeast(0) ? most : a.most};
}

// The numbers that an integer type holds, if these are few enough to ask memory for.
static ValueRange ofType(mlir::Type type) {
  auto integer = llvm::dyn_cast<mlir::IntegerType>(type);
  if (!integer || integer.getWidth() > 16)
    return {};
  if (integer.getWidth() == 1)
    return {DimExpr(0), DimExpr(1)};
  int64_t count = int64_t(1) << integer.getWidth();
  return integer.isUnsigned() ? ValueRange{DimExpr(0), DimExpr(count - 1)}
                              : ValueRange{DimExpr(-count / 2), DimExpr(count / 2 - 1)};
}

static bool isWithin(const ValueRange &x, const ValueRange &limits) {
  return x.isAtLeast(limits.least->constantValue()) && x.isAtMost(limits.most->constantValue());
}

static ValueRange cast(const ValueRange &x, mlir::Type type) {
  ValueRange limits = ofType(type);
  if (limits.least)
    return isWithin(x, limits) ? x : limits;
  auto integer = llvm::dyn_cast<mlir::IntegerType>(type);
  // Negative ones would wrap.
  return integer && integer.isUnsigned() && !x.isAtLeast(0) ? ValueRange() : x;
}

//===-- Constants -----------------------------------------------------------------------------===//

// Of the numbers that `element` gives, each a double or an int64_t.
template <typename Element> static ValueRange ofElements(int64_t count, Element element) {
  if (count > kMaxElements)
    return {};
  int64_t least = std::numeric_limits<int64_t>::max(), most = std::numeric_limits<int64_t>::min();
  for (int64_t i = 0; i < count; ++i) {
    auto x = element(i);
    if constexpr (std::is_floating_point_v<decltype(x)>) {
      if (!(std::abs(x) < kMaxNumber))
        return {};
      least = std::min(least, int64_t(std::floor(x)));
      most = std::max(most, int64_t(std::ceil(x)));
    } else {
      least = std::min(least, x);
      most = std::max(most, x);
    }
  }
  return count ? ValueRange{DimExpr(least), DimExpr(most)} : number(0);
}

static ValueRange ofLiteral(const Array &array) {
  if (isFloating(array.dtype()))
    return ofElements(array.size(), [&](int64_t i) { return array.item<double>(i); });
  return ofElements(array.size(), [&](int64_t i) { return array.item<int64_t>(i); });
}

static ValueRange ofConstant(ir::ConstantOp constant) {
  auto elements = llvm::cast<mlir::DenseElementsAttr>(constant.getValue());
  mlir::Type type = elements.getElementType();
  if (llvm::isa<mlir::FloatType>(type)) {
    auto values = elements.getValues<llvm::APFloat>();
    return ofElements(elements.getNumElements(), [&](int64_t i) {
      llvm::APFloat x = *(values.begin() + i);
      bool losesInfo;
      x.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
      return x.convertToDouble();
    });
  }
  auto values = elements.getValues<llvm::APInt>();
  return ofElements(elements.getNumElements(), [&](int64_t i) {
    llvm::APInt x = *(values.begin() + i);
    return type.isUnsignedInteger() || type.isInteger(1) ? int64_t(x.getZExtValue())
                                                         : x.getSExtValue();
  });
}

//===-- Ops -----------------------------------------------------------------------------------===//

ValueRange ValueRanges::of(Value value, unsigned depth) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  if (depth > kMaxDepth || known.size() > kMaxValues)
    return {};
  ValueRange range = compute(value, depth);
  known[value] = range;
  return range;
}

// What either branch yields. Arguments of a branch stand for the captures.
ValueRange ValueRanges::ofBranches(Value value, unsigned depth) {
  auto branches = value.getDefiningOp<ir::IfOp>();
  unsigned result = llvm::cast<mlir::OpResult>(value).getResultNumber();
  auto yielded = [&](mlir::Region &body) {
    return of(body.front().getTerminator()->getOperand(result), depth + 1);
  };
  return both(yielded(branches.getThenBody()), yielded(branches.getElseBody()));
}

ValueRange ValueRanges::compute(Value value, unsigned depth) {
  if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value)) {
    auto branches = llvm::dyn_cast<ir::IfOp>(argument.getOwner()->getParentOp());
    return branches ? of(branches.getCaptures()[argument.getArgNumber()], depth + 1) : ValueRange();
  }
  mlir::Operation *op = value.getDefiningOp();
  auto operand = [&](unsigned i) { return of(op->getOperand(i), depth + 1); };
  auto sizes = [&](Value x, llvm::ArrayRef<int64_t> axes) {
    Bound count = DimExpr(1);
    for (int64_t axis : axes)
      count = apply(ir::mul, count, ir::getShape(x)[size_t(axis)]);
    return count;
  };
  auto places = [&](const DimExpr &size) {
    return ValueRange{DimExpr(0), apply(ir::max, ir::sub(size, DimExpr(1)), DimExpr(0))};
  };
  ValueRange range =
      llvm::TypeSwitch<mlir::Operation *, ValueRange>(op)
          .Case([&](ir::LiteralOp x) { return ofLiteral(graph.literals[x.getId()]); })
          .Case([&](ir::ConstantOp x) { return ofConstant(x); })
          .Case([&](ir::DimOp x) {
            const DimExpr size = ir::getShape(x.getX())[x.getAxis()];
            return ValueRange{size, size};
          })
          .Case<ir::PlaceholderOp, ir::VariableOp>([&](auto x) {
            if (!ir::getShape(value).empty() || !ir::getElementType(value).isInteger() ||
                isStepArgument(graph, x))
              return ValueRange();
            auto part = [&](ir::ValuePart part) {
              return DimExpr::symbol(graph.valueSymbol(x, part));
            };
            return ValueRange{ir::sub(DimExpr(0), part(ir::ValuePart::Negative)),
                              part(ir::ValuePart::Positive)};
          })
          .Case([&](ir::UpdateOp x) {
            ValueRange to = operand(1), from = operand(0);
            return x.getKind() == ir::UpdateKind::Assign
                       ? to
                       : ValueRange{apply(ir::add, from.least, to.least),
                                    apply(ir::add, from.most, to.most)};
          })
          .Case([&](ir::CastOp x) { return cast(operand(0), ir::getElementType(value)); })
          .Case<ir::ReshapeOp, ir::BroadcastOp, ir::SliceOp, ir::TransposeOp, ir::ReverseOp,
                ir::DynamicSliceOp, ir::GatherOp, ir::IdentityOp, ir::StopGradientOp, ir::DependOp,
                ir::RequireOp, ir::PrintOp, ir::TruncateOp, ir::RoundOp, ir::FloorOp, ir::CeilOp,
                ir::ReduceMaxOp, ir::ReduceMinOp>([&](auto) { return operand(0); })
          .Case([&](ir::CheckRangeOp x) {
            return ValueRange{x.getLower().getDims()[0],
                              ir::sub(x.getUpper().getDims()[0], DimExpr(1))};
          })
          .Case([&](ir::PadOp) { return both(operand(0), number(0)); })
          .Case([&](ir::ConcatenateOp) {
            ValueRange all = operand(0);
            for (unsigned i = 1; i < op->getNumOperands(); ++i)
              all = both(all, operand(i));
            return all;
          })
          .Case([&](ir::SelectOp) { return both(operand(1), operand(2)); })
          .Case([&](ir::AddOp) {
            ValueRange a = operand(0), b = operand(1);
            return ValueRange{apply(ir::add, a.least, b.least), apply(ir::add, a.most, b.most)};
          })
          .Case([&](ir::SubOp) {
            ValueRange a = operand(0), b = operand(1);
            return ValueRange{apply(ir::sub, a.least, b.most), apply(ir::sub, a.most, b.least)};
          })
          .Case([&](ir::MulOp) { return product(operand(0), operand(1)); })
          .Case([&](ir::NegOp) { return negated(operand(0)); })
          .Case([&](ir::AbsOp) {
            ValueRange x = operand(0);
            return x.isAtLeast(0) ? x
                                  : ValueRange{DimExpr(0), apply(ir::max, negated(x).most, x.most)};
          })
          .Case([&](ir::SignOp) { return ValueRange{DimExpr(-1), DimExpr(1)}; })
          .Case([&](ir::MaximumOp) {
            ValueRange a = operand(0), b = operand(1);
            return ValueRange{a.least && b.least ? ir::max(*a.least, *b.least)
                              : a.least          ? a.least
                                                 : b.least,
                              apply(ir::max, a.most, b.most)};
          })
          .Case([&](ir::MinimumOp) {
            ValueRange a = operand(0), b = operand(1);
            return ValueRange{apply(ir::min, a.least, b.least), a.most && b.most
                                                                    ? ir::min(*a.most, *b.most)
                                                                : a.most ? a.most
                                                                         : b.most};
          })
          .Case([&](ir::FloorDivOp) { return quotient(operand(0), operand(1)); })
          .Case([&](ir::ModOp) { return remainder(operand(0), operand(1)); })
          .Case([&](ir::ReduceSumOp x) { return sum(operand(0), sizes(x.getX(), x.getAxes())); })
          .Case([&](ir::CumsumOp x) { return sum(operand(0), sizes(x.getX(), x.getAxis())); })
          .Case<ir::ReduceProdOp, ir::CumprodOp>([&](auto) {
            ValueRange x = operand(0);
            return isWithin(x, {DimExpr(0), DimExpr(1)}) ? ValueRange{DimExpr(0), DimExpr(1)}
                                                         : ValueRange();
          })
          .Case<ir::ArgMaxOp, ir::ArgMinOp>(
              [&](auto x) { return places(ir::getShape(x.getX())[x.getAxis()]); })
          .Case([&](ir::TopKOp x) { return places(ir::getShape(x.getX()).back()); })
          .Case([&](ir::IotaOp x) { return places(ir::getShape(value)[x.getAxis()]); })
          .Case([&](ir::IfOp) { return ofBranches(value, depth); })
          .Default([](mlir::Operation *) { return ValueRange(); });
  if (range.least && range.most)
    return range;
  ValueRange limits = ofType(ir::getElementType(value));
  return {range.least ? range.least : limits.least, range.most ? range.most : limits.most};
}
