#include "frontend/graph/StateParts.h"

#include "frontend/graph/Job.h"
#include "frontend/graph/VariableStorage.h"

#include "ir/dialect/Signature.h"
#include "ir/interfaces/ComputedSizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace mlir;

static bool isState(func::FuncOp function, BlockArgument variable) {
  ir::Signature signature(function);
  const int64_t number = variable.getArgNumber() - signature.firstVariable();
  if (!isa<FloatType>(ir::getElementType(variable)) || ir::getShape(variable).empty())
    return false;
  llvm::SetVector<Value> made; // of its elements
  made.insert(variable);
  bool updatesItself = false, updatesAnother = false;
  for (size_t i = 0; i < made.size(); ++i)
    for (OpOperand &use : made[i].getUses()) {
      Operation *user = use.getOwner();
      if (isa<func::ReturnOp>(user)) {
        std::optional<int64_t> updated = signature.updatedVariable(use.getOperandNumber());
        if (!updated)
          return false;
        (*updated == number ? updatesItself : updatesAnother) = true;
      } else if (isa<ir::ElementwiseOpInterface>(user) && isMemoryEffectFree(user)) {
        made.insert(user->result_begin(), user->result_end());
      } else {
        return false;
      }
    }
  return updatesItself && updatesAnother;
}

static ir::DimExpr addNumber(FunctionModule &module, func::FuncOp function, const char *name,
                             int64_t value) {
  const int64_t symbol = ir::firstUnusedSymbol(function);
  MLIRContext *context = function.getContext();
  ir::SignatureEntry entry = ir::SignatureEntry::variable(context, name);
  entry.setSymbol({ir::ValuePart::Whole, symbol});
  function.insertArgument(function.getNumArguments(),
                          ir::getTensorType({}, IntegerType::get(context, 64)), entry.attributes(),
                          function.getLoc());
  module.variables.push_back({name, std::make_shared<VariableStorage>(Array(value))});
  return ir::DimExpr::symbol(symbol);
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
    if (isState(function, argument))
      states.push_back(argument.getArgNumber());
  if (states.empty())
    return;
  const ir::DimExpr rank = addNumber(module, function, "rank", jobRank(along));
  const ir::DimExpr ranks = addNumber(module, function, "ranks", jobSize(along));
  module.dividedAlong = along;
  for (unsigned state : states) {
    signature.setInParts(state, {rank, ranks},
                         axis.empty() ? StringAttr()
                                      : StringAttr::get(function.getContext(), axis));
    module.divided.insert(module.variables[state - first].storage.get());
  }
}
