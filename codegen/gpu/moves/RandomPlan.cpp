#include "codegen/gpu/moves/RandomPlan.h"

#include "codegen/elements/LoopEmitter.h"
#include "codegen/elements/RandomBits.h"
#include "codegen/gpu/moves/ElementGroups.h"
#include "codegen/gpu/moves/SharedRandomBits.h"
#include "codegen/gpu/threads/AccessWidth.h"
#include "codegen/lowering/KernelKind.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::IterationSpace;

// More words would be held in registers than hides anything.
static constexpr unsigned mostBlocks = 4;

DevicePlanPtr RandomPlan::make(ir::KernelOp kernel) {
  KernelKind kind = kindOf(kernel);
  if (kind != KernelKind::Loop && kind != KernelKind::Random)
    return nullptr;
  auto ops = kernel.getBody().front().getOps<ir::RandomBitsOp>();
  if (ops.empty())
    return nullptr;
  std::optional<IterationSpace> space = ir::analyzeIterationSpace(kernel);
  if (!space || space->hasReductions() || space->groups.empty() ||
      !llvm::all_of(ops, [&](ir::RandomBitsOp op) { return isInPlace(op, *space); }))
    return nullptr;
  return std::make_shared<RandomPlan>(kernel, LoopNest(kernel, std::move(*space)));
}

RandomPlan::RandomPlan(ir::KernelOp kernel, LoopNest neutral)
    : FormPlan(kernel), nest(std::move(neutral)) {
  llvm::append_range(ops, body().getOps<ir::RandomBitsOp>());
  // Lines of other lengths would begin anywhere.
  const DimExpr line = nest.innermost().extent;
  blocks = elementsOfAccess(body(), mostBlocks);
  if (nest.space.groups.size() > 1 && line.isConstant())
    while (line.constantValue() % blocks != 0)
      blocks /= 2;
  DimExpr units = *ceildiv(nest.elements(), DimExpr(RandomNest::groupElements));
  int64_t work =
      std::distance(body().begin(), body().end()) + int64_t(ops.size()) * RandomNest::elementWork;
  setWork(mul(units, DimExpr(RandomNest::groupBlocks / blocks)).value_or(DimExpr(INT64_MAX)),
          DimExpr(work * blocks * RandomNest::words));
}

void RandomPlan::printForm(llvm::raw_ostream &out) const {
  out << "schedule: " << counted(blocks, "Philox block") << " a thread, whose words are used ";
  if (blocks > 1)
    out << "at once where addresses are multiples of " << accessBytes << " bytes";
  else
    out << "one by one";
  out << "\n";
}

namespace {

class RandomKernel {
public:
  RandomKernel(DeviceKernelBuilder &k, const RandomPlan &plan)
      : k(k), b(k.b), loc(k.loc), plan(plan), nest(plan.nest), e(b, loc, k.target),
        groups(k, nest, plan.blocks) {}

  void emit() {
    aligned = groups.areAligned();
    groups.forEach(k.begin, k.end, [&](Value unit) { emitUnit(unit); });
  }

private:
  using Values = SmallVector<Value>;

  void emitUnit(Value unit);
  Value positionOf(Value block);
  PhiloxWords wordsOf(ir::RandomBitsOp op, Value draw, Value firstBlock, unsigned blocks);
  void forEachWord(ElementGroups::Code &code, Value firstBlock, unsigned blocks,
                   llvm::function_ref<void(Value position)> body);
  std::pair<Value, Value> placeOf(Value position, unsigned neighbours);
  Value i64(int64_t value) { return k.i64(value); }

