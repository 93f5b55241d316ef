// Which ops become one kernel. What one loop nest can hold is decided by ir::analyzeIterationSpace;
// here it is decided what is worth joining.
#include "ir/interfaces/IterationSpace.h"
#include "passes/Passes.h"

#include "mlir/IR/IRMapping.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_FORMKERNELS
#include "passes/Passes.h.inc"
} // namespace keratin::passes

namespace {

// Values that a kernel recomputes where it needs them, instead of reading them from memory.
bool isFree(Operation *op) {
  if (auto constant = dyn_cast<ConstantOp>(op))
    return constant.getValue().isSplat();
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return isUnitReshape(reshape);
  return isa<BroadcastOp, IotaOp, DimOp>(op);
}

// Not computed at all: another name for the same memory, or memory filled before the call.
bool isStorage(Operation *op) { return isa<ReshapeOp>(op) || isa<ConstantOp>(op); }

// Ops that take part in loop nests with others; the rest are kernels of their own.
bool isFusible(Operation *op) {
  return isa<ElementwiseOpInterface, IndexingOpInterface, ReductionOpInterface, DotGeneralOp>(op) ||
         isFree(op);
}

struct Group {
  SmallVector<Operation *> ops; // in the order of the block, free ops of the kernel included
  bool alive = true;
};

class KernelFormer {
public:
  KernelFormer(func::FuncOp function, int64_t maxOps, bool fuse)
      : function(function), block(function.getBody().front()), maxOps(maxOps), fuse(fuse) {}

  LogicalResult run() {
    for (Operation &op : block)
      if (isa<KernelOp>(op))
        return op.emitOpError("stands in the graph already; kernels do not nest");
    number();
    for (Operation *op : order)
      place(op);
    return build();
  }

private:
  void number() {
    for (Operation &op : block.without_terminator()) {
      position[&op] = order.size();
      order.push_back(&op);
    }
    position[block.getTerminator()] = order.size();
  }

  // Whether the value of a free op must exist in memory because someone reads it from there.
  bool needsMemory(Operation *op) {
    return llvm::any_of(op->getUsers(), [&](Operation *user) {
      return !isFusible(user) || isa<DotGeneralOp>(user) ||
             (isa<ReshapeOp>(user) && !isFree(user)) ||
             (isFree(user) && isa<ReshapeOp, ConstantOp>(user) && needsMemory(user));
    });
  }

  // The group of an op that is computed in exactly one place.
  int groupOf(Value value) {
    Operation *op = value.getDefiningOp();
    auto found = op ? home.find(op) : home.end();
    return found == home.end() ? -1 : found->second;
  }

  void place(Operation *op) {
    if (isFree(op) ? (isa<ReshapeOp, ConstantOp>(op) || !needsMemory(op)) : isStorage(op))
      return;
    int id = groups.size();
    groups.emplace_back();
    SmallVector<Operation *> members = withFreeOperands(op);
    groups[id].ops = members;
    home[op] = id;
    if (!fuse || !isFusible(op))
      return;
    // Every producer that stands behind the operands, nearest first.
    SmallVector<int> producers;
    for (Operation *member : members)
      for (Value operand : member->getOperands())
        if (int group = groupOf(operand);
            group >= 0 && group != id && !llvm::is_contained(producers, group))
          producers.push_back(group);
    for (int producer : producers)
      if (groups[producer].alive && isFusible(groups[producer].ops.back()) && canJoin(producer, id))
        join(producer, id);
  }

  // The op with the free ops it reads, in order.
  SmallVector<Operation *> withFreeOperands(Operation *op) {
    SmallVector<Operation *> list{op};
    if (isFusible(op) && !isa<DotGeneralOp>(op))
      for (size_t i = 0; i < list.size(); ++i)
        for (Value operand : list[i]->getOperands())
          if (Operation *definition = operand.getDefiningOp())
            if (isFree(definition) && !home.count(definition) &&
                !llvm::is_contained(list, definition))
              list.push_back(definition);
    sortByPosition(list);
    return list;
  }

  void sortByPosition(SmallVectorImpl<Operation *> &ops) {
    llvm::sort(ops, [&](Operation *a, Operation *b) { return position[a] < position[b]; });
    ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
  }

  SmallVector<Operation *> merged(int a, int b) {
    SmallVector<Operation *> ops(groups[a].ops);
    ops.append(groups[b].ops);
    sortByPosition(ops);
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
    if (home.count(user) || !isFree(user))
      return false;
    return llvm::any_of(user->getUsers(), [&](Operation *next) {
      return !inside.contains(next) || leavesThrough(next, inside);
    });
  }

