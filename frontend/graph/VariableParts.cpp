#include "frontend/graph/VariableParts.h"

#include "frontend/graph/Job.h"

#include "compiler/driver/RankParts.h"
#include "ir/dialect/MeshAxes.h"
#include "ir/dialect/Signature.h"

#include <map>
#include <string>

using namespace keratin;
using namespace keratin::frontend;
using namespace mlir;

namespace {

using Extent = VariableStorage::Extent;

class VariableDivider {
public:
  VariableDivider(Call &call, FunctionModule &module)
      : call(call), module(module), function(*module.module->getOps<func::FuncOp>().begin()),
        signature(function), first(signature.firstVariable()) {}

  void divide(const Shard &shard) {
    const std::string name = shard.variable.name();
    auto variable = call.raw(shard.variable).getDefiningOp<ir::VariableOp>();
    if (!variable)
      call.valueError("each rank is to have a part of '" + name + "'; needed a variable");
    const VariableStorage *storage = call.graph.variables[variable.getId()].storage.get();
    const int64_t dimension = call.axis(shard.dimension, call.rank(variable.getResult()));
    auto own = llvm::find_if(module.variables, [&](const ModuleVariable &each) {
      return each.storage.get() == storage;
    });
    if (own == module.variables.end())
      call.valueError("each rank is to have a part of variable '" + name +
                      "'; needed one of the function's");
    const std::string axis = axisInJob(shard.mesh);
    const Part part{Extent::along(dimension, axis.empty() ? keratin_axis_t() : *jobAxis(axis)),
                    axis};
    auto [known, isNew] = wanted.try_emplace(unsigned(own - module.variables.begin()), part);
    if (!isNew && !(known->second.extent == part.extent))
      call.valueError("variable '" + name + "' is to be in parts twice, along dimensions " +
                      std::to_string(known->second.extent.dimension) + " and " +
                      std::to_string(dimension) + "; needed once");
  }

  void run() {
    for (BlockArgument argument : function.getArguments().drop_front(first))
      for (int64_t updated : compiler::updatedByState(function, argument))
        if (auto found = wanted.find(unsigned(updated)); found != wanted.end())
          wanted.try_emplace(argument.getArgNumber() - first, found->second);
    for (const auto &[number, part] : wanted)
      mark(number, part);
  }

private:
  struct Part {
    Extent extent;
    std::string axis; // of the mesh; "": all ranks
  };

  // Of one rank there are no parts, and of no elements.
  void mark(unsigned number, const Part &part) {
    const Extent &extent = part.extent;
    const int64_t size =
        ir::getShape(function.getArgument(first + number))[size_t(extent.dimension)]
            .constantValue();
    const int64_t ranks = jobSize(extent.axis);
    if (ranks == 1 || size == 0)
      return;
    const ir::OwnPart own = compiler::ownPart(
        unsigned(extent.dimension), size, ranks,
        [&](keratin_rank_number_kind_t kind) { return numberOf(kind, part.axis, size); });
    signature.setOwnPart(first + number, own, ir::meshAxisAttr(module.context.get(), part.axis));
    module.divided[module.variables[number].storage.get()] = extent;
  }

  // One for all variables whose parts are alike: these fit together.
  DimExpr numberOf(keratin_rank_number_kind_t kind, const std::string &axis, int64_t size) {
    auto [found, isNew] =
        numbers.try_emplace(compiler::nameOfRankNumber(kind, axis, size), DimExpr());
    if (isNew)
      found->second = addRankNumber(module, kind, axis, size);
    return found->second;
  }

  Call &call;
  FunctionModule &module;
  func::FuncOp function;
  ir::Signature signature;
  const unsigned first;
  std::map<unsigned, Part> wanted;        // by the number of the variable
  std::map<std::string, DimExpr> numbers; // by its name
};

} // namespace

void frontend::divideVariables(Call &call, FunctionModule &module,
                               const std::vector<Shard> &shards) {
  VariableDivider divider(call, module);
  for (const Shard &shard : shards)
    if (!shard.variable.isEmpty())
      divider.divide(shard);
  divider.run();
}