  DeviceKernelBuilder &k;
  OpBuilder &b;
  Location loc;
  const RandomPlan &plan;
  const LoopNest &nest;
  LoopEmitter e;
  ElementGroups groups;
  Value aligned; // whether groups are; null where there are none
  Values draws;  // of the ops
};

// Of the element that is the block's first word; the others are as many elements behind as a group
// has blocks.
Value RandomKernel::positionOf(Value block) {
  Value group = e.div(block, i64(RandomNest::groupBlocks));
  Value lane = e.rem(block, i64(RandomNest::groupBlocks));
  return e.add(e.mul(group, RandomNest::groupElements), lane);
}

// Of neighbouring blocks of a group: scalars of one, vectors of several. Each block by itself, in
// scalars, as a thread multiplies them.
PhiloxWords RandomKernel::wordsOf(ir::RandomBitsOp op, Value draw, Value firstBlock,
                                  unsigned blocks) {
  PhiloxWords all;
  for (unsigned i = 0; i < blocks; ++i) {
    Value number = e.add(firstBlock, i64(i));
    PhiloxWords own = philoxWords(b, loc, k.target, op.getSeed(), draw,
                                  halfOf(b, loc, number, false), halfOf(b, loc, number, true));
    if (blocks == 1)
      return own;
    for (auto [word, value] : llvm::zip(all, own)) {
      if (!word)
        word = e.zero(VectorType::get(blocks, value.getType()));
      word = b.create<vector::InsertOp>(loc, value, word, ArrayRef<int64_t>{i});
    }
  }
  return all;
}

// One after the other, each bound as its op's value: the code of the chain stands there once.
void RandomKernel::forEachWord(ElementGroups::Code &code, Value firstBlock, unsigned blocks,
                               llvm::function_ref<void(Value position)> body) {
  Value first = positionOf(firstBlock);
  Values words;
  for (auto [op, draw] : llvm::zip(plan.ops, draws))
    llvm::append_range(words, wordsOf(op, draw, firstBlock, blocks));
  code.emitter.loop(
      i64(0), i64(RandomNest::words), 1, words, [&](Value word, ArrayRef<Value> carried) -> Values {
        Values next;
        for (auto [i, op] : llvm::enumerate(plan.ops)) {
          ArrayRef<Value> own = carried.slice(i * RandomNest::words, RandomNest::words);
          code.emitter.bindRegister(ir::RandomBitsOp(op).getY(), own.front());
          llvm::append_range(next, own.drop_front());
          next.push_back(own.front());
        }
        body(e.add(first, e.mul(word, RandomNest::groupBlocks)));
        return next;
      });
}

// The line of so many neighbours, of which lines are multiples, and where they lie there.
std::pair<Value, Value> RandomKernel::placeOf(Value position, unsigned neighbours) {
  if (!groups.hasSeveralLines())
    return {i64(0), position};
  Value number = e.div(position, i64(neighbours));
  Value length = e.div(k.sizeOf(ElementGroups::elementsOfLine(nest)), i64(neighbours));
  return {e.div(number, length), e.mul(e.rem(number, length), neighbours)};
}

// Words of all blocks at once where all exist and are aligned, else block by block.
void RandomKernel::emitUnit(Value unit) {
  ElementEmitter &single = groups.single.emitter;
  draws.clear();
  for (ir::RandomBitsOp op : plan.ops)
    draws.push_back(single.emit(op.getDraw(), {}));
  Value firstBlock = e.mul(unit, plan.blocks), n = k.sizeOf(nest.elements()), done = i64(0);
  if (aligned) {
    Value last = e.add(positionOf(firstBlock),
                       (RandomNest::words - 1) * RandomNest::groupBlocks + plan.blocks - 1);
    Value atOnce = e.logicalAnd(aligned, e.less(last, n));
    groups.grouped.emitter.where(atOnce, {}, [&]() -> Values {
      forEachWord(groups.grouped, firstBlock, plan.blocks, [&](Value position) {
        auto [line, place] = placeOf(position, plan.blocks);
        groups.emitGroup(line, place);
      });
      return {};
    });
    done = e.select(atOnce, i64(plan.blocks), done);
  }
  single.loop(done, i64(plan.blocks), 1, {}, [&](Value block, ArrayRef<Value>) -> Values {
    forEachWord(groups.single, e.add(firstBlock, block), 1, [&](Value position) {
      single.where(e.less(position, n), {}, [&]() -> Values {
        auto [line, place] = placeOf(position, 1);
        groups.emitElement(line, place);
        return {};
      });
    });
    return {};
  });
}

} // namespace

void RandomPlan::emit(DeviceKernelBuilder &k) const { RandomKernel(k, *this).emit(); }
