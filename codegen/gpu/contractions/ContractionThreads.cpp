#include "codegen/gpu/contractions/ContractionThreads.h"

#include "codegen/gpu/threads/ThreadBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace keratin::codegen;
using namespace mlir;

ThreadsEngine::ThreadsEngine(LoopEmitter &emit, const ContractionTile &tile, Type sumType,
                             Value shared, Value thread)
    : ContractionEngine(emit, tile, sumType, shared, thread) {
  row = emit.add(emit.mul(warpRow, tile.rowsOfWarp()), emit.mul(laneRow, tile.group()));
  column = emit.add(emit.mul(warpColumn, tile.columnsOfWarp()), emit.mul(laneColumn, tile.group()));
}

//===-- From memory to shared memory
//----------------------------------------------------------===//

Type ThreadsEngine::Copy::type() const {
  Type type = storageOf(source->elementType);
  return group > 1 ? Type(VectorType::get(group, type)) : type;
}

// Pieces are dealt out so that a warp reads whole sectors of 32 bytes, and
// writes to all banks of shared memory: along lines one after the other; along
// the depth a sector of each line.
ThreadsEngine::Copy ThreadsEngine::planCopy(ContractionSource &source, int64_t lines, int64_t group,
                                            int64_t base) {
  Copy copy = {&source, lines, group, {}};
  bool isAlongLines = source.neighbours == ContractionSource::Neighbours::Lines;
  int64_t count = lines * tile.depth / group / tile.threads();
  int64_t elementBytes = source.elementType.getIntOrFloatBitWidth() / 8;
  int64_t ofSector = std::min(tile.depth / group, 32 / elementBytes / group);
  for (int64_t i = 0; i < count; ++i) {
    Value number = emit.add(thread, i * tile.threads());
    Value line, depth;
    if (isAlongLines) {
      line = emit.mul(emit.popBits(number, emit.constant(lines / group)), group);
      depth = number;
    } else {
      depth = emit.popBits(number, emit.constant(ofSector));
      line = emit.popBits(number, emit.constant(lines));
      depth = emit.mul(emit.add(depth, emit.mul(number, ofSector)), group);
    }
    Value at = emit.add(emit.mul(depth, tile.pitch(lines)), line);
    at = emit.add(emit.mul(at, tile.sumBytes), base);
    copy.pieces.push_back({source.line(emit, line), depth, at});
  }
  return copy;
}

ThreadsEngine::Values ThreadsEngine::read(Copy &copy, Value depth) {
  ContractionSource &source = *copy.source;
  Type type = copy.type();
  int64_t alignment = source.elementType.getIntOrFloatBitWidth() / 8 * copy.group;
  Values values;
  for (Copy::Piece &piece : copy.pieces) {
    Values position = source.depth(emit, emit.add(depth, piece.depth));
    ContractionSource::Element element = source.element(emit, piece.line, position);
    auto get = [&] { return Values{load(type, element.pointer, alignment)}; };
    values.push_back(element.exists ? emit.choose(element.exists, type, get,
                                                  [&] { return Values{emit.zero(type)}; })[0]
                                    : get()[0]);
  }
  return values;
}

void ThreadsEngine::write(Copy &copy, ValueRange values, Value stage) {
  bool isAlongLines = copy.source->neighbours == ContractionSource::Neighbours::Lines;
  for (auto [piece, value] : llvm::zip(copy.pieces, values)) {
    Value numbers = widenToSum(emit, value, copy.source->elementType, sumType);
    Value to = place(emit.add(stage, piece.place));
    if (copy.group == 1 || isAlongLines) {
      store(numbers, to, tile.sumBytes * copy.group);
      continue;
    }
    for (int64_t i = 0; i < copy.group; ++i) {
      Value number =
          emit.builder.create<vector::ExtractOp>(emit.loc, numbers, ArrayRef<int64_t>{i});
      store(number, emit.address(to, sumType, i * tile.pitch(copy.lines)), tile.sumBytes);
    }
  }
}

