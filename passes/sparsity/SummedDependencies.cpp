// Dependencies of ops whose elements are made of several of an operand: sums, products, choices.
#include "passes/sparsity/DependencyRules.h"

#include "ir/interfaces/ConvolutionShape.h"
#include "ir/reference/IndexWalk.h"
#include "ir/reference/WindowWalk.h"

using namespace keratin::ir;
using namespace keratin::ir::reference;
using namespace keratin::passes;
using namespace mlir;

// Collects sets for the elements of a result, in any order, and unites them at the end.
class DependencyRules::Sums {
public:
  Sums(IndexSets &sets, HostTensor result) : sets(sets), result(std::move(result)) {}

  void add(int64_t to, IndexSets::Id id) {
    if (id != 0)
      parts.emplace_back(to, id);
  }
  SetTensor finish() {
    llvm::sort(parts);
    std::vector<IndexSets::Id> ids;
    for (size_t i = 0; i < parts.size();) {
      const int64_t to = parts[i].first;
      ids.clear();
      for (; i < parts.size() && parts[i].first == to; ++i)
        ids.push_back(parts[i].second);
      result.ints[to] = sets.unionOf(ids);
    }
    return std::make_shared<HostTensor>(std::move(result));
  }

private:
  IndexSets &sets;
  HostTensor result;
  std::vector<std::pair<int64_t, IndexSets::Id>> parts;
};

SetTensor DependencyRules::reduce(Operation *op, const HostTensor &x, ArrayRef<int64_t> axes) {
  Sums sums(sets, emptySets(op->getResult(0)));
  std::vector<int64_t> kept;
  for (int64_t axis = 0; axis < int64_t(x.dims.size()); ++axis)
    if (!llvm::is_contained(axes, axis))
      kept.push_back(x.dims[axis]);
  const std::vector<int64_t> keptStrides = rowMajorStrides(kept);
  std::vector<int64_t> strides(x.dims.size(), 0);
  for (size_t axis = 0, next = 0; axis < x.dims.size(); ++axis)
    if (!llvm::is_contained(axes, int64_t(axis)))
      strides[axis] = keptStrides[next++];
  forEachIndex(x.dims, [&](const HostIndex &index, int64_t from) {
    sums.add(offsetOf(index, strides), x.ints[from]);
  });
  return sums.finish();
}

// Of all along the axis: each element of what runs along it depends on half of them.
SetTensor DependencyRules::along(Operation *op, Operands operands, int64_t axis) {
  HostTensor result = emptySets(op->getResult(0));
  const std::vector<int64_t> strides = rowMajorStrides(result.dims);
  std::vector<int64_t> lines = result.dims;
  lines[axis] = std::min<int64_t>(lines[axis], 1);
  std::vector<IndexSets::Id> ids;
  forEachIndex(lines, [&](const HostIndex &index, int64_t) {
    const int64_t start = offsetOf(index, strides);
    ids.clear();
    for (const SetTensor &operand : operands)
      for (int64_t i = 0; operand && i < result.dims[axis]; ++i)
        ids.push_back(operand->ints[start + i * strides[axis]]);
    const IndexSets::Id all = sets.unionOf(ids);
    for (int64_t i = 0; i < result.dims[axis]; ++i)
      result.ints[start + i * strides[axis]] = all;
  });
  return std::make_shared<HostTensor>(std::move(result));
}

SetTensor DependencyRules::scatter(ScatterAddOp op, const HostTensor &updates) {
  Sums sums(sets, emptySets(op.getY()));
  const HostTensor *indices = known.of(op.getIndices());
  const std::vector<int64_t> dims = getTensorType(op.getY()).getShape().vec();
  const int64_t rows = dims[0], count = updates.size();
  int64_t width = 1;
  for (size_t i = 1; i < dims.size(); ++i)
    width *= dims[i];
  if (indices) {
    for (int64_t i = 0; i < count; ++i)
      if (const int64_t row = indices->ints[i / width]; row >= 0 && row < rows)
        sums.add(row * width + i % width, updates.ints[i]);
    return sums.finish();
  }
  // Any row may get any update.
  std::vector<std::vector<IndexSets::Id>> ofColumn(width);
  for (int64_t i = 0; i < count; ++i)
    ofColumn[i % width].push_back(updates.ints[i]);
  for (int64_t j = 0; j < width; ++j) {
    const IndexSets::Id all = sets.unionOf(ofColumn[j]);
    for (int64_t i = 0; i < rows; ++i)
      sums.add(i * width + j, all);
  }
  return sums.finish();
}

//===-- Contractions --------------------------------------------------------------------------===//

namespace {

// Offsets of all indices along some dimensions of a tensor, row-major.
std::vector<int64_t> offsetsAlong(ArrayRef<int64_t> all, ArrayRef<int64_t> dimensions) {
  const std::vector<int64_t> strides = rowMajorStrides(all.vec());
  std::vector<int64_t> dims, steps, offsets;
  for (int64_t dimension : dimensions) {
    dims.push_back(all[dimension]);
    steps.push_back(strides[dimension]);
  }
  forEachIndex(dims,
               [&](const HostIndex &index, int64_t) { offsets.push_back(offsetOf(index, steps)); });
  return offsets;
}

SmallVector<int64_t> otherDimensions(size_t rank, ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  SmallVector<int64_t> result;
  for (int64_t dimension = 0; dimension < int64_t(rank); ++dimension)
    if (!llvm::is_contained(a, dimension) && !llvm::is_contained(b, dimension))
      result.push_back(dimension);
  return result;
}

} // namespace

