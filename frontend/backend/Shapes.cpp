// K functions: the same elements under other shapes.
#include "keratin/shapes.h"

#include "frontend/backend/Configuration.h"
#include "frontend/graph/Call.h"
#include "frontend/graph/SparseParts.h"
#include "frontend/values/DTypeRules.h"

#include "llvm/ADT/STLExtras.h"

using namespace keratin;
using namespace keratin::frontend;

namespace keratin::backend {

static bool isSparse(const Operand &x) { return sparseParts(x).has_value(); }

// The stored elements of all, those behind the first at places that far on.
static Tensor concatenateSparse(Call &call, const std::vector<Operand> &tensors, int64_t axis) {
  ir::GraphMath &g = call.g;
  axis = call.axis(axis, 2);
  std::vector<SparseParts> all;
  std::optional<DType> dtype;
  for (const Operand &x : tensors) {
    all.push_back(*sparseParts(x));
    DType own = call.dtypeOf(all.back().values);
    dtype = dtype ? promote(*dtype, own) : own;
  }
  SparseParts joined = all.front();
  DimExpr other = joined.shape[1 - axis], total(0);
  for (const SparseParts &parts : all)
    other =
        call.unify(other, parts.shape[1 - axis], "sizes of dimension " + std::to_string(1 - axis));
  std::vector<Value> rows, columns, values;
  for (SparseParts parts : all) {
    Value &place = axis == 0 ? parts.rows : parts.columns;
    if (total != DimExpr(0)) {
      Value before = call.scalar(total, DType::Int64);
      place = g.add(place, g.broadcastScalar(before, ir::getShape(place)));
    }
    total = call.check(ir::add(total, parts.shape[axis]));
    rows.push_back(parts.rows);
    columns.push_back(parts.columns);
    values.push_back(call.cast(parts.values, *dtype));
  }
  joined.rows = g.concatenate(rows, 0);
  joined.columns = g.concatenate(columns, 0);
  joined.values = g.concatenate(values, 0);
  joined.shape[axis] = total;
  joined.shape[1 - axis] = other;
  return call.tensor(sparseMatrix(call, joined));
}

Tensor concatenate(const std::vector<Operand> &tensors, Axis axis, SourceLocation location) {
  Call call("concatenate", location);
  if (!tensors.empty() && llvm::all_of(tensors, isSparse))
    return concatenateSparse(call, tensors, axis);
  std::vector<Operand> dense;
  for (const Operand &x : tensors) {
    std::optional<SparseParts> parts = sparseParts(x);
    dense.push_back(parts ? Operand(call.tensor(toDense(call, *parts))) : x);
  }
  std::vector<Value> values = call.promoted(dense);
  int64_t rank = call.rank(values.front());
  for (Value x : values)
    if (call.rank(x) != rank)
      call.valueError("ranks differ; found shapes " + describe(values.front()) + " and " +
                      describe(x) + "; needed equal ranks");
  axis = call.axis(axis, rank);
  // The sizes beside the axis, known ones first.
  ir::Shape common = ir::getShape(values.front());
  for (Value x : values)
    for (int64_t i = 0; i < rank; ++i)
      if (i != axis)
        common[i] =
            call.unify(common[i], ir::getShape(x)[i], "sizes of dimension " + std::to_string(i));
  DimExpr total(0);
  for (Value &x : values) {
    common[axis] = ir::getShape(x)[axis];
    total = call.check(ir::add(total, common[axis]));
    x = call.requireShape(x, common, "sizes beside the axis");
  }
  return call.tensor(call.g.concatenate(values, axis));
}

Tensor stack(const std::vector<Operand> &x, Axis axis, SourceLocation location) {
  Call call("stack", location);
  std::vector<Value> values = call.promoted(x);
  ir::Shape shape = ir::getShape(values.front());
  for (Value value : values) {
    if (call.rank(value) != int64_t(shape.size()))
      call.valueError("shapes differ; found " + describe(values.front()) + " and " +
                      describe(value));
    for (size_t i = 0; i < shape.size(); ++i)
      shape[i] =
          call.unify(shape[i], ir::getShape(value)[i], "sizes of dimension " + std::to_string(i));
  }
  axis = call.axis(axis, int64_t(shape.size()) + 1);
  ir::Shape slab = shape;
  slab.insert(slab.begin() + axis, DimExpr(1));
  for (Value &value : values)
    value = call.g.reshape(call.requireShape(value, shape, "the tensors"), slab);
  return call.tensor(call.g.concatenate(values, axis));
}

Tensor reshape(const Operand &operand, const Shape &shape, SourceLocation location) {
  Call call("reshape", location);
  Value x = call.value(operand);
  DimExpr count = call.check(ir::elementCount(ir::getShape(x)));
  ir::Shape sizes;
  std::optional<size_t> open;
  // No size is more than there are elements.
  for (const std::optional<DimExpr> &dim : call.entries(shape, "shape", count)) {
    if (!dim || *dim == DimExpr(-1)) {
      if (open)
        call.valueError("the shape has more than one -1");
      open = sizes.size();
      sizes.push_back(DimExpr(1));
      continue;
    }
    call.requireAtLeast(*dim, DimExpr(0), "a size must not be negative");
    sizes.push_back(*dim);
  }
  DimExpr known = call.check(ir::elementCount(sizes));
  if (open) {
    // Anything fits where there are no elements; a divisor of 0 at the call fails it.
    if (known == DimExpr(0))
      sizes[*open] = DimExpr(0);
    else
      sizes[*open] = call.check(ir::floordiv(count, known));
    if (known != DimExpr(0) && !known.isConstant())
      call.requireAtLeast(known, DimExpr(1), "the sizes beside -1 must not be 0");
    known = call.check(ir::elementCount(sizes));
  }
  if (count.isConstant() && known.isConstant() && count != known)
    call.valueError("cannot give shape " + describe(x) + " the shape " + describe(sizes) +
                    "; found " + count.str() + " elements for " + known.str());
  return call.tensor(call.g.reshape(x, sizes));
}

Tensor permute_dimensions(const Operand &operand, const std::vector<int64_t> &pattern,
                          SourceLocation location) {
  Call call("permute_dimensions", location);
  Value x = call.value(operand);
  std::vector<int64_t> sorted = pattern;
  std::sort(sorted.begin(), sorted.end());
  bool isPermutation = int64_t(pattern.size()) == call.rank(x);
  for (size_t i = 0; i < sorted.size(); ++i)
    isPermutation &= sorted[i] == int64_t(i);
  if (!isPermutation)
    call.valueError("pattern " + toString(pattern) + " is no permutation; needed one of the " +
                    std::to_string(call.rank(x)) + " axes of x");
  return call.tensor(call.g.transpose(x, pattern));
}

Tensor flatten(const Operand &operand, SourceLocation location) {
  Call call("flatten", location);
  Value x = call.value(operand);
  return call.tensor(call.g.reshape(x, {call.check(ir::elementCount(ir::getShape(x)))}));
}

Tensor batch_flatten(const Operand &operand, SourceLocation location) {
  Call call("batch_flatten", location);
  Value x = call.value(operand);
  ir::Shape shape = ir::getShape(x);
  if (shape.empty())
    call.valueError("x is a scalar; needed a batch axis");
  DimExpr batch = shape.front();
  shape.erase(shape.begin());
  return call.tensor(call.g.reshape(x, {batch, call.check(ir::elementCount(shape))}));
}

Tensor expand_dims(const Operand &operand, Axis axis, SourceLocation location) {
  Call call("expand_dims", location);
  Value x = call.value(operand);
  ir::Shape shape = ir::getShape(x);
  shape.insert(shape.begin() + call.axis(axis, int64_t(shape.size()) + 1), DimExpr(1));
  return call.tensor(call.g.reshape(x, shape));
}

Tensor squeeze(const Operand &operand, Axis axis, SourceLocation location) {
  Call call("squeeze", location);
  Value x = call.value(operand);
  ir::Shape shape = ir::getShape(x);
  int64_t place = call.axis(axis, int64_t(shape.size()));
  if (shape[place].isConstant() && shape[place] != DimExpr(1))
    call.valueError("axis " + std::to_string(place) + " has size " + shape[place].str() +
                    "; needed 1");
  shape[place] = DimExpr(1);
  x = call.requireShape(x, shape, "the squeezed axis and 1");
  shape.erase(shape.begin() + place);
  return call.tensor(call.g.reshape(x, shape));
}

Tensor pattern_broadcast(const Operand &operand, const std::vector<bool> &broadcastable,
                         SourceLocation location) {
  Call call("pattern_broadcast", location);
  Value x = call.value(operand);
  ir::Shape shape = ir::getShape(x);
  if (broadcastable.size() != shape.size())
    call.valueError("broadcastable has " + std::to_string(broadcastable.size()) +
                    " entries; needed " + std::to_string(shape.size()));
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!broadcastable[i])
      continue;
    if (shape[i].isConstant() && shape[i] != DimExpr(1))
      call.valueError("axis " + std::to_string(i) + " has size " + shape[i].str() + "; needed 1");
    shape[i] = DimExpr(1);
  }
  return call.tensor(call.requireShape(x, shape, "broadcastable axes and 1"));
}

} // namespace keratin::backend
