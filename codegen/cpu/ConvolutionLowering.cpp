// A convolution with everything that follows elementwise from its result.
#include "codegen/cpu/ConvolutionKernel.h"
#include "codegen/cpu/CpuKernelPlan.h"
#include "codegen/elements/TileEpilogue.h"
#include "ir/interfaces/ConvolutionShape.h"
#include "ir/interfaces/IterationSpace.h"
#include "ir/interfaces/OpCost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::ConvolutionDims;
using keratin::ir::ConvolutionShape;
using keratin::ir::DimExpr;
using keratin::ir::getElementType;
using keratin::ir::getShape;
using Index = LaneIndex;
using keratin::ir::IterationSpace;
using keratin::ir::Shape;

// The sizes and strides as the generator wants them; `index` gives a size as such, or null where
// only what is known counts.
static ConvolutionSpec describe(ir::ConvolutionOp op, const ConvolutionShape &shape, SizeOf index) {
  Builder b(op.getContext());
  auto size = [&](const DimExpr &value) {
    return ConvolutionSize{index(value), value.isConstant() ? std::optional(value.constantValue())
                                                            : std::nullopt};
  };
  auto stride = [&](Value tensor, int place) {
    if (place < 0)
      return size(DimExpr(0));
    Shape dims = getShape(tensor);
    // A tensor with more elements than 64 bits count was refused, unless it has none at all.
    return size(product(Shape(dims.begin() + place + 1, dims.end())).value_or(DimExpr(0)));
  };
  auto signless = [&](Type type) {
    auto integer = dyn_cast<IntegerType>(type);
    return integer ? Type(b.getIntegerType(integer.getWidth())) : type;
  };
  ConvolutionSpec spec;
  Type element = signless(getElementType(op.getY()));
  bool isNarrow = isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  spec.accumulatorType = isNarrow ? Type(b.getF32Type()) : element;
  spec.batch = size(shape.batch);
  spec.groups = size(shape.groups);
  spec.contracted = size(shape.contracted);
  spec.filters = size(shape.filters);
  spec.x.elementType = signless(getElementType(op.getX()));
  spec.filter.elementType = signless(getElementType(op.getFilter()));
  const ConvolutionDims &dims = shape.dims;
  spec.x.batch = stride(op.getX(), dims.batch.x);
  spec.x.groups = stride(op.getX(), dims.groups.x);
  spec.x.contracted = stride(op.getX(), dims.contracted.x);
  spec.filter.groups = stride(op.getFilter(), dims.groups.filter);
  spec.filter.contracted = stride(op.getFilter(), dims.contracted.filter);
  spec.filter.filters = stride(op.getFilter(), dims.filters.filter);
  for (const ConvolutionShape::Window &window : shape.windows) {
    ConvolutionWindow &described = spec.windows.emplace_back();
    described.x = size(window.xSize);
    described.filter = size(window.filterSize);
    described.y = size(window.ySize);
    described.low = size(window.low);
    described.stride = window.stride;
    described.xDilation = window.xDilation;
    described.dilation = window.dilation;
    described.reversed = window.reversed;
    spec.x.windows.push_back(stride(op.getX(), window.places.x));
    spec.filter.windows.push_back(stride(op.getFilter(), window.places.filter));
  }
  return spec;
}

static ConvolutionSpec describe(OpBuilder &b, Location loc, ir::ConvolutionOp op,
                                const ConvolutionShape &shape, SizeOf sizeOf) {
  return describe(op, shape, [&](const DimExpr &size) -> Value {
    return b.create<arith::IndexCastOp>(loc, b.getIndexType(), sizeOf(size));
  });
}

// The index of a vector of sums in the result, without dimensions of size 1.
static SmallVector<Index> positionOf(ElementEmitter &emitter, OpBuilder &b, Location loc,
                                     ir::ConvolutionOp op, const ConvolutionDims &dims,
                                     const ConvolutionPlace &place) {
  SmallVector<Index> index(dims.yRank());
  auto set = [&](int at, Value position, bool isLane) {
    if (at < 0)
      return;
    Value first = b.create<arith::IndexCastOp>(loc, b.getI64Type(), position);
    index[at] = isLane ? emitter.laneIndex(first) : emitter.scalarIndex(first);
  };
  set(dims.batch.y, place.batch, false);
  set(dims.groups.y, place.group, place.alongGroups);
  set(dims.filters.y, place.filter, !place.alongGroups);
  for (auto [window, position] : llvm::zip(dims.windows, place.windows))
    set(window.y, position, false);
  SmallVector<Index> squeezed;
  for (auto [dim, position] : llvm::zip(getShape(op.getY()), index))
    if (dim != DimExpr(1))
      squeezed.push_back(position);
  return squeezed;
}

