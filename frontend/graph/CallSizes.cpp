// Sizes that tensors compute: K::shape(x)[0] * 2 and the like become expressions of symbols; what
// depends on data defines a symbol of its own in the call.
#include "frontend/graph/Call.h"
#include "frontend/graph/Trace.h"
#include "frontend/graph/ValueRange.h"
#include "frontend/values/Elements.h"
#include "ir/interfaces/OpProperties.h"
#include "ir/reference/IndexWalk.h"

#include "mlir/IR/BuiltinAttributes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace keratin;
using namespace keratin::frontend;

using Sizes = std::vector<DimExpr>;

// Deeper expressions, and longer vectors, are no sizes.
static constexpr unsigned kMaxDepth = 256;
static constexpr int64_t kMaxElements = 64;

// Elements of a static count, or -1.
static int64_t countOf(Value value) {
  auto type = ir::getTensorType(value);
  if (!type.hasStaticShape())
    return -1;
  int64_t count = 1;
  for (int64_t dim : type.getShape())
    if ((count *= dim) > kMaxElements)
      return -1;
  return count;
}

// Whether a cast changes no number, as far as sizes go.
static bool isWidening(mlir::Operation *op) {
  auto cast = llvm::dyn_cast<ir::CastOp>(op);
  if (!cast || !ir::getElementType(cast.getX()).isInteger() ||
      ir::getElementType(cast.getX()).isInteger(1))
    return false;
  unsigned width = ir::getElementType(cast.getY()).getIntOrFloatBitWidth();
  return width >= 32 || width >= ir::getElementType(cast.getX()).getIntOrFloatBitWidth();
}

namespace {

// Which scalars have a size for their value: those computed from dimensions of tensors; from scalar
// placeholders and variables too, which must not be negative, or may be; from anything of which is
// known how large it can be, which then is a size that the call computes.
enum class SizesFrom { Shapes, Values, SignedValues, Data };

// Walks back from tensors of integers.
class SizeExpressions {
public:
  // `defines` makes the symbol for a number that is between 0 and a size.
  using Definition = std::function<DimExpr(Value, const DimExpr &)>;
  SizeExpressions(Call &call, SizesFrom from, Definition defines = nullptr)
      : call(call), from(from), defines(std::move(defines)), ranges(call.graph) {}

  // The elements, row-major; nullopt if they depend on something else.
  std::optional<Sizes> of(Value value) {
    std::optional<Sizes> sizes = of(value, 0);
    // Nothing is needed of sizes that are not these elements.
    for (const auto &[size, dtype] : fits)
      if (sizes)
        call.requireFit(size, dtype, "a size");
    fits.clear();
    return sizes;
  }
  std::optional<Sizes> withoutRequirements(Value value) { return of(value, 0); }

private:
  std::optional<Sizes> of(Value value, unsigned depth);
  std::optional<Sizes> compute(Value value, int64_t count, unsigned depth);
  std::optional<Sizes> computeEach(mlir::Operation *op, unsigned depth);
  std::optional<Sizes> move(mlir::Operation *op, unsigned depth);
  std::optional<Sizes> defined(Value scalar);
  DimExpr valueOf(mlir::Operation *op);

  Call &call;
  const SizesFrom from;
  Definition defines;
  ValueRanges ranges;
  llvm::DenseMap<Value, std::optional<Sizes>> known;
  std::vector<std::pair<DimExpr, DType>> fits; // what narrowing casts need
};

} // namespace

// The depth is bounded, so this may recurse; each value is looked at once.
std::optional<Sizes> SizeExpressions::of(Value value, unsigned depth) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  int64_t count = countOf(value);
  if (count < 0 || depth > kMaxDepth || !ir::getElementType(value).isInteger())
    return std::nullopt;
  std::optional<Sizes> sizes = compute(value, count, depth);
  if (!sizes && from == SizesFrom::Data && count == 1)
    sizes = defined(value);
  known[value] = sizes;
  return sizes;
}

// In an expression a symbol must not stand for a negative number.
std::optional<Sizes> SizeExpressions::defined(Value scalar) {
  ValueRange range = ranges.of(scalar);
  if (!range.isAtLeast(0) || !range.most)
    return std::nullopt;
  return Sizes{defines(scalar, *range.most)};
}

// Of an integer scalar.
DimExpr SizeExpressions::valueOf(mlir::Operation *op) {
  if (from != SizesFrom::SignedValues)
    return DimExpr::symbol(call.graph.valueSymbol(op));
  return call.check(ir::sub(DimExpr::symbol(call.graph.valueSymbol(op, ir::ValuePart::Positive)),
                            DimExpr::symbol(call.graph.valueSymbol(op, ir::ValuePart::Negative))));
}

