// Which ops become one kernel. What one loop nest can hold is decided by ir::analyzeIterationSpace;
// here it is decided what is worth joining.
#include "ir/dialect/GraphError.h"
#include "ir/dialect/MemoryPlan.h"
#include "ir/interfaces/ComputedSizes.h"
#include "ir/interfaces/IterationSpace.h"
#include "ir/interfaces/OpProperties.h"
#include "ir/interfaces/Workspace.h"
#include "passes/Passes.h"
#include "passes/fusion/GroupGraph.h"
#include "passes/loops/CheapValues.h"

#include "mlir/IR/IRMapping.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_FORMKERNELS
#include "passes/Passes.h.inc"
} // namespace keratin::passes

namespace {

// Ops that take part in loop nests with others; the rest are kernels of their own.
bool isFusible(Operation *op) {
  return isa<ElementwiseOpInterface, IndexingOpInterface, ReductionOpInterface>(op) ||
         isTiled(op) || isFreeToRepeat(op);
}

// Ops with programs of their own inside: they stand between kernels.
bool isControlFlow(Operation *op) { return isa<LoopOpInterface, IfOp>(op); }

using keratin::passes::canFailInside;
using keratin::passes::GroupGraph;

// Ops of one kernel in the order of the block, its free ops included.
using Group = SmallVector<Operation *>;

// What is known of a group's loops without another look at its ops: with it the time to form a
// kernel does not grow with the square of its length.
struct Nest {
  // The full shape, without sizes of 1, where nothing is reduced and there are no tiles. Such
  // groups of the same shape fit one nest whatever they compute: their values have the full shape
  // or are computed where they are read. Nothing: ir::analyzeIterationSpace has to be asked.
  std::optional<Shape> walked;
  int64_t ops = 1;    // that are not free, so that no other group has them
  int recomputed = 0; // ops done anew for every element that reads them
  int moves = 0;      // ops that compute an index out of an index

  // What is neither full nor per row is good for a few cheap ops, not more; a scalar is computed
  // once a kernel. An index out of a chain of moves makes every access a gather.
  bool isCheap() const { return recomputed <= 3 && moves <= 4; }
};

class KernelFormer {
public:
  // `sizes` are those that the block defines.
  KernelFormer(Block &block, ComputedSizes sizes, int64_t maxOps, bool fuse)
      : block(block), sizes(std::move(sizes)), maxOps(maxOps), fuse(fuse) {}

  LogicalResult run() {
    for (Operation &op : block)
      if (isa<KernelOp>(op))
        return emitGraphError(&op) << "a kernel stands in the graph already; kernels do not nest";
    copyYieldedArguments();
    number();
    for (DefineSizeOp op : sizes.ops())
      definitions[op.getSymbol()] = op;
    for (Operation *op : order)
      if (!copies.contains(op) && !isa<DefineSizeOp>(op))
        place(op);
    for (Operation *copy : copies)
      placeCopy(copy);
    joinSmallSiblings();
    return build();
  }

private:
  // Rows of a sequence for loops, which read them where they are. A view has no place in the order
  // of kernels: none mentions a size that one of them computes.
  bool areRowsForLoops(Operation *op) {
    auto slice = dyn_cast<SliceOp>(op);
    if (!slice || !isRowRange(slice) || !computedSizesOf(op).empty())
      return false;
    SmallVector<Operation *> users(slice->getUsers());
    while (!users.empty()) {
      Operation *user = users.pop_back_val();
      if (isa<ReshapeOp>(user))
        users.append(user->user_begin(), user->user_end());
      else if (!isa<ScanOp>(user))
        return false;
    }
    return true;
  }

  // Not computed at all: another name for the same memory, or memory filled before the call.
  bool isStorage(Operation *op) { return isa<ReshapeOp, ConstantOp>(op) || areRowsForLoops(op); }

