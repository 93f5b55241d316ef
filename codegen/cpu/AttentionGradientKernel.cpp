// Units of gradients of attention, after an AttentionGradientSchedule.
#include "codegen/cpu/AttentionGradientPlan.h"

#include "codegen/cpu/ContractionMicroKernel.h"
#include "codegen/cpu/ContractionPacking.h"
#include "codegen/cpu/PanelsAhead.h"
#include "codegen/elements/AttentionPlaces.h"
#include "codegen/elements/ElementEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

namespace {

class GradientKernel {
public:
  GradientKernel(CpuKernelBuilder &k, const AttentionGradientNest &nest,
                 const AttentionGradientSchedule &schedule)
      : k(k), b(k.b), loc(k.loc), emit(k.b, k.loc, k.target), nest(nest), s(schedule),
        specs(describe(nest.made)), units(emit, specs.front(), schedule),
        type(specs.front().accumulatorType), vectorType(VectorType::get(s.lanes, type)),
        zero(emit.constant(0)), one(emit.constant(1)), yes(emit.less(zero, one)),
        scratch(k.scratch()), m(numberOf(emit, specs.front().m)),
        n(numberOf(emit, specs.front().n)) {
    for (auto [part, spec] : llvm::zip(s.made, specs))
      made.push_back(describe(part, spec));
    for (auto [part, spec] : llvm::zip(s.sums, describe(nest.sums)))
      sums.push_back(describe(part, spec));
    for (Value tile : nest.gradient.tiles)
      places.emplace_back(k, emit, ir::getShape(tile), nest.gradient.queries);
  }

  void run();

private:
  using Made = AttentionGradientSchedule::Made;
  using Sum = AttentionGradientSchedule::Sum;
  struct Operands {
    ContractionOperand a, b;
    PackedRows rows;                        // of made ones
    PackedColumns columns;                  // of keys, or of the second factor of a sum
    RunsAhead nextRows = {}, nextKeys = {}; // of made ones
  };

  Value part(int64_t offset) { return emit.address(scratch, type, offset); }
  Value part(int64_t offset, Value at) { return emit.address(part(offset), type, at); }

  SmallVector<ContractionSpec, 3> describe(ArrayRef<ContractionNest> products);
  Operands describe(const Made &part, const ContractionSpec &spec);
  Operands describe(const Sum &part, const ContractionSpec &spec);
  Value entryAt(const ContractionOperand &operand, Value strideOfOffset, Value offset);

  void chooseBlocks(Value number);
  // Whether the unit has sums of this kind: known in part where there is one kind only.
  void whereSummed(bool isOverKeys, llvm::function_ref<void()> body);
  void packKeys();
  void packRows();
  void describeNext();
  void makePanel(Value panel);
  void makeProducts(size_t i, Value panel);
  void makeTiles(Value panel);
  void addProducts(size_t i);
  Value sumsOf(const Sum &sum, Value panel, Value row);
  // Where the sums of rows from the first on belong.
  Value placeOfSums(size_t i, Value first);
  // Of a block of rows from `first` on; what is there already is added to, unless `isFirst`.
  void storeSums(size_t i, Value first, Value rows, Value isFirst);
  SmallVector<Value> widthMasks(const Sum &sum, Value panel);

