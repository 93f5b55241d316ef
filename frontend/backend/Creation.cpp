// K functions: tensors out of shapes and numbers.
#include "keratin/creation.h"

#include "frontend/backend/Complex.h"
#include "frontend/backend/Configuration.h"
#include "frontend/backend/Variables.h"
#include "frontend/graph/SparseParts.h"
#include "frontend/graph/ValueRange.h"
#include "frontend/values/Elements.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

using namespace keratin;
using namespace keratin::frontend;

static bool isStatic(const Shape &shape) {
  return !shape.isTensor() && llvm::all_of(shape.entries(), [](const Size &size) {
    return !size.isTensor() && !size.isName();
  });
}

// zeros and ones: a variable, or a tensor if the shape holds tensors.
static Tensor fill(const char *function, double value, const Shape &shape, DTypeArgument dtype,
                   const std::string &name, SourceLocation location) {
  Call call(function, location);
  DType type = dtype.valueOr(Configuration::floatx());
  ir::Shape sizes = call.shape(shape);
  if (isStatic(shape)) {
    std::vector<int64_t> dims;
    for (const DimExpr &dim : sizes)
      dims.push_back(dim.constantValue());
    return makeVariable(call, Array(value).astype(type), dims, name);
  }
  return call.tensor(call.g.splat(value, ir::getTensorType(sizes, call.elementType(type))), name);
}

static Tensor fillLike(const char *function, double value, const Operand &operand,
                       DTypeArgument dtype, const std::string &name, SourceLocation location) {
  Call call(function, location);
  Value x = call.value(operand);
  mlir::Type element = call.elementType(dtype.valueOr(call.dtypeOf(x)));
  return call.tensor(call.g.splat(value, ir::withElementType(ir::getTensorType(x), element)), name);
}

namespace {

struct PlaceholderName {
  std::string unique, asked;
};

} // namespace

static ir::PlaceholderOp makePlaceholder(Call &call, const PlaceholderName &name,
                                         const ir::Shape &shape, DType dtype,
                                         const std::string &part = "") {
  PlaceholderInfo info{name.unique + part, std::nullopt};
  info.askedName = name.asked + part;
  info.part = part;
  int64_t id = call.graph.placeholders.add(std::move(info));
  return call.builder.create<ir::PlaceholderOp>(call.g.location(),
                                                ir::getTensorType(shape, call.elementType(dtype)),
                                                id, call.builder.getStringAttr(""));
}

// Three vectors are fed, and each size that is not known (graph/SparseFeed.h).
static Tensor sparsePlaceholder(Call &call, const PlaceholderName &name,
                                const std::vector<Size> &entries, DType dtype) {
  Graph &graph = call.graph;
  int64_t count = graph.addSymbol(
      SymbolInfo{nullptr, std::nullopt, "the number of elements of placeholder " + name.unique});
  ir::Shape stored{DimExpr::symbol(count)};
  ir::PlaceholderOp rows = makePlaceholder(call, name, stored, DType::Int64, ".rows");
  graph.own(rows, {count});
  SparseParts parts{rows,
                    makePlaceholder(call, name, stored, DType::Int64, ".columns"),
                    makePlaceholder(call, name, stored, dtype, ".values"),
                    {}};
  for (auto [i, entry] : llvm::enumerate(entries)) {
    if (entry.isNumber()) {
      parts.shape.push_back(DimExpr(entry.number()));
      continue;
    }
    const char *what = i == 0 ? ".row_count" : ".column_count";
    ir::PlaceholderOp size = makePlaceholder(call, name, {}, DType::Int64, what);
    parts.shape.push_back(DimExpr::symbol(graph.valueSymbol(size)));
    graph.placeholders[rows.getId()].sizes.push_back(tensorOf(size));
  }
  Tensor result = tensorOf(sparseMatrix(call, parts, ir::SparseRole::Placeholder));
  nodeOf(result)->name = name.unique + ":0";
  return result;
}