  bool canJoin(int producer, int consumer) {
    SmallVector<Operation *> ops = merged(producer, consumer);
    if (int64_t(ops.size()) > maxOps)
      return false;
    SmallVector<Value> outputs = outputsOf(ops);
    std::optional<IterationSpace> space = analyzeIterationSpace(ops, outputs);
    if (!space || recomputesTooMuch(*space, ops) || movesTooMuch(ops))
      return false;
    if (llvm::any_of(ops, [](Operation *op) { return isa<DotGeneralOp>(op); }) &&
        !suitsTile(*space, ops, outputs))
      return false;
    return !closesCycle(producer, consumer);
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
      if (!isa<DotGeneralOp>(op))
        for (Value operand : op->getOperands())
          if (!inside.contains(operand.getDefiningOp()) &&
              squeezed(getShape(operand)) == space.shape)
            streams.insert(operand);
    return streams.size() <= mostStreams;
  }

  // What is neither full nor per row is computed anew for every element that reads it: good for a
  // few cheap ops, not more. A scalar is computed once a kernel.
  bool recomputesTooMuch(const IterationSpace &space, ArrayRef<Operation *> ops) {
    int count = 0;
    for (Operation *op : ops)
      if (isa<ElementwiseOpInterface>(op) &&
          space.domains.lookup(op->getResult(0)) == Domain::External &&
          !squeezed(getShape(op->getResult(0))).empty())
        ++count;
    return count > 3;
  }

  // An index computed for each element out of a chain of moves makes every access a gather: a few
  // moves are the limit.
  static bool movesTooMuch(ArrayRef<Operation *> ops) {
    return llvm::count_if(
               ops, [](Operation *op) { return isa<IndexingOpInterface>(op) && !isFree(op); }) > 4;
  }

  // Whether some path from the producer to the consumer leads through an op of neither.
  bool closesCycle(int producer, int consumer) {
    llvm::DenseSet<Operation *> target;
    size_t last = 0;
    for (Operation *op : groups[consumer].ops)
      if (home.count(op)) {
        target.insert(op);
        last = std::max(last, position[op]);
      }
    SmallVector<Operation *> work;
    llvm::DenseSet<Operation *> seen;
    auto push = [&](Operation *user) {
      if (position.count(user) && position[user] <= last && seen.insert(user).second)
        work.push_back(user);
    };
    // What reads the producer without being of either group. A free op is copied into each reader:
    // one in the consumer may stand in others, too.
    SmallVector<Operation *> readers;
    llvm::DenseSet<Operation *> passed;
    llvm::DenseSet<int> expanded;
    for (Operation *op : groups[producer].ops)
      if (home.count(op))
        readers.push_back(op);
    while (!readers.empty())
      for (Operation *user : readers.pop_back_val()->getUsers()) {
        auto found = home.find(user);
        if (found != home.end()) {
          if (found->second != producer && found->second != consumer)
            push(user);
        } else if (position.count(user) && passed.insert(user).second) {
          readers.push_back(user);
        }
      }
    while (!work.empty()) {
      Operation *op = work.pop_back_val();
      // A whole group runs at once, so reaching one of its ops reaches what all of them lead to.
      auto spread = [&](Operation *from) {
        for (Operation *user : from->getUsers()) {
          if (target.contains(user) || inGroupThroughFree(user, consumer))
            return true;
          push(user);
        }
        return false;
      };
      auto found = home.find(op);
      if (found == home.end()) {
        if (spread(op))
          return true;
        continue;
      }
      if (found->second == consumer)
        return true;
      if (!expanded.insert(found->second).second)
        continue;
      for (Operation *member : groups[found->second].ops)
        if (home.count(member) && spread(member))
          return true;
    }
    return false;
  }

  bool inGroupThroughFree(Operation *op, int group) {
    return !home.count(op) && isFree(op) && llvm::is_contained(groups[group].ops, op);
  }

  void join(int producer, int consumer) {
    groups[consumer].ops = merged(producer, consumer);
    for (Operation *op : groups[producer].ops)
      if (auto found = home.find(op); found != home.end())
        found->second = consumer;
    groups[producer].alive = false;
    groups[producer].ops.clear();
  }

  //===-- Building
  //-------------------------------------------------------------------------------------------------===//

