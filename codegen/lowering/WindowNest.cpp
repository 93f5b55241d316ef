#include "codegen/lowering/WindowNest.h"

#include "codegen/lowering/Rounding.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

WindowDims keratin::codegen::joinedWindowDims(Operation *op, const ir::IterationSpace *space) {
  WindowDims dims;
  unsigned position = 0; // in the shape that loops run over
  for (const ir::WindowDim &dim : ir::getWindowDims(op)) {
    int group = -1;
    if (dim.y != DimExpr(1)) {
      for (size_t i = 0; space && i < space->groups.size(); ++i)
        if (space->groups[i].first <= position && position <= space->groups[i].last)
          group = i;
      ++position;
    }
    if (!dim.slides() && dim.x == DimExpr(1))
      continue;
    if (!dim.slides() && !dims.empty() && !dims.back().slides() && dims.back().group == group) {
      // A product too large for 64 bits is 0: another size is 0 then (see AxisLines).
      dims.back().x = dims.back().y = mul(dims.back().x, dim.x).value_or(DimExpr(0));
      continue;
    }
    JoinedWindowDim &joined = dims.emplace_back();
    static_cast<ir::WindowDim &>(joined) = dim;
    joined.group = group;
  }
  if (dims.empty()) {
    JoinedWindowDim &one = dims.emplace_back();
    one.x = one.y = 1;
  }
  for (size_t i = dims.size() - 1; i-- > 0;) {
    dims[i].xStep = mul(dims[i + 1].xStep, dims[i + 1].x).value_or(DimExpr(0));
    dims[i].yStep = mul(dims[i + 1].yStep, dims[i + 1].y).value_or(DimExpr(0));
  }
  return dims;
}

DimExpr keratin::codegen::elementsUnder(const WindowDims &dims) {
  DimExpr elements(1);
  for (const JoinedWindowDim &dim : dims) {
    int64_t most = dim.window / dim.xDilation + (dim.window % dim.xDilation > 0);
    DimExpr under = dim.x.isConstant() ? DimExpr(std::min(most, dim.x.constantValue())) : most;
    elements = mul(elements, under).value_or(DimExpr(INT64_MAX));
  }
  return elements;
}

DimExpr keratin::codegen::windowsOf(const WindowDims &dims) {
  DimExpr windows(1);
  for (const JoinedWindowDim &dim : dims)
    windows = mul(windows, dim.y).value_or(DimExpr(0));
  return windows;
}

DimExpr keratin::codegen::elementsOf(const WindowDims &dims) {
  DimExpr elements(1);
  for (const JoinedWindowDim &dim : dims)
    elements = mul(elements, dim.x).value_or(DimExpr(0));
  return elements;
}

void keratin::codegen::print(llvm::raw_ostream &out, const WindowDims &dims) {
  out << "nest: ";
  llvm::interleave(
      dims, out,
      [&](const JoinedWindowDim &dim) {
        out << dim.y.str();
        if (!dim.slides())
          return;
        out << " windows of " << dim.window << " by " << dim.stride << " over " << dim.x.str();
        if (dim.xDilation != 1)
          out << " dilated by " << dim.xDilation;
      },
      ", ");
  out << "\n";
}

// The first element under the first window lies at the very beginning of it.
WindowTile keratin::codegen::windowTile(const JoinedWindowDim &dim, unsigned windows) {
  WindowTile tile{windows, 0, {}};
  for (unsigned w = 0; w < windows; ++w) {
    int64_t from = ceilDiv(w * dim.stride, dim.xDilation);
    int64_t to = ceilDiv(w * dim.stride + dim.window, dim.xDilation);
    tile.elements = std::max(tile.elements, to);
    tile.used.resize(std::max<size_t>(tile.used.size(), to));
    for (int64_t i = from; i < to; ++i)
      tile.used[i] = true;
  }
  return tile;
}

//===-- Sums and choices ----------------------------------------------------------------------===//

static WindowReductionNest::Choice choiceOf(Operation *op) {
  using Choice = WindowReductionNest::Choice;
  if (isa<ir::WindowSumOp>(op))
    return Choice::Sum;
  return isa<ir::WindowMaxOp>(op) ? Choice::Largest : Choice::Picked;
}

WindowReductionNest::WindowReductionNest(Operation *op, ir::IterationSpace analyzed)
    : op(op), space(std::move(analyzed)), dims(joinedWindowDims(op, &space)), choice(choiceOf(op)) {
  unsigned last = dims.size() - 1;
  column = last;
  if (!dims[last].slides())
    for (unsigned i = 0; i < last; ++i)
      if (dims[i].slides())
        column = i;
  for (unsigned i = 0; i < last; ++i)
    if (i != column)
      rowDims.push_back(i);
}

DimExpr WindowReductionNest::rows() const {
  DimExpr rows(1);
  for (unsigned dim : rowDims)
    rows = mul(rows, dims[dim].y).value_or(DimExpr(0));
  return rows;
}

//===-- Scatters ------------------------------------------------------------------------------===//

WindowScatterNest::WindowScatterNest(ir::WindowScatterOp op) : op(op), dims(joinedWindowDims(op)) {
  for (unsigned i = 0; i + 1 < dims.size(); ++i)
    (dims[i].slides() ? sliding : still).push_back(i);
}

bool WindowScatterNest::overlap() const {
  return llvm::any_of(dims, [](const JoinedWindowDim &dim) { return dim.window > dim.stride; });
}

bool WindowScatterNest::cover() const {
  return llvm::all_of(dims, [](const JoinedWindowDim &dim) {
    return dim.window == dim.stride && dim.low == DimExpr(0) &&
           dim.y == *ceildiv(dim.x, DimExpr(dim.stride));
  });
}