namespace {

class ConvolutionKernelPlan final : public CpuKernelPlan {
public:
  ConvolutionKernelPlan(ir::KernelOp kernel, ir::ConvolutionOp op, const MachineTarget &target)
      : CpuKernelPlan(kernel), op(op), shape(ir::getConvolutionShape(op)), target(target),
        schedule(
            planConvolution(describe(op, shape, [](const DimExpr &) { return Value(); }), target)) {
    scratchBytes = schedule.scratch.bytes;
    DimExpr operations = ir::operationCount(op).value_or(DimExpr(INT64_MAX));
    work = *floordiv(operations, DimExpr(16)); // many operations an instruction
  }

  void printNest(llvm::raw_ostream &out) const override;
  void printSchedule(llvm::raw_ostream &out) const override { print(out, schedule); }
  bool countsUnits() const override { return true; }
  Value countUnits(OpBuilder &b, Location loc, SizeOf sizeOf) const override {
    Value units =
        emitConvolutionUnits(b, loc, describe(b, loc, op, shape, sizeOf), schedule, target);
    return b.create<arith::IndexCastOp>(loc, b.getI64Type(), units);
  }
  void emit(CpuKernelBuilder &k) const override;

private:
  ir::ConvolutionOp op;
  ConvolutionShape shape;
  const MachineTarget &target;
  ConvolutionPlan schedule;
};

void ConvolutionKernelPlan::printNest(llvm::raw_ostream &out) const {
  out << "nest: batch " << shape.batch.str() << ", groups " << shape.groups.str() << ", filters "
      << shape.filters.str() << ", contracted " << shape.contracted.str() << ", windows ";
  llvm::interleaveComma(shape.windows, out, [&](const ConvolutionShape::Window &window) {
    out << window.ySize.str() << " of " << window.filterSize.str() << " by " << window.stride
        << " over " << window.xSize.str();
  });
  out << "\n";
}

void ConvolutionKernelPlan::emit(CpuKernelBuilder &k) const {
  ir::ConvolutionOp convolution = op;
  k.b.setInsertionPoint(k.result.function.getBody().front().getTerminator());
  ConvolutionSpec spec =
      describe(k.b, k.loc, convolution, shape, [&](const DimExpr &size) { return k.sizeOf(size); });
  spec.x.base = k.inputs[cast<BlockArgument>(convolution.getX()).getArgNumber()];
  spec.filter.base = k.inputs[cast<BlockArgument>(convolution.getFilter()).getArgNumber()];
  TileEpilogue epilogue(k, k.target, convolution.getY());
  spec.store = [&](OpBuilder &builder, Location loc, const ConvolutionPlace &place, Value sums,
                   Value mask) {
    epilogue.emit(builder, loc, sums, mask, [&](ElementEmitter &emitter) {
      return positionOf(emitter, k.b, loc, convolution, shape.dims, place);
    });
  };
  spec.scratch = k.scratch();
  auto index = [&](Value i64) -> Value {
    return k.b.create<arith::IndexCastOp>(k.loc, k.b.getIndexType(), i64);
  };
  Value begin = index(k.begin), end = index(k.end);
  emitConvolution(k.b, k.loc, spec, schedule, k.target, begin, end);
}

} // namespace

CpuPlan keratin::codegen::planConvolutionKernel(ir::KernelOp kernel, const MachineTarget &target) {
  ir::ConvolutionOp op;
  for (Operation &inner : kernel.getBody().front())
    if (auto found = dyn_cast<ir::ConvolutionOp>(inner))
      op = found;
  std::string why;
  if (!ir::analyzeIterationSpace(kernel, &why)) {
    kernel.emitError("not implemented: a kernel with ") << why;
    return nullptr;
  }
  return std::make_shared<ConvolutionKernelPlan>(kernel, op, target);
}
