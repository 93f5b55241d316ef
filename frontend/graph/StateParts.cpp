#include "frontend/graph/StateParts.h"

#include "frontend/graph/Job.h"
#include "frontend/graph/VariableStorage.h"

#include "ir/dialect/MeshAxes.h"
#include "ir/dialect/Signature.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace mlir;

llvm::SetVector<int64_t> frontend::updatedByState(func::FuncOp function, BlockArgument variable) {
  ir::Signature signature(function);
  const int64_t number = variable.getArgNumber() - signature.firstVariable();
  if (!isa<FloatType>(ir::getElementType(variable)) || ir::getShape(variable).empty())
    return {};
  llvm::SetVector<Value> made; // of its elements
  made.insert(variable);
  bool updatesItself = false;
  llvm::SetVector<int64_t> others;
  for (size_t i = 0; i < made.size(); ++i)
    for (OpOperand &use : made[i].getUses()) {
      Operation *user = use.getOwner();
      if (isa<func::ReturnOp>(user)) {
        std::optional<int64_t> updated = signature.updatedVariable(use.getOperandNumber());
        if (!updated)
          return {};
        updatesItself |= *updated == number;
        if (*updated != number)
          others.insert(*updated);
      } else if (isa<ir::ElementwiseOpInterface>(user) && isMemoryEffectFree(user)) {
        made.insert(user->result_begin(), user->result_end());
      } else {
        return {};
      }
    }
  return updatesItself ? others : llvm::SetVector<int64_t>();
}

void frontend::divideStates(FunctionModule &module, const std::string &axis) {
  const keratin_axis_t along = jobAxis(axis).value_or(keratin_axis_t{});
  if (jobSize(along) == 1)
    return;
  func::FuncOp function = *module.module->getOps<func::FuncOp>().begin();
  ir::Signature signature(function);
  const unsigned first = signature.firstVariable();
  llvm::SmallVector<unsigned> states;
  for (BlockArgument argument : function.getArguments().drop_front(first))
    if (!module.divided.count(module.variables[argument.getArgNumber() - first].storage.get()) &&
        !updatedByState(function, argument).empty())
      states.push_back(argument.getArgNumber());
  if (states.empty())
    return;
  const ir::DimExpr rank = addNumber(module, "rank", jobRank(along));
  const ir::DimExpr ranks = addNumber(module, "ranks", jobSize(along));
  for (unsigned state : states) {
    signature.setInParts(state, {rank, ranks}, ir::meshAxisAttr(function.getContext(), axis));
    module.divided[module.variables[state - first].storage.get()] =
        VariableStorage::Extent::elements(along);
  }
}