//===-- Products
//------------------------------------------------------------------------------===//

ThreadsEngine::Factors ThreadsEngine::factors(Value aStage, Value bStage, int64_t depth) {
  auto get = [&](Value stage, Value first, int64_t lines, int64_t groups, int64_t step) {
    Value from = emit.address(stage, sumType, first);
    Values numbers;
    for (int64_t number = 0; number < groups; ++number) {
      Value pointer = emit.address(from, sumType, depth * tile.pitch(lines) + number * step);
      Value group = load(groupType(), pointer, 16);
      for (int64_t i = 0; i < tile.group(); ++i)
        numbers.push_back(
            emit.builder.create<vector::ExtractOp>(emit.loc, group, ArrayRef<int64_t>{i}));
    }
    return numbers;
  };
  return {
      get(aStage, row, tile.rows(), tile.rowGroups(), tile.laneRows() * tile.group()),
      get(bStage, column, tile.columns(), tile.columnGroups(), tile.laneColumns() * tile.group())};
}

ThreadsEngine::Values ThreadsEngine::addProducts(ValueRange sums, const Factors &factors) {
  Values next;
  size_t i = 0;
  for (Value a : factors.a)
    for (Value b : factors.b)
      next.push_back(addProduct(emit, a, b, sums[i++]));
  return next;
}

ThreadsEngine::Values ThreadsEngine::addStage(ValueRange sums, Value stage, bool unrolls) {
  Value aStage = place(stage), bStage = place(emit.add(stage, bBytes()));
  if (!unrolls)
    return emit.loop(emit.constant(0), emit.constant(tile.depth), depthStep(), sums,
                     [&](Value depth, ValueRange carried) {
                       auto at = [&](Value from, int64_t lines) {
                         return emit.address(from, sumType, emit.mul(depth, tile.pitch(lines)));
                       };
                       return addProducts(carried, factors(at(aStage, tile.rows()),
                                                           at(bStage, tile.columns()), 0));
                     });
  Values result(sums);
  Factors own = factors(aStage, bStage, 0);
  for (int64_t depth = 0; depth < tile.depth; depth += depthStep()) {
    // The next are on their way while these are multiplied.
    Factors next;
    if (depth + depthStep() < tile.depth)
      next = factors(aStage, bStage, depth + depthStep());
    result = addProducts(result, own);
    own = std::move(next);
  }
  return result;
}

ThreadsEngine::Values ThreadsEngine::multiply(MutableArrayRef<Copy> copies, Value begin, Value end,
                                              bool unrolls) {
  ThreadBlock block(emit.builder, emit.loc);
  auto readAll = [&](Value depth) {
    Values all;
    for (Copy &copy : copies)
      all.append(read(copy, depth));
    return all;
  };
  auto writeAll = [&](ValueRange values, Value stage) {
    for (Copy &copy : copies) {
      write(copy, values.take_front(copy.pieces.size()), stage);
      values = values.drop_front(copy.pieces.size());
    }
  };
  SmallVector<Type> types;
  for (Copy &copy : copies)
    types.append(copy.pieces.size(), copy.type());
  auto nothing = [&] {
    Values zeros;
    for (Type type : types)
      zeros.push_back(emit.zero(type));
    return zeros;
  };
  emit.branch(emit.less(begin, end), [&] { writeAll(readAll(begin), emit.constant(0)); });
  block.barrier();
  // A stage is read before the products of the one before, and written behind them. Behind the last
  // comes the last again, which nobody reads: were it read and written only where there are more,
  // ptxas would move the reads behind the products, to where they are written, and float32 of
  // 4096 x 4096 x 4096 take 4.0 ms of 3.15 on an H100. Of float64, whose products are few and long,
  // ptxas puts the writes between them, where they wait for the reads, unless there is a condition:
  // 2048 x 2048 x 2048 take 0.66 ms of 0.59.
  Values carried(tile.threadRows * tile.threadColumns, emit.zero(sumType));
  carried.push_back(emit.constant(0));
  Values last = emit.loop(begin, end, tile.depth, carried, [&](Value depth, ValueRange carried) {
    Value stage = carried.back(), other = emit.sub(emit.constant(tile.stageBytes()), stage);
    Value next = emit.add(depth, tile.depth), isMore = emit.less(next, end);
    Values values, sums;
    if (sumType.isF64()) {
      values = emit.choose(isMore, types, [&] { return readAll(next); }, nothing);
      sums = addStage(carried.drop_back(), stage, unrolls);
      emit.branch(isMore, [&] { writeAll(values, other); });
    } else {
      values = readAll(emit.select(isMore, next, depth));
      sums = addStage(carried.drop_back(), stage, unrolls);
      writeAll(values, other);
    }
    block.barrier();
    sums.push_back(other);
    return sums;
  });
  last.pop_back();
  return last;
}

