// Rows added up for the places that indices name, and what follows from the sums element by
// element there. Where no row is added, the result is the table's.
//
// The indices of one row are a chain: heads[row] is the first that names it, next[i] the one after
// index i, both counted from 1, 0 being none. So the rows of a chain are added up in the order of
// the indices, in registers, and the sum is the one that scatter_add has. Whoever takes a chunk of
// units makes the chains anew, in the thread's memory. A row belongs to the unit of the first index
// in its chain; where the result is not in the table's place, each unit also copies its share of
// the rows without a chain. An index outside is left out: others have checked it.
#include "codegen/cpu/RowUpdateKernel.h"
#include "codegen/cpu/SingleOpKernel.h"
#include "codegen/elements/TileEpilogue.h"
#include "codegen/lowering/ScatterNest.h"
#include "codegen/lowering/SingleOp.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

namespace {

// Vectors of a row side by side.
constexpr unsigned maxUnroll = 4;
// Indices of a unit at least, since the chains of all are made for it, and units at most.
constexpr int64_t leastIndices = 2048, mostUnits = 8;
constexpr int64_t entryBytes = 4, alignment = 64;

class RowUpdatePlan final : public CpuKernelPlan {
public:
  RowUpdatePlan(ir::KernelOp kernel, ir::ScatterAddOp scatter, BlockArgument table,
                const MachineTarget &target);

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printSchedule(llvm::raw_ostream &out) const override {
    out << "schedule: " << counted(lanes, "lane") << "; rows in blocks of "
        << counted(vectors, "vector") << ", none but those that are added to; units of "
        << unitIndices << " indices\n";
  }
  void emit(CpuKernelBuilder &k) const override;

  ScatterNest nest;
  unsigned table; // which input
  unsigned lanes, vectors;
  int64_t rows, count, unitIndices, unitRows, headBytes;
};

RowUpdatePlan::RowUpdatePlan(ir::KernelOp kernel, ir::ScatterAddOp scatter, BlockArgument table,
                             const MachineTarget &target)
    : CpuKernelPlan(kernel), nest(scatter), table(table.getArgNumber()),
      rows(nest.rows.constantValue()), count(nest.count.constantValue()) {
  lanes = lanesFor(target, nest.elementType.getIntOrFloatBitWidth());
  vectors = blockVectors(maxUnroll, lanes, nest.width);
  const int64_t units = std::clamp<int64_t>(count / leastIndices, 1, mostUnits);
  unitIndices = llvm::divideCeil(count, units);
  unitRows = llvm::divideCeil(rows, units);
  headBytes = llvm::alignTo(entryBytes * rows, alignment);
  scratchBytes = headBytes + llvm::alignTo(entryBytes * count, alignment);
  setWork(DimExpr(units),
          mul(DimExpr(std::max<int64_t>(1, unitIndices)), nest.width).value_or(DimExpr(INT64_MAX)));
}

class RowUpdateKernel : SingleOpKernel {
public:
  RowUpdateKernel(CpuKernelBuilder &k, const RowUpdatePlan &plan)
      : SingleOpKernel(k, plan.nest.op, plan.lanes), plan(plan), nest(plan.nest),
        entry(b.getI32Type()), headsType(ir::getTensorType({nest.rows}, entry)),
        nextType(ir::getTensorType({nest.count}, entry)),
        epilogue(k, k.target, nest.op->getResult(0)) {}

  void emit();

private:
  using RowBody = llvm::function_ref<void(ArrayRef<Value> starts, ArrayRef<Value> masks)>;

  Value entryAt(Value pointer, RankedTensorType type, Value at);
  Value isEqual(Value x, Value y) {
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, x, y);
  }
  void alongRow(RowBody body);
  // Of an index that is inside, the row that it names.
  void withRow(Value index, llvm::function_ref<void(Value row)> body);
  void makeChains();
  void updateRow(Value index, Value row);
  void copyRow(Value row);

  const RowUpdatePlan &plan;
  const ScatterNest &nest;
  Type entry;
  RankedTensorType headsType, nextType;
  TileEpilogue epilogue;
  Value heads, next;
};

Value RowUpdateKernel::entryAt(Value pointer, RankedTensorType type, Value at) {
  return b.create<arith::ExtUIOp>(loc, b.getI64Type(), loadScalar(pointer, type, {at}));
}

void RowUpdateKernel::alongRow(RowBody body) {
  int64_t step = int64_t(plan.vectors) * lanes;
  loop(i64(0), size(nest.width), step, {}, [&](Value column, ArrayRef<Value>) {
    auto [starts, masks] = columnsFrom(column, nest.width, plan.vectors);
    body(starts, masks);
    return SmallVector<Value>();
  });
}

void RowUpdateKernel::withRow(Value index, llvm::function_ref<void(Value row)> body) {
  Value row = position(ScatterNest::targetOperand, nest.indicesType, {index});
  // Unsigned: what is negative is too large.
  Value inside = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, row, size(nest.rows));
  where(inside, [&] { body(row); });
}

// From the last index to the first, so that each becomes the head of its chain.
void RowUpdateKernel::makeChains() {
  fillWithZeros(heads, headsType, maxUnroll);
  loop(i64(0), size(nest.count), 1, {}, [&](Value done, ArrayRef<Value>) {
    Value number = minus(size(nest.count), done), index = minus(number, i64(1));
    withRow(index, [&](Value row) {
      storeScalar(loadScalar(heads, headsType, {row}), next, nextType, {index});
      storeScalar(b.create<arith::TruncIOp>(loc, entry, number), heads, headsType, {row});
    });
    return SmallVector<Value>();
  });
}

