#include "passes/memory/PackWeights.h"

#include "ir/interfaces/WeightPanels.h"
#include "passes/Passes.h"
#include "passes/memory/LastingValues.h"

#include "llvm/ADT/DenseMap.h"

namespace keratin::passes {
#define GEN_PASS_DEF_PACKWEIGHTS
#include "passes/Passes.h.inc"
} // namespace keratin::passes

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

namespace {

Value reshaped(OpBuilder &b, Location loc, Value x, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, getElementType(x));
  return x.getType() == type ? x : b.create<ReshapeOp>(loc, type, x);
}

// By a kernel of its own.
Value inKernel(OpBuilder &b, Location loc, Value x, ArrayRef<int64_t> shape,
               function_ref<Value(Value, RankedTensorType)> make) {
  auto type = RankedTensorType::get(shape, getElementType(x));
  auto kernel = b.create<KernelOp>(loc, TypeRange(type), ValueRange(x));
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&kernel.getBody(), {}, {x.getType()}, {loc});
  b.create<YieldOp>(loc, make(body->getArgument(0), type));
  return kernel.getResult(0);
}

// So many zeros at the end of a dimension.
Value padded(OpBuilder &b, Location loc, Value x, int64_t dim, int64_t zeros) {
  SmallVector<int64_t> shape(getTensorType(x).getShape());
  shape[dim] += zeros;
  return inKernel(b, loc, x, shape, [&](Value argument, RankedTensorType type) -> Value {
    const std::vector<DimExpr> low(shape.size(), DimExpr(0));
    const SmallVector<int64_t> interior(shape.size(), 0);
    return b.create<PadOp>(loc, type, argument, DimsAttr::get(b.getContext(), low), interior);
  });
}

Value transposed(OpBuilder &b, Location loc, Value x, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(getTensorType(x).getDimSize(dim));
  return inKernel(b, loc, x, shape, [&](Value argument, RankedTensorType type) -> Value {
    return b.create<TransposeOp>(loc, type, argument, permutation);
  });
}

// The weights, whose numbers lie in `weights` by whichever shape, in panels of so many columns, the
// last filled up with zeros. Null where columns are no run of memory.
Value packed(OpBuilder &b, Location loc, Value weights, const WeightMatrix &matrix, int64_t width) {
  ArrayRef<int64_t> shape = getTensorType(matrix.weights).getShape();
  // The columns' dimensions, from the last on, are joined, and cut into panels.
  SmallVector<int64_t> columns, joined, cut, permutation(1), places(shape.size());
  int64_t count = 1;
  for (int64_t dim : llvm::reverse(matrix.order)) {
    if (count == matrix.columns)
      break;
    columns.push_back(dim);
    count *= shape[dim];
  }
  for (size_t i = 0; i + 1 < columns.size(); ++i)
    if (columns[i + 1] + 1 != columns[i])
      return {};
  const int64_t panels = llvm::divideCeil(matrix.columns, width);
  for (int64_t dim = 0; dim < int64_t(shape.size()); ++dim) {
    places[dim] = int64_t(cut.size());
    if (!llvm::is_contained(columns, dim)) {
      joined.push_back(shape[dim]);
      cut.push_back(shape[dim]);
    } else if (dim == columns.back()) {
      permutation.front() = int64_t(cut.size());
      joined.push_back(matrix.columns);
      cut.append({panels, width});
    }
  }
  for (int64_t dim : matrix.order)
    if (!llvm::is_contained(columns, dim))
      permutation.push_back(places[dim]);
  permutation.push_back(permutation.front() + 1);
  if (const int64_t zeros = panels * width - matrix.columns)
    weights = padded(b, loc, reshaped(b, loc, weights, joined), permutation.front(), zeros);
  Value packed = transposed(b, loc, reshaped(b, loc, weights, cut), permutation);
  return reshaped(b, loc, packed, {panels, matrix.depth, width});
}