// Element by element.
std::optional<Sizes> SizeExpressions::computeEach(mlir::Operation *op, unsigned depth) {
  std::vector<Sizes> operands;
  for (Value operand : op->getOperands()) {
    std::optional<Sizes> sizes = of(operand, depth + 1);
    if (!sizes)
      return std::nullopt;
    operands.push_back(std::move(*sizes));
  }
  Sizes made;
  for (size_t i = 0; i < operands.front().size(); ++i) {
    llvm::SmallVector<DimExpr, 2> elements;
    for (const Sizes &operand : operands)
      elements.push_back(operand[i]);
    std::optional<DimExpr> size = ir::sizeMadeBy(op, elements);
    if (!size)
      return std::nullopt;
    made.push_back(*size);
  }
  return made;
}

// Which element of an operand each element is.
std::optional<Sizes> SizeExpressions::move(mlir::Operation *op, unsigned depth) {
  std::vector<Sizes> operands;
  std::vector<std::vector<int64_t>> dims, strides;
  for (Value operand : op->getOperands()) {
    std::optional<Sizes> sizes = of(operand, depth + 1);
    if (!sizes)
      return std::nullopt;
    operands.push_back(std::move(*sizes));
    dims.push_back(ir::getTensorType(operand).getShape().vec());
    strides.push_back(ir::reference::rowMajorStrides(dims.back()));
  }
  if (auto slice = llvm::dyn_cast<ir::SliceOp>(op);
      slice && !llvm::all_of(slice.getStarts().getDims(),
                             [](const DimExpr &start) { return start.isConstant(); }))
    return std::nullopt;
  Sizes made;
  const std::vector<int64_t> result = ir::getTensorType(op->getResult(0)).getShape().vec();
  ir::reference::forEachIndex(result, [&](const ir::reference::HostIndex &index, int64_t) {
    ir::reference::HostIndex from = index;
    size_t operand = 0;
    llvm::TypeSwitch<mlir::Operation *>(op)
        .Case([&](ir::SliceOp slice) {
          for (size_t i = 0; i < from.size(); ++i)
            from[i] =
                slice.getStarts().getDims()[i].constantValue() + index[i] * slice.getStrides()[i];
        })
        .Case([&](ir::TransposeOp transpose) {
          for (auto [i, axis] : llvm::enumerate(transpose.getPermutation()))
            from[size_t(axis)] = index[i];
        })
        .Case([&](ir::ReverseOp reverse) {
          for (int64_t axis : reverse.getAxes())
            from[size_t(axis)] = dims[0][size_t(axis)] - 1 - index[size_t(axis)];
        })
        .Case([&](ir::BroadcastOp broadcast) {
          from.clear();
          for (auto [i, axis] : llvm::enumerate(broadcast.getDims()))
            from.push_back(dims[0][i] == 1 ? 0 : index[size_t(axis)]);
        })
        .Case([&](ir::ConcatenateOp concatenate) {
          int64_t &place = from[size_t(concatenate.getAxis())];
          for (; place >= dims[operand][size_t(concatenate.getAxis())]; ++operand)
            place -= dims[operand][size_t(concatenate.getAxis())];
        });
    made.push_back(operands[operand][size_t(ir::reference::offsetOf(from, strides[operand]))]);
  });
  return made;
}

