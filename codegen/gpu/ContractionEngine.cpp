#include "codegen/gpu/ContractionEngine.h"

#include "codegen/gpu/CudaMachine.h"
#include "codegen/gpu/ThreadBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace keratin::codegen;
using namespace mlir;

Type keratin::codegen::sumTypeOf(Type elementType) {
  MLIRContext *context = elementType.getContext();
  unsigned bits = elementType.getIntOrFloatBitWidth();
  if (isa<FloatType>(elementType))
    return bits < 32 ? Type(Float32Type::get(context)) : elementType;
  return IntegerType::get(context, bits <= 32 ? 32 : 64);
}

ContractionEngine::ContractionEngine(LoopEmitter &emit, const ContractionTile &tile, Type sumType,
                                     Value shared, Value thread)
    : emit(emit), tile(tile), sumType(sumType), shared(shared), thread(thread) {
  Value warps = emit.div(thread, emit.constant(warpThreads));
  Value lane = emit.rem(thread, emit.constant(warpThreads));
  Value warpColumn = emit.popCounter(warps, emit.constant(tile.warpColumns));
  Value laneColumn = emit.popCounter(lane, emit.constant(ContractionTile::laneColumns));
  row = emit.add(emit.mul(warps, tile.laneRows * tile.threadRows), emit.mul(lane, tile.group()));
  column = emit.add(emit.mul(warpColumn, tile.laneColumns * tile.threadColumns),
                    emit.mul(laneColumn, tile.group()));
}

Type ContractionEngine::groupType() const { return VectorType::get(tile.group(), sumType); }

Value ContractionEngine::load(Type type, Value pointer, int64_t alignment) {
  return emit.builder.create<LLVM::LoadOp>(emit.loc, type, pointer, unsigned(alignment));
}

void ContractionEngine::store(Value value, Value pointer, int64_t alignment) {
  emit.builder.create<LLVM::StoreOp>(emit.loc, value, pointer, unsigned(alignment));
}

//===-- From memory to shared memory ----------------------------------------------------------===//

// Of floats of 16 bits as bits: LLVM keeps vectors of such apart.
static Type storageOf(Type elementType) {
  bool isNarrowFloat = isa<FloatType>(elementType) && elementType.getIntOrFloatBitWidth() < 32;
  return isNarrowFloat ? Type(IntegerType::get(elementType.getContext(), 16)) : elementType;
}

Value ContractionEngine::toSum(Value stored, Type elementType) {
  if (elementType == sumType)
    return stored;
  if (isa<FloatType>(elementType))
    return emit.widen(stored, elementType, sumType);
  auto vector = dyn_cast<VectorType>(stored.getType());
  return emit.builder.create<arith::ExtUIOp>(
      emit.loc, vector ? Type(vector.clone(sumType)) : sumType, stored);
}

// Pieces are dealt out so that a warp reads whole sectors of 32 bytes, and writes to all banks of
// shared memory: along lines one after the other; along the depth a sector of each line.
ContractionEngine::Copy ContractionEngine::planCopy(ContractionSource &source, int64_t lines,
                                                    int64_t group, int64_t base) {
  Copy copy = {&source, lines, group, base, {}};
  bool isAlongLines = source.neighbours == ContractionSource::Neighbours::Lines;
  int64_t count = lines * tile.depth / group / tile.threads();
  int64_t elementBytes = std::max<int64_t>(1, source.elementType.getIntOrFloatBitWidth() / 8);
  int64_t ofSector = std::min(tile.depth / group, 32 / elementBytes / group);
  for (int64_t i = 0; i < count; ++i) {
    Value number = emit.add(thread, i * tile.threads());
    Value line, depth;
    if (isAlongLines) {
      line = emit.mul(emit.popCounter(number, emit.constant(lines / group)), group);
      depth = number;
    } else {
      depth = emit.popCounter(number, emit.constant(ofSector));
      line = emit.popCounter(number, emit.constant(lines));
      depth = emit.mul(emit.add(depth, emit.mul(number, ofSector)), group);
    }
    Value at = emit.add(emit.mul(depth, tile.pitch(lines)), line);
    at = emit.add(emit.mul(at, tile.sumBytes), base);
    copy.pieces.push_back({source.line(emit, line), depth, at});
  }
  return copy;
}

