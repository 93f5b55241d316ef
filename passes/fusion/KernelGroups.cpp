#include "passes/fusion/KernelGroups.h"

#include "ir/interfaces/ContractionShape.h"
#include "ir/interfaces/OpProperties.h"

#include "mlir/IR/Builders.h"

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

// Whether every group that reads the op may have its own.
static bool isRepeatable(Operation *op) {
  return isFreeToRepeat(op) || isWidening(op) || FusionPolicy::isElement(op);
}

// Pairs of groups, neither of which reads the other, that are tried.
static constexpr int kMostTries = 2048;

void KernelGroups::form() {
  copyYieldedArguments();
  std::vector<AttentionGradientOps> gradients;
  if (has(attention, AttentionKinds::Gradients))
    gradients = separateAttentionGradients(block, attention, sizes, policy.mostOps());
  number();
  findRowUpdates();
  if (attention != AttentionKinds::None)
    attentions = Attentions(block, attention, std::move(gradients));
  for (DefineSizeOp op : sizes.ops())
    sizesOf[op.getSymbol()] = op.getSize();
  for (Operation *op : order)
    if (!copies.contains(op) && !isa<DefineSizeOp>(op))
      place(op);
  for (Operation *copy : copies)
    placeCopy(copy);
  joinReductions();
  joinSmallSiblings();
}

//===-- What others see of the ops ------------------------------------------------------------===//

