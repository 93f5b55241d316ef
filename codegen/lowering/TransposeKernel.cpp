// transpose, where the innermost dimension changes: square blocks of a vector's size, transposed in
// registers, so that both sides are walked in whole vectors.
//
// A unit is a strip of places along the result's innermost dimension, at one index of the
// dimensions that are innermost on neither side.
#include "codegen/cpu/Rounding.h"
#include "codegen/lowering/SingleOpKernel.h"
#include "ir/interfaces/IterationSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::getElementType;
using keratin::ir::IterationSpace;

namespace {

// Places of a strip: a few lines of each row of the result are written together.
constexpr int64_t stripPlaces = 64;

// A run of dimensions that stay neighbours: its extent, and how many elements lie from one of its
// places to the next on both sides.
struct Run {
  DimExpr extent, from = 1, to = 1;
};

class TransposeKernel : SingleOpKernel {
public:
  // `runs` in the order of the result; `columns` is the one that is innermost in the operand.
  TransposeKernel(KernelBuilder &k, ir::TransposeOp op, SmallVector<Run> runs, size_t columns)
      : SingleOpKernel(k, op, getElementType(op.getX()).getIntOrFloatBitWidth()),
        runs(std::move(runs)), column(columns),
        element(b.getIntegerType(getElementType(op.getX()).getIntOrFloatBitWidth())),
        vector(VectorType::get(lanes, element)) {}

  void emit();

private:
  const Run &places() const { return runs.back(); }
  const Run &columns() const { return runs[column]; }
  Value at(Value base, Value offset) {
    return b.create<LLVM::GEPOp>(loc, base.getType(), element, base,
                                 ArrayRef<LLVM::GEPArg>{offset});
  }
  std::pair<Value, Value> startOf(Value row);
  void emitBlock(Value from, Value to, Value place, Value column, bool isWhole);
  void transpose(SmallVector<Value> &vectors);

  SmallVector<Run> runs;
  size_t column;
  Type element;
  VectorType vector;
};

// Where the memory of a row begins: the numbers of the runs that are innermost on neither side.
std::pair<Value, Value> TransposeKernel::startOf(Value row) {
  Value from = i64(0), to = i64(0);
  for (size_t i = runs.size() - 1; i-- > 0;) {
    if (i == column)
      continue;
    Value extent = size(runs[i].extent);
    Value index = b.create<arith::RemUIOp>(loc, row, extent);
    row = b.create<arith::DivUIOp>(loc, row, extent);
    from = plus(from, times(index, size(runs[i].from)));
    to = plus(to, times(index, size(runs[i].to)));
  }
  return {at(input(0), from), at(output(), to)};
}

// Row i of the block has column j in lane i afterwards: halves of the rows are interleaved, once
// for each bit of a lane's number.
void TransposeKernel::transpose(SmallVector<Value> &vectors) {
  int64_t count = lanes, half = count / 2;
  for (int64_t round = 1; round < count; round *= 2) {
    SmallVector<Value> mixed;
    for (int64_t i = 0; i < half; ++i)
      for (int64_t first : {int64_t(0), half}) {
        SmallVector<int64_t> order;
        for (int64_t lane : llvm::seq(first, first + half))
          order.append({lane, count + lane});
        mixed.push_back(b.create<vector::ShuffleOp>(loc, vectors[i], vectors[i + half], order));
      }
    vectors = std::move(mixed);
  }
}

// The block whose first element is at the given place and column. Rows that do not exist are not
// written, and read as the last one.
void TransposeKernel::emitBlock(Value from, Value to, Value place, Value column, bool isWhole) {
  unsigned bytes = element.getIntOrFloatBitWidth() / 8;
  Value nothing = b.create<arith::ConstantOp>(loc, b.getZeroAttr(vector));
  Value numPlaces = size(places().extent), numColumns = size(columns().extent);
  Value columnMask, placeMask;
  if (!isWhole) {
    columnMask = emitter.maskBelow(column, numColumns);
    placeMask = emitter.maskBelow(place, numPlaces);
  }
  SmallVector<Value> vectors;
  for (int64_t i = 0; i < int64_t(lanes); ++i) {
    Value row = plus(place, i64(i));
    if (!isWhole)
      row = b.create<arith::MinSIOp>(loc, row, minus(numPlaces, i64(1)));
    Value address = at(from, plus(times(row, size(places().from)), column));
    if (isWhole)
      vectors.push_back(b.create<LLVM::LoadOp>(loc, vector, address, bytes));
    else
      vectors.push_back(b.create<LLVM::MaskedLoadOp>(
          loc, vector, address, columnMask, ValueRange{nothing}, b.getI32IntegerAttr(bytes)));
  }
  transpose(vectors);
  for (int64_t i = 0; i < int64_t(lanes); ++i) {
    Value row = plus(column, i64(i));
    Value address = at(to, plus(times(row, size(columns().to)), place));
    if (isWhole) {
      b.create<LLVM::StoreOp>(loc, vectors[i], address, bytes);
      continue;
    }
    Value exists = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, row, numColumns);
    Value all = b.create<vector::SplatOp>(loc, exists, placeMask.getType());
    Value mask = b.create<arith::AndIOp>(loc, placeMask, all);
    b.create<LLVM::MaskedStoreOp>(loc, vectors[i], address, mask, b.getI32IntegerAttr(bytes));
  }
}