// The argument of a block that a value is, perhaps by another shape; else null.
BlockArgument argumentOf(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getX();
  return dyn_cast<BlockArgument>(value);
}

// What a value of a loop's body is outside of it, if it is captured; else null.
Value capturedAs(Value value) {
  BlockArgument argument = argumentOf(value);
  auto loop = argument ? dyn_cast<LoopOpInterface>(argument.getOwner()->getParentOp()) : nullptr;
  if (!loop)
    return {};
  const int64_t number = int64_t(argument.getArgNumber()) -
                         (loop.getBody().getNumArguments() - loop.getCaptures().size());
  return number >= 0 ? loop.getCaptures()[number] : Value();
}

// The argument of the loop's body that a further capture is.
Value capture(Operation *loop, Value value) {
  if (auto scan = dyn_cast<ScanOp>(loop))
    scan.getCapturesMutable().append(value);
  else
    cast<WhileOp>(loop).getCapturesMutable().append(value);
  return loop->getRegion(0).addArgument(value.getType(), loop->getLoc());
}

struct PackWeightsPass : keratin::passes::impl::PackWeightsBase<PackWeightsPass> {
  using PackWeightsBase::PackWeightsBase;
  explicit PackWeightsPass(PanelColumns columnsOf) : columnsOf(std::move(columnsOf)) {}

  void runOnOperation() override {
    FailureOr<KernelProgram> program = KernelProgram::build(getOperation());
    if (failed(program))
      return signalPassFailure();
    const LastingValues lasting(getOperation(), *program);
    made.clear();
    SmallVector<KernelOp> kernels;
    getOperation().walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    for (KernelOp kernel : kernels)
      pack(kernel, lasting);
  }

private:
  void pack(KernelOp kernel, const LastingValues &lasting) {
    std::optional<WeightMatrix> matrix = weightMatrixOf(kernel);
    if (!matrix || kernel->hasAttr(kPanelsAttr))
      return;
    Value weights = kernel.getInputs()[matrix->weights.getArgNumber()];
    SmallVector<Operation *> loops; // that capture them, from the inside out
    for (; Value outside = capturedAs(weights); weights = outside)
      loops.push_back(argumentOf(weights).getOwner()->getParentOp());
    if (!lasting.contains(weights))
      return;
    const int64_t width = columnsOf ? columnsOf(kernel) : columns;
    if (width <= 0 || matrix->columns == 0 || matrix->depth == 0)
      return;
    OpBuilder b(loops.empty() ? kernel : loops.back());
    Value panels = packedOnce(b, kernel.getLoc(), weights, *matrix, width);
    if (!panels)
      return;
    for (Operation *loop : llvm::reverse(loops))
      panels = capture(loop, panels);
    kernel.getInputsMutable().append(panels);
    kernel.getBody().front().addArgument(panels.getType(), kernel.getLoc());
    kernel->setAttr(kPanelsAttr, b.getUnitAttr());
  }

  // Several kernels may multiply by the same weights.
  Value packedOnce(OpBuilder &b, Location loc, Value weights, const WeightMatrix &matrix,
                   int64_t width) {
    const Type type = matrix.weights.getType();
    for (const Panels &panels : made[weights])
      if (panels.type == type && panels.order == matrix.order && panels.columns == matrix.columns &&
          panels.width == width)
        return panels.value;
    Value value = packed(b, loc, weights, matrix, width);
    if (value)
      made[weights].push_back({type, matrix.order, matrix.columns, width, value});
    return value;
  }

  PanelColumns columnsOf; // empty: `columns` of all
  struct Panels {
    Type type;
    SmallVector<int64_t> order;
    int64_t columns, width;
    Value value;
  };
  DenseMap<Value, SmallVector<Panels, 1>> made;
};

} // namespace

std::unique_ptr<Pass> keratin::passes::createPackWeights(PanelColumns columnsOf) {
  return std::make_unique<PackWeightsPass>(std::move(columnsOf));
}