// By one operand, the other being numbers: result[batch, free, other] of x[batch, free, summed] and
// factor[batch, other, summed].
SetTensor DependencyRules::contract(DotGeneralOp op, const HostTensor &x, unsigned operand) {
  ArrayRef<int64_t> xBatch = operand == 0 ? op.getABatch() : op.getBBatch();
  ArrayRef<int64_t> xSummed = operand == 0 ? op.getAContract() : op.getBContract();
  ArrayRef<int64_t> fBatch = operand == 0 ? op.getBBatch() : op.getABatch();
  ArrayRef<int64_t> fSummed = operand == 0 ? op.getBContract() : op.getAContract();
  Value factor = op->getOperand(1 - operand);
  ArrayRef<int64_t> fDims = getTensorType(factor).getShape();
  const std::vector<int64_t> batches = offsetsAlong(x.dims, xBatch),
                             frees = offsetsAlong(x.dims,
                                                  otherDimensions(x.dims.size(), xBatch, xSummed)),
                             summed = offsetsAlong(x.dims, xSummed),
                             fBatches = offsetsAlong(fDims, fBatch),
                             others = offsetsAlong(fDims,
                                                   otherDimensions(fDims.size(), fBatch, fSummed)),
                             fSums = offsetsAlong(fDims, fSummed);
  HostTensor result = emptySets(op.getY());
  const int64_t free = frees.size(), other = others.size();
  auto place = [&](int64_t batch, int64_t i, int64_t j) {
    return operand == 0 ? (batch * free + i) * other + j : (batch * other + j) * free + i;
  };
  const HostTensor *numbers = known.exactly(factor);
  std::vector<IndexSets::Id> ids;
  std::vector<std::vector<int64_t>> nonzero(numbers ? other : 0);
  for (size_t batch = 0; batch < batches.size(); ++batch) {
    for (int64_t j = 0; j < int64_t(nonzero.size()); ++j) {
      nonzero[j].clear();
      for (size_t k = 0; k < fSums.size(); ++k)
        if (numbers->floats[fBatches[batch] + others[j] + fSums[k]] != 0)
          nonzero[j].push_back(int64_t(k));
    }
    for (int64_t i = 0; i < free; ++i) {
      const int64_t row = batches[batch] + frees[i];
      if (!numbers) {
        ids.clear();
        for (int64_t offset : summed)
          ids.push_back(x.ints[row + offset]);
        const IndexSets::Id all = sets.unionOf(ids);
        for (int64_t j = 0; j < other; ++j)
          result.ints[place(batch, i, j)] = all;
        continue;
      }
      for (int64_t j = 0; j < other; ++j) {
        ids.clear();
        for (int64_t k : nonzero[j])
          ids.push_back(x.ints[row + summed[k]]);
        result.ints[place(batch, i, j)] = sets.unionOf(ids);
      }
    }
  }
  return std::make_shared<HostTensor>(std::move(result));
}

SetTensor DependencyRules::contract(DotGeneralOp op, Operands operands) {
  SetTensor result;
  for (unsigned i : {0u, 1u})
    if (operands[i])
      result = united(result, contract(op, *operands[i], i));
  return result;
}

//===-- Windows -------------------------------------------------------------------------------===//

static std::vector<int64_t> constants(DimsAttr dims) {
  std::vector<int64_t> result;
  for (const DimExpr &dim : dims.getDims())
    result.push_back(dim.constantValue());
  return result;
}