// How many numbers there are from `from` to `to`, and the last of them, whatever kind they are.
static std::pair<int64_t, Array> countSteps(Call &call, const Operand &from, const Operand &to,
                                            const Operand &step) {
  bool floating = false;
  for (const Operand *operand : {&from, &to, &step}) {
    floating |= operand->kind() == Operand::Kind::Float;
    if (operand->kind() != Operand::Kind::Float)
      call.checkFit(operand->array(), DType::Int64);
  }
  if (step.number() == 0)
    call.valueError("step is 0");
  // Whole numbers of 64 bits keep all their digits.
  __int128 exact = 0;
  double length = 0;
  if (floating) {
    length = std::ceil((to.number() - from.number()) / step.number());
  } else {
    __int128 by = step.array().item<int64_t>();
    exact = __int128(to.array().item<int64_t>()) - from.array().item<int64_t>();
    exact = (exact + by - (by > 0 ? 1 : -1)) / by;
    length = double(exact);
  }
  if (!(length < 9e15))
    call.valueError("the range is too long or not finite");
  if (length <= 0)
    return {0, Array(0)};
  int64_t count = floating ? int64_t(length) : int64_t(exact);
  if (floating)
    return {count, Array(from.number() + double(count - 1) * step.number())};
  return {count, Array(from.array().item<int64_t>() + (count - 1) * step.array().item<int64_t>())};
}

namespace {

// K::arange. Counted in 64 bits, so that the values of any dtype are exact before they are
// converted.
class Range {
public:
  Range(Call &call, const Operand &from, const Operand &to, const Operand &by, DType dtype)
      : call(call), g(call.g), from(from), to(to), by(by), dtype(dtype) {
    for (const Operand *operand : {&from, &to, &by})
      isFloat |= operand->isTensor() ? isFloating(operand->tensor().dtype())
                                     : operand->kind() == Operand::Kind::Float;
    if (by.isNumber() && by.number() == 0)
      call.valueError("step is 0");
  }

  Value values() {
    DimExpr count = size();
    DType work = isFloat ? DType::Float64 : DType::Int64;
    Value index = g.iota(ir::getTensorType({count}, call.elementType(work)), 0);
    auto everywhere = [&](const Operand &operand) {
      return g.broadcastScalar(scalar(operand), {count});
    };
    return g.add(g.mul(index, everywhere(by)), everywhere(from));
  }

private:
  // Sizes with longer steps could not be represented: the call computes them.
  static constexpr double kMostKnownStep = 0x1p31;
  // One that is longer goes no further.
  static constexpr int64_t kLeastStep = -std::numeric_limits<int64_t>::max();

  // ceil((to - from) / by), at least 0.
  DimExpr size() {
    if (from.isNumber() && to.isNumber() && by.isNumber()) {
      auto [count, last] = countSteps(call, from, to, by);
      if (count > 0) {
        call.checkFit(from.array(), dtype);
        call.checkFit(last, dtype);
      }
      return DimExpr(count);
    }
    if (!isFloat && by.isNumber() && std::abs(by.number()) <= kMostKnownStep)
      if (std::optional<DimExpr> known = knownSize())
        return *known;
    return isFloat ? floatSize() : integerSize();
  }

  std::optional<DimExpr> knownSize() {
    std::optional<DimExpr> first = call.knownNumber(scalar(from)),
                           last = call.knownNumber(scalar(to));
    if (!first || !last)
      return std::nullopt;
    DimExpr step(by.array().item<int64_t>()), distance = call.check(ir::sub(*last, *first));
    bool isUp = step.constantValue() > 0;
    DimExpr width = isUp ? step : call.check(ir::sub(DimExpr(0), step));
    distance = call.atLeastZero(isUp ? distance : call.check(ir::sub(DimExpr(0), distance)));
    DimExpr count = call.check(ir::ceildiv(distance, width));
    DimExpr steps = call.check(ir::mul(call.check(ir::sub(count, DimExpr(1))), step));
    // If there are any.
    for (const DimExpr &end : {*first, call.check(ir::add(*first, steps))})
      call.requireFit(call.check(ir::mul(call.check(ir::min(count, DimExpr(1))), end)), dtype,
                      "a number");
    return count;
  }

  DimExpr integerSize() {
    Value step = by.isNumber() ? scalar(by) : call.nonzero(scalar(by), "step is 0");
    Value distance = g.sub(scalar(to), scalar(from)), zero = g.zeroLike(step);
    // Of the same length with a step that goes up. No number here is beyond 64 bits, however long
    // the step.
    distance = g.select(g.less(step, zero), g.neg(distance), distance);
    Value width = g.abs(g.maximum(step, g.integerScalar(kLeastStep, ir::getElementType(step))));
    Value one = g.oneLike(width);
    Value count = g.add(g.floorDiv(g.sub(distance, one), width), one);
    return computedSize(g.maximum(count, zero));
  }