// Where groups cannot be read at once, elements are read one by one. If that
// turns out at run time only, it is the rare case, whose code is kept short.
ThreadsEngine::Values ThreadsEngine::multiply(ContractionSource &a, ContractionSource &b,
                                              Value begin, Value end) {
  auto run = [&](bool isGrouped, bool unrolls) {
    auto groupOf = [&](ContractionSource &source) {
      return isGrouped && source.isGrouped ? tile.group() : 1;
    };
    Copy copies[] = {planCopy(a, tile.rows(), groupOf(a), 0),
                     planCopy(b, tile.columns(), groupOf(b), bBytes())};
    return multiply(copies, begin, end, unrolls);
  };
  Value isGrouped = a.isGrouped && b.isGrouped ? emit.logicalAnd(a.isGrouped, b.isGrouped)
                    : a.isGrouped              ? a.isGrouped
                                               : b.isGrouped;
  if (!isGrouped)
    return run(false, true);
  SmallVector<Type> types(tile.threadRows * tile.threadColumns, sumType);
  return emit.choose(
      isGrouped, types, [&] { return run(true, true); }, [&] { return run(false, false); });
}

//===-- Finished sums
//-------------------------------------------------------------------------===//

// One group of the thread's rows, with all of its columns.
void ThreadsEngine::writeSlice(ValueRange sums, int64_t slice) {
  int64_t group = tile.group();
  Value from = inSlice(emit.mul(laneRow, group), column);
  for (int64_t i = 0; i < group; ++i)
    for (int64_t j = 0; j < tile.columnGroups(); ++j) {
      Value numbers = emit.zero(groupType());
      for (int64_t lane = 0; lane < group; ++lane)
        numbers = emit.builder.create<vector::InsertOp>(
            emit.loc, sums[(slice * group + i) * tile.threadColumns + j * group + lane], numbers,
            ArrayRef<int64_t>{lane});
      store(numbers,
            emit.address(from, sumType, i * tile.resultPitch() + j * tile.laneColumns() * group),
            16);
    }
}

//===-- f64 by matrices
//-----------------------------------------------------------------------===//

// A thread has a number of A and of B for each 8 lines: its row of A, its
// column of B, one of four depths; of the sums two neighbouring columns of the
// same row.
DoublesEngine::DoublesEngine(LoopEmitter &emit, const ContractionTile &tile, Type sumType,
                             Value shared, Value thread)
    : ThreadsEngine(emit, tile, sumType, shared, thread) {
  row = emit.add(emit.mul(warpRow, tile.rowsOfWarp()), laneRow);
  column = emit.add(emit.mul(warpColumn, tile.columnsOfWarp()), laneRow);
}

DoublesEngine::Factors DoublesEngine::factors(Value aStage, Value bStage, int64_t depth) {
  auto get = [&](Value stage, Value first, int64_t lines, int64_t count) {
    Value own = emit.add(emit.mul(laneColumn, tile.pitch(lines)), first);
    Value from = emit.address(stage, sumType, own);
    Values numbers;
    for (int64_t number = 0; number < count; ++number)
      numbers.push_back(
          load(sumType, emit.address(from, sumType, depth * tile.pitch(lines) + number * 8), 8));
    return numbers;
  };
  return {get(aStage, row, tile.rows(), tile.rowsOfWarp() / 8),
          get(bStage, column, tile.columns(), tile.columnsOfWarp() / 8)};
}