void TransposeKernel::emit() {
  DimExpr rows(1);
  for (auto [i, run] : llvm::enumerate(runs))
    if (i != column && i + 1 != runs.size())
      rows = mul(rows, run.extent).value_or(DimExpr(0));
  DimExpr strips = *ceildiv(places().extent, DimExpr(stripPlaces));
  int64_t block = lanes;
  forEachUnit({rows, places().extent, stripPlaces}, [&](Value row, Value firstPlace) {
    auto [from, to] = startOf(row);
    Value numPlaces = size(places().extent), numColumns = size(columns().extent);
    Value end = b.create<arith::MinSIOp>(loc, plus(firstPlace, i64(stripPlaces)), numPlaces);
    loop(i64(0), numColumns, block, {}, [&](Value column, ArrayRef<Value>) -> SmallVector<Value> {
      Value wholeColumns = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sle,
                                                   plus(column, i64(block)), numColumns);
      loop(firstPlace, end, block, {}, [&](Value place, ArrayRef<Value>) -> SmallVector<Value> {
        Value wholePlaces = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sle,
                                                    plus(place, i64(block)), numPlaces);
        Value isWhole = b.create<arith::AndIOp>(loc, wholeColumns, wholePlaces);
        auto branch = b.create<scf::IfOp>(loc, isWhole, /*withElseRegion=*/true);
        OpBuilder::InsertionGuard guard(b);
        for (bool whole : {true, false}) {
          b.setInsertionPointToStart(whole ? branch.thenBlock() : branch.elseBlock());
          emitBlock(from, to, place, column, whole);
        }
        return {};
      });
      return {};
    });
  });
  DimExpr perUnit = mul(columns().extent, DimExpr(stripPlaces)).value_or(DimExpr(INT64_MAX));
  setWork(mul(rows, strips).value_or(DimExpr(0)), perUnit);
}

} // namespace

ir::TransposeOp keratin::codegen::plainTransposeOf(ir::KernelOp kernel) {
  Block &body = kernel.getBody().front();
  auto op = dyn_cast<ir::TransposeOp>(body.front());
  if (!op || op->getNextNode() != body.getTerminator() || !isa<BlockArgument>(op.getX()))
    return {};
  return op;
}

LogicalResult keratin::codegen::emitTransposeKernel(KernelBuilder &k) {
  ir::TransposeOp op = plainTransposeOf(k.kernel);
  std::optional<IterationSpace> space = ir::analyzeIterationSpace(k.kernel);
  unsigned width = getElementType(op.getX()).getIntOrFloatBitWidth();
  if (!space || space->groups.size() < 2 || (width != 32 && width != 64) ||
      !llvm::isPowerOf2_32(k.target.lanes(width)) || k.target.lanes(width) < 4)
    return emitLoopKernel(k);
  // Which dimension of the operand each of the squeezed result's dimensions is.
  SmallVector<int64_t> source;
  for (auto [i, size] : llvm::enumerate(ir::getShape(op.getY())))
    if (size != DimExpr(1))
      source.push_back(op.getPermutation()[i]);
  SmallVector<Run> runs;
  SmallVector<size_t> inOperand;
  for (const IterationSpace::Group &group : space->groups) {
    inOperand.push_back(runs.size());
    runs.push_back({group.extent});
  }
  llvm::sort(inOperand, [&](size_t x, size_t y) {
    return source[space->groups[x].first] < source[space->groups[y].first];
  });
  // The number of elements has been counted: all of these products fit.
  for (size_t i = runs.size() - 1; i-- > 0;) {
    runs[i].to = mul(runs[i + 1].to, runs[i + 1].extent).value_or(DimExpr(0));
    const Run &behind = runs[inOperand[i + 1]];
    runs[inOperand[i]].from = mul(behind.from, behind.extent).value_or(DimExpr(0));
  }
  size_t columns = inOperand.back();
  if (columns + 1 == runs.size())
    return emitLoopKernel(k); // rows are copied
  TransposeKernel(k, op, std::move(runs), columns).emit();
  return success();
}