  DimExpr floatSize() {
    Value length = g.div(g.sub(scalar(to), scalar(from)), scalar(by));
    // NaN and infinity have no number of elements, and what is beyond 2^53 has none that is exact.
    Value isSize = g.less(g.abs(length), call.like(length, 0x1p53));
    Value count = call.cast(g.ceil(g.maximum(length, g.zeroLike(length))), DType::Int64);
    Value isNone = call.cast(g.not_(isSize), DType::Int64);
    count = g.add(count, call.inRange(isNone, DimExpr(0), DimExpr(1),
                                      "the range is too long or not finite; step must not be 0"));
    return computedSize(count);
  }

  // The count, if the numbers from the first to the last fit the dtype; else the call fails.
  Value fitting(Value count) {
    if (!isInteger(dtype) || (!isFloat && dtype == DType::Int64))
      return count;
    DType work = isFloat ? DType::Float64 : DType::Int64;
    Value first = scalar(from), one = g.oneLike(count);
    Value last = g.add(first, g.mul(call.cast(g.sub(count, one), work), scalar(by)));
    // Whole numbers of 64 bits are never beyond what uint64 holds.
    DType upTo = !isFloat && dtype == DType::UInt64 ? work : dtype;
    Value least = call.literal(leastOf(dtype).astype(work)),
          greatest = call.literal(greatestOf(upTo).astype(work)), misfits;
    for (Value end : {first, last}) {
      Value beyond = g.or_(g.less(end, least), g.greater(end, greatest));
      misfits = misfits ? g.or_(misfits, beyond) : beyond;
    }
    misfits = call.cast(g.and_(misfits, g.greaterEqual(count, one)), DType::Int64);
    return g.add(count, call.inRange(misfits, DimExpr(0), DimExpr(1),
                                     std::string("a number does not fit ") + dtypeName(dtype)));
  }

  DimExpr computedSize(Value count) {
    count = fitting(count);
    std::optional<DimExpr> most = mostSteps();
    if (!most)
      call.notImplemented("a size computed from data, without a known bound, for the range; needed "
                          "start, stop and step that are limited, as by K::clip(stop, 0, 1000)");
    return call.computedSize(count, *most, "the range");
  }

  // The distance at most, in the direction of the step, by the step at least.
  std::optional<DimExpr> mostSteps() {
    ValueRanges ranges(call.graph);
    ValueRange first = ranges.of(scalar(from)), last = ranges.of(scalar(to)),
               step = ranges.of(scalar(by));
    auto distance = [](const std::optional<DimExpr> &low, const std::optional<DimExpr> &high) {
      return low && high ? ir::sub(*high, *low) : std::nullopt;
    };
    std::optional<DimExpr> up = distance(first.least, last.most),
                           down = distance(last.least, first.most), most;
    if (step.isAtLeast(0))
      most = up;
    else if (step.isAtMost(0))
      most = down;
    else if (up && down)
      most = ir::max(*up, *down);
    if (!most || !isFloat || step.isAtLeast(1) || step.isAtMost(-1))
      return most;
    if (!by.isNumber())
      return std::nullopt;
    most = ir::mul(*most, DimExpr(int64_t(std::ceil(1 / std::abs(by.number())))));
    return most ? ir::add(*most, DimExpr(1)) : std::nullopt; // for what rounding adds
  }

  Value scalar(const Operand &operand) {
    Value value = call.value(operand, isFloat ? DType::Float64 : DType::Int64);
    if (call.rank(value) != 0)
      call.valueError("start, stop and step must be numbers or scalars; found shape " +
                      describe(value));
    return value;
  }

  Call &call;
  ir::GraphMath &g;
  const Operand &from, &to, &by;
  DType dtype;
  bool isFloat = false;
};

} // namespace