std::optional<Sizes> SizeExpressions::compute(Value value, int64_t count, unsigned depth) {
  mlir::Operation *op = value.getDefiningOp();
  auto operand = [&](unsigned i) { return of(op->getOperand(i), depth + 1); };

  if (auto literal = llvm::dyn_cast<ir::LiteralOp>(op)) {
    const Array &array = call.graph.literals[literal.getId()];
    Sizes sizes;
    call.checkFit(array, DType::Int64);
    for (int64_t i = 0; i < count; ++i)
      sizes.push_back(DimExpr(array.item<int64_t>(i)));
    return sizes;
  }
  if (auto constant = llvm::dyn_cast<ir::ConstantOp>(op)) {
    Sizes sizes;
    for (const llvm::APInt &element :
         llvm::cast<mlir::DenseElementsAttr>(constant.getValue()).getValues<llvm::APInt>())
      sizes.push_back(DimExpr(element.getSExtValue()));
    return sizes;
  }
  if (auto dim = llvm::dyn_cast<ir::DimOp>(op))
    return Sizes{ir::getShape(dim.getX())[dim.getAxis()]};
  // What the call computes anyway is what a narrowing cast makes of it.
  if (llvm::isa<ir::CastOp>(op) && from != SizesFrom::Data &&
      isInteger(call.dtypeOf(op->getOperand(0)))) {
    std::optional<Sizes> x = operand(0);
    if (x)
      for (const DimExpr &size : *x)
        fits.emplace_back(size, call.dtypeOf(value));
    return x;
  }
  if (llvm::isa<ir::ReshapeOp, ir::IdentityOp, ir::StopGradientOp, ir::DependOp, ir::RequireOp>(
          op) ||
      isWidening(op))
    return operand(0);
  if (llvm::isa<ir::BroadcastOp, ir::SliceOp, ir::TransposeOp, ir::ReverseOp, ir::ConcatenateOp>(
          op))
    return move(op, depth);
  if (llvm::isa<ir::GatherOp>(op)) {
    std::optional<Sizes> x = operand(0), places = operand(1);
    if (!x || !places || call.rank(op->getOperand(0)) != 1)
      return std::nullopt;
    Sizes sizes;
    for (const DimExpr &place : *places) {
      if (!place.isConstant() || uint64_t(place.constantValue()) >= x->size())
        return std::nullopt;
      sizes.push_back((*x)[place.constantValue()]);
    }
    return sizes;
  }
  if (llvm::isa<ir::ReduceProdOp, ir::ReduceSumOp>(op)) {
    std::optional<Sizes> x = operand(0);
    if (!x || count != 1)
      return std::nullopt;
    bool product = llvm::isa<ir::ReduceProdOp>(op);
    std::optional<DimExpr> total = DimExpr(product ? 1 : 0);
    for (const DimExpr &dim : *x)
      if (total)
        total = product ? ir::mul(*total, dim) : ir::add(*total, dim);
    return total ? std::optional(Sizes{*total}) : std::nullopt;
  }
  if (from != SizesFrom::Shapes && llvm::isa<ir::PlaceholderOp, ir::VariableOp>(op) &&
      call.rank(value) == 0 && !isStepArgument(call.graph, op))
    return Sizes{valueOf(op)};
  if (ir::makesSizes(op))
    return computeEach(op, depth);
  return std::nullopt;
}

//===-- Sizes of the call ---------------------------------------------------------------------===//

void Call::requireFit(const DimExpr &number, DType dtype, const std::string &what) {
  if (!isInteger(dtype) || dtype == DType::Int64)
    return;
  std::string misfit = what + " does not fit " + dtypeName(dtype);
  requireAtLeast(number, DimExpr(leastOf(dtype).item<int64_t>()), misfit);
  if (dtypeSize(dtype) < 8)
    requireAtLeast(DimExpr(greatestOf(dtype).item<int64_t>()), number, misfit);
}

// The callable whose body alone can compute the value: what differs from step to step, prints or
// draws has its place there, and what fails has it in a branch. Null for anything else, which is
// computed before.
static const Trace *traceThatNeeds(const Graph &graph, Value root) {
  std::vector<Value> stack = {root};
  llvm::DenseSet<mlir::Operation *> seen;
  while (!stack.empty()) {
    mlir::Operation *op = stack.back().getDefiningOp();
    stack.pop_back();
    auto isMaker = [&](const Trace *trace) { return trace->hasMade(op); };
    auto maker = llvm::find_if(graph.traces(), isMaker);
    if (maker == graph.traces().end() || !seen.insert(op).second)
      continue;
    bool isInBranch = std::any_of(graph.traces().begin(), maker + 1,
                                  [](const Trace *trace) { return !trace->stepNumber(); });
    if (isStepArgument(graph, op) || op->getNumRegions() ||
        llvm::isa<ir::PrintOp, ir::RandomBitsOp>(op) || (isInBranch && ir::canFail(op)))
      return *maker;
    stack.insert(stack.end(), op->getOperands().begin(), op->getOperands().end());
  }
  return nullptr;
}

Value Call::element(Value x, int64_t place) {
  Value flat = g.reshape(x, {DimExpr(countOf(x))});
  return g.reshape(g.slice(flat, {DimExpr(place)}, {DimExpr(1)}, {1}), {});
}

Value Call::nonzero(Value x, const std::string &what) {
  Value isZero = cast(g.equal(x, g.zeroLike(x)), dtypeOf(x));
  return g.add(x, inRange(isZero, DimExpr(0), DimExpr(1), what));
}