  // What a loop carries on or stacks as it was given needs a place of its own: a copy, which may be
  // made by a kernel that reads the value anyway. States before a step are kept like this when
  // loops are differentiated.
  void copyYieldedArguments() {
    if (!fuse || !isa<LoopOpInterface>(block.getParentOp()))
      return;
    OpBuilder builder(block.getTerminator());
    for (OpOperand &operand : block.getTerminator()->getOpOperands())
      if (Value argument = operand.get(); isa<BlockArgument>(argument)) {
        Value copy = builder.create<IdentityOp>(argument.getLoc(), argument.getType(), argument);
        operand.set(copy);
        copies.insert(copy.getDefiningOp());
      }
  }

  // Into the last kernel that reads the value and can make the copy too. Nothing comes before or
  // after a copy but the argument and the yield, so there is no cycle to look for.
  void placeCopy(Operation *copy) {
    Value argument = copy->getOperand(0);
    for (int id = int(groups.size()) - 1; id >= 0; --id) {
      if (!graph.isAlive(id) || !isFusible(groups[id].back()) ||
          llvm::none_of(argument.getUsers(),
                        [&](Operation *user) { return home.count(user) && home[user] == id; }))
        continue;
      Group ops(groups[id]);
      ops.push_back(copy);
      home[copy] = id;
      if (std::optional<Nest> nest = nestOf(ops)) {
        groups[id] = std::move(ops);
        nests[id] = std::move(*nest);
        return;
      }
    }
    home[copy] = graph.add({});
    addGroup({copy}, copy);
  }

  void number() {
    for (Operation &op : block.without_terminator())
      order.push_back(&op);
    for (Operation *op : llvm::reverse(order)) // users first
      if (isFreeToRepeat(op) && llvm::any_of(op->getUsers(), [&](Operation *user) {
            return !isFusible(user) || isTiled(user) ||
                   (isStorage(user) && !isFreeToRepeat(user)) ||
                   (isa<ReshapeOp>(user) && inMemory.contains(user));
          }))
        inMemory.insert(op);
  }

  // The group of an op that is computed in exactly one place.
  int groupOf(Value value) {
    Operation *op = value.getDefiningOp();
    auto found = op ? home.find(op) : home.end();
    return found == home.end() ? -1 : found->second;
  }

  void place(Operation *op) {
    if (isFreeToRepeat(op) ? (isa<ReshapeOp, ConstantOp>(op) || !inMemory.contains(op))
                           : isStorage(op))
      return;
    Group members = withFreeOperands(op);
    // Every producer that stands behind the operands, nearest first.
    llvm::SmallSetVector<int, 4> producers, all;
    for (Operation *member : members)
      for (Value operand : member->getOperands()) {
        if (int group = groupOf(operand); group >= 0)
          producers.insert(group);
        collectProducers(operand, all);
      }
    for (int64_t symbol : computedSizesOf(members))
      collectProducers(definitions[symbol].getSize(), all);
    int id = graph.add(all.getArrayRef());
    addGroup(std::move(members), op);
    home[op] = id;
    if (!fuse || !isFusible(op))
      return;
    for (int producer : producers)
      if (graph.isAlive(producer) && isFusible(groups[producer].back()))
        join(producer, id);
  }

  // The op with the free ops it reads.
  void addGroup(Group members, Operation *op) {
    groups.push_back(std::move(members));
    Nest &nest = nests.emplace_back();
    nest.moves = isMove(op);
    if ((nest.moves || isa<ElementwiseOpInterface>(op)) && op->getNumResults() == 1)
      nest.walked = squeezed(getShape(op->getResult(0)));
  }

  // The shape, without sizes of 1, of a group that walks a few elements and reduces nothing.
  std::optional<Shape> smallShapeOf(int id) {
    constexpr int64_t mostElements = 1024;
    if (!graph.isAlive(id) || !isFusible(groups[id].back()))
      return std::nullopt;
    std::optional<Shape> shape;
    for (Operation *op : groups[id]) {
      if (isa<ReductionOpInterface, DotGeneralOp>(op))
        return std::nullopt;
      if (!home.count(op))
        continue;
      Shape result = squeezed(getShape(op->getResult(0)));
      if (shape && *shape != result)
        return std::nullopt;
      shape = std::move(result);
    }
    std::optional<DimExpr> count = shape ? product(*shape) : std::nullopt;
    bool isSmall = count && count->isConstant() && count->constantValue() <= mostElements;
    return isSmall ? shape : std::nullopt;
  }

