#include "codegen/lowering/TransposeRuns.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::IterationSpace;

DimExpr TransposeRuns::rows() const {
  DimExpr rows(1);
  for (auto [i, run] : llvm::enumerate(runs))
    if (i != column && i + 1 != runs.size())
      rows = mul(rows, run.extent).value_or(DimExpr(0));
  return rows;
}

TransposeRuns keratin::codegen::transposeRunsOf(ir::TransposeOp op, const IterationSpace &space) {
  // Which dimension of the operand each of the squeezed result's dimensions is.
  SmallVector<int64_t> source;
  for (auto [i, size] : llvm::enumerate(ir::getShape(op.getY())))
    if (size != DimExpr(1))
      source.push_back(op.getPermutation()[i]);
  TransposeRuns result;
  SmallVector<size_t> inOperand;
  for (const IterationSpace::Group &group : space.groups) {
    inOperand.push_back(result.runs.size());
    result.runs.push_back({group.extent});
  }
  llvm::sort(inOperand, [&](size_t x, size_t y) {
    return source[space.groups[x].first] < source[space.groups[y].first];
  });
  // The number of elements has been counted: all of these products fit.
  auto &runs = result.runs;
  for (size_t i = runs.size() - 1; i-- > 0;) {
    runs[i].to = mul(runs[i + 1].to, runs[i + 1].extent).value_or(DimExpr(0));
    const TransposeRuns::Run &behind = runs[inOperand[i + 1]];
    runs[inOperand[i]].from = mul(behind.from, behind.extent).value_or(DimExpr(0));
  }
  result.column = inOperand.back();
  return result;
}
