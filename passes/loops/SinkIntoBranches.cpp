#include "ir/interfaces/OpProperties.h"
#include "passes/Passes.h"
#include "passes/loops/CheapValues.h"

#include "ir/dialect/Keratin.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_SINKINTOBRANCHES
#include "passes/Passes.h.inc"

namespace {

// The captures of one `if`, which change as ops move into its branches.
class Sinking {
public:
  explicit Sinking(IfOp op) : op(op) {}

  void run() {
    for (unsigned i = 0; i < op.getCaptures().size();)
      if (!cloneConstant(i) && !dropUnread(i) && !sink(i))
        ++i;
  }

private:
  BlockArgument argument(Region &branch, unsigned capture) { return branch.getArgument(capture); }

  // The branch that alone reads the capture; null for none or both.
  Region *onlyReader(unsigned capture) {
    bool thenReads = !argument(op.getThenBody(), capture).use_empty();
    bool elseReads = !argument(op.getElseBody(), capture).use_empty();
    return thenReads == elseReads ? nullptr : thenReads ? &op.getThenBody() : &op.getElseBody();
  }

  void erase(unsigned capture) {
    op->eraseOperand(capture + 1);
    for (Region &branch : op->getRegions())
      branch.eraseArgument(capture);
  }

  // The place of the value among the captures, made if there is none.
  unsigned capture(Value value) {
    for (auto [i, captured] : llvm::enumerate(op.getCaptures()))
      if (captured == value)
        return unsigned(i);
    op->insertOperands(op->getNumOperands(), value);
    for (Region &branch : op->getRegions())
      branch.addArgument(value.getType(), value.getLoc());
    return unsigned(op.getCaptures().size()) - 1;
  }

  bool cloneConstant(unsigned i) {
    Operation *constant = op.getCaptures()[i].getDefiningOp<ConstantOp>();
    if (!constant || !isCheapInside(op.getCaptures()[i]))
      return false;
    for (Region &branch : op->getRegions())
      if (BlockArgument read = argument(branch, i); !read.use_empty())
        read.replaceAllUsesWith(
            OpBuilder::atBlockBegin(&branch.front()).clone(*constant)->getResult(0));
    erase(i);
    return true;
  }

  bool dropUnread(unsigned i) {
    for (Region &branch : op->getRegions())
      if (!argument(branch, i).use_empty())
        return false;
    erase(i);
    return true;
  }

  // Whether nobody but this branch needs the op.
  bool belongsTo(Region &branch, Operation *inner) {
    return llvm::all_of(inner->getUses(), [&](OpOperand &use) {
      return use.getOwner() == op && use.getOperandNumber() > 0 &&
             onlyReader(use.getOperandNumber() - 1) == &branch;
    });
  }

  // Goes back to the first operand of what moved in: that may have been all that needed it.
  bool sink(unsigned &i) {
    Operation *inner = op.getCaptures()[i].getDefiningOp();
    Region *branch = onlyReader(i);
    // A derivative is taken of what stands around it.
    if (!branch || !inner || inner->getBlock() != op->getBlock() || isDerivative(inner) ||
        !isMemoryEffectFree(inner) || !belongsTo(*branch, inner))
      return false;
    for (OpOperand &operand : inner->getOpOperands()) {
      unsigned place = capture(operand.get());
      operand.set(argument(*branch, place));
      i = std::min(i, place);
    }
    inner->moveBefore(&branch->front(), branch->front().begin());
    for (unsigned k = unsigned(op.getCaptures().size()); k-- > 0;)
      if (Value captured = op.getCaptures()[k]; captured.getDefiningOp() == inner) {
        argument(*branch, k).replaceAllUsesWith(captured);
        erase(k);
        i = std::min(i, k);
      }
    return true;
  }

  IfOp op;
};

// Without the results that nobody reads, and what they alone needed.
IfOp withoutUnread(IfOp op) {
  auto isUnread = [](OpResult result) { return result.use_empty(); };
  if (llvm::none_of(op->getResults(), isUnread))
    return op;
  SmallVector<Type> types;
  SmallVector<Value> read;
  for (OpResult result : op->getResults())
    if (!isUnread(result)) {
      types.push_back(result.getType());
      read.push_back(result);
    }
  OpBuilder builder(op);
  auto lean = builder.create<IfOp>(op.getLoc(), types, op.getCondition(), op.getCaptures());
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), lean->getRegions())) {
    to.takeBody(from);
    Operation *yield = to.front().getTerminator();
    for (unsigned i = op->getNumResults(); i-- > 0;)
      if (isUnread(op->getResult(i)))
        yield->eraseOperand(i);
    for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(to.front())))
      if (isOpTriviallyDead(&inner))
        inner.erase();
  }
  for (auto [from, to] : llvm::zip_equal(read, lean->getResults()))
    from.replaceAllUsesWith(to);
  op.erase();
  return lean;
}

// From the last branch to the first, and then what moved into them.
void sinkInside(Block &block) {
  for (Operation *op = block.empty() ? nullptr : &block.back(); op; op = op->getPrevNode()) {
    if (auto branch = dyn_cast<IfOp>(op)) {
      branch = withoutUnread(branch);
      Sinking(branch).run();
      op = branch;
    }
    for (Region &region : op->getRegions())
      for (Block &inner : region)
        sinkInside(inner);
  }
}

struct SinkIntoBranchesPass : impl::SinkIntoBranchesBase<SinkIntoBranchesPass> {
  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      sinkInside(block);
  }
};

} // namespace
} // namespace keratin::passes