  // In a step that works on a few elements most of the time goes into calls of kernels. Those that
  // walk the same elements become one, even if neither reads the other.
  void joinSmallSiblings() {
    if (!fuse || !isa<LoopOpInterface>(block.getParentOp()))
      return;
    // A body of very many kernels has no small steps, and as many pairs as their square.
    int triesLeft = 2048;
    std::vector<std::optional<Shape>> shapes;
    for (int id = 0; id < int(groups.size()); ++id)
      shapes.push_back(smallShapeOf(id));
    for (int later = 0; later < int(groups.size()); ++later)
      for (int earlier = 0; earlier < int(groups.size()) && shapes[later]; ++earlier) {
        if (earlier == later || !shapes[earlier] || *shapes[earlier] != *shapes[later] ||
            !graph.standsBefore(earlier, later))
          continue;
        if (--triesLeft < 0)
          return;
        if (join(earlier, later))
          shapes[earlier].reset();
      }
  }

  // The op with the free ops it reads, in order.
  Group withFreeOperands(Operation *op) {
    llvm::SmallSetVector<Operation *, 8> list;
    list.insert(op);
    if (isFusible(op) && !isTiled(op))
      for (size_t i = 0; i < list.size(); ++i)
        for (Value operand : list[i]->getOperands())
          if (Operation *definition = operand.getDefiningOp())
            if (isFreeToRepeat(definition) && !home.count(definition))
              list.insert(definition);
    Group members(list.begin(), list.end());
    llvm::sort(members, isBefore);
    return members;
  }

  llvm::SmallSetVector<int64_t, 2> computedSizesOf(ArrayRef<Operation *> ops) {
    llvm::SmallSetVector<int64_t, 2> symbols;
    if (!sizes.empty())
      for (Operation *op : ops)
        for (int64_t symbol : sizes.mentionedBy(op))
          symbols.insert(symbol);
    return symbols;
  }

  // A size has its value once the kernel that computes it is over: what needs the value is another
  // kernel.
  bool definesOwnSize(ArrayRef<Operation *> ops) {
    llvm::SmallSetVector<int, 4> defining;
    for (int64_t symbol : computedSizesOf(ops))
      collectProducers(definitions[symbol].getSize(), defining);
    return !defining.empty() && llvm::any_of(ops, [&](Operation *op) {
      auto found = home.find(op);
      return found != home.end() && defining.contains(found->second);
    });
  }

  static bool isBefore(Operation *a, Operation *b) { return a->isBeforeInBlock(b); }

  // The ops of both, each once. Most often one is a long group and the other an op that reads it.
  Group merged(int a, int b) {
    if (groups[a].size() < groups[b].size())
      std::swap(a, b);
    Group ops(groups[a]);
    for (Operation *op : groups[b])
      if (auto place = llvm::lower_bound(ops, op, isBefore); place == ops.end() || *place != op)
        ops.insert(place, op);
    return ops;
  }

