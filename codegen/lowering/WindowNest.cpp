#include "codegen/lowering/WindowNest.h"

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