SetTensor DependencyRules::convolve(ConvolutionOp op, const HostTensor &x, unsigned operand) {
  using Places = ConvolutionDims::Places;
  const ConvolutionDims dims = *ConvolutionDims::parse(op.getDims());
  HostTensor result = emptySets(op.getY());
  const HostTensor *filter = operand == 0 ? known.exactly(op.getFilter()) : nullptr;
  const std::vector<int64_t> xDims = getTensorType(op.getX()).getShape().vec(),
                             filterDims = getTensorType(op.getFilter()).getShape().vec(),
                             low = constants(op.getLow());
  const std::vector<int64_t> xStrides = rowMajorStrides(xDims),
                             filterStrides = rowMajorStrides(filterDims),
                             yStrides = rowMajorStrides(result.dims);
  std::vector<SlidingWindow> windows;
  std::vector<int64_t> taps;
  for (auto [i, places] : llvm::enumerate(dims.windows)) {
    windows.push_back({filterDims[places.filter], op.getStrides()[i], low[i], xDims[places.x],
                       op.getXDilation()[i], op.getDilation()[i]});
    taps.push_back(windows.back().size);
  }
  const int64_t depth = dims.contracted.x < 0 ? 1 : xDims[dims.contracted.x];
  const int64_t depthX = dims.contracted.x < 0 ? 0 : xStrides[dims.contracted.x];
  const int64_t depthF = dims.contracted.x < 0 ? 0 : filterStrides[dims.contracted.filter];
  auto start = [&](const HostIndex &index, int Places::*tensor,
                   const std::vector<int64_t> &strides) {
    int64_t offset = 0;
    for (const Places &places : {dims.batch, dims.filters, dims.groups})
      if (places.*tensor >= 0 && places.y >= 0)
        offset += index[places.y] * strides[places.*tensor];
    return offset;
  };
  // Where filters are numbers that are not looked at, all of them give the same.
  const int filters = dims.filters.y;
  const bool sharesFilters = operand == 0 && !filter && filters >= 0;
  std::vector<IndexSets::Id> ids;
  forEachIndex(result.dims, [&](const HostIndex &index, int64_t to) {
    if (sharesFilters && index[filters] > 0) {
      result.ints[to] = result.ints[to - yStrides[filters]];
      return;
    }
    const int64_t startX = start(index, &Places::x, xStrides);
    const int64_t startF = start(index, &Places::filter, filterStrides);
    ids.clear();
    forEachIndex(taps, [&](const HostIndex &tap, int64_t) {
      int64_t fromX = startX, fromF = startF;
      for (auto [i, places] : llvm::enumerate(dims.windows)) {
        const int64_t element = op.getReversed()[i] ? windows[i].size - 1 - tap[i] : tap[i];
        std::optional<int64_t> position = windows[i].positionOf(index[places.y], tap[i]);
        if (!position)
          return;
        fromF += element * filterStrides[places.filter];
        fromX += *position * xStrides[places.x];
      }
      for (int64_t c = 0; c < depth; ++c)
        if (!filter || filter->floats[fromF + c * depthF] != 0)
          ids.push_back(operand == 0 ? x.ints[fromX + c * depthX] : x.ints[fromF + c * depthF]);
    });
    result.ints[to] = sets.unionOf(ids);
  });
  return std::make_shared<HostTensor>(std::move(result));
}

SetTensor DependencyRules::convolve(ConvolutionOp op, Operands operands) {
  SetTensor result;
  for (unsigned i : {0u, 1u})
    if (operands[i])
      result = united(result, convolve(op, *operands[i], i));
  return result;
}

// Without dilations: elements side by side.
template <typename Op>
SetTensor DependencyRules::window(Op op, const HostTensor &x, ArrayRef<int64_t> xDilation) {
  HostTensor result = emptySets(op.getY());
  SmallVector<int64_t> dilations(xDilation);
  dilations.resize(x.dims.size(), 1);
  WindowWalk walk(x, op.getWindow(), op.getStrides(), constants(op.getLow()), dilations);
  std::vector<IndexSets::Id> ids;
  forEachIndex(result.dims, [&](const HostIndex &place, int64_t to) {
    ids.clear();
    walk.forEachInside(place, [&](int64_t from) { ids.push_back(x.ints[from]); });
    result.ints[to] = sets.unionOf(ids);
  });
  return std::make_shared<HostTensor>(std::move(result));
}

template SetTensor DependencyRules::window(WindowSumOp, const HostTensor &, ArrayRef<int64_t>);
template SetTensor DependencyRules::window(WindowMaxOp, const HostTensor &, ArrayRef<int64_t>);
template SetTensor DependencyRules::window(WindowPickOp, const HostTensor &, ArrayRef<int64_t>);

// Each window's number may go to any of its elements.
SetTensor DependencyRules::scatterWindows(WindowScatterOp op, const HostTensor &v) {
  HostTensor result = emptySets(op.getY());
  SmallVector<int64_t> together(result.dims.size(), 1);
  WindowWalk walk(result, op.getWindow(), op.getStrides(), constants(op.getLow()), together);
  Sums sums(sets, std::move(result));
  forEachIndex(v.dims, [&](const HostIndex &place, int64_t from) {
    walk.forEachInside(place, [&](int64_t to) { sums.add(to, v.ints[from]); });
  });
  return sums.finish();
}

//===-- Products with sparse matrices ---------------------------------------------------------===//

SetTensor DependencyRules::sparseDot(SparseDotOp op, Operands operands) {
  const HostTensor *rows = known.of(op.getRows()), *columns = known.of(op.getColumns());
  if (!rows || !columns)
    return ofAnything(op.getY(), operands);
  const SetTensor &values = operands[2], &x = operands[3];
  const int64_t height = getTensorType(op.getX()).getShape()[0];
  HostTensor result = emptySets(op.getY());
  const int64_t width = result.dims[1], count = result.dims[0];
  Sums sums(sets, std::move(result));
  for (int64_t i = 0; i < rows->size(); ++i) {
    const int64_t row = rows->ints[i], column = columns->ints[i];
    // Places outside are an error of the call.
    if (row < 0 || row >= count || column < 0 || column >= height)
      continue;
    for (int64_t j = 0; j < width; ++j) {
      if (values)
        sums.add(row * width + j, values->ints[i]);
      if (x)
        sums.add(row * width + j, x->ints[column * width + j]);
    }
  }
  return sums.finish();
}
