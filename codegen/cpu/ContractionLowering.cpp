// A contraction with everything that follows elementwise from its result, in the store of the
// register tile.
#include "codegen/cpu/ContractionKernel.h"
#include "codegen/cpu/CpuKernelPlan.h"
#include "codegen/elements/TileEpilogue.h"
#include "ir/interfaces/ContractionShape.h"
#include "ir/interfaces/IterationSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::ContractionShape;
using keratin::ir::DimExpr;
using keratin::ir::Domain;
using keratin::ir::getElementType;

using Index = LaneIndex;
using keratin::ir::IterationSpace;

static std::optional<int64_t> constantOf(const DimExpr &size) {
  return size.isConstant() ? std::optional(size.constantValue()) : std::nullopt;
}

// The sizes and strides of the product as the generator wants them; `index` gives a size as such,
// or null where only what is known counts.
static ContractionSpec describe(ir::DotGeneralOp dot, const ContractionShape &shape, SizeOf index) {
  Builder b(dot.getContext());
  auto extent = [&](const DimExpr &size) { return ContractionSize{index(size), constantOf(size)}; };
  auto operand = [&](Value value, const ContractionShape::Strides &strides, const DimExpr &rows,
                     const DimExpr &columns) {
    ContractionOperand result;
    Type type = getElementType(value);
    auto integer = dyn_cast<IntegerType>(type);
    result.elementType = integer ? b.getIntegerType(integer.getWidth()) : type;
    result.batchStride = index(strides.batch);
    // A run of one element has any stride: say the one that reads best.
    DimExpr row = rows == DimExpr(1) && columns != DimExpr(1) && strides.column != DimExpr(1)
                      ? DimExpr(1)
                      : strides.row;
    DimExpr column = columns == DimExpr(1) && row != DimExpr(1) ? DimExpr(1) : strides.column;
    result.rowStride = index(row);
    result.colStride = index(column);
    result.constantRowStride = constantOf(row);
    result.constantColStride = constantOf(column);
    return result;
  };
  ContractionSpec spec;
  Type element = getElementType(dot.getY());
  auto integer = dyn_cast<IntegerType>(element);
  spec.accumulatorType = integer           ? Type(b.getIntegerType(integer.getWidth()))
                         : element.isF64() ? element
                                           : Type(b.getF32Type());
  spec.batch = extent(shape.batch);
  spec.m = extent(shape.m);
  spec.n = extent(shape.n);
  spec.k = extent(shape.k);
  spec.a = operand(dot.getA(), shape.a, shape.m, shape.k);
  spec.b = operand(dot.getB(), shape.b, shape.k, shape.n);
  return spec;
}

static ContractionSpec describe(OpBuilder &b, Location loc, ir::DotGeneralOp dot,
                                const ContractionShape &shape, SizeOf sizeOf) {
  return describe(dot, shape, [&](const DimExpr &size) -> Value {
    return b.create<arith::IndexCastOp>(loc, b.getIndexType(), sizeOf(size));
  });
}

namespace {

// Where in the result a vector of finished sums stands.
class Epilogue {
public:
  Epilogue(CpuKernelBuilder &k, ir::DotGeneralOp dot, const ContractionShape &shape,
           const IterationSpace &space)
      : k(k), dot(dot), space(space), epilogue(k, k.target, dot.getY()) {
    // Which loop groups the three runs of the result cover; groups were cut between runs.
    unsigned run = 0, left = shape.batchDims;
    auto advance = [&] {
      while (run < 2 && left == 0)
        left = ++run == 1 ? shape.mDims : shape.nDims;
    };
    for (const DimExpr &dim : ir::getShape(dot.getY())) {
      advance();
      if (dim != DimExpr(1))
        runOfDim.push_back(run);
      --left;
    }
  }

  void emit(OpBuilder &builder, Location loc, Value batch, Value m, Value n, Value sums,
            Value mask) {
    epilogue.emit(builder, loc, sums, mask, [&](ElementEmitter &emitter) {
      auto i64 = [&](Value index) -> Value {
        return k.b.create<arith::IndexCastOp>(loc, k.b.getI64Type(), index);
      };
      Index starts[] = {emitter.scalarIndex(i64(batch)), emitter.scalarIndex(i64(m)),
                        emitter.laneIndex(i64(n))};
      SmallVector<Index> squeezed;
      for (auto [group, index] : llvm::zip(space.groups, spread(emitter, loc, starts))) {
        for (unsigned dim = group.first; dim < group.last; ++dim)
          squeezed.push_back(emitter.scalarIndex(emitter.i64(0)));
        squeezed.push_back(index);
      }
      return squeezed;
    });
  }

private:
  // The index of each group from the positions in the three runs.
  SmallVector<Index> spread(ElementEmitter &emitter, Location loc, ArrayRef<Index> starts) {
    SmallVector<Index> result(space.groups.size());
    SmallVector<Index> rest(starts);
    for (size_t g = space.groups.size(); g-- > 0;) {
      unsigned run = runOfDim[space.groups[g].first];
      bool outermost = g == 0 || runOfDim[space.groups[g - 1].first] != run;
      if (outermost) {
        result[g] = rest[run];
        continue;
      }
      Value extent = emitter.extent(space.groups[g].extent);
      std::tie(rest[run], result[g]) = emitter.divMod(rest[run], extent);
    }
    return result;
  }

