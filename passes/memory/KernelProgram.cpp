#include "passes/memory/KernelProgram.h"

#include "ir/dialect/GraphError.h"
#include "passes/memory/MemoryPlan.h"

#include "llvm/ADT/DenseSet.h"

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

Value keratin::passes::rootOf(Value value) {
  while (auto view = value.getDefiningOp<ReshapeOp>())
    value = view.getX();
  return value;
}

std::optional<DimExpr> keratin::passes::bytesOf(Value value) {
  std::optional<DimExpr> count = elementCount(getShape(value));
  return count ? mul(*count, dtypeBytes(dtypeOf(getElementType(value)))) : std::nullopt;
}

func::ReturnOp KernelProgram::returnOp() const {
  func::FuncOp holder = func; // ops are handles: constness is the handle's
  return cast<func::ReturnOp>(holder.getBody().front().getTerminator());
}

int64_t KernelProgram::producer(Value root) const {
  auto kernel = root.getDefiningOp<KernelOp>();
  return kernel ? position(kernel) : -1;
}

ArrayRef<int64_t> KernelProgram::readers(Value root) const {
  auto found = readerLists.find(root);
  return found == readerLists.end() ? ArrayRef<int64_t>() : ArrayRef<int64_t>(found->second);
}

ArrayRef<unsigned> KernelProgram::returnedAs(Value root) const {
  auto found = returnLists.find(root);
  return found == returnLists.end() ? ArrayRef<unsigned>() : ArrayRef<unsigned>(found->second);
}

const UpdateResult *KernelProgram::updateAt(unsigned index) const {
  auto found = llvm::find_if(updateResults,
                             [&](const UpdateResult &update) { return update.result == index; });
  return found == updateResults.end() ? nullptr : &*found;
}

bool KernelProgram::isFallible(int64_t kernel) const {
  return kernelOps[kernel]->hasAttr(kFallibleAttr);
}

bool KernelProgram::hasEffect(int64_t kernel) const {
  return kernelOps[kernel]->hasAttr(kEffectAttr);
}

LogicalResult KernelProgram::readSignature() {
  SmallVector<BlockArgument> variables;
  for (BlockArgument argument : func.getArguments()) {
    auto kind = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kKindAttr);
    if (kind && kind.getValue() == "variable")
      variables.push_back(argument);
  }
  DenseMap<Value, unsigned> updatesOfVariable;
  for (unsigned index = 0; index < func.getNumResults(); ++index) {
    auto kind = func.getResultAttrOfType<StringAttr>(index, kKindAttr);
    if (!kind || kind.getValue() != "update")
      continue;
    // The dialect's verifier has seen that there is such a variable.
    BlockArgument old =
        variables[func.getResultAttrOfType<IntegerAttr>(index, kVariableAttr).getInt()];
    if (func.getResultTypes()[index] != old.getType())
      return emitGraphError(func) << "result " << index << " has type "
                                  << func.getResultTypes()[index]
                                  << " and updates a variable of type " << old.getType();
    updateResults.push_back({index, old, true});
    ++updatesOfVariable[old];
  }
  for (UpdateResult &update : updateResults)
    update.isOnlyUpdate = updatesOfVariable[update.variable] == 1;
  return success();
}

FailureOr<KernelProgram> KernelProgram::build(func::FuncOp function) {
  KernelProgram program(function);
  if (!function.getBody().hasOneBlock())
    return emitGraphError(function) << "needs a body of one block", failure();
  if (failed(program.readSignature()))
    return failure();
  for (Operation &op : function.getBody().front()) {
    if (auto kernel = dyn_cast<KernelOp>(op)) {
      int64_t position = program.kernelOps.size();
      program.positions[kernel] = position;
      program.kernelOps.push_back(kernel);
      for (Value input : kernel.getInputs()) {
        SmallVector<int64_t, 2> &readers = program.readerLists[rootOf(input)];
        if (readers.empty() || readers.back() != position)
          readers.push_back(position);
      }
    } else if (auto exit = dyn_cast<func::ReturnOp>(op)) {
      for (auto [index, value] : llvm::enumerate(exit.getOperands()))
        program.returnLists[rootOf(value)].push_back(index);
    } else if (!isa<ReshapeOp, ConstantOp>(op)) {
      return op.emitOpError("stands outside of a kernel; fusion must come before planning"),
             failure();
    }
  }
  return program;
}

// A kernel that copies `value`, as soon as it is there: what the copy reads dies early, and it
// comes before anything that may write the storage later.
static Value copy(Value value) {
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  Location loc = value.getLoc();
  auto kernel = builder.create<KernelOp>(loc, TypeRange(value.getType()), ValueRange(value));
  Block *body = builder.createBlock(&kernel.getBody(), {}, {value.getType()}, {loc});
  Value same = builder.create<IdentityOp>(loc, value.getType(), body->getArgument(0));
  builder.create<YieldOp>(loc, same);
  return kernel.getResult(0);
}

void keratin::passes::copySharedResults(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return;
  auto exit = cast<func::ReturnOp>(function.getBody().front().getTerminator());
  // Who has storage of its own already. Updates choose first: their value may then be made in the
  // variable's own buffer, which saves one as large.
  llvm::DenseSet<Value> taken;
  llvm::SmallVector<bool> keeps(exit.getNumOperands(), false);
  for (bool updates : {true, false})
    for (unsigned index = 0; index < exit.getNumOperands(); ++index) {
      auto kind = function.getResultAttrOfType<StringAttr>(index, kKindAttr);
      if ((kind && kind.getValue() == "update") != updates)
        continue;
      Value root = rootOf(exit.getOperand(index));
      keeps[index] = root.getDefiningOp<KernelOp>() && taken.insert(root).second;
    }
  for (unsigned index = 0; index < exit.getNumOperands(); ++index)
    if (!keeps[index])
      exit.setOperand(index, copy(exit.getOperand(index)));
}
