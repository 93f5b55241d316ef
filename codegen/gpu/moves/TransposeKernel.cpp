// Tiles that are turned, after a TransposePlan.
#include "codegen/gpu/moves/TransposePlan.h"

#include "codegen/gpu/CudaMachine.h"
#include "codegen/gpu/moves/DeviceOpKernel.h"
#include "codegen/gpu/threads/ThreadBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

namespace {

// Accesses of a thread that are under way at once.
constexpr int64_t underWay = 4;

class TransposeKernel : DeviceOpKernel {
public:
  TransposeKernel(DeviceKernelBuilder &k, const TransposePlan &plan)
      : DeviceOpKernel(k, &k.body().front()), plan(plan), block(b, loc),
        element(b.getIntegerType(plan.elementBytes * 8)) {}

  void emit();

private:
  // One side of a tile: lines, whose elements are neighbours in the device's memory, and how many
  // of both exist from the tile's beginning on; null where all of the tile are known to.
  struct Side {
    Value start, stride; // a pointer; elements from one line to the next
    Value lines, elements;
  };
  // What a thread accesses at a time: so many elements of a line.
  struct Access {
    Value line, first, exists;
  };

  void emitTile(Value unit);
  Value rest(const ir::DimExpr &extent, Value begin);
  Value isWide(Value pointer, const ir::DimExpr &extent);
  Access accessOf(const Side &side, int64_t elements, int64_t neighbours, Value pass);
  void forEachAccess(const Side &side, int64_t elements, int64_t neighbours,
                     llvm::function_ref<void(ArrayRef<Access>)> body);

  void readTile(const Side &side, bool isWide);
  void writeTile(const Side &side, bool isWide);
  // In the tile: lines of the operand are its rows.
  Value place(Value row, Value column);
  Value at(const Side &side, const Access &access) {
    return e.address(side.start, element, e.add(e.mul(access.line, side.stride), access.first));
  }
  // Sixteen bytes as elements, in words that the device can load.
  VectorType wideType();
  Values apart(Value wide);
  Value joined(ArrayRef<Value> elements);

