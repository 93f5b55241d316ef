#include "passes/memory/KernelProgram.h"

#include "ir/dialect/ComplexNumbers.h"
#include "ir/dialect/GraphError.h"
#include "ir/dialect/Signature.h"
#include "ir/interfaces/IterationSpace.h"
#include "ir/interfaces/OpProperties.h"

#include "llvm/ADT/DenseSet.h"

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

int64_t KernelProgram::producer(Value root) const {
  Operation *op = root.getDefiningOp();
  return op && isNode(op) ? position(op) : -1;
}

ArrayRef<int64_t> KernelProgram::readers(Value root) const {
  auto found = readerLists.find(root);
  return found == readerLists.end() ? ArrayRef<int64_t>() : ArrayRef<int64_t>(found->second);
}

ArrayRef<unsigned> KernelProgram::returnedAs(Value root) const {
  auto found = returnLists.find(root);
  return found == returnLists.end() ? ArrayRef<unsigned>() : ArrayRef<unsigned>(found->second);
}

SmallVector<Operation *> keratin::passes::readersOf(Value root) {
  SmallVector<Operation *> readers;
  SmallVector<Value> work{root};
  while (!work.empty())
    for (Operation *user : work.pop_back_val().getUsers()) {
      if (isView(user))
        work.push_back(user->getResult(0));
      else
        readers.push_back(user);
    }
  return readers;
}

bool keratin::passes::isMessage(Operation *node) {
  auto kernel = dyn_cast<KernelOp>(node);
  return kernel &&
         llvm::any_of(kernel.getBody().front(), [](Operation &op) { return isCollective(&op); });
}

Operation *keratin::passes::waiterFor(KernelOp message) {
  auto needs = [&](Operation &op) {
    return llvm::any_of(op.getOperands(),
                        [&](Value operand) { return rootOf(operand).getDefiningOp() == message; });
  };
  auto sends = [](Operation &op) {
    auto stopAt = [](Operation *inner) {
      return isCollective(inner) ? WalkResult::interrupt() : WalkResult::advance();
    };
    return op.walk(stopAt).wasInterrupted();
  };
  for (Operation *op = message->getNextNode(); op->getNextNode(); op = op->getNextNode())
    if ((!isView(op) && needs(*op)) || (isNode(op) && !isa<KernelOp>(op) && sends(*op)))
      return op;
  return message->getBlock()->getTerminator();
}

const UpdateResult *KernelProgram::updateAt(unsigned index) const {
  // Ascending, as they are collected.
  auto found =
      llvm::lower_bound(updateResults, index, [](const UpdateResult &update, unsigned wanted) {
        return update.result < wanted;
      });
  return found == updateResults.end() || found->result != index ? nullptr : &*found;
}

LogicalResult KernelProgram::readSignature(func::FuncOp func) {
  Signature signature(func);
  unsigned firstVariable = signature.firstVariable();
  DenseMap<Value, unsigned> updatesOfVariable;
  for (unsigned index = 0; index < func.getNumResults(); ++index) {
    if (!signature.isUpdate(index))
      continue;
    // The dialect's verifier has seen that there is such a variable.
    unsigned variable = *signature.updatedVariable(index);
    BlockArgument old = func.getArgument(firstVariable + variable);
    if (func.getResultTypes()[index] != old.getType())
      return emitGraphError(func) << "result " << index << " has type "
                                  << func.getResultTypes()[index]
                                  << " and updates a variable of type " << old.getType();
    updateResults.push_back({index, variable, old, true});
    ++updatesOfVariable[old];
  }
  for (UpdateResult &update : updateResults)
    update.isOnlyUpdate = updatesOfVariable[update.variable] == 1;
  return success();
}