  CpuKernelBuilder &k;
  ir::DotGeneralOp dot;
  const IterationSpace &space;
  SmallVector<unsigned> runOfDim; // of the squeezed result: 0 batch, 1 m, 2 n
  TileEpilogue epilogue;
};

class ContractionKernelPlan final : public CpuKernelPlan {
public:
  ContractionKernelPlan(ir::KernelOp kernel, ir::DotGeneralOp dot, const ContractionShape &shape,
                        IterationSpace space, const MachineTarget &target)
      : CpuKernelPlan(kernel), dot(dot), shape(shape), space(std::move(space)), target(target),
        schedule(planContraction(describe(dot, shape, [](const DimExpr &) { return Value(); }),
                                 target)) {
    scratchBytes = schedule.scratch.bytes;
    DimExpr products = 2;
    for (const DimExpr &size : {shape.batch, shape.m, shape.n, shape.k})
      products = mul(products, size).value_or(DimExpr(INT64_MAX));
    work = *floordiv(products, DimExpr(16)); // many operations an instruction
  }

  void printNest(llvm::raw_ostream &out) const override {
    out << "nest: batch " << shape.batch.str() << ", m " << shape.m.str() << ", n " << shape.n.str()
        << ", k " << shape.k.str() << "\n";
  }
  void printSchedule(llvm::raw_ostream &out) const override { print(out, schedule); }
  bool countsUnits() const override { return true; }
  // The operands' memory may be walked by other kernels of the same text: only sizes count here.
  Value countUnits(OpBuilder &b, Location loc, SizeOf sizeOf) const override {
    Value units =
        emitContractionUnits(b, loc, describe(b, loc, dot, shape, sizeOf), schedule, target);
    return b.create<arith::IndexCastOp>(loc, b.getI64Type(), units);
  }
  void emit(CpuKernelBuilder &k) const override;

private:
  ir::DotGeneralOp dot;
  ContractionShape shape;
  IterationSpace space;
  const MachineTarget &target;
  ContractionPlan schedule;
};

void ContractionKernelPlan::emit(CpuKernelBuilder &k) const {
  Epilogue epilogue(k, dot, shape, space);
  k.b.setInsertionPoint(k.result.function.getBody().front().getTerminator());
  ContractionSpec spec =
      describe(k.b, k.loc, dot, shape, [&](const DimExpr &size) { return k.sizeOf(size); });
  auto memoryOf = [&](Value operand) {
    return k.inputs[cast<BlockArgument>(operand).getArgNumber()];
  };
  spec.a.base = memoryOf(ir::DotGeneralOp(dot).getA());
  spec.b.base = memoryOf(ir::DotGeneralOp(dot).getB());
  spec.store = [&](OpBuilder &builder, Location loc, Value batch, Value m, Value n, Value sums,
                   Value mask) { epilogue.emit(builder, loc, batch, m, n, sums, mask); };
  spec.scratch = k.scratch();
  auto index = [&](Value i64) -> Value {
    return k.b.create<arith::IndexCastOp>(k.loc, k.b.getIndexType(), i64);
  };
  Value begin = index(k.begin), end = index(k.end);
  emitContraction(k.b, k.loc, spec, schedule, k.target, begin, end);
}

} // namespace

CpuPlan keratin::codegen::planContractionKernel(ir::KernelOp kernel, const MachineTarget &target) {
  ir::DotGeneralOp dot;
  for (Operation &op : kernel.getBody().front())
    if (auto found = dyn_cast<ir::DotGeneralOp>(op))
      dot = found;
  std::string why;
  std::optional<IterationSpace> space = ir::analyzeIterationSpace(kernel, &why);
  if (!space) {
    kernel.emitError("not implemented: a kernel with ") << why;
    return nullptr;
  }
  std::optional<ContractionShape> shape = ir::getContractionShape(dot);
  if (!shape) {
    dot.emitError("not implemented: a contraction whose dimensions have no single stride");
    return nullptr;
  }
  return std::make_shared<ContractionKernelPlan>(kernel, dot, *shape, std::move(*space), target);
}
