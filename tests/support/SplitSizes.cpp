#include "tests/support/SplitSizes.h"

#include "ir/dialect/Keratin.h"
#include "ir/dialect/Signature.h"
#include "ir/interfaces/ComputedSizes.h"

using namespace keratin;
using namespace keratin::ir;
using namespace mlir;

// x, whose shape is `from`, broadcast to `to`.
static Value broadcastAsFrontend(OpBuilder &b, Value x, const Shape &from, const Shape &to) {
  Location loc = x.getLoc();
  Shape wide, unknown, needed;
  SmallVector<int64_t> dims;
  for (size_t i = 0; i < from.size(); ++i) {
    dims.push_back(int64_t(wide.size()));
    wide.push_back(from[i]);
    if (from[i] == to[i])
      continue;
    unknown.push_back(from[i]);
    needed.push_back(to[i]);
    wide.push_back(*floordiv(to[i], *max(from[i], DimExpr(1))));
  }
  x = b.create<RequireOp>(loc, x.getType(), x, Requirement::Broadcast,
                          DimsAttr::get(b.getContext(), unknown),
                          DimsAttr::get(b.getContext(), needed), b.getStringAttr("sizes"));
  Type element = getElementType(x);
  x = b.create<BroadcastOp>(loc, getTensorType(wide, element), x, dims);
  return b.create<ReshapeOp>(loc, getTensorType(to, element), x);
}

std::map<int64_t, int64_t> keratin::tests::splitSizes(func::FuncOp function, int64_t numSymbols) {
  std::map<int64_t, int64_t> split;
  int64_t next = numSymbols;
  forEachSymbol(function, [&](int64_t symbol) { next = std::max(next, symbol + 1); });
  Signature signature(function);
  llvm::DenseSet<int64_t> seen;
  Block &body = function.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  for (BlockArgument argument : body.getArguments()) {
    if (signature.isVariable(argument.getArgNumber()))
      continue;
    const Shape shape = getShape(argument);
    Shape own = shape;
    for (DimExpr &dim : own)
      if (dim.isSymbol() && dim.symbolId() < numSymbols && !seen.insert(dim.symbolId()).second) {
        split[next] = dim.symbolId();
        dim = DimExpr::symbol(next++);
      }
    if (own == shape)
      continue;
    Type type = argument.getType();
    // What reads the argument reads what was broadcast.
    auto held = b.create<UnrealizedConversionCastOp>(argument.getLoc(), type, ValueRange{});
    argument.replaceAllUsesWith(held.getResult(0));
    argument.setType(getTensorType(own, getElementType(argument)));
    held.getResult(0).replaceAllUsesWith(broadcastAsFrontend(b, argument, own, shape));
    held.erase();
  }
  function.setType(
      FunctionType::get(function.getContext(), body.getArgumentTypes(), function.getResultTypes()));
  return split;
}