  CpuKernelBuilder &k;
  OpBuilder &b;
  Location loc;
  LoopEmitter emit;
  const AttentionGradientNest &nest;
  const AttentionGradientSchedule &s;
  SmallVector<ContractionSpec, 3> specs; // of products of queries and keys
  AttentionGradientUnits<LoopEmitter> units;
  Type type;
  VectorType vectorType;
  Value zero, one, yes, scratch, m, n;
  SmallVector<Operands, 3> made, sums;
  SmallVector<AttentionPlaces, 2> places; // of tiles
  // Of the unit at hand: its entry, its blocks, and what it sums over.
  Value batch, keysFrom, keysTo, rowsFrom, rowsTo, isOverKeys, isOverQueries;
  // The blocks at hand.
  Value keyBlock, rowBlock, n0, keysHere, m0, rowsHere, isFirstOfKeys, isFirstOfRows;
};

SmallVector<ContractionSpec, 3> GradientKernel::describe(ArrayRef<ContractionNest> products) {
  SmallVector<ContractionSpec, 3> found;
  for (const ContractionNest &product : products) {
    found.push_back(product.describe(b, loc, [&](const DimExpr &size) { return k.sizeOf(size); }));
    found.back().a.base = isa<BlockArgument>(product.a()) ? memoryOf(k, product.a()) : Value();
    found.back().b.base = memoryOf(k, product.b());
  }
  return found;
}

static PackedColumns describeColumns(LoopEmitter &emit, const ContractionOperand &operand,
                                     Type type) {
  PackedColumns packed;
  packed.sourceType = operand.elementType;
  packed.type = type;
  packed.rowStride = strideOf(emit, operand.rowStride, operand.constantRowStride);
  packed.colStride = strideOf(emit, operand.colStride, operand.constantColStride);
  packed.firstPanel = emit.constant(0);
  return packed;
}

GradientKernel::Operands GradientKernel::describe(const Made &made, const ContractionSpec &spec) {
  Operands found{spec.a, spec.b, {}, describeColumns(emit, spec.b, type)};
  found.columns.packed = part(made.keys);
  found.columns.depth = emit.constant(made.depth);
  found.columns.panelDepth = found.columns.depth;
  found.rows.sourceType = spec.a.elementType;
  found.rows.type = type;
  found.rows.rowStride = strideOf(emit, spec.a.rowStride, spec.a.constantRowStride);
  found.rows.colStride = strideOf(emit, spec.a.colStride, spec.a.constantColStride);
  found.rows.packed = part(made.rows);
  found.rows.depth = emit.constant(made.depth);
  found.rows.rowDepth = found.rows.depth;
  found.rows.columnsContiguous = made.plan.aColumnsContiguous;
  return found;
}

GradientKernel::Operands GradientKernel::describe(const Sum &sum, const ContractionSpec &spec) {
  Operands found{spec.a, spec.b, {}, describeColumns(emit, spec.b, type)};
  found.columns.packed = part(sum.factor);
  found.columns.panelDepth = emit.constant(sum.depth);
  found.columns.columnsHere = emit.constant(sum.width);
  return found;
}

Value GradientKernel::entryAt(const ContractionOperand &operand, Value stride, Value offset) {
  return entryOf(emit, operand, batch, emit.mul(offset, stride));
}

//===-- Loops ---------------------------------------------------------------------------------===//

void GradientKernel::run() {
  emit.loop(k.begin, k.end, 1, [&](Value unit) {
    batch = emit.div(unit, units.perEntry);
    chooseBlocks(emit.sub(unit, emit.mul(batch, units.perEntry)));
    for (AttentionPlaces &place : places)
      place.enter(batch);
    emit.loop(keysFrom, keysTo, 1, [&](Value number) {
      keyBlock = number;
      n0 = emit.mul(keyBlock, units.blockKeys);
      keysHere = emit.max(emit.min(units.blockKeys, emit.sub(n, n0)), zero);
      isFirstOfKeys = emit.equal(keyBlock, keysFrom);
      packKeys();
      emit.loop(rowsFrom, rowsTo, 1, [&](Value number) {
        rowBlock = number;
        m0 = emit.mul(rowBlock, units.blockRows);
        rowsHere = emit.max(emit.min(units.blockRows, emit.sub(m, m0)), zero);
        isFirstOfRows = emit.equal(rowBlock, rowsFrom);
        packRows();
        if (s.bringsNext)
          describeNext();
        emit.loop(zero, emit.ceilDiv(keysHere, emit.constant(s.panelColumns())), 1,
                  [&](Value panel) { makePanel(panel); });
        for (size_t i = 0; i < s.sums.size(); ++i)
          whereSummed(s.sums[i].isOverKeys, [&] {
            addProducts(i);
            if (s.sums[i].isOverKeys)
              storeSums(i, m0, rowsHere, isFirstOfKeys);
          });
      });
      for (size_t i = 0; i < s.sums.size(); ++i)
        if (!s.sums[i].isOverKeys)
          whereSummed(false, [&] { storeSums(i, n0, keysHere, yes); });
    });
  });
}

void GradientKernel::chooseBlocks(Value number) {
  if (!s.sumsOverKeys() || !s.sumsOverQueries()) {
    const bool areKeys = s.sumsOverQueries();
    Value next = emit.add(number, one);
    keysFrom = areKeys ? number : zero;
    keysTo = areKeys ? next : units.keyBlocks;
    rowsFrom = areKeys ? zero : number;
    rowsTo = areKeys ? units.rowBlocks : next;
    return;
  }
  Value areAll = units.areEntries, isOfKeys = emit.less(number, units.keyBlocks);
  Value rowBlock = emit.sub(number, units.keyBlocks);
  auto choose = [&](Value all, Value ofKeys, Value ofRows) {
    return emit.select(areAll, all, emit.select(isOfKeys, ofKeys, ofRows));
  };
  keysFrom = choose(zero, number, zero);
  keysTo = choose(units.keyBlocks, emit.add(number, one), units.keyBlocks);
  rowsFrom = choose(zero, zero, rowBlock);
  rowsTo = choose(units.rowBlocks, units.rowBlocks, emit.add(rowBlock, one));
  Value no = emit.less(one, zero);
  isOverKeys = choose(yes, no, yes);
  isOverQueries = choose(yes, yes, no);
}

void GradientKernel::whereSummed(bool ofKeys, llvm::function_ref<void()> body) {
  Value condition = ofKeys ? isOverKeys : isOverQueries;
  if (!condition)
    return body();
  emit.branch(condition, [&] { body(); });
}

//===-- Operands ------------------------------------------------------------------------------===//

void GradientKernel::packKeys() {
  // What is copied in the order of memory comes first: transposes find it in a cache.
  for (auto [part, operands] : llvm::zip(s.sums, sums)) {
    PackedColumns &columns = operands.columns;
    if (!part.isOverKeys)
      continue;
    columns.source = entryAt(operands.b, columns.rowStride, n0);
    columns.depth = keysHere;
    whereSummed(true, [&] { emitPackColumns(emit, part.plan, columns); });
  }
  for (auto [part, operands] : llvm::zip(s.made, made)) {
    PackedColumns &columns = operands.columns;
    columns.source = entryAt(operands.b, columns.colStride, n0);
    columns.columnsHere = keysHere;
    emitPackColumns(emit, part.plan, columns);
  }
}

void GradientKernel::packRows() {
  for (auto [part, operands] : llvm::zip(s.made, made)) {
    operands.rows.source = entryAt(operands.a, operands.rows.rowStride, m0);
    operands.rows.rowsHere = rowsHere;
    emitPackRows(emit, part.plan, operands.rows);
  }
  for (auto [part, operands] : llvm::zip(s.sums, sums)) {
    PackedColumns &columns = operands.columns;
    if (part.isOverKeys)
      continue;
    columns.source = entryAt(operands.b, columns.rowStride, m0);
    columns.depth = rowsHere;
    whereSummed(false, [&] { emitPackColumns(emit, part.plan, columns); });
  }
}

// The next block of queries, or of keys; behind the last those of the next entry, or in an entry
// that several units share what follows.
void GradientKernel::describeNext() {
  Value hasKeys = emit.less(emit.add(keyBlock, one), keysTo);
  Value hasRows = emit.less(emit.add(rowBlock, one), rowsTo);
  Value last = emit.div(emit.sub(k.end, one), units.perEntry);
  Value isWhole = emit.equal(units.perEntry, one);
  Value entry = emit.select(isWhole, emit.min(emit.add(batch, one), last), batch);
  entry = emit.select(hasKeys, batch, entry);
  Value isOther = emit.logicalAnd(isWhole, emit.equal(hasKeys, emit.less(one, zero)));
  Value key = emit.select(isOther, zero, emit.add(n0, units.blockKeys));
  Value keyCount = emit.max(emit.min(units.blockKeys, emit.sub(n, key)), zero);
  Value row = emit.select(hasRows, emit.add(m0, units.blockRows), zero);
  Value rowCount = emit.max(emit.min(units.blockRows, emit.sub(m, row)), zero);
  for (auto [part, operands] : llvm::zip(s.made, made)) {
    Value depth = emit.constant(part.depth);
    operands.nextKeys = runsOf(emit, operands.b, entry, zero, key, depth, keyCount);
    operands.nextRows =
        runsOf(emit, operands.a, emit.select(hasRows, batch, entry), row, zero, rowCount, depth);
  }
}

//===-- Products of queries and keys ----------------------------------------------------------===//

void GradientKernel::makePanel(Value panel) {
  for (size_t i = 0; i < made.size(); ++i)
    makeProducts(i, panel);
  makeTiles(panel);
}

void GradientKernel::makeProducts(size_t i, Value panel) {
  const ContractionPlan &plan = s.made[i].plan;
  ContractionPanel job;
  job.a = made[i].rows.packed;
  job.tileStride = packedTileElements(emit, plan, made[i].rows);
  job.rowStride = packedRowStride(emit, plan, made[i].rows);
  job.depthStride = emit.constant(packedDepthStride(plan, plan.aColumnsContiguous));
  job.b = packedPanel(emit, plan, made[i].columns, panel);
  job.bDepthStride = emit.constant(plan.tileColumns());
  job.depth = made[i].rows.depth;
  job.rows = rowsHere;
  job.sums = part(s.made[i].sums);
  job.first = yes;
  // Half of the panels bring keys, those of all blocks of queries, the others queries.
  Value panels = emit.ceilDiv(keysHere, emit.constant(plan.tileColumns()));
  Value ofKeys = emit.ceilDiv(panels, emit.constant(2)), ofRows = emit.sub(panels, ofKeys);
  if (s.bringsNext)
    job.ahead = chooseAhead(
        emit, emit.less(panel, ofKeys),
        [&] {
          Value before = emit.mul(emit.sub(rowBlock, rowsFrom), ofKeys);
          Value count = emit.mul(emit.sub(rowsTo, rowsFrom), ofKeys);
          return partAhead(emit, plan, job, made[i].nextKeys, type, emit.add(before, panel), count);
        },
        [&] {
          return partAhead(emit, plan, job, made[i].nextRows, type, emit.sub(panel, ofKeys),
                           ofRows);
        });
  emitContractionPanel(emit, plan, type, job);
}

// What follows element by element. Behind the last key is anything, which nobody reads.
void GradientKernel::makeTiles(Value panel) {
  const int64_t width = s.panelColumns();
  Value column = emit.mul(panel, width);
  SmallVector<Value> masks;
  for (int64_t v = 0; v < width / s.lanes && !s.wholePanels; ++v)
    masks.push_back(emit.firstLanes(s.lanes, emit.sub(keysHere, emit.add(column, v * s.lanes))));
  emit.loop(zero, rowsHere, 1, [&](Value row) {
    // Of the same shape at the same place, so that nothing is computed twice.
    Value inEntry = emit.add(m0, row);
    SmallVector<SmallVector<Value>, 2> positions;
    for (auto [i, tile] : llvm::enumerate(nest.gradient.tiles))
      positions.push_back(i > 0 && ir::getShape(tile) == ir::getShape(nest.gradient.tiles.front())
                              ? positions.front()
                              : places[i].ofRow(inEntry));
    for (int64_t v = 0; v < width / s.lanes; ++v) {
      ElementEmitter emitter(k, loc, k.target, s.lanes);
      emitter.setMask(masks.empty() ? Value() : masks[v]);
      for (auto [part, product] : llvm::zip(s.made, nest.made)) {
        Value from = this->part(part.sums, emit.add(emit.mul(row, width), v * s.lanes));
        emitter.bindRegister(ir::DotGeneralOp(product.dot).getY(), emit.load(vectorType, from));
      }
      Value at = emit.add(column, v * s.lanes), key = emit.add(n0, at);
      // All of them before any is stored: numbers of rows are read once.
      SmallVector<Value, 2> elements;
      for (auto [tile, leading] : llvm::zip(nest.gradient.tiles, positions)) {
        SmallVector<LaneIndex> index;
        for (Value position : leading)
          index.push_back(emitter.scalarIndex(position));
        index.push_back(emitter.laneIndex(key));
        elements.push_back(emitter.splat(emitter.emit(tile, index)));
        emitter.watch(tile, elements.back());
      }
      for (auto [place, element] : llvm::zip(s.tiles, elements))
        emit.store(element, part(place, emit.add(emit.mul(row, s.tileStride()), at)));
    }
  });
}

//===-- Sums ----------------------------------------------------------------------------------===//

Value GradientKernel::sumsOf(const Sum &sum, Value panel, Value row) {
  Value before = emit.mul(panel, s.panelElements(sum));
  return part(sum.sums, emit.add(before, emit.mul(row, sum.plan.tileColumns())));
}

void GradientKernel::addProducts(size_t i) {
  const Sum &sum = s.sums[i];
  const bool ofKeys = sum.isOverKeys;
  Value stride = emit.constant(s.tileStride());
  emit.loop(zero, emit.constant(sum.panels()), 1, [&](Value panel) {
    ContractionPanel job;
    job.a = part(s.tiles[nest.gradient.sums[i].tile]);
    job.tileStride = emit.constant(sum.plan.tileRows * (ofKeys ? s.tileStride() : 1));
    job.rowStride = ofKeys ? stride : one;
    job.depthStride = ofKeys ? one : stride;
    job.b = packedPanel(emit, sum.plan, sums[i].columns, panel);
    job.bDepthStride = emit.constant(sum.plan.tileColumns());
    job.depth = ofKeys ? keysHere : rowsHere;
    job.rows = ofKeys ? rowsHere : keysHere;
    job.sums = sumsOf(sum, panel, zero);
    job.first = ofKeys ? yes : isFirstOfRows;
    if (s.bringsNext) {
      // Where the sums will be stored: of a block of keys behind all blocks of queries.
      Value length = emit.mul(ofKeys ? rowsHere : keysHere, sum.width);
      Value parts = ofKeys ? one : emit.sub(rowsTo, rowsFrom);
      Value part = ofKeys ? zero : emit.sub(rowBlock, rowsFrom);
      RunsAhead result{placeOfSums(i, ofKeys ? m0 : n0), one, length, length};
      job.ahead =
          partAhead(emit, sum.plan, job, result, type,
                    emit.add(emit.mul(part, sum.panels()), panel), emit.mul(parts, sum.panels()));
    }
    emitContractionPanel(emit, sum.plan, type, job);
  });
}

SmallVector<Value> GradientKernel::widthMasks(const Sum &sum, Value panel) {
  const int64_t width = sum.plan.tileColumns();
  SmallVector<Value> masks;
  for (int64_t v = 0; v < sum.plan.tileVectors && sum.width % width != 0; ++v) {
    Value column = emit.add(emit.mul(panel, width), v * s.lanes);
    masks.push_back(emit.firstLanes(s.lanes, emit.sub(emit.constant(sum.width), column)));
  }
  return masks;
}

Value GradientKernel::placeOfSums(size_t i, Value first) {
  const Sum &sum = s.sums[i];
  OperandRange results = k.body().getTerminator()->getOperands();
  auto found = llvm::find(results, ir::DotGeneralOp(nest.sums[i].dot).getY());
  Value row = emit.add(emit.mul(batch, sum.isOverKeys ? m : n), first);
  return emit.address(k.outputs[found - results.begin()], type, emit.mul(row, sum.width));
}

void GradientKernel::storeSums(size_t i, Value first, Value rows, Value isFirst) {
  const Sum &sum = s.sums[i];
  Value result = ir::DotGeneralOp(nest.sums[i].dot).getY();
  Value output = placeOfSums(i, first);
  emit.loop(zero, emit.constant(sum.panels()), 1, [&](Value panel) {
    SmallVector<Value> masks = widthMasks(sum, panel);
    Value column = emit.mul(panel, sum.plan.tileColumns());
    emit.loop(zero, rows, 1, [&](Value row) {
      Value to = emit.add(emit.mul(row, sum.width), column);
      for (int64_t v = 0; v < sum.plan.tileVectors; ++v) {
        Value mask = masks.empty() ? Value() : masks[v];
        Value place = emit.address(output, type, emit.add(to, v * s.lanes));
        Value total =
            emit.load(vectorType, emit.address(sumsOf(sum, panel, row), type, v * s.lanes));
        if (isFirst != yes)
          total = emit.choose(
                          isFirst, {vectorType}, [&] { return LoopEmitter::Values{total}; },
                          [&] {
                            Value before = mask ? emit.load(vectorType, place, mask)
                                                : emit.load(vectorType, place);
                            return LoopEmitter::Values{b.create<arith::AddFOp>(loc, before, total)};
                          })
                      .front();
        ElementEmitter emitter(k, loc, k.target, s.lanes);
        emitter.setMask(mask);
        emitter.watch(result, total);
        if (mask)
          emit.store(total, place, mask);
        else
          emit.store(total, place);
      }
    });
  });
}

} // namespace

void keratin::codegen::emitAttentionGradient(CpuKernelBuilder &k, const AttentionGradientNest &nest,
                                             const AttentionGradientSchedule &schedule) {
  GradientKernel(k, nest, schedule).run();
}