DoublesEngine::Values DoublesEngine::addProducts(ValueRange sums, const Factors &factors) {
  Type pair = LLVM::LLVMStructType::getLiteral(emit.builder.getContext(), {sumType, sumType});
  Values next;
  for (Value a : factors.a)
    for (Value b : factors.b) {
      ValueRange own = sums.slice(next.size(), 2);
      Value result =
          emit.builder
              .create<LLVM::CallIntrinsicOp>(
                  emit.loc, pair, emit.builder.getStringAttr("llvm.nvvm.mma.m8n8k4.row.col.f64"),
                  ValueRange{a, b, own[0], own[1]})
              .getResult(0);
      for (int64_t i : {0, 1})
        next.push_back(emit.builder.create<LLVM::ExtractValueOp>(emit.loc, result, i));
    }
  return next;
}

void DoublesEngine::writeSlice(ValueRange sums, int64_t slice) {
  Value first = emit.add(emit.mul(warpColumn, tile.columnsOfWarp()), emit.mul(laneColumn, 2));
  Value from = inSlice(laneRow, first);
  int64_t across = tile.columnsOfWarp() / 8;
  for (int64_t j = 0; j < across; ++j) {
    Value numbers = emit.zero(groupType());
    for (int64_t lane : {0, 1})
      numbers = emit.builder.create<vector::InsertOp>(
          emit.loc, sums[(slice * across + j) * 2 + lane], numbers, ArrayRef<int64_t>{lane});
    store(numbers, emit.address(from, sumType, j * 8), 16);
  }
}

LargeDoublesEngine::Factors LargeDoublesEngine::factors(Value aStage, Value bStage, int64_t depth) {
  Factors all = DoublesEngine::factors(aStage, bStage, depth);
  Factors behind = DoublesEngine::factors(aStage, bStage, depth + DoublesEngine::depthStep());
  all.a.append(behind.a);
  all.b.append(behind.b);
  return all;
}

// No intrinsic of LLVM 19 is this instruction. Its sums are those of two matrices of 8 rows, one
// below the other.
LargeDoublesEngine::Values LargeDoublesEngine::addProducts(ValueRange sums,
                                                           const Factors &factors) {
  const size_t down = factors.a.size() / 2, across = factors.b.size() / 2;
  SmallVector<Type> four(4, sumType);
  Type all = LLVM::LLVMStructType::getLiteral(emit.builder.getContext(), four);
  Values next(sums);
  for (size_t i = 0; i < down; i += 2)
    for (size_t j = 0; j < across; ++j) {
      const size_t upper = (i * across + j) * 2, lower = upper + across * 2;
      const size_t own[] = {upper, upper + 1, lower, lower + 1};
      Values operands = {factors.a[i],        factors.a[i + 1],
                         factors.a[down + i], factors.a[down + i + 1],
                         factors.b[j],        factors.b[across + j]};
      for (size_t sum : own)
        operands.push_back(next[sum]);
      Value made = emit.builder
                       .create<LLVM::InlineAsmOp>(
                           emit.loc, TypeRange{all}, operands,
                           "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {$0, $1, $2, $3}, "
                           "{$4, $5, $6, $7}, {$8, $9}, {$10, $11, $12, $13};",
                           "=d,=d,=d,=d,d,d,d,d,d,d,d,d,d,d", /*has_side_effects=*/true,
                           /*is_align_stack=*/false, LLVM::AsmDialectAttr(), ArrayAttr())
                       .getResult(0);
      for (auto [k, sum] : llvm::enumerate(own))
        next[sum] = emit.builder.create<LLVM::ExtractValueOp>(emit.loc, made, int64_t(k));
    }
  return next;
}