namespace keratin::backend {

Tensor constant(const Operand &value, DTypeArgument dtype, const Shape &shape,
                const std::string &name, SourceLocation location) {
  Call call("constant", location);
  DType type = dtype.valueOr(defaultDtype(value));
  Value x = call.value(value, type);
  if (!shape.isNone()) {
    ir::Shape wanted = call.shape(shape);
    std::optional<DimExpr> from = ir::elementCount(ir::getShape(x)), to = ir::elementCount(wanted);
    if (from == DimExpr(1))
      x = call.g.broadcastScalar(call.g.reshape(x, {}), wanted);
    else if (from && to && (from == to || !from->isConstant() || !to->isConstant()))
      x = call.g.reshape(x, wanted); // which checks what is not known
    else
      call.valueError("cannot give a value of shape " + describe(x) + " the shape " +
                      describe(wanted) + "; needed as many elements");
  }
  return call.tensor(x, name);
}

Tensor placeholder(const Shape &shape, std::optional<int64_t> ndim, DTypeArgument dtype,
                   bool sparse, const std::string &name, SourceLocation location) {
  Call call("placeholder", location);
  if (shape.isNone() && !ndim)
    call.valueError("neither shape nor ndim is given; needed one of them");
  if (shape.isTensor() || (shape.isNone() && *ndim < 0))
    call.valueError("the shape must be a list of numbers, names and None");
  if (shape.isNone() && *ndim > KERATIN_MAX_RANK)
    call.valueError("ndim is " + std::to_string(*ndim) + "; needed at most " +
                    std::to_string(KERATIN_MAX_RANK));
  std::vector<Size> entries =
      shape.isNone() ? std::vector<Size>(size_t(*ndim), Size(None)) : shape.entries();
  Graph &graph = call.graph;
  const std::string given = name.empty() ? "Placeholder" : name;
  const PlaceholderName names = {graph.nodeName(given), graph.askedName(given)};
  for (const Size &entry : entries)
    if (entry.isTensor() || (entry.isNumber() && entry.number() < 0))
      call.valueError("the shape must hold None, names and sizes of 0 or more; found " +
                      (entry.isTensor() ? "a tensor" : std::to_string(entry.number())));
  if (sparse) {
    if (entries.size() != 2)
      call.valueError("a sparse tensor of rank " + std::to_string(entries.size()) +
                      "; needed rank 2");
    if (llvm::any_of(entries, [](const Size &entry) { return entry.isName(); }))
      call.notImplemented("names for the sizes of a sparse placeholder; needed numbers or None");
    return sparsePlaceholder(call, names, entries, dtype.valueOr(Configuration::floatx()));
  }
  if (entries.size() > KERATIN_MAX_RANK)
    call.valueError("rank " + std::to_string(entries.size()) + " is above " +
                    std::to_string(KERATIN_MAX_RANK));
  ir::Shape dims;
  std::vector<int64_t> symbols;
  for (auto [i, entry] : llvm::enumerate(entries)) {
    if (!entry.isNone()) {
      dims.push_back(call.size(entry, "entry " + std::to_string(i) + " of shape"));
      continue;
    }
    symbols.push_back(graph.addSymbol(
        SymbolInfo{nullptr, std::nullopt,
                   "dimension " + std::to_string(i) + " of placeholder " + names.unique}));
    dims.push_back(DimExpr::symbol(symbols.back()));
  }
  DType type = dtype.valueOr(Configuration::floatx());
  ir::PlaceholderOp op = makePlaceholder(call, names, dims, type);
  graph.own(op, symbols);
  return tensorOf(op);
}

Tensor zeros(const Shape &shape, DTypeArgument dtype, const std::string &name,
             SourceLocation location) {
  return fill("zeros", 0.0, shape, dtype, name, location);
}

Tensor ones(const Shape &shape, DTypeArgument dtype, const std::string &name,
            SourceLocation location) {
  return fill("ones", 1.0, shape, dtype, name, location);
}

Tensor eye(const Shape &size, DTypeArgument dtype, const std::string &name,
           SourceLocation location) {
  Call call("eye", location);
  DType type = dtype.valueOr(Configuration::floatx());
  ir::Shape sizes = call.shape(size, "size");
  if (sizes.empty() || sizes.size() > 2)
    call.valueError("size must be one number or a pair (rows, columns)");
  sizes.resize(2, sizes.front());
  if (!isStatic(size)) {
    auto places = ir::getTensorType(sizes, call.elementType(DType::Int64));
    Value diagonal = call.g.equal(call.g.iota(places, 0), call.g.iota(places, 1));
    return call.tensor(call.cast(diagonal, type), name);
  }
  int64_t rows = sizes.front().constantValue(), columns = sizes.back().constantValue(), bytes;
  if (__builtin_mul_overflow(rows, columns, &bytes) ||
      __builtin_mul_overflow(bytes, int64_t(dtypeSize(type)), &bytes))
    call.valueError("a matrix of " + std::to_string(rows) + " rows and " + std::to_string(columns) +
                    " columns is too large");
  Array array = Array::zeros(type, {rows, columns}), one = Array(1.0).astype(type);
  for (int64_t i = 0; i < std::min(rows, columns); ++i)
    std::memcpy(static_cast<char *>(array.rawData()) + size_t(i * columns + i) * dtypeSize(type),
                one.rawData(), dtypeSize(type));
  return makeVariable(call, array, name, {});
}

Tensor zeros_like(const Operand &x, DTypeArgument dtype, const std::string &name,
                  SourceLocation location) {
  return fillLike("zeros_like", 0.0, x, dtype, name, location);
}

Tensor ones_like(const Operand &x, DTypeArgument dtype, const std::string &name,
                 SourceLocation location) {
  return fillLike("ones_like", 1.0, x, dtype, name, location);
}

Tensor identity(const Operand &operand, const std::string &name, SourceLocation location) {
  Call call("identity", location);
  if (std::optional<SparseParts> parts = sparseParts(operand))
    return call.tensor(sparseMatrix(call, *parts), name);
  return call.tensor(call.builder.create<ir::IdentityOp>(call.g.location(), call.value(operand)),
                     name);
}

Tensor arange(const Operand &start, const Operand &stop, const Operand &step, DTypeArgument dtype,
              SourceLocation location) {
  Call call("arange", location);
  const Operand zero(0, location);
  DType type = dtype.valueOr(DType::Int32);
  Range range(call, stop.isNone() ? zero : start, stop.isNone() ? start : stop, step, type);
  return call.tensor(call.cast(range.values(), type));
}

Tensor linspace(const Operand &start, const Operand &stop, const Size &num, bool endpoint,
                DTypeArgument dtype, SourceLocation location) {
  Call call("linspace", location);
  ir::GraphMath &g = call.g;
  DimExpr count = call.size(num, "num");
  call.requireAtLeast(count, DimExpr(0), "num must not be negative");
  auto everywhere = [&](const Operand &operand, const char *name) {
    Value x = call.value(operand, DType::Float64);
    if (call.rank(x) != 0)
      call.valueError(std::string(name) + " has shape " + describe(x) + "; needed a scalar");
    return g.broadcastScalar(x, {count});
  };
  // In float64, and the last number is `stop` itself.
  Value first = everywhere(start, "start"), last = everywhere(stop, "stop");
  DimExpr parts = endpoint ? call.check(ir::sub(count, DimExpr(1))) : count;
  Value steps = g.broadcastScalar(
      call.scalar(call.check(ir::max(parts, DimExpr(1))), DType::Float64), {count});
  Value place = g.iota(ir::getTensorType(first), 0);
  Value numbers = g.add(first, g.mul(place, g.div(g.sub(last, first), steps)));
  if (endpoint) {
    Value isLast = g.and_(g.equal(place, steps), g.greater(place, g.zeroLike(place)));
    numbers = g.select(isLast, last, numbers);
  }
  return call.tensor(call.cast(numbers, dtype.valueOr(Configuration::floatx())));
}

std::vector<Tensor> meshgrid(const std::vector<Operand> &operands, const std::string &indexing,
                             SourceLocation location) {
  Call call("meshgrid", location);
  if (indexing != "xy" && indexing != "ij")
    call.valueError("unknown indexing '" + indexing + "'; needed xy or ij");
  std::vector<Value> vectors;
  ir::Shape shape;
  for (const Operand &operand : operands) {
    Value x = call.value(operand);
    if (call.rank(x) > 1)
      call.valueError("entry " + std::to_string(vectors.size()) + " has shape " + describe(x) +
                      "; needed vectors");
    vectors.push_back(call.rank(x) == 1 ? x : call.g.reshape(x, {DimExpr(1)}));
    shape.push_back(ir::getShape(vectors.back()).front());
  }
  // Which axis a vector lies along: the first two are columns and rows for "xy".
  std::vector<int64_t> along(vectors.size());
  std::iota(along.begin(), along.end(), 0);
  if (indexing == "xy" && vectors.size() > 1) {
    std::swap(shape[0], shape[1]);
    std::swap(along[0], along[1]);
  }
  std::vector<Tensor> results;
  for (size_t i = 0; i < vectors.size(); ++i)
    results.push_back(call.tensor(call.g.broadcast(vectors[i], shape, {along[i]})));
  return results;
}

} // namespace keratin::backend