void RowUpdateKernel::updateRow(Value index, Value row) {
  alongRow([&](ArrayRef<Value> starts, ArrayRef<Value> masks) {
    SmallVector<Value> init{plus(index, i64(1))};
    init.append(plan.vectors, zeros(nest.elementType));
    SmallVector<Type> types(ValueRange(init).getTypes());
    OpBuilder::InsertionGuard guard(b);
    auto chain = b.create<scf::WhileOp>(
        loc, types, init,
        [&](OpBuilder &inner, Location, ValueRange state) {
          b.setInsertionPointToEnd(inner.getInsertionBlock());
          Value goesOn = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, state[0], i64(0));
          b.create<scf::ConditionOp>(loc, goesOn, state);
        },
        [&](OpBuilder &inner, Location, ValueRange state) {
          b.setInsertionPointToEnd(inner.getInsertionBlock());
          Value from = minus(state[0], i64(1));
          SmallVector<Value> after{entryAt(next, nextType, from)};
          for (unsigned u = 0; u < plan.vectors; ++u) {
            Value addend =
                loadLanes(input(nest.addendOperand), nest.addendsType, {from, starts[u]}, masks[u]);
            emitter.setElementType(nest.elementType);
            after.push_back(nest.combined(emitter, state[1 + u], addend));
          }
          b.create<scf::YieldOp>(loc, after);
        });
    b.setInsertionPointAfter(chain);
    for (unsigned u = 0; u < plan.vectors; ++u)
      epilogue.emit(b, loc, chain.getResult(1 + u), masks[u], [&](ElementEmitter &element) {
        return llvm::SmallVector<LaneIndex>{element.scalarIndex(row), element.laneIndex(starts[u])};
      });
  });
}

void RowUpdateKernel::copyRow(Value row) {
  alongRow([&](ArrayRef<Value> starts, ArrayRef<Value> masks) {
    for (unsigned u = 0; u < plan.vectors; ++u)
      storeLanes(loadLanes(k.inputs[plan.table], nest.resultType, {row, starts[u]}, masks[u]),
                 output(), nest.resultType, {row, starts[u]}, masks[u]);
  });
}

void RowUpdateKernel::emit() {
  heads = k.scratch();
  next = b.create<LLVM::GEPOp>(loc, heads.getType(), b.getI8Type(), heads,
                               ArrayRef<LLVM::GEPArg>{i64(plan.headBytes)});
  makeChains();
  auto share = [&](Value unit, int64_t length, int64_t end) {
    Value from = times(unit, i64(length));
    Value to = b.create<arith::MinSIOp>(loc, plus(from, i64(length)), i64(end));
    return std::pair(from, to);
  };
  auto address = [&](Value pointer) {
    return b.create<LLVM::PtrToIntOp>(loc, b.getI64Type(), pointer);
  };
  Value isElsewhere = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, address(output()),
                                              address(k.inputs[plan.table]));
  loop(k.begin, k.end, 1, {}, [&](Value unit, ArrayRef<Value>) {
    auto [first, last] = share(unit, plan.unitIndices, plan.count);
    loop(first, last, 1, {}, [&](Value index, ArrayRef<Value>) {
      withRow(index, [&](Value row) {
        Value head = entryAt(heads, headsType, row);
        where(isEqual(head, plus(index, i64(1))), [&] { updateRow(index, row); });
      });
      return SmallVector<Value>();
    });
    where(isElsewhere, [&] {
      auto [from, to] = share(unit, plan.unitRows, plan.rows);
      loop(from, to, 1, {}, [&](Value row, ArrayRef<Value>) {
        where(isEqual(entryAt(heads, headsType, row), i64(0)), [&] { copyRow(row); });
        return SmallVector<Value>();
      });
    });
    return SmallVector<Value>();
  });
}

void RowUpdatePlan::emit(CpuKernelBuilder &k) const { RowUpdateKernel(k, *this).emit(); }

} // namespace

// Of what is behind the rows' sums the last reads the table.
CpuPlan keratin::codegen::planRowUpdateKernel(ir::KernelOp kernel, const MachineTarget &target) {
  auto scatter = dyn_cast<ir::ScatterAddOp>(mainOp(kernel));
  Block &body = kernel.getBody().front();
  Operation *yield = body.getTerminator();
  Operation *sum = yield->getNumOperands() == 1 ? yield->getOperand(0).getDefiningOp() : nullptr;
  BlockArgument table;
  for (Value operand : sum ? sum->getOperands() : ValueRange())
    if (auto argument = dyn_cast<BlockArgument>(operand);
        argument && scatter && argument.getType() == scatter.getY().getType())
      table = argument;
  auto isKnown = [](Value value) {
    return llvm::all_of(ir::getShape(value), [](const DimExpr &d) { return d.isConstant(); });
  };
  auto isGiven = [](Value value) { return isa<BlockArgument>(value); };
  if (!scatter || !table || !llvm::all_of(scatter->getOperands(), isGiven) ||
      !isKnown(scatter.getY()) || !isKnown(scatter.getIndices()) ||
      ir::squeezed(ir::getShape(scatter.getY())).size() != 2) {
    (void)onlyOp(kernel); // says that it has others
    return nullptr;
  }
  return std::make_shared<RowUpdatePlan>(kernel, scatter, table, target);
}