// Of a sequence that a loop walks through, or of what a message brings, of which each kernel can
// read what it needs. A view has no place in the order of kernels: none mentions a size that one of
// them computes.
bool KernelGroups::areStoredRows(Operation *op) const {
  auto slice = dyn_cast<SliceOp>(op);
  if (!slice || !isView(op) || !computedSizesOf(op).empty())
    return false;
  if (Operation *maker = slice.getX().getDefiningOp(); maker && isCollective(maker))
    return true;
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
bool KernelGroups::isStorage(Operation *op) const {
  return isa<ReshapeOp, ConstantOp, DelayOp, AsPartsOp, FromPartsOp>(op) || areStoredRows(op);
}

// The group of an op that is computed in exactly one place.
int KernelGroups::groupOf(Value value) const {
  Operation *op = value.getDefiningOp();
  auto found = op ? home.find(op) : home.end();
  return found == home.end() ? -1 : found->second;
}

void KernelGroups::collectProducers(Value value, Ids &producers) const {
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

SmallVector<Value> KernelGroups::outputsOf(ArrayRef<Operation *> ops) const {
  llvm::DenseSet<Operation *> inside(ops.begin(), ops.end());
  SmallVector<Value> outputs;
  for (Operation *op : ops) {
    if (!isOwned(op))
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
bool KernelGroups::leavesThrough(Operation *user, const llvm::DenseSet<Operation *> &inside) const {
  llvm::SmallSetVector<Operation *, 4> repeated;
  auto isRepeated = [&](Operation *op) { return !isOwned(op) && isRepeatable(op); };
  if (isRepeated(user))
    repeated.insert(user);
  for (size_t i = 0; i < repeated.size(); ++i)
    for (Operation *next : repeated[i]->getUsers()) {
      if (!inside.contains(next))
        return true;
      if (isRepeated(next))
        repeated.insert(next);
    }
  return false;
}

llvm::SmallSetVector<int64_t, 2> KernelGroups::computedSizesOf(ArrayRef<Operation *> ops) const {
  llvm::SmallSetVector<int64_t, 2> symbols;
  if (!sizes.empty())
    for (Operation *op : ops)
      for (int64_t symbol : sizes.mentionedBy(op))
        symbols.insert(symbol);
  return symbols;
}

// A size has its value once the kernel that computes it is over: what needs the value is another
// kernel.
bool KernelGroups::definesOwnSize(ArrayRef<Operation *> ops) const {
  Ids defining;
  for (int64_t symbol : computedSizesOf(ops))
    collectProducers(sizesOf.lookup(symbol), defining);
  return !defining.empty() && llvm::any_of(ops, [&](Operation *op) {
    auto found = home.find(op);
    return found != home.end() && defining.contains(found->second);
  });
}

//===-- Places --------------------------------------------------------------------------------===//

// What a loop carries on or stacks as it was given needs a place of its own: a copy, which may be
// made by a kernel that reads the value anyway. States before a step are kept like this when loops
// are differentiated.
void KernelGroups::copyYieldedArguments() {
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
void KernelGroups::placeCopy(Operation *copy) {
  Value argument = copy->getOperand(0);
  for (int id = int(groups.size()) - 1; id >= 0; --id) {
    if (!graph.isAlive(id) || !policy.isFusible(groups[id].back()) ||
        llvm::none_of(argument.getUsers(),
                      [&](Operation *user) { return isOwned(user) && home[user] == id; }))
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

void KernelGroups::number() {
  for (Operation &op : block.without_terminator())
    order.push_back(&op);
  // Contractions read memory, but for casts that are a part of reading it.
  auto readsMemory = [](Operation *user, Operation *op) {
    return isTiled(user) ? !isWidening(op) || !isContraction(user) : isWidening(user);
  };
  for (Operation *op : llvm::reverse(order)) // users first
    if (isRepeatable(op) && llvm::any_of(op->getUsers(), [&](Operation *user) {
          return !policy.isFusible(user) || readsMemory(user, op) ||
                 (isStorage(user) && !isRepeatable(user)) ||
                 (isa<ReshapeOp>(user) && inMemory.contains(user));
        }))
      inMemory.insert(op);
}

void KernelGroups::findRowUpdates() {
  if (!updateRows || !isa<func::FuncOp>(block.getParentOp()))
    return;
  for (auto scatter : block.getOps<ScatterAddOp>())
    if (std::optional<RowUpdate> update = rowUpdateOf(scatter)) {
      ofRowUpdates.insert(update->begin(), std::prev(update->end()));
      rowUpdates[update->back()] = std::move(*update);
    }
}

void KernelGroups::place(Operation *op) {
  if (ofRowUpdates.contains(op) || attentions.isInside(op) || attentions.isRemade(op))
    return;
  if (isRepeatable(op) ? (isa<ReshapeOp, ConstantOp>(op) || !inMemory.contains(op)) : isStorage(op))
    return;
  auto rows = rowUpdates.find(op);
  const Attention *attention = attentions.of(op);
  const AttentionGradientOps *gradients = attentions.gradientsEndingAt(op);
  Group members = attention                  ? membersOf(*attention)
                  : gradients                ? withFreeOrRemade(*gradients)
                  : rows == rowUpdates.end() ? withFreeOperands(op)
                                             : membersOf(rows->second);
  // Every producer that stands behind the operands, nearest first.
  Ids producers, all;
  for (Operation *member : members)
    for (Value operand : member->getOperands()) {
      if (int group = groupOf(operand); group >= 0)
        producers.insert(group);
      collectProducers(operand, all);
    }
  for (int64_t symbol : computedSizesOf(members))
    collectProducers(sizesOf.lookup(symbol), all);
  int id = graph.add(all.getArrayRef());
  addGroup(std::move(members), op);
  home[op] = id;
  if (rows != rowUpdates.end()) {
    for (Operation *member : rows->second)
      home[member] = id;
    return;
  }
  if (attention || gradients) {
    ArrayRef<Operation *> others = attention ? ArrayRef<Operation *>(attention->inside)
                                             : ArrayRef<Operation *>(*gradients).drop_back();
    for (Operation *member : others)
      home[member] = id;
    nests[id].ops += others.size();
    return;
  }
  if (!fuse || !policy.isFusible(op))
    return;
  for (int producer : producers)
    if (graph.isAlive(producer) && policy.isFusible(groups[producer].back()))
      join(producer, id);
}

// The op with the free ops it reads.
void KernelGroups::addGroup(Group members, Operation *op) {
  fromMemory.push_back(readInMemory(members));
  groups.push_back(std::move(members));
  nests.push_back(FusionPolicy::nestOf(op));
}

// What stands behind the views that the ops read.
KernelGroups::Group KernelGroups::readInMemory(ArrayRef<Operation *> members) const {
  llvm::SmallSetVector<Operation *, 4> behind;
  auto insertReadBy = [&](Operation *op) {
    for (Value operand : op->getOperands())
      if (Operation *read = operand.getDefiningOp())
        behind.insert(read);
  };
  for (Operation *member : members)
    for (Value operand : member->getOperands())
      if (Operation *view = operand.getDefiningOp();
          view && !isOwned(view) && !llvm::is_contained(members, view))
        insertReadBy(view);
  for (size_t i = 0; i < behind.size(); ++i)
    if (!isOwned(behind[i]))
      insertReadBy(behind[i]);
  Group found(behind.begin(), behind.end());
  llvm::erase_if(found, [&](Operation *op) { return !isOwned(op); });
  return found;
}

static bool isBefore(Operation *a, Operation *b) { return a->isBeforeInBlock(b); }

// The op with the free ops it reads, in order. What widens for a contraction reads memory.
KernelGroups::Group KernelGroups::withFreeOperands(Operation *op) const {
  llvm::SmallSetVector<Operation *, 8> list;
  list.insert(op);
  auto isRead = [](Operation *definition, Operation *user) {
    return isTiled(user) ? isWidening(definition) : !isWidening(user) && isRepeatable(definition);
  };
  if (policy.isFusible(op))
    for (size_t i = 0; i < list.size(); ++i)
      for (Value operand : list[i]->getOperands())
        if (Operation *definition = operand.getDefiningOp())
          if (isRead(definition, list[i]) && !isOwned(definition))
            list.insert(definition);
  Group members(list.begin(), list.end());
  llvm::sort(members, isBefore);
  return members;
}

// Each with the free ops it reads.
KernelGroups::Group KernelGroups::membersOf(const RowUpdate &update) const {
  llvm::SmallSetVector<Operation *, 8> list;
  for (Operation *op : update)
    for (Operation *member : withFreeOperands(op))
      list.insert(member);
  Group members(list.begin(), list.end());
  llvm::sort(members, isBefore);
  return members;
}

KernelGroups::Group KernelGroups::membersOf(const Attention &attention) const {
  SmallVector<Operation *> ops(attention.inside);
  ops.push_back(DotGeneralOp(attention.mix));
  return withFreeOrRemade(ops);
}

// With what is free or made anew for them.
KernelGroups::Group KernelGroups::withFreeOrRemade(ArrayRef<Operation *> ops) const {
  llvm::SmallSetVector<Operation *, 16> list(ops.begin(), ops.end());
  for (size_t i = 0; i < list.size(); ++i)
    if (!isTiled(list[i]))
      for (Value operand : list[i]->getOperands())
        if (Operation *op = operand.getDefiningOp())
          if (attentions.isRemade(op) || (isRepeatable(op) && !isOwned(op)))
            list.insert(op);
  Group members(list.begin(), list.end());
  llvm::sort(members, isBefore);
  return members;
}

//===-- Joining -------------------------------------------------------------------------------===//

// The shape, without sizes of 1, of a group that walks a few elements and reduces nothing.
std::optional<Shape> KernelGroups::smallShapeOf(int id) const {
  if (!graph.isAlive(id) || !policy.isFusible(groups[id].back()))
    return std::nullopt;
  std::optional<Shape> shape;
  for (Operation *op : groups[id]) {
    if (isa<ReductionOpInterface, DotGeneralOp>(op))
      return std::nullopt;
    if (!isOwned(op))
      continue;
    Shape result = squeezed(getShape(op->getResult(0)));
    if (shape && *shape != result)
      return std::nullopt;
    shape = std::move(result);
  }
  return shape && policy.isSmall(*shape) ? shape : std::nullopt;
}

// In a step that works on a few elements most of the time goes into calls of kernels. Those that
// walk the same elements become one, even if neither reads the other.
void KernelGroups::joinSmallSiblings() {
  if (!fuse || !isa<LoopOpInterface>(block.getParentOp()))
    return;
  // A body of very many kernels has no small steps, and as many pairs as their square.
  int triesLeft = kMostTries;
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

// Of a group that reduces: what it reads in the shape of what is reduced.
llvm::SmallSetVector<Value, 4> KernelGroups::reducedInputsOf(int id) const {
  llvm::SmallSetVector<Value, 4> inputs;
  if (!graph.isAlive(id))
    return inputs;
  const Group &ops = groups[id];
  const auto *reduction = llvm::find_if(ops, llvm::IsaPred<ReductionOpInterface>);
  if (reduction == ops.end() || !policy.isFusible(ops.back()))
    return inputs;
  const Shape shape = squeezed(getShape((*reduction)->getOperand(0)));
  const llvm::DenseSet<Operation *> inside(ops.begin(), ops.end());
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (!inside.contains(operand.getDefiningOp()) && squeezed(getShape(operand)) == shape)
        inputs.insert(operand);
  return inputs;
}

// A pass over memory is spared where one group that reduces reads nothing that another one does not
// read, even if neither reads the other.
void KernelGroups::joinReductions() {
  if (!fuse)
    return;
  int triesLeft = kMostTries;
  std::vector<llvm::SmallSetVector<Value, 4>> inputs;
  llvm::MapVector<Value, SmallVector<int>> readers;
  for (int id = 0; id < int(groups.size()); ++id) {
    inputs.push_back(reducedInputsOf(id));
    for (Value input : inputs[id])
      readers[input].push_back(id);
  }
  for (int id = 0; id < int(groups.size()); ++id) {
    if (inputs[id].empty())
      continue;
    for (int other : readers[inputs[id].front()]) {
      if (other == id || !graph.isAlive(other) ||
          llvm::any_of(inputs[id], [&](Value input) { return !inputs[other].contains(input); }))
        continue;
      if (--triesLeft < 0)
        return;
      auto [earlier, later] =
          graph.standsBefore(id, other) ? std::pair(id, other) : std::pair(other, id);
      if (join(earlier, later)) {
        // What has both reads what the other one did.
        inputs[later] = inputs[other];
        inputs[earlier].clear();
        break;
      }
    }
  }
}

// The ops of both, each once. Most often one is a long group and the other an op that reads it.
KernelGroups::Group KernelGroups::merged(int a, int b) const {
  if (groups[a].size() < groups[b].size())
    std::swap(a, b);
  Group ops(groups[a]);
  for (Operation *op : groups[b])
    if (auto place = llvm::lower_bound(ops, op, isBefore); place == ops.end() || *place != op)
      ops.insert(place, op);
  return ops;
}

// Whether the value is read by reductions, perhaps after a few elementwise ops, and by nothing
// else.
static bool isOnlyReduced(Value value, int mostOps = 3) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return isa<ReductionOpInterface>(user) || (mostOps > 0 && isa<ElementwiseOpInterface>(user) &&
                                               isOnlyReduced(user->getResult(0), mostOps - 1));
  });
}

std::optional<Nest> KernelGroups::nestOf(ArrayRef<Operation *> ops) const {
  if (!policy.allowsOps(ops) || definesOwnSize(ops))
    return std::nullopt;
  // Nothing that follows from the sums of gradients is done with them yet.
  if (attentions.hasGradients() &&
      llvm::any_of(ops, [&](Operation *op) { return attentions.gradientsEndingAt(op); }))
    return std::nullopt;
  Group ownOps(ops);
  llvm::erase_if(ownOps, [&](Operation *op) { return !isOwned(op); });
  const int64_t owned = FusionPolicy::countOps(ownOps);
  SmallVector<Value> outputs = outputsOf(ops);
  // What follows from attention follows from the tiles of a product.
  if (const Attention *attention = attentions.among(ops)) {
    llvm::erase_if(outputs, [&](Value output) { return attention->isOfRows(output); });
    // What follows from a result that is in memory anyway, and only reductions read, is theirs: as
    // the product of a result and its gradient, of which they read both. (Not of halves: of those
    // the product is of what the result is before it is rounded, and the sum as exact as weights.)
    Value result = DotGeneralOp(attention->mix).getY();
    if (getElementType(result).getIntOrFloatBitWidth() >= 32 &&
        llvm::is_contained(outputs, result) && llvm::any_of(outputs, [&](Value output) {
          return output != result && isOnlyReduced(output);
        }))
      return std::nullopt;
    return policy.nestOf(attention->opsBehind(ops, outputs), outputs, owned);
  }
  return policy.nestOf(ops, outputs, owned);
}

// What the two are as one kernel, whose ops are given; nothing if they are none, or better apart.
std::optional<Nest> KernelGroups::joined(int producer, int consumer,
                                         ArrayRef<Operation *> ops) const {
  const Nest &a = nests[producer], &b = nests[consumer];
  // The analysis also refuses what nobody reads.
  if (!a.walked || a.walked != b.walked || ops.back()->use_empty() || !sizes.empty())
    return nestOf(ops);
  return policy.joined(a, b);
}

// Makes them one group, if that is one kernel. It cannot read in memory what it computes itself.
bool KernelGroups::join(int producer, int consumer) {
  auto isProduced = [&](Operation *op) { return home.lookup(op) == producer; };
  if (!policy.allowsOps(nests[producer].ops + nests[consumer].ops) ||
      llvm::any_of(fromMemory[consumer], isProduced) || graph.hasDetour(producer, consumer))
    return false;
  Group ops = merged(producer, consumer);
  if (!policy.allowsOps(ops))
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
  fromMemory[consumer].append(fromMemory[producer]);
  fromMemory[producer].clear();
  graph.merge(producer, consumer);
  return true;
}