DimExpr Call::defineSize(Value value, int64_t element, const DimExpr &most,
                         const std::string &argument) {
  DimExpr bound = check(ir::max(most, DimExpr(0)));
  if (std::optional<int64_t> known = graph.computedSymbol(value, element))
    if (auto truncate = llvm::dyn_cast_or_null<ir::TruncateOp>(graph.symbols[*known].owner);
        truncate && ir::getShape(truncate.getX())[0] == bound)
      return DimExpr::symbol(*known);
  if (const Trace *trace = traceThatNeeds(graph, value))
    notImplemented("a size computed from data in " + trace->callable());
  Value scalar =
      inRange(cast(this->element(value, element), DType::Int64), DimExpr(0),
              check(ir::add(bound, DimExpr(1))),
              argument + " is computed from data; needed 0 to " +
                  (bound.isConstant() ? bound.str() : "what the sizes that it comes from allow"));
  // Nobody reads the truncated vector: what has its size is what counts.
  Value room = g.splat(0.0, ir::getTensorType({bound}, elementType(DType::Bool)));
  DimExpr size = ir::getShape(truncate(room, scalar, 0))[0];
  graph.addComputedSymbol(value, element, size.symbolId());
  return size;
}

static std::optional<DimExpr> only(const std::optional<Sizes> &sizes) {
  return sizes ? std::optional(sizes->front()) : std::nullopt;
}

std::optional<DimExpr> Call::sizeFromShapes(Value scalar) {
  return only(SizeExpressions(*this, SizesFrom::Shapes).of(scalar));
}

std::optional<DimExpr> Call::knownSize(Value scalar) {
  return only(SizeExpressions(*this, SizesFrom::Values).of(scalar));
}

std::optional<ir::Shape> Call::formulas(Value numbers) {
  return SizeExpressions(*this, SizesFrom::SignedValues).withoutRequirements(numbers);
}

std::optional<DimExpr> Call::knownNumber(Value scalar) {
  return only(SizeExpressions(*this, SizesFrom::SignedValues).of(scalar));
}

// Below 0 a number x has no positive part, so max(x - r, 0) for r of 0 or more is that of the part.
DimExpr Call::atLeastZero(DimExpr number) {
  for (int64_t id : number.symbols()) {
    const SymbolInfo &symbol = graph.symbols[id];
    if (!symbol.part || *symbol.part == ir::ValuePart::Whole)
      continue;
    ir::ValuePart other =
        *symbol.part == ir::ValuePart::Positive ? ir::ValuePart::Negative : ir::ValuePart::Positive;
    std::optional<int64_t> opposite = graph.existingValueSymbol(symbol.owner, other);
    if (!opposite)
      continue;
    DimExpr part = check(ir::add(number, DimExpr::symbol(*opposite)));
    DimExpr rest = check(ir::sub(DimExpr::symbol(id), part));
    if (rest.lowerBound().value_or(-1) >= 0)
      return check(ir::max(part, DimExpr(0)));
  }
  return check(ir::max(number, DimExpr(0)));
}

std::vector<DimExpr> Call::computedSizes(Value value, const std::string &argument,
                                         const std::optional<DimExpr> &most) {
  if (std::optional<Sizes> sizes = SizeExpressions(*this, SizesFrom::Values).of(value))
    return *sizes;
  auto define = [&](Value scalar, const DimExpr &bound) {
    return defineSize(scalar, 0, bound, argument);
  };
  std::optional<Sizes> sizes = SizeExpressions(*this, SizesFrom::Data, define).of(value);
  int64_t count = countOf(value);
  std::optional<DimExpr> bound = ValueRanges(graph).of(value).most;
  if (!bound)
    bound = most;
  if (!sizes && (count < 0 || !bound))
    notImplemented("a size computed from data, without a known bound, for " + argument +
                   "; needed one that is limited, as by K::minimum(size, 1000)");
  Sizes result;
  for (int64_t i = 0; i < count; ++i) {
    // An expression that may be negative would make those of other sizes longer: the call computes
    // it as a whole. A number is what it is; -1 means something to K::reshape.
    std::optional<DimExpr> size = sizes ? std::optional((*sizes)[size_t(i)]) : std::nullopt;
    bool isSize = size && (size->isConstant() || size->lowerBound().value_or(-1) >= 0);
    result.push_back(isSize || !bound ? *size : defineSize(value, i, *bound, argument));
  }
  return result;
}

//===-- Arguments -----------------------------------------------------------------------------===//

// What the value is, for messages.
static std::string kindOf(const Call &call, Value value) {
  return "dtype " + std::string(dtypeName(call.dtypeOf(value))) + " and shape " + describe(value);
}

static void checkScalar(const Call &call, Value scalar, const std::string &argument) {
  if (countOf(scalar) != 1 || !isInteger(call.dtypeOf(scalar)))
    call.valueError(argument + " must be a number or an integer scalar; found a tensor of " +
                    kindOf(call, scalar));
}