ContractionEngine::Values ContractionEngine::read(Copy &copy, Value depth) {
  ContractionSource &source = *copy.source;
  Type type = storageOf(source.elementType);
  int64_t alignment = std::max<int64_t>(1, type.getIntOrFloatBitWidth() / 8) * copy.group;
  if (copy.group > 1)
    type = VectorType::get(copy.group, type);
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

void ContractionEngine::write(Copy &copy, ValueRange values, Value stage) {
  bool isAlongLines = copy.source->neighbours == ContractionSource::Neighbours::Lines;
  for (auto [piece, value] : llvm::zip(copy.pieces, values)) {
    Value numbers = toSum(value, copy.source->elementType);
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

//===-- Products ------------------------------------------------------------------------------===//

ContractionEngine::Fragments ContractionEngine::fragments(Value aPlace, Value bPlace,
                                                          int64_t depth) {
  auto get = [&](Value from, int64_t lines, int64_t groups, int64_t step) {
    Values numbers;
    for (int64_t group = 0; group < groups; ++group) {
      Value pointer =
          emit.address(from, sumType, depth * tile.pitch(lines) + group * step * tile.group());
      Value four = load(groupType(), pointer, 16);
      for (int64_t i = 0; i < tile.group(); ++i)
        numbers.push_back(
            emit.builder.create<vector::ExtractOp>(emit.loc, four, ArrayRef<int64_t>{i}));
    }
    return numbers;
  };
  return {get(aPlace, tile.rows(), tile.rowGroups(), tile.laneRows),
          get(bPlace, tile.columns(), tile.columnGroups(), tile.laneColumns)};
}

ContractionEngine::Values ContractionEngine::addProducts(ValueRange sums,
                                                         const Fragments &factors) {
  Values next;
  size_t i = 0;
  for (Value a : factors.a)
    for (Value b : factors.b) {
      Value sum = sums[i++];
      if (isa<FloatType>(sumType))
        next.push_back(emit.builder.create<LLVM::FMAOp>(emit.loc, sumType, a, b, sum));
      else
        next.push_back(emit.add(emit.mul(a, b), sum));
    }
  return next;
}

ContractionEngine::Values ContractionEngine::addProducts(ValueRange sums, Value stage,
                                                         bool unrolls) {
  Value aPlace = place(emit.add(stage, emit.mul(row, tile.sumBytes)));
  Value bPlace =
      place(emit.add(emit.add(stage, tile.pitch(tile.rows()) * tile.depth * tile.sumBytes),
                     emit.mul(column, tile.sumBytes)));
  if (!unrolls)
    return emit.loop(
        emit.constant(0), emit.constant(tile.depth), 1, sums, [&](Value depth, ValueRange carried) {
          auto at = [&](Value from, int64_t lines) {
            return emit.address(from, sumType, emit.mul(depth, tile.pitch(lines)));
          };
          return addProducts(carried,
                             fragments(at(aPlace, tile.rows()), at(bPlace, tile.columns()), 0));
        });
  Values result(sums);
  Fragments factors = fragments(aPlace, bPlace, 0);
  for (int64_t depth = 0; depth < tile.depth; ++depth) {
    // The next are on their way while these are multiplied.
    Fragments next;
    if (depth + 1 < tile.depth)
      next = fragments(aPlace, bPlace, depth + 1);
    result = addProducts(result, factors);
    factors = std::move(next);
  }
  return result;
}

ContractionEngine::Values ContractionEngine::multiplyBy(MutableArrayRef<Copy> copies, Value begin,
                                                        Value end, bool unrolls) {
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
  emit.branch(emit.less(begin, end), [&] { writeAll(readAll(begin), emit.constant(0)); });
  block.barrier();
  Values first(tile.threadRows * tile.threadColumns, emit.zero(sumType));
  first.push_back(emit.constant(0));
  Values last = emit.loop(begin, end, tile.depth, first, [&](Value depth, ValueRange carried) {
    Value stage = carried.back();
    Value other = emit.sub(emit.constant(tile.stageBytes()), stage);
    Value next = emit.add(depth, tile.depth);
    Value isMore = emit.less(next, end);
    SmallVector<Type> types;
    for (Copy &copy : copies) {
      Type type = storageOf(copy.source->elementType);
      types.append(copy.pieces.size(),
                   copy.group > 1 ? Type(VectorType::get(copy.group, type)) : type);
    }
    Values values = emit.choose(
        isMore, types, [&] { return readAll(next); },
        [&] {
          return llvm::to_vector(
              llvm::map_range(types, [&](Type type) -> Value { return emit.zero(type); }));
        });
    Values sums = addProducts(carried.drop_back(), stage, unrolls);
    emit.branch(isMore, [&] { writeAll(values, other); });
    block.barrier();
    sums.push_back(other);
    return sums;
  });
  last.pop_back();
  return last;
}

// Where groups cannot be read at once, elements are read one by one. If that turns out at run time
// only, it is the rare case, whose code is kept short.
ContractionEngine::Values ContractionEngine::multiply(ContractionSource &a, ContractionSource &b,
                                                      Value begin, Value end) {
  auto run = [&](bool isGrouped, bool unrolls) {
    auto groupOf = [&](ContractionSource &source) {
      return isGrouped && source.isGrouped ? tile.group() : 1;
    };
    Copy copies[] = {planCopy(a, tile.rows(), groupOf(a), 0),
                     planCopy(b, tile.columns(), groupOf(b),
                              tile.pitch(tile.rows()) * tile.depth * tile.sumBytes)};
    return multiplyBy(copies, begin, end, unrolls);
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

//===-- Finished sums -------------------------------------------------------------------------===//

// A group of each of the thread's columns for each row of one group of its rows.
void ContractionEngine::writeSlice(ValueRange sums, int64_t slice) {
  int64_t group = tile.group();
  // Rows of the slice: those of a warp behind each other.
  Value own = emit.div(row, emit.constant(tile.laneRows * tile.threadRows));
  Value inWarp = emit.rem(row, emit.constant(tile.laneRows * group));
  Value first = emit.add(emit.mul(own, tile.laneRows * group), inWarp);
  Value from =
      emit.address(shared, sumType, emit.add(emit.mul(first, tile.pitch(tile.columns())), column));
  for (int64_t i = 0; i < group; ++i)
    for (int64_t j = 0; j < tile.columnGroups(); ++j) {
      Value four = emit.zero(groupType());
      for (int64_t lane = 0; lane < group; ++lane)
        four = emit.builder.create<vector::InsertOp>(
            emit.loc, sums[(slice * group + i) * tile.threadColumns + j * group + lane], four,
            ArrayRef<int64_t>{lane});
      store(four,
            emit.address(from, sumType,
                         i * tile.pitch(tile.columns()) + j * tile.laneColumns * group),
            16);
    }
}

void ContractionEngine::forEach(int64_t rows, int64_t group, const Result &result,
                                llvm::function_ref<Value(Value)> rowOf, Load load, Store store) {
  int64_t ofRow = tile.columns() / group;
  emit.loop(thread, emit.constant(rows * ofRow), tile.threads(), [&](Value number) {
    Value first = emit.mul(emit.popCounter(number, emit.constant(ofRow)), group);
    Value inTile = rowOf(number);
    auto handOn = [&] { store(inTile, first, load(number, first, group)); };
    Value exists;
    auto within = [&](Value position, Value count) {
      if (!count)
        return;
      Value isThere = emit.less(position, count);
      exists = exists ? emit.logicalAnd(exists, isThere) : isThere;
    };
    within(inTile, result.rows);
    within(first, result.columns);
    if (exists)
      emit.branch(exists, handOn);
    else
      handOn();
  });
}

void ContractionEngine::handOn(int64_t rows, const Result &result,
                               llvm::function_ref<Value(Value)> rowOf, Load load, Store store) {
  auto each = [&](int64_t group) { forEach(rows, group, result, rowOf, load, store); };
  if (result.isGrouped)
    emit.branch(
        result.isGrouped, [&] { each(tile.group()); }, [&] { each(1); });
  else
    each(1);
}

void ContractionEngine::finish(ValueRange sums, const Result &result, Store store) {
  ThreadBlock block(emit.builder, emit.loc);
  int64_t ofWarp = tile.laneRows * tile.group();
  emit.loop(emit.constant(0), emit.constant(tile.rowGroups()), 1, [&](Value slice) {
    for (int64_t number = 0; number < tile.rowGroups(); ++number)
      emit.branch(emit.equal(slice, emit.constant(number)), [&] { writeSlice(sums, number); });
    block.barrier();
    auto rowOf = [&](Value row) {
      Value inWarp = emit.popCounter(row, emit.constant(ofWarp));
      return emit.add(
          emit.add(emit.mul(row, tile.laneRows * tile.threadRows), emit.mul(slice, ofWarp)),
          inWarp);
    };
    auto load = [&](Value row, Value column, int64_t group) {
      Value at = emit.add(emit.mul(row, tile.pitch(tile.columns())), column);
      return this->load(group > 1 ? groupType() : sumType, emit.address(shared, sumType, at),
                        group * tile.sumBytes);
    };
    handOn(tile.sliceRows(), result, rowOf, load, store);
    block.barrier();
  });
}

void ContractionEngine::hand(const Result &result, Load load, Store store) {
  handOn(
      tile.rows(), result, [](Value row) { return row; }, load, store);
}
