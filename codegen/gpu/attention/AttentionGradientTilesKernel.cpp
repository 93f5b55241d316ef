// Blocks of gradients of attention, after an AttentionGradientTilesPlan.
#include "codegen/gpu/attention/AttentionGradientElements.h"
#include "codegen/gpu/attention/AttentionGradientTilesPlan.h"
#include "codegen/gpu/attention/AttentionProduct.h"
#include "codegen/gpu/contractions/ContractionCode.h"
#include "codegen/gpu/threads/ThreadBlock.h"

#include <memory>

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

using Plan = AttentionGradientTilesPlan;

namespace {

// What units of both kinds have in common.
class GradientTilesKernel {
public:
  using Values = LoopEmitter::Values;

  GradientTilesKernel(DeviceKernelBuilder &k, const Plan &plan);

  void emitUnit(Value unit);

  // Of the unit, whose kind has so many rows in the batch entry; and of this thread: its first row,
  // and its first line of those that the unit walks over.
  Value batch, ownFirst, ownRow, ownLine;

  DeviceKernelBuilder &k;
  const Plan &plan;
  LoopEmitter emit;
  OpBuilder &b;
  Location loc;
  Type type;
  SmallVector<ContractionCode, 2> made;
  SmallVector<ContractionCode, 3> sums;
  AttentionGradientElements elements;
  Value queries, keys, zero;

private:
  void emitSide(const Plan::Side &side, Value tile);
};

// A unit of one kind.
template <typename Product> class SideKernel {
public:
  using Values = LoopEmitter::Values;

  SideKernel(GradientTilesKernel &unit, const Plan::Side &side, Value shared, Value thread);

  void run();

private:
  using Operand = typename Product::Operand;

  // A product of queries and keys, whose rows are the unit's.
  struct Made {
    const Plan::Made &part;
    StridedSource own;
    MovingLines walked;
    Product product;
    Operand ownRows, lines;
  };
  struct Sum {
    const Plan::Sum &part;
    StridedSource factor;
    Product product;
    Operand lines;
  };
  // A number of this thread, of its rows of a matrix of 16 of them.
  struct Element {
    size_t row;
    int64_t column;
  };

  std::unique_ptr<Made> describe(const Plan::Made &part, Value shared, Value thread);
  std::unique_ptr<Sum> describe(const Plan::Sum &part, Value shared, Value thread);

  const ContractionSize &ownSize() const { return side.hasQueries ? spec().m : spec().n; }
  const ContractionSize &walkedSize() const { return side.hasQueries ? spec().n : spec().m; }
  const ContractionSpec &spec() const { return unit.made.front().spec; }
  // A line that there is: the last one's place.
  Value within(Value line, Value count, bool hasAll) const {
    return hasAll ? line : emit.min(line, emit.sub(count, emit.constant(1)));
  }
  bool hasAllRows() const { return ownSize().isMultipleOf(Plan::rows); }
  bool hasAllLines() const { return walkedSize().isMultipleOf(unit.plan.walk); }
  Value ownCount() const { return side.hasQueries ? unit.queries : unit.keys; }
  Value walkedCount() const { return side.hasQueries ? unit.keys : unit.queries; }

  SmallVector<Element> elements() const;
  void start(Value first, Value stage);
  void copyNumbers(Value first, Value stage);
  Values readNumbers(int64_t column, Value stage);
  Values step(Value first, ValueRange carried);
  // Of each tile that sums are of, by its number: the numbers of this thread.
  using Tiles = llvm::SmallDenseMap<unsigned, Values, 2>;
  Tiles makeTiles(ArrayRef<Values> products, Value first, Value stage);
  void leaveOut(Tiles &tiles, Value first);
  void store(size_t i, ValueRange sums);

  GradientTilesKernel &unit;
  const Plan::Side &side;
  LoopEmitter &emit;
  SmallVector<std::unique_ptr<Made>, 2> made;
  SmallVector<std::unique_ptr<Sum>, 3> sums;
  SmallVector<unsigned, 2> tiles; // that sums are of
  Value shared, thread;
  SmallVector<Values, 2> ownNumbers; // where the unit has queries, of each row of this thread
};

} // namespace

GradientTilesKernel::GradientTilesKernel(DeviceKernelBuilder &k, const Plan &plan)
    : k(k), plan(plan), emit(k.b, k.loc, k.target), b(k.b), loc(k.loc), type(k.b.getF32Type()),
      elements(k, emit, plan.nest), zero(emit.constant(0)) {
  for (const ContractionNest &nest : plan.nest.made)
    made.emplace_back(k, nest);
  for (const ContractionNest &nest : plan.nest.sums) {
    SmallVector<Value> others;
    for (const ContractionNest &other : plan.nest.sums)
      if (&other != &nest)
        others.push_back(ir::DotGeneralOp(other.dot).getY());
    sums.emplace_back(k, nest, others);
  }
  queries = made.front().m;
  keys = made.front().n;
}