  // Kernels are made in an order in which every group comes after those it reads from.
  LogicalResult build() {
    SmallVector<int> schedule;
    SmallVector<unsigned> waiting(groups.size(), 0);
    std::vector<SmallVector<int>> readers(groups.size());
    for (int id = 0; id < int(groups.size()); ++id) {
      llvm::SmallDenseSet<int> from;
      for (Operation *op : groups[id].ops)
        for (Value operand : op->getOperands())
          collectProducers(operand, id, from);
      waiting[id] = from.size();
      for (int producer : from)
        readers[producer].push_back(id);
      if (groups[id].alive && from.empty())
        schedule.push_back(id);
    }
    // First in the block, first in the schedule: later passes may change it for memory's sake.
    for (size_t i = 0; i < schedule.size(); ++i)
      for (int reader : readers[schedule[i]])
        if (--waiting[reader] == 0)
          schedule.push_back(reader);
    OpBuilder builder(block.getTerminator());
    // Storage ops move along: they are cloned when first read.
    for (int id : schedule)
      makeKernel(builder, groups[id]);
    Operation *terminator = block.getTerminator();
    for (OpOperand &operand : terminator->getOpOperands())
      operand.set(outside(builder, operand.get()));
    for (Operation *op : llvm::reverse(order)) {
      if (!op->use_empty())
        return op->emitError("not implemented: a cycle between kernels");
      op->erase();
    }
    return success();
  }

  // Groups behind a value, through storage and free ops.
  void collectProducers(Value value, int self, llvm::SmallDenseSet<int> &from) {
    SmallVector<Value> work{value};
    while (!work.empty()) {
      Operation *op = work.pop_back_val().getDefiningOp();
      if (!op)
        continue;
      auto found = home.find(op);
      if (found != home.end()) {
        if (found->second != self)
          from.insert(found->second);
      } else {
        work.append(op->operand_begin(), op->operand_end());
      }
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
      if (!isa<ReshapeOp>(definition))
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

  void makeKernel(OpBuilder &builder, Group &group) {
    llvm::DenseSet<Operation *> inside(group.ops.begin(), group.ops.end());
    SmallVector<Value> inputs, outputs = outputsOf(group.ops);
    SmallVector<Location> locations;
    for (Operation *op : group.ops)
      for (Value operand : op->getOperands())
        if (!inside.contains(operand.getDefiningOp()) && !llvm::is_contained(inputs, operand))
          inputs.push_back(operand);
    SmallVector<Value> arguments;
    for (Value input : inputs)
      arguments.push_back(outside(builder, input));
    SmallVector<Location> sources;
    for (Operation *op : group.ops)
      if (home.count(op))
        sources.push_back(op->getLoc());
    Location loc = FusedLoc::get(builder.getContext(), sources);
    auto kernel = builder.create<KernelOp>(loc, ValueRange(outputs).getTypes(), arguments);
    Block *body = builder.createBlock(&kernel.getBody());
    IRMapping mapping;
    for (Value input : inputs)
      mapping.map(input, body->addArgument(input.getType(), input.getLoc()));
    for (Operation *op : group.ops)
      builder.clone(*op, mapping);
    SmallVector<Value> yields;
    for (Value output : outputs)
      yields.push_back(mapping.lookup(output));
    builder.create<YieldOp>(loc, yields);
    builder.setInsertionPointAfter(kernel);
    bool fallible = llvm::any_of(group.ops, [](Operation *op) {
      auto indexing = dyn_cast<IndexingOpInterface>(op);
      return (indexing && indexing.canFail()) || isa<ScatterAddOp>(op);
    });
    if (fallible)
      kernel->setAttr("keratin.fallible", builder.getI64IntegerAttr(0));
    if (llvm::any_of(group.ops, [](Operation *op) { return !isMemoryEffectFree(op); }))
      kernel->setAttr("keratin.effect", builder.getUnitAttr());
    for (auto [output, result] : llvm::zip(outputs, kernel.getOutputs()))
      replaced[output] = result;
  }

  func::FuncOp function;
  Block &block;
  int64_t maxOps;
  bool fuse;
  std::vector<Operation *> order;
  llvm::DenseMap<Operation *, size_t> position;
  std::vector<Group> groups;
  llvm::DenseMap<Operation *, int>
      home; // group that computes an op; free and storage ops have none
  llvm::DenseMap<Value, Value> replaced;
};

struct FormKernelsPass : keratin::passes::impl::FormKernelsBase<FormKernelsPass> {
  using FormKernelsBase::FormKernelsBase;
  void runOnOperation() override {
    if (!getOperation().getBody().hasOneBlock()) {
      getOperation().emitError("needs a body of one block");
      return signalPassFailure();
    }
    if (failed(KernelFormer(getOperation(), maxOps, fuse).run()))
      signalPassFailure();
  }
};

} // namespace