  const TransposePlan &plan;
  ThreadBlock block;
  Type element;
  Value lane, warp, memory;
};

//===-- Which thread does what ----------------------------------------------------------------===//

// How many are left; null if as many as a tile has.
Value TransposeKernel::rest(const ir::DimExpr &extent, Value begin) {
  if (extent.isConstant() && extent.constantValue() % plan.tile == 0)
    return {};
  return e.sub(size(extent), begin);
}

// So many neighbouring threads of a warp do neighbours of a line, the others further lines.
TransposeKernel::Access TransposeKernel::accessOf(const Side &side, int64_t elements,
                                                  int64_t neighbours, Value pass) {
  int64_t lines = warpThreads / neighbours, parts = plan.tile / elements / neighbours;
  Value number = e.add(e.mul(pass, plan.unitThreads / warpThreads), warp);
  Value line = e.add(e.mul(e.div(number, i64(parts)), lines), e.div(lane, i64(neighbours)));
  Value part = e.add(e.mul(e.rem(number, i64(parts)), neighbours), e.rem(lane, i64(neighbours)));
  Access access{line, e.mul(part, elements), b.create<arith::ConstantIntOp>(loc, 1, 1)};
  for (auto [position, behind] : {std::pair(line, side.lines), {access.first, side.elements}})
    if (behind)
      access.exists = e.logicalAnd(access.exists, e.less(position, behind));
  return access;
}

// A few accesses at a time.
void TransposeKernel::forEachAccess(const Side &side, int64_t elements, int64_t neighbours,
                                    llvm::function_ref<void(ArrayRef<Access>)> body) {
  int64_t passes = plan.tile * plan.tile / elements / plan.unitThreads;
  int64_t step = std::min(passes, underWay);
  e.loop(i64(0), i64(passes), step, [&](Value pass) {
    SmallVector<Access> accesses;
    for (int64_t i = 0; i < step; ++i)
      accesses.push_back(accessOf(side, elements, neighbours, e.add(pass, i)));
    body(accesses);
  });
}

//===-- The tile ------------------------------------------------------------------------------===//

Value TransposeKernel::place(Value row, Value column) {
  Value bytes = e.add(e.mul(row, plan.pitch), e.mul(column, plan.elementBytes));
  return e.address(memory, b.getI8Type(), bytes);
}

VectorType TransposeKernel::wideType() {
  unsigned bits = std::max(32u, plan.elementBytes * 8);
  return VectorType::get(128 / bits, b.getIntegerType(bits));
}

TransposeKernel::Values TransposeKernel::apart(Value wide) {
  Values elements;
  for (int64_t word = 0; word < wideType().getNumElements(); ++word) {
    Value bits = elementOf(wide, word);
    Type type = bits.getType();
    unsigned width = element.getIntOrFloatBitWidth();
    for (unsigned shift = 0; shift < type.getIntOrFloatBitWidth(); shift += width) {
      Value by = b.create<arith::ConstantOp>(loc, b.getIntegerAttr(type, shift));
      Value part = b.createOrFold<arith::ShRUIOp>(loc, bits, by);
      elements.push_back(type == element ? part : b.create<arith::TruncIOp>(loc, element, part));
    }
  }
  return elements;
}

Value TransposeKernel::joined(ArrayRef<Value> elements) {
  Type type = wideType().getElementType();
  unsigned width = element.getIntOrFloatBitWidth();
  size_t ofWord = type.getIntOrFloatBitWidth() / width;
  Values words;
  for (; !elements.empty(); elements = elements.drop_front(ofWord)) {
    Value word;
    for (auto [i, part] : llvm::enumerate(elements.take_front(ofWord))) {
      Value wide = type == element ? part : b.create<arith::ExtUIOp>(loc, type, part);
      Value by = b.create<arith::ConstantOp>(loc, b.getIntegerAttr(type, i * width));
      wide = b.createOrFold<arith::ShLIOp>(loc, wide, by);
      word = word ? b.create<arith::OrIOp>(loc, word, wide) : wide;
    }
    words.push_back(word);
  }
  return vectorOf(words);
}

// Neighbours of a row of the operand; what does not exist is anything.
void TransposeKernel::readTile(const Side &side, bool isWide) {
  Type type = isWide ? Type(wideType()) : element;
  auto load = [&](const Access &access) -> Values {
    unsigned bytes = isWide ? 16 : plan.elementBytes;
    return {b.create<LLVM::LoadOp>(loc, type, at(side, access), bytes)};
  };
  int64_t elements = isWide ? plan.wideElements : 1;
  forEachAccess(side, elements, isWide ? plan.readers : warpThreads,
                [&](ArrayRef<Access> accesses) {
                  Values loaded;
                  for (const Access &access : accesses)
                    loaded.append(e.choose(
                        access.exists, {type}, [&] { return load(access); },
                        [&]() -> Values { return {e.zero(type)}; }));
                  for (auto [access, value] : llvm::zip(accesses, loaded))
                    for (auto [i, part] : llvm::enumerate(isWide ? apart(value) : Values{value}))
                      e.store(part, place(access.line, e.add(access.first, int64_t(i))));
                });
}

// Neighbours of a column of the operand, a row of the result.
void TransposeKernel::writeTile(const Side &side, bool isWide) {
  int64_t elements = isWide ? plan.wideElements : 1;
  int64_t neighbours = isWide ? plan.writers : warpThreads;
  forEachAccess(side, elements, neighbours, [&](ArrayRef<Access> accesses) {
    for (const Access &access : accesses) {
      Values parts;
      for (int64_t i = 0; i < elements; ++i)
        parts.push_back(e.load(element, place(e.add(access.first, i), access.line)));
      e.branch(access.exists, [&] {
        Value stored = isWide ? joined(parts) : parts[0];
        b.create<LLVM::StoreOp>(loc, stored, at(side, access), isWide ? 16 : plan.elementBytes);
      });
    }
  });
}

//===-- Units ---------------------------------------------------------------------------------===//

// Whether lines of a side are whole accesses, one behind the other.
Value TransposeKernel::isWide(Value pointer, const ir::DimExpr &extent) {
  Value whole = e.equal(e.rem(size(extent), i64(plan.wideElements)), i64(0));
  if (e.constantOf(whole) == 0)
    return whole;
  return e.logicalAnd(whole, isAligned(pointer, 16));
}

void TransposeKernel::emitTile(Value unit) {
  const TransposeRuns::Run &places = plan.runs.places(), &columns = plan.runs.columns();
  Value firstPlace = e.mul(e.popCounter(unit, size(plan.placeTiles())), plan.tile);
  Value firstColumn = e.mul(e.popCounter(unit, size(plan.columnTiles())), plan.tile);
  Value from = e.add(e.mul(firstPlace, size(places.from)), firstColumn);
  Value to = e.add(e.mul(firstColumn, size(columns.to)), firstPlace);
  for (size_t i = plan.runs.runs.size() - 1; i-- > 0;) {
    if (i == plan.runs.column)
      continue;
    const TransposeRuns::Run &run = plan.runs.runs[i];
    Value index = e.popCounter(unit, size(run.extent));
    from = e.add(from, e.mul(index, size(run.from)));
    to = e.add(to, e.mul(index, size(run.to)));
  }
  Value restPlaces = rest(places.extent, firstPlace);
  Value restColumns = rest(columns.extent, firstColumn);
  Side operand{e.address(k.inputs[0], element, from), size(places.from), restPlaces, restColumns};
  Side result{e.address(output(), element, to), size(columns.to), restColumns, restPlaces};
  e.branch(
      isWide(k.inputs[0], columns.extent), [&] { readTile(operand, true); },
      [&] { readTile(operand, false); });
  block.barrier();
  e.branch(
      isWide(output(), places.extent), [&] { writeTile(result, true); },
      [&] { writeTile(result, false); });
  block.barrier();
}

void TransposeKernel::emit() {
  Value thread = block.thread();
  lane = e.rem(thread, i64(warpThreads));
  warp = e.div(thread, i64(warpThreads));
  memory = block.memory();
  emitTile(k.begin);
}

} // namespace

void TransposePlan::emit(DeviceKernelBuilder &k) const { TransposeKernel(k, *this).emit(); }