void GradientTilesKernel::emitUnit(Value unit) {
  const Plan::Side &ofKeys = plan.ofKeys, &ofQueries = plan.ofQueries;
  Value keyTiles = k.sizeOf(plan.tilesOf(ofKeys)), queryTiles = k.sizeOf(plan.tilesOf(ofQueries));
  Value tile = emit.popCounter(unit, emit.add(keyTiles, queryTiles));
  batch = unit;
  elements.enter(batch);
  if (!ofQueries.exists())
    emitSide(ofKeys, tile);
  else if (!ofKeys.exists())
    emitSide(ofQueries, tile);
  else
    emit.branch(
        emit.less(tile, keyTiles), [&] { emitSide(ofKeys, tile); },
        [&] { emitSide(ofQueries, emit.sub(tile, keyTiles)); });
}

void GradientTilesKernel::emitSide(const Plan::Side &side, Value tile) {
  ownFirst = emit.mul(tile, Plan::rows);
  ThreadBlock threads(b, loc);
  Value shared = threads.memory(plan.sharedAlignment()), thread = threads.threadAnew();
  if (plan.multiplier == ContractionTile::Units::TensorFloats)
    SideKernel<AttentionProduct<TensorFloatEngine>>(*this, side, shared, thread).run();
  else if (plan.multiplier == ContractionTile::Units::Warpgroups)
    SideKernel<AttentionWarpgroupProduct>(*this, side, shared, thread).run();
  else
    SideKernel<AttentionProduct<HalvesEngine>>(*this, side, shared, thread).run();
}

//===-- A unit --------------------------------------------------------------------------------===//

template <typename Product>
SideKernel<Product>::SideKernel(GradientTilesKernel &unit, const Plan::Side &side, Value shared,
                                Value thread)
    : unit(unit), side(side), emit(unit.emit), shared(shared), thread(thread) {
  for (const Plan::Made &part : side.made)
    made.push_back(describe(part, shared, thread));
  for (const Plan::Sum &part : side.sums) {
    sums.push_back(describe(part, shared, thread));
    const unsigned tile = unit.plan.nest.gradient.sums[part.number].tile;
    if (!llvm::is_contained(tiles, tile))
      tiles.push_back(tile);
  }
  constexpr int64_t threadsOfRow = 4;
  Value lane = emit.rem(thread, emit.constant(warpThreads));
  Value warp = emit.div(thread, emit.constant(warpThreads));
  unit.ownLine = Product::firstColumn(emit, emit.popBits(lane, emit.constant(threadsOfRow)));
  unit.ownRow = emit.add(unit.ownFirst, emit.add(emit.mul(warp, Plan::rows / Plan::warps), lane));
}

template <typename Product>
std::unique_ptr<typename SideKernel<Product>::Made>
SideKernel<Product>::describe(const Plan::Made &part, Value shared, Value thread) {
  ContractionCode &code = unit.made[part.number];
  const ContractionTile &tile = part.tile;
  const int64_t group = tile.sourceGroup();
  const ContractionCode::Part rows = {unit.batch, unit.ownFirst, tile.rows(), tile.depth},
                              lines = {unit.batch, Value(), tile.columns(), tile.depth};
  Type type = code.spec.b.elementType;
  std::unique_ptr<Made> found(
      new Made{part,
               side.hasQueries ? code.a(rows, group) : code.b(rows, group),
               MovingLines(side.hasQueries ? code.b(lines, group) : code.a(lines, group)),
               Product(emit, tile, shared, thread, type, /*becomeFactors=*/true),
               {},
               {}});
  found->ownRows = found->product.operandOf(found->own, /*isA=*/true);
  found->lines = found->product.operandOf(found->walked, /*isA=*/false);
  return found;
}

template <typename Product>
std::unique_ptr<typename SideKernel<Product>::Sum>
SideKernel<Product>::describe(const Plan::Sum &part, Value shared, Value thread) {
  ContractionCode &code = unit.sums[part.number];
  const ContractionTile &tile = part.tile;
  Type type = code.spec.b.elementType;
  std::unique_ptr<Sum> found(
      new Sum{part,
              code.b({unit.batch, Value(), tile.columns(), tile.depth}, tile.sourceGroup()),
              Product(emit, tile, shared, thread, type, /*becomeFactors=*/false),
              {}});
  found->lines = found->product.operandOf(found->factor, /*isA=*/false);
  return found;
}

