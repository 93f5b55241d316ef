#include "frontend/graph/VariableParts.h"

#include "frontend/graph/Job.h"

#include "compiler/driver/RankParts.h"
#include "ir/dialect/MeshAxes.h"
#include "ir/dialect/Signature.h"
#include "runtime/object/VariablePart.h"

#include <tuple>

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
    const int64_t rank = jobRank(extent.axis), ranks = jobSize(extent.axis);
    if (ranks == 1 || size == 0)
      return;
    ir::OwnPart own{unsigned(extent.dimension), {}, {}};
    if (size % ranks == 0) {
      own.size = DimExpr(size / ranks);
      own.begin = call.check(mul(own.size, numberOf("rank", extent, 0, rank)));
    } else {
      const int64_t begin = runtime::partBegin(size, rank, ranks),
                    end = runtime::partBegin(size, rank + 1, ranks);
      own.begin = numberOf("begin", extent, size, begin);
      own.size = numberOf("size", extent, size, end - begin);
    }
    signature.setOwnPart(first + number, own, ir::meshAxisAttr(module.context.get(), part.axis));
    module.divided[module.variables[number].storage.get()] = extent;
  }

  // One for all variables whose parts are alike: these fit together.
  DimExpr numberOf(const char *name, const Extent &extent, int64_t size, int64_t value) {
    auto [found, isNew] =
        numbers.try_emplace({name, extent.axis.count, extent.axis.stride, size}, DimExpr());
    if (isNew)
      found->second = addNumber(module, name, value);
    return found->second;
  }

  Call &call;
  FunctionModule &module;
  func::FuncOp function;
  ir::Signature signature;
  const unsigned first;
  std::map<unsigned, Part> wanted; // by the number of the variable
  std::map<std::tuple<std::string, int32_t, int32_t, int64_t>, DimExpr> numbers;
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