static bool anyKernelHas(Operation *node, StringRef attribute) {
  WalkResult walk = node->walk([&](KernelOp kernel) {
    return kernel->hasAttr(attribute) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

void KernelProgram::addReader(Value root, int64_t node) {
  SmallVector<int64_t, 2> &readers = readerLists[root];
  auto place = llvm::lower_bound(readers, node);
  if (place == readers.end() || *place != node)
    readers.insert(place, node);
}

// Along the views that the operand is.
void KernelProgram::addWaits(Value operand, int64_t node) {
  for (Operation *op = operand.getDefiningOp(); op && isView(op);
       op = op->getOperand(0).getDefiningOp())
    if (auto delay = dyn_cast<DelayOp>(op))
      if (int64_t maker = producer(rootOf(delay.getAfter())); maker >= 0)
        waitList.push_back({maker, node});
}

LogicalResult KernelProgram::readBlock() {
  for (Operation &op : *body) {
    if (isNode(&op)) {
      int64_t position = nodeOps.size();
      positions[&op] = position;
      nodeOps.push_back(&op);
      fallible.push_back(ir::isFallible(&op));
      effect.push_back(anyKernelHas(&op, kEffectAttr));
      for (Value operand : op.getOperands()) {
        addReader(rootOf(operand), position);
        addWaits(operand, position);
      }
    } else if (&op == exit()) {
      for (auto [index, value] : llvm::enumerate(op.getOperands()))
        returnLists[rootOf(value)].push_back(index);
    } else if (auto define = dyn_cast<DefineSizeOp>(op)) {
      // Later the storage may be another value's.
      if (producer(rootOf(define.getSize())) != int64_t(nodeOps.size()) - 1)
        return emitGraphError(define)
               << "a size must be defined right behind the kernel that computes it, and one that "
                  "no kernel computes before the first";
      if (!nodeOps.empty())
        fallible.back() = true;
    } else if (!isView(&op) && !isa<ConstantOp>(op)) {
      return op.emitOpError("stands outside of a kernel; fusion must come before planning");
    }
  }
  for (Operation *node : nodeOps) {
    if (!isMessage(node))
      continue;
    Operation *waiter = waiterFor(cast<KernelOp>(node));
    if (isa<DefineSizeOp>(waiter)) // right behind it
      continue;
    int64_t until = waiter == exit() ? int64_t(nodeOps.size()) - 1 : position(waiter);
    for (ValueRange values : {ValueRange(node->getOperands()), ValueRange(node->getResults())})
      for (Value value : values)
        if (until > position(node))
          addReader(rootOf(value), until);
  }
  return success();
}

// Who needs the sizes that the block defines.
LogicalResult KernelProgram::readSizes() {
  LocalSizes sizes(*body);
  if (sizes.empty())
    return success();
  DenseMap<int64_t, int64_t> definers;
  for (DefineSizeOp op : body->getOps<DefineSizeOp>())
    definers[op.getSymbol()] = producer(rootOf(op.getSize()));
  for (int64_t user = 0; user < int64_t(nodeOps.size()); ++user)
    for (int64_t symbol : sizes.symbolsIn(nodeOps[user])) {
      int64_t definer = definers.lookup(symbol);
      // A loop's stacks are as long as it has steps.
      auto loop = dyn_cast<WhileOp>(nodeOps[user]);
      if (loop && loop.getLength() && loop.getSteps().symbolId() == symbol && definer == user)
        continue;
      if (definer >= user)
        return emitGraphError(nodeOps[user])
               << "d" << symbol << " has no value before the kernel that needs it";
      sizeUseList.push_back({definer, user});
    }
  llvm::sort(sizeUseList, [](SizeUse a, SizeUse b) {
    return std::pair(a.user, a.definer) < std::pair(b.user, b.definer);
  });
  return success();
}

FailureOr<KernelProgram> KernelProgram::build(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return emitGraphError(function) << "needs a body of one block", failure();
  KernelProgram program(function.getBody().front());
  if (failed(program.readSignature(function)))
    return failure();
  FailureOr<ComputedSizes> sizes = ComputedSizes::of(function);
  if (failed(sizes))
    return failure();
  program.computedSizes = std::move(*sizes);
  if (failed(program.readBlock()) || failed(program.readSizes()))
    return failure();
  return program;
}

FailureOr<KernelProgram> KernelProgram::build(Block &block) {
  KernelProgram program(block);
  if (failed(program.readBlock()) || failed(program.readSizes()))
    return failure();
  return program;
}

// Moves an op to the end of the block, with the views of its results and the sizes they define.
static void moveToEnd(Operation *op, Operation *end) {
  op->moveBefore(end);
  for (Value result : op->getResults())
    for (Operation *user : llvm::make_early_inc_range(result.getUsers()))
      if (isView(user) || isa<DefineSizeOp>(user))
        moveToEnd(user, end);
}

void keratin::passes::putInOrder(const KernelProgram &program, ArrayRef<int64_t> order) {
  Operation *end = program.exit();
  for (DelayOp delay : llvm::make_early_inc_range(program.block().getOps<DelayOp>())) {
    delay.replaceAllUsesWith(delay.getX());
    delay.erase();
  }
  SmallVector<Operation *> first;
  for (Operation &op : program.block())
    if (isa<ConstantOp>(op))
      first.push_back(&op);
  for (Operation &op : program.block()) {
    if ((isView(&op) || isa<DefineSizeOp>(op)) && isa<BlockArgument>(op.getOperand(0)))
      first.push_back(&op);
  }
  for (Operation *op : first)
    moveToEnd(op, end);
  for (int64_t node : order)
    moveToEnd(program.nodes()[node], end);
}

// A kernel that copies `value`, as soon as it is there: what the copy reads dies early, and it
// comes before anything that may write the storage later.
static Value copy(Value value) {
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  // Kernels know complex numbers as pairs.
  if (ComplexType complex = complexElementsOf(value.getType())) {
    Value parts = copy(builder.create<AsPartsOp>(
        value.getLoc(), getTensorType(pairShape(value), complex.getElementType()), value));
    builder.setInsertionPointAfterValue(parts);
    return builder.create<FromPartsOp>(value.getLoc(), value.getType(), parts);
  }
  // Nothing stands between a size and the kernel or loop that computes it, and none before a size
  // that is there from the start.
  Operation *maker = value.getDefiningOp();
  Operation *next = maker ? maker->getNextNode() : &value.getParentBlock()->front();
  for (; next && !isNode(next); next = next->getNextNode())
    if (isa<DefineSizeOp>(next))
      builder.setInsertionPointAfter(next);
  Location loc = value.getLoc();
  auto kernel = builder.create<KernelOp>(loc, TypeRange(value.getType()), ValueRange(value));
  Block *body = builder.createBlock(&kernel.getBody(), {}, {value.getType()}, {loc});
  Value same = builder.create<IdentityOp>(loc, value.getType(), body->getArgument(0));
  builder.create<YieldOp>(loc, same);
  return kernel.getResult(0);
}

// Operands of the terminator in the order in which they choose. Updates go first: their value may
// then be made in the variable's own buffer, which saves one as large.
static SmallVector<unsigned> inOrderOfChoice(Block &block) {
  SmallVector<unsigned> first, others;
  auto function = dyn_cast<func::FuncOp>(block.getParentOp());
  for (unsigned index = 0; index < block.getTerminator()->getNumOperands(); ++index) {
    bool isUpdate = function && Signature(function).isUpdate(index);
    (isUpdate ? first : others).push_back(index);
  }
  first.append(others);
  return first;
}

// Some rows of what a node makes.
static bool isPart(Value value) {
  Operation *op = value.getDefiningOp();
  return op && isView(op) && (isa<SliceOp>(op) || isPart(op->getOperand(0)));
}

static void copySharedResultsOf(Block &block) {
  for (Operation &op : block)
    if (!isa<KernelOp>(op))
      for (Region &region : op.getRegions())
        copySharedResultsOf(region.front());
  Operation *exit = block.getTerminator();
  auto loop = dyn_cast<LoopOpInterface>(block.getParentOp());
  unsigned numStates = loop ? loop.getNumStates() : 0;
  // Who has storage of its own already, and which states have that of a stack.
  llvm::DenseSet<Value> taken, states, stacked;
  SmallVector<bool> keeps(exit->getNumOperands(), false);
  for (unsigned index : inOrderOfChoice(block)) {
    Value root = rootOf(exit->getOperand(index));
    if (!root.getDefiningOp() || !isNode(root.getDefiningOp()) || isPart(exit->getOperand(index)))
      continue;
    keeps[index] = taken.insert(root).second;
    if (index < numStates && keeps[index])
      states.insert(root);
    else if (!keeps[index] && index >= numStates && states.contains(root))
      keeps[index] = stacked.insert(root).second;
  }
  for (unsigned index = 0; index < exit->getNumOperands(); ++index)
    if (!keeps[index])
      exit->setOperand(index, copy(exit->getOperand(index)));
}

void keratin::passes::copySharedResults(func::FuncOp function) {
  if (function.getBody().hasOneBlock())
    copySharedResultsOf(function.getBody().front());
}