// Of the products, and so of tiles: in matrices of 16 rows and 8 columns, of each two neighbours of
// a row, then of the row 8 below.
template <typename Product>
SmallVector<typename SideKernel<Product>::Element> SideKernel<Product>::elements() const {
  SmallVector<Element> all;
  for (int64_t first = 0; first < unit.plan.walk; first += Product::matrixColumns)
    for (size_t row : {0, 1})
      for (int64_t neighbour : {0, 1})
        all.push_back({row, Product::inColumn(first + neighbour)});
  return all;
}

// A group of copies, of none behind the last line.
template <typename Product> void SideKernel<Product>::start(Value first, Value stage) {
  emit.branch(emit.less(first, walkedCount()), [&] {
    for (auto &product : made)
      if (product->part.walked.isFirst) {
        product->walked.first = first;
        product->product.copy(product->lines, unit.zero,
                              emit.add(stage, product->part.walked.place));
      }
    for (auto &sum : sums)
      if (sum->part.walked.isFirst)
        sum->product.copy(sum->lines, first, emit.add(stage, sum->part.walked.place));
    if (!side.hasQueries && unit.elements.numbers() > 0)
      copyNumbers(first, stage);
  });
  sums.front()->product.commit();
}

// A thread makes those of a query.
template <typename Product> void SideKernel<Product>::copyNumbers(Value first, Value stage) {
  emit.branch(emit.less(thread, emit.constant(unit.plan.walk)), [&] {
    Value query = within(emit.add(first, thread), walkedCount(), hasAllLines());
    Value place = emit.add(stage, emit.mul(thread, Plan::numberBytes));
    Value to = emit.address(shared, unit.b.getI8Type(), emit.add(place, side.numbers));
    for (auto [i, number] : llvm::enumerate(unit.elements.numbersOf(query)))
      emit.store(number, emit.address(to, unit.type, int64_t(i) * unit.plan.walk));
  });
}

template <typename Product>
typename SideKernel<Product>::Values SideKernel<Product>::readNumbers(int64_t column, Value stage) {
  Value place = emit.add(stage, emit.mul(unit.ownLine, Plan::numberBytes));
  Value from = emit.address(shared, unit.b.getI8Type(), emit.add(place, side.numbers));
  Values numbers;
  for (size_t i = 0; i < unit.elements.numbers(); ++i)
    numbers.push_back(
        emit.load(unit.type, emit.address(from, unit.type, int64_t(i) * unit.plan.walk + column)));
  return numbers;
}

// Elements of queries and keys. What has no row or no line computes what the last has, and is left
// out or stored nowhere.
template <typename Product>
typename SideKernel<Product>::Tiles SideKernel<Product>::makeTiles(ArrayRef<Values> products,
                                                                   Value first, Value stage) {
  DeviceKernelBuilder &k = unit.k;
  AttentionGradientElements::Together together(unit.elements, tiles);
  llvm::SmallDenseMap<int64_t, Value> rows, lines;
  llvm::SmallDenseMap<int64_t, Values> numbersOf; // columns
  Tiles found;
  for (auto [i, element] : llvm::enumerate(elements())) {
    const int64_t row = int64_t(element.row) * 8, column = element.column;
    const size_t number = i;
    Value ownRow = emit.add(unit.ownRow, row);
    Value ownLine = emit.add(emit.add(first, unit.ownLine), column);
    if (!rows[row])
      rows[row] = within(ownRow, ownCount(), hasAllRows());
    if (!lines[column])
      lines[column] = within(ownLine, walkedCount(), hasAllLines());
    Value query = rows[row], key = lines[column];
    if (!side.hasQueries)
      std::swap(query, key);
    Values &ofColumn = numbersOf[column];
    if (!side.hasQueries && ofColumn.empty())
      ofColumn = readNumbers(column, stage);
    const Values &ofQuery = side.hasQueries ? ownNumbers[element.row] : ofColumn;
    auto emitBy = [&](AttentionGradientElements::Together &elements) {
      for (auto [product, sums] : llvm::zip(made, products))
        elements.bind(unit.plan.nest.made[product->part.number].dot, sums[number]);
      elements.bindNumbers(ofQuery);
      return elements.emit(query, key);
    };
    Values numbers;
    if (k.watchesNumbers) {
      // Nothing is noted of what does not exist.
      Value exists =
          emit.logicalAnd(emit.less(ownRow, ownCount()), emit.less(ownLine, walkedCount()));
      numbers = emit.choose(
          exists, SmallVector<Type>(tiles.size(), unit.type),
          [&] {
            AttentionGradientElements::Together alone(unit.elements, tiles);
            return emitBy(alone);
          },
          [&] { return Values(tiles.size(), emit.zero(unit.type)); });
    } else {
      numbers = emitBy(together);
    }
    for (auto [tile, registers] : llvm::zip(tiles, numbers))
      found[tile].push_back(registers);
  }
  return found;
}

