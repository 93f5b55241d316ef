#include "frontend/graph/StateParts.h"

#include "frontend/graph/Job.h"
#include "frontend/graph/VariableStorage.h"

#include "compiler/driver/RankParts.h"
#include "ir/dialect/MeshAxes.h"
#include "ir/dialect/Signature.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace mlir;

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
        !compiler::updatedByState(function, argument).empty())
      states.push_back(argument.getArgNumber());
  if (states.empty())
    return;
  const ir::DimExpr rank = addRankNumber(module, KERATIN_RANK_PLACE, axis);
  const ir::DimExpr ranks = addRankNumber(module, KERATIN_RANK_COUNT, axis);
  for (unsigned state : states) {
    signature.setInParts(state, {rank, ranks}, ir::meshAxisAttr(function.getContext(), axis));
    module.divided[module.variables[state - first].storage.get()] =
        VariableStorage::Extent::elements(along);
  }
}
