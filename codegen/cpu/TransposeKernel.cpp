// transpose, where the innermost dimension changes: square blocks of a vector's size, transposed in
// registers, so that both sides are walked in whole vectors.
//
// A unit is a strip of places along the result's innermost dimension, at one index of the
// dimensions that are innermost on neither side.
#include "codegen/cpu/LoopEmitter.h"
#include "codegen/cpu/SingleOpKernel.h"
#include "ir/interfaces/IterationSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/Support/FormatVariadic.h"
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
        element(b.getIntegerType(getElementType(op.getX()).getIntOrFloatBitWidth())) {}

  void emit();

private:
  const Run &places() const { return runs.back(); }
  const Run &columns() const { return runs[column]; }
  Value at(Value base, Value offset) {
    return b.create<LLVM::GEPOp>(loc, base.getType(), element, base,
                                 ArrayRef<LLVM::GEPArg>{offset});
  }
  std::pair<Value, Value> startOf(Value row);

  SmallVector<Run> runs;
  size_t column;
  Type element;
};

// One block, a function of the module that all transposes of such elements share.
class TransposedBlock {
public:
  // Strides and counts are i64, in elements; the counts say how many rows there are on either side
  // and may be larger than the block.
  struct Side {
    Value start, stride, rows;
  };

  TransposedBlock(LoopEmitter &emit, Type element, int64_t lanes)
      : emit(emit), element(element), lanes(lanes), vector(VectorType::get(lanes, element)) {}

  void emitCall(const Side &from, const Side &to);

private:
  void emitBody(const Side &from, const Side &to, bool isWhole);
  void transpose(SmallVector<Value> &vectors);

  LoopEmitter &emit;
  Type element;
  int64_t lanes;
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

void TransposedBlock::emitCall(const Side &from, const Side &to) {
  std::string name = llvm::formatv("keratin_transpose_{0}_{1}", element, lanes);
  emit.callShared(name, {from.start, from.stride, from.rows, to.start, to.stride, to.rows},
                  [&](LoopEmitter &inner, ValueRange p) {
                    TransposedBlock block(inner, element, lanes);
                    Side source{p[0], p[1], p[2]}, target{p[3], p[4], p[5]};
                    Value few =
                        inner.less(inner.min(source.rows, target.rows), inner.constant(lanes));
                    inner.branch(
                        few, [&] { block.emitBody(source, target, /*isWhole=*/false); },
                        [&] { block.emitBody(source, target, /*isWhole=*/true); });
                  });
}

// Row i of the block has column j in lane i afterwards: halves of the rows are interleaved, once
// for each bit of a lane's number.
void TransposedBlock::transpose(SmallVector<Value> &vectors) {
  int64_t half = lanes / 2;
  for (int64_t round = 1; round < lanes; round *= 2) {
    SmallVector<Value> mixed;
    for (int64_t i = 0; i < half; ++i)
      for (int64_t first : {int64_t(0), half}) {
        SmallVector<int64_t> order;
        for (int64_t lane : llvm::seq(first, first + half))
          order.append({lane, lanes + lane});
        mixed.push_back(
            emit.builder.create<vector::ShuffleOp>(emit.loc, vectors[i], vectors[i + half], order));
      }
    vectors = std::move(mixed);
  }
}

// Rows that do not exist are not written, and read as the last one.
void TransposedBlock::emitBody(const Side &from, const Side &to, bool isWhole) {
  Value one = emit.constant(1);
  Value mask, none;
  if (!isWhole) {
    mask = emit.firstLanes(lanes, to.rows);
    none = emit.firstLanes(lanes, emit.constant(0));
  }
  SmallVector<Value> vectors;
  for (int64_t i = 0; i < lanes; ++i) {
    Value row = emit.constant(i);
    if (!isWhole)
      row = emit.min(row, emit.sub(from.rows, one));
    vectors.push_back(
        emit.load(vector, emit.address(from.start, element, emit.mul(row, from.stride)), mask));
  }
  transpose(vectors);
  if (!isWhole)
    mask = emit.firstLanes(lanes, from.rows);
  for (int64_t i = 0; i < lanes; ++i) {
    Value exists = isWhole ? Value() : emit.less(emit.constant(i), to.rows);
    emit.store(vectors[i], emit.address(to.start, element, emit.mul(to.stride, i)),
               isWhole ? Value() : emit.select(exists, mask, none));
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
    LoopEmitter emit(b, loc, k.target);
    TransposedBlock square(emit, element, block);
    loop(i64(0), numColumns, block, {}, [&](Value column, ArrayRef<Value>) -> SmallVector<Value> {
      loop(firstPlace, end, block, {}, [&](Value place, ArrayRef<Value>) -> SmallVector<Value> {
        Value read = at(from, plus(times(place, size(places().from)), column));
        Value written = at(to, plus(times(column, size(columns().to)), place));
        square.emitCall({read, size(places().from), minus(numPlaces, place)},
                        {written, size(columns().to), minus(numColumns, column)});
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