// Behind the last line is nothing.
template <typename Product> void SideKernel<Product>::leaveOut(Tiles &tiles, Value first) {
  if (hasAllLines())
    return;
  Values all;
  for (unsigned tile : this->tiles)
    llvm::append_range(all, tiles[tile]);
  SmallVector<Type> types(all.size(), unit.type);
  Value left = emit.sub(walkedCount(), first);
  Values kept = emit.choose(
      emit.less(emit.constant(unit.plan.walk), emit.add(left, 1)), types, [&] { return all; },
      [&] {
        const SmallVector<Element> elements = this->elements();
        Value ofThread = emit.sub(left, unit.ownLine), none = emit.zero(unit.type);
        Values kept(all);
        for (auto [i, number] : llvm::enumerate(kept)) {
          const int64_t column = elements[i % elements.size()].column;
          number = emit.select(emit.less(emit.constant(column), ofThread), number, none);
        }
        return kept;
      });
  ArrayRef<Value> rest = kept;
  for (unsigned tile : this->tiles) {
    const size_t count = tiles[tile].size();
    tiles[tile].assign(rest.begin(), rest.begin() + count);
    rest = rest.drop_front(count);
  }
}

// `carried`: the sums one after the other, and where the stage is.
template <typename Product>
typename SideKernel<Product>::Values SideKernel<Product>::step(Value first, ValueRange carried) {
  // The copies have come, of all threads, and all are done with the stage before.
  Value stage = carried.back();
  sums.front()->product.await(0);
  ThreadBlock(unit.b, unit.loc).barrier();
  Value other = emit.sub(emit.constant(2 * side.ownBytes + side.stageBytes), stage);
  start(emit.add(first, unit.plan.walk), other);
  SmallVector<Values, 2> products;
  for (auto &product : made) {
    const Plan::Made &part = product->part;
    products.push_back(product->product.products(product->ownRows, emit.constant(part.own),
                                                 product->lines,
                                                 emit.add(stage, part.walked.place)));
  }
  Tiles tiles = makeTiles(products, first, stage);
  leaveOut(tiles, first);
  llvm::SmallDenseMap<unsigned, AttentionFactors, 2> factors;
  Values next;
  for (auto &sum : sums) {
    const Plan::Sum &part = sum->part;
    const unsigned tile = unit.plan.nest.gradient.sums[part.number].tile;
    if (factors[tile].empty())
      factors[tile] = sum->product.factorsOf(tiles[tile]);
    const auto count = size_t(part.tile.threadRows * part.tile.threadColumns);
    llvm::append_range(next, sum->product.add(carried.slice(next.size(), count), factors[tile],
                                              sum->lines, emit.add(stage, part.walked.place)));
  }
  next.push_back(other);
  return next;
}

template <typename Product> void SideKernel<Product>::store(size_t i, ValueRange finished) {
  Sum &sum = *sums[i];
  ContractionCode &code = unit.sums[sum.part.number];
  ContractionEngine::Result place;
  if (!hasAllRows())
    place.rows = emit.sub(ownCount(), unit.ownFirst);
  if (*code.spec.n.constant % sum.part.tile.columns() != 0)
    place.columns = code.n;
  place.isGrouped = code.mayGroupColumns(sum.part.tile.group());
  sum.product.finish(finished, place, [&](Value row, Value column, Value numbers) {
    code.store(unit.batch, emit.add(unit.ownFirst, row), column, numbers);
  });
}

template <typename Product> void SideKernel<Product>::run() {
  if (side.hasQueries)
    for (int64_t row : {0, 8})
      ownNumbers.push_back(
          unit.elements.numbersOf(within(emit.add(unit.ownRow, row), ownCount(), hasAllRows())));
  for (auto &product : made)
    product->product.copy(product->ownRows, unit.zero, emit.constant(product->part.own));
  Values carried;
  for (auto &sum : sums)
    carried.append(size_t(sum->part.tile.threadRows * sum->part.tile.threadColumns),
                   emit.zero(unit.type));
  Value stage = emit.constant(side.ownBytes);
  carried.push_back(stage);
  start(unit.zero, stage);
  Values last = emit.loop(unit.zero, walkedCount(), unit.plan.walk, carried,
                          [&](Value first, ValueRange carried) { return step(first, carried); });
  sums.front()->product.await(0);
  ThreadBlock(unit.b, unit.loc).barrier();
  size_t done = 0;
  for (auto [i, sum] : llvm::enumerate(sums)) {
    const auto count = size_t(sum->part.tile.threadRows * sum->part.tile.threadColumns);
    store(i, ValueRange(last).slice(done, count));
    done += count;
  }
}

void Plan::emit(DeviceKernelBuilder &k) const {
  GradientTilesKernel kernel(k, *this);
  LoopEmitter emit(k.b, k.loc, k.target);
  emit.loop(k.begin, k.end, 1, [&](Value unit) { kernel.emitUnit(unit); });
}