  // Values of the ops that someone outside reads.
  SmallVector<Value> outputsOf(ArrayRef<Operation *> ops) {
    llvm::DenseSet<Operation *> inside(ops.begin(), ops.end());
    SmallVector<Value> outputs;
    for (Operation *op : ops) {
      if (!home.count(op))
        continue; // free: others have their own copy
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              return !inside.contains(user) || leavesThrough(user, inside);
            }))
          outputs.push_back(result);
    }
    return outputs;
  }

  // A free op inside stands for copies outside too: what it reads is read there.
  bool leavesThrough(Operation *user, const llvm::DenseSet<Operation *> &inside) {
    llvm::SmallSetVector<Operation *, 4> copies;
    auto isCopied = [&](Operation *op) { return !home.count(op) && isFreeToRepeat(op); };
    if (isCopied(user))
      copies.insert(user);
    for (size_t i = 0; i < copies.size(); ++i)
      for (Operation *next : copies[i]->getUsers()) {
        if (!inside.contains(next))
          return true;
        if (isCopied(next))
          copies.insert(next);
      }
    return false;
  }

  // What the two are as one kernel, whose ops are given; nothing if they are none, or better apart.
  std::optional<Nest> joined(int producer, int consumer, ArrayRef<Operation *> ops) {
    const Nest &a = nests[producer], &b = nests[consumer];
    // The analysis also refuses what nobody reads.
    if (!a.walked || a.walked != b.walked || ops.back()->use_empty() || !sizes.empty())
      return nestOf(ops);
    Nest nest{a.walked, a.ops + b.ops, a.recomputed + b.recomputed, a.moves + b.moves};
    return nest.isCheap() ? std::optional(std::move(nest)) : std::nullopt;
  }

  std::optional<Nest> nestOf(ArrayRef<Operation *> ops) {
    if (int64_t(ops.size()) > maxOps || definesOwnSize(ops))
      return std::nullopt;
    SmallVector<Value> outputs = outputsOf(ops);
    std::optional<IterationSpace> space = analyzeIterationSpace(ops, outputs);
    if (!space)
      return std::nullopt;
    bool hasTiles = llvm::any_of(ops, isTiled);
    Nest nest;
    if (!hasTiles && !space->hasReductions())
      nest.walked = space->shape;
    nest.ops = llvm::count_if(ops, [&](Operation *op) { return home.count(op); });
    nest.recomputed = llvm::count_if(ops, [&](Operation *op) { return isRecomputed(*space, op); });
    nest.moves = llvm::count_if(ops, isMove);
    if (!nest.isCheap() || (hasTiles && !suitsTile(*space, ops, outputs)))
      return std::nullopt;
    return nest;
  }

  // What follows from a contraction's tile is done a few columns of some rows at a time: rows are
  // far apart in memory, and those of several tensors stand at the same place of their pages, so a
  // load waits for a store to another tensor (4 KiB aliasing). With few tensors of the full shape
  // this costs less than a pass of its own over the result; an optimiser's update of two moments
  // costs three times as much here as by itself.
  static bool suitsTile(const IterationSpace &space, ArrayRef<Operation *> ops,
                        ArrayRef<Value> outputs) {
    constexpr size_t mostStreams = 4;
    llvm::DenseSet<Operation *> inside(ops.begin(), ops.end());
    llvm::DenseSet<Value> streams;
    for (Value output : outputs) {
      if (squeezed(getShape(output)) != space.shape)
        return false;
      streams.insert(output);
    }
    for (Operation *op : ops)
      if (!isTiled(op))
        for (Value operand : op->getOperands())
          if (!inside.contains(operand.getDefiningOp()) &&
              squeezed(getShape(operand)) == space.shape)
            streams.insert(operand);
    return streams.size() <= mostStreams;
  }

  static bool isRecomputed(const IterationSpace &space, Operation *op) {
    return isa<ElementwiseOpInterface>(op) &&
           space.domains.lookup(op->getResult(0)) == Domain::External &&
           !squeezed(getShape(op->getResult(0))).empty();
  }

  static bool isMove(Operation *op) { return isa<IndexingOpInterface>(op) && !isFreeToRepeat(op); }

  // Makes them one group, if that is one kernel.
  bool join(int producer, int consumer) {
    if (nests[producer].ops + nests[consumer].ops > maxOps || graph.hasDetour(producer, consumer))
      return false;
    Group ops = merged(producer, consumer);
    if (int64_t(ops.size()) > maxOps)
      return false;
    std::optional<Nest> nest = joined(producer, consumer, ops);
    if (!nest)
      return false;
    groups[consumer] = std::move(ops);
    nests[consumer] = std::move(*nest);
    for (Operation *op : groups[producer])
      if (auto found = home.find(op); found != home.end())
        found->second = consumer;
    groups[producer].clear();
    graph.merge(producer, consumer);
    return true;
  }

  // Groups that a value is computed by, through storage and free ops.
  void collectProducers(Value value, llvm::SmallSetVector<int, 4> &producers) {
    SmallVector<Value> work{value};
    while (!work.empty()) {
      Operation *op = work.pop_back_val().getDefiningOp();
      if (!op)
        continue;
      if (auto found = home.find(op); found != home.end())
        producers.insert(found->second);
      else
        work.append(op->operand_begin(), op->operand_end());
    }
  }

  // Kernels are made in an order in which every group comes after those it reads from.
  LogicalResult build() {
    SmallVector<int> schedule;
    SmallVector<unsigned> waiting;
    for (int id = 0; id < int(groups.size()); ++id) {
      waiting.push_back(graph.producers(id).size());
      if (graph.isAlive(id) && waiting[id] == 0)
        schedule.push_back(id);
    }
    // First in the block, first in the schedule: later passes may change it for memory's sake.
    for (size_t i = 0; i < schedule.size(); ++i)
      for (int reader : graph.readers(schedule[i]))
        if (--waiting[reader] == 0)
          schedule.push_back(reader);
    OpBuilder builder(block.getTerminator());
    // Storage ops move along: they are cloned when first read.
    defineSizes(builder);
    for (int id : schedule) {
      if (isControlFlow(groups[id].front()))
        moveControlFlow(builder, groups[id].front());
      else
        makeKernel(builder, groups[id]);
      made.insert(id);
      defineSizes(builder);
    }
    Operation *terminator = block.getTerminator();
    for (OpOperand &operand : terminator->getOpOperands())
      operand.set(outside(builder, operand.get()));
    for (Operation *op : llvm::reverse(order)) {
      if (isControlFlow(op))
        continue;
      if (!op->use_empty())
        return op->emitError("not implemented: a cycle between kernels");
      op->erase();
    }
    return success();
  }

  // Defines the sizes whose values are there and were not before.
  void defineSizes(OpBuilder &builder) {
    for (DefineSizeOp op : sizes.ops()) {
      llvm::SmallSetVector<int, 4> producers;
      collectProducers(op.getSize(), producers);
      if (!definitions.contains(op.getSymbol()) ||
          llvm::any_of(producers, [&](int id) { return !made.contains(id); }))
        continue;
      auto copy = cast<DefineSizeOp>(op->clone());
      copy.getSizeMutable().assign(outside(builder, op.getSize()));
      builder.insert(copy);
      definitions.erase(op.getSymbol());
    }
  }

  // The value as code outside kernels sees it.
  Value outside(OpBuilder &builder, Value value) {
    if (Value known = replaced.lookup(value))
      return known;
    Operation *op = value.getDefiningOp();
    if (!op)
      return value;
    // A chain of views, outermost last.
    SmallVector<Operation *> chain;
    Value base = value;
    while (Operation *definition = base.getDefiningOp()) {
      if (replaced.count(base))
        break;
      chain.push_back(definition);
      if (!isa<ReshapeOp>(definition) && !areRowsForLoops(definition))
        break;
      base = definition->getOperand(0);
    }
    for (Operation *definition : llvm::reverse(chain)) {
      Operation *copy = definition->clone();
      for (OpOperand &operand : copy->getOpOperands())
        if (Value known = replaced.lookup(operand.get()))
          operand.set(known);
      builder.insert(copy);
      replaced[definition->getResult(0)] = copy->getResult(0);
    }
    return replaced.lookup(value);
  }

  void moveControlFlow(OpBuilder &builder, Operation *op) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(outside(builder, operand));
    op->setOperands(operands);
    op->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
    for (Value result : op->getResults())
      replaced[result] = result;
  }

  void makeKernel(OpBuilder &builder, const Group &group) {
    llvm::DenseSet<Operation *> inside(group.begin(), group.end());
    SmallVector<Value> inputs, outputs = outputsOf(group);
    SmallVector<Location> locations;
    for (Operation *op : group)
      for (Value operand : op->getOperands())
        if (!inside.contains(operand.getDefiningOp()) && !llvm::is_contained(inputs, operand))
          inputs.push_back(operand);
    SmallVector<Value> arguments;
    for (Value input : inputs)
      arguments.push_back(outside(builder, input));
    SmallVector<Location> sources;
    for (Operation *op : group)
      if (home.count(op))
        sources.push_back(op->getLoc());
    Location loc = FusedLoc::get(builder.getContext(), sources);
    SmallVector<Type> types(ValueRange(outputs).getTypes());
    for (Operation *op : group)
      if (auto workspace = workspaceOf(op))
        types.push_back(*workspace);
    auto kernel = builder.create<KernelOp>(loc, types, arguments);
    Block *body = builder.createBlock(&kernel.getBody());
    IRMapping mapping;
    for (Value input : inputs)
      mapping.map(input, body->addArgument(input.getType(), input.getLoc()));
    for (Operation *op : group)
      builder.clone(*op, mapping);
    SmallVector<Value> yields;
    for (Value output : outputs)
      yields.push_back(mapping.lookup(output));
    for (Type workspace : ArrayRef<Type>(types).drop_front(outputs.size()))
      yields.push_back(builder.create<IotaOp>(loc, workspace, uint64_t(0)));
    builder.create<YieldOp>(loc, yields);
    builder.setInsertionPointAfter(kernel);
    if (llvm::any_of(group, canFailInside))
      kernel->setAttr(kFallibleAttr, builder.getI64IntegerAttr(0));
    if (llvm::any_of(group, [](Operation *op) { return !isMemoryEffectFree(op); }))
      kernel->setAttr(kEffectAttr, builder.getUnitAttr());
    for (auto [output, result] : llvm::zip(outputs, kernel.getOutputs()))
      replaced[output] = result;
  }

  Block &block;
  ComputedSizes sizes;
  int64_t maxOps;
  bool fuse;
  std::vector<Operation *> order;
  GroupGraph graph;
  std::vector<Group> groups;            // of the same numbers
  std::vector<Nest> nests;              // of the groups
  llvm::SetVector<Operation *> copies;  // of arguments that the block yields
  llvm::DenseSet<Operation *> inMemory; // free ops that someone reads from memory
  llvm::DenseMap<Operation *, int>
      home; // group that computes an op; free and storage ops have none
  llvm::DenseMap<Value, Value> replaced;
  llvm::DenseMap<int64_t, DefineSizeOp> definitions; // by symbol; those still to be made
  llvm::DenseSet<int> made;                          // groups that have become kernels
};

struct FormKernelsPass : keratin::passes::impl::FormKernelsBase<FormKernelsPass> {
  using FormKernelsBase::FormKernelsBase;
  void runOnOperation() override {
    if (!getOperation().getBody().hasOneBlock()) {
      emitGraphError(getOperation()) << "needs a body of one block";
      return signalPassFailure();
    }
    if (failed(formKernels()))
      signalPassFailure();
  }

  // Regions see nothing of what is outside, so that the order of blocks matters to nobody. Ops that
  // define sizes are made anew with the kernels of their block: those of all are found before.
  LogicalResult formKernels() {
    FailureOr<ComputedSizes> sizes = ComputedSizes::of(getOperation());
    if (failed(sizes))
      return failure();
    std::vector<std::pair<Block *, ComputedSizes>> blocks;
    getOperation().walk([&](Block *block) {
      if (Operation *parent = block->getParentOp();
          parent == getOperation() || isControlFlow(parent))
        blocks.emplace_back(block, sizes->in(*block));
    });
    for (auto &[block, ownSizes] : blocks)
      if (failed(KernelFormer(*block, std::move(ownSizes), maxOps, fuse).run()))
        return failure();
    return success();
  }
};

} // namespace