// A scalar is a list of one size.
static void checkVector(const Call &call, Value vector, const std::string &argument) {
  if (call.rank(vector) > 1 || !isInteger(call.dtypeOf(vector)))
    call.valueError(argument + " must be a list of sizes or an integer vector; found a tensor of " +
                    kindOf(call, vector));
  if (countOf(vector) < 0)
    call.valueError(argument + " must have a known number of entries, at most " +
                    std::to_string(kMaxElements) + "; found a tensor of shape " + describe(vector));
}

static std::string entryName(size_t i, const std::string &argument) {
  return "entry " + std::to_string(i) + " of " + argument;
}

DimExpr Call::size(Value scalar, const std::string &argument, const std::optional<DimExpr> &most) {
  checkScalar(*this, scalar, argument);
  return computedSizes(scalar, argument, most).front();
}

DimExpr Call::size(const Size &size, const std::string &argument,
                   const std::optional<DimExpr> &most) {
  if (size.isNone())
    valueError(argument + " is None; needed a number or an integer scalar");
  if (size.isName())
    return namedSize(size.dim(), argument);
  return size.isNumber() ? DimExpr(size.number())
                         : this->size(value(size.tensor()), argument, most);
}

std::vector<std::optional<DimExpr>> Call::entries(const Shape &shape, const std::string &argument,
                                                  const std::optional<DimExpr> &most) {
  if (shape.isNone())
    valueError(argument + " is None; needed a list of sizes");
  std::vector<std::optional<DimExpr>> result;
  if (shape.isTensor()) {
    Value vector = value(shape.tensor());
    checkVector(*this, vector, argument);
    for (const DimExpr &dim : computedSizes(vector, argument, most))
      result.push_back(dim);
  }
  for (const auto &[i, entry] : llvm::enumerate(shape.entries()))
    result.push_back(entry.isNone() ? std::nullopt
                                    : std::optional(size(entry, entryName(i, argument), most)));
  return result;
}

std::vector<Call::SizeOrData> Call::sizesOrData(const Shape &shape, const std::string &argument) {
  if (shape.isNone())
    valueError(argument + " is None; needed a list of numbers");
  std::vector<SizeOrData> result;
  auto add = [&](Value scalar) {
    std::optional<DimExpr> known = knownSize(scalar);
    result.push_back({known, known ? Value() : cast(scalar, DType::Int64)});
  };
  if (shape.isTensor()) {
    Value vector = value(shape.tensor());
    checkVector(*this, vector, argument);
    for (int64_t i = 0; i < countOf(vector); ++i)
      add(element(vector, i));
  }
  for (const auto &[i, entry] : llvm::enumerate(shape.entries())) {
    if (!entry.isTensor()) {
      result.push_back({size(entry, entryName(i, argument)), {}});
      continue;
    }
    Value scalar = value(entry.tensor());
    checkScalar(*this, scalar, entryName(i, argument));
    add(g.reshape(scalar, {}));
  }
  return result;
}

ir::Shape Call::shape(const Shape &shape, const std::string &argument) {
  ir::Shape result;
  for (const std::optional<DimExpr> &dim : entries(shape, argument)) {
    if (!dim)
      valueError(entryName(result.size(), argument) +
                 " is None; needed a number or an integer scalar");
    requireAtLeast(*dim, DimExpr(0), "a size must not be negative");
    result.push_back(*dim);
  }
  return result;
}

Value Call::truncate(Value x, Value size, int64_t axis) {
  size = cast(g.reshape(size, {}), DType::Int64);
  int64_t symbol = graph.addSymbol(
      SymbolInfo{nullptr, std::nullopt, "a size that " + std::string(function) + " computes"});
  ir::Shape shape = ir::getShape(x);
  shape[size_t(axis)] = DimExpr::symbol(symbol);
  auto op = builder.create<ir::TruncateOp>(
      g.location(), ir::getTensorType(shape, ir::getElementType(x)), x, size, uint64_t(axis));
  graph.own(op, symbol);
  return op.getY();
}

Value Call::scalar(const DimExpr &size, DType dtype) {
  mlir::Type type = elementType(dtype);
  return g.count(g.splat(0.0, ir::getTensorType({size}, type)), {0}, type);
}

Value Call::inRange(Value x, const DimExpr &lower, const DimExpr &upper, const std::string &what) {
  auto dims = [&](const DimExpr &size) {
    return ir::DimsAttr::get(&graph.context, ir::Shape{size});
  };
  return builder.create<ir::CheckRangeOp>(g.location(), x.getType(), x, dims(lower), dims(upper),
                                          requirement(what));
}
