#include "compiler/driver/RankParts.h"

#include "ir/dialect/LazyUpdates.h"
#include "ir/dialect/MeshAxes.h"
#include "ir/dialect/ShardsStates.h"
#include "ir/interfaces/ComputedSizes.h"
#include "runtime/comm/Mesh.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace keratin;
using namespace keratin::compiler;
using namespace mlir;

llvm::SetVector<int64_t> compiler::updatedByState(func::FuncOp function, BlockArgument variable) {
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

std::string compiler::nameOfRankNumber(keratin_rank_number_kind_t kind, const std::string &axis,
                                       int64_t size) {
  const std::string along = axis.empty() ? "" : axis + "_";
  switch (kind) {
  case KERATIN_RANK_PLACE:
    return along + "rank";
  case KERATIN_RANK_COUNT:
    return along + "ranks";
  case KERATIN_RANK_BEGIN:
    return along + "begin_of_" + std::to_string(size);
  case KERATIN_RANK_SIZE:
    return along + "part_of_" + std::to_string(size);
  }
  llvm_unreachable("a kind of rank numbers");
}

// Equal parts have a size that the compiler knows.
ir::OwnPart
compiler::ownPart(unsigned dimension, int64_t size, int64_t ranks,
                  llvm::function_ref<ir::DimExpr(keratin_rank_number_kind_t)> numberOf) {
  if (ranks == 0 || size % ranks != 0)
    return {dimension, numberOf(KERATIN_RANK_BEGIN), numberOf(KERATIN_RANK_SIZE)};
  const ir::DimExpr own(size / ranks);
  return {dimension, *mul(own, numberOf(KERATIN_RANK_PLACE)), own}; // below the size of the whole
}

namespace {

// How one function has a variable.
struct Extent {
  std::optional<keratin_part_kind_t> kind; // none: the whole
  int64_t dimension = 0;
  std::string axis; // of the mesh; "": all ranks

  bool operator==(const Extent &) const = default;

  std::string text() const {
    if (!kind)
      return "whole";
    return (*kind == KERATIN_PART_ALONG
                ? "in parts along its dimension " + std::to_string(dimension)
                : std::string("in parts of its elements")) +
           (axis.empty() ? "" : " among the ranks along '" + axis + "'");
  }
};

// The axis of the first input that has a part; none where no input has.
std::optional<std::string> axisOfSizes(func::FuncOp function) {
  const ir::Signature signature(function);
  for (unsigned i = 0; i < signature.firstVariable(); ++i)
    if (signature.sharded(i)) {
      const StringAttr axis = signature.meshAxis(i);
      return axis ? axis.str() : "";
    }
  return std::nullopt;
}

bool areStatesInParts(func::FuncOp function, const PartOptions &options) {
  return options.states || (options.variables && function->hasAttr(ir::kShardsStatesAttr));
}

bool isEmpty(Value value) {
  return llvm::is_contained(cast<RankedTensorType>(value.getType()).getShape(), 0);
}

// By the number of the variable in the signature.
std::map<unsigned, Extent> extentsIn(func::FuncOp function, const PartOptions &options) {
  const ir::Signature signature(function);
  const unsigned first = signature.firstVariable();
  const auto variables = function.getArguments().drop_front(first);
  std::map<unsigned, Extent> extents;
  for (BlockArgument variable : variables)
    if (std::optional<int64_t> dimension = signature.sharded(variable.getArgNumber());
        dimension && options.variables && !isEmpty(variable)) {
      const StringAttr axis = signature.meshAxis(variable.getArgNumber());
      extents[variable.getArgNumber() - first] = {KERATIN_PART_ALONG, *dimension,
                                                  axis ? axis.str() : ""};
    }
  const std::map<unsigned, Extent> said = extents;
  const std::optional<std::string> axis =
      areStatesInParts(function, options) ? axisOfSizes(function) : std::nullopt;
  for (BlockArgument variable : variables) {
    const llvm::SetVector<int64_t> updated = updatedByState(function, variable);
    const unsigned number = variable.getArgNumber() - first;
    for (int64_t other : updated)
      if (auto found = said.find(unsigned(other)); found != said.end())
        extents.try_emplace(number, found->second);
    if (axis && !updated.empty() && !isEmpty(variable))
      extents.try_emplace(number, Extent{KERATIN_PART_ELEMENTS, 0, *axis});
  }
  return extents;
}

} // namespace

namespace keratin::compiler {

class PartMarker {
public:
  PartMarker(ir::SavedGraph &graph, const PartOptions &options) : graph(graph), options(options) {}

  absl::StatusOr<RankParts> run() {
    functions = llvm::to_vector(graph.module->getOps<func::FuncOp>());
    if (absl::Status status = checkStates(); !status.ok())
      return status;
    result.parts.resize(graph.variables.size());
    for (auto [function, saved] : llvm::zip_equal(functions, graph.functions))
      if (absl::Status status = add(function, saved); !status.ok())
        return status;
    for (auto [function, saved, divided] : llvm::zip_equal(functions, graph.functions, extents))
      mark(function, saved, divided);
    result.list.num_numbers = int64_t(result.made.size());
    result.list.numbers = result.made.data();
    return std::move(result);
  }

private:
  absl::Status checkStates() {
    const auto *lazy = llvm::find_if(functions, [&](func::FuncOp function) {
      return areStatesInParts(function, options) && axisOfSizes(function) &&
             function->hasAttr(ir::kLazyUpdatesAttr);
    });
    if (lazy != functions.end())
      return absl::UnimplementedError("function '" + func::FuncOp(*lazy).getName().str() +
                                      "': not implemented: states in parts of lazy updates");
    auto hasSize = [](func::FuncOp function) { return axisOfSizes(function).has_value(); };
    return !options.states || llvm::any_of(functions, hasSize)
               ? absl::OkStatus()
               : absl::InvalidArgumentError(
                     "states are to be in parts, and no size is; needed one that is sharded");
  }

  // What another function needs of one of the variables must be the same.
  absl::Status add(func::FuncOp function, const ir::SavedFunction &saved) {
    std::map<unsigned, Extent> &own = extents.emplace_back(extentsIn(function, options));
    if (saved.variables.size() != ir::Signature(function).numVariables())
      return absl::InvalidArgumentError("function '" + saved.name +
                                        "' is given another number of variables than it has");
    for (auto [number, variable] : llvm::enumerate(saved.variables)) {
      const auto found = own.find(unsigned(number));
      const Extent asked = found == own.end() ? Extent() : found->second;
      auto ranks = ranksOf(graph.variables[variable], asked);
      if (!ranks.ok())
        return ranks.status();
      if (*ranks == 1) // has all there is
        own.erase(unsigned(number));
      const Extent extent = *ranks == 1 ? Extent() : asked;
      auto [known, isNew] = firsts.try_emplace(variable, extent, saved.name);
      const auto &[other, user] = known->second;
      if (!isNew && !(other == extent))
        return absl::InvalidArgumentError("variable '" + graph.variables[variable].name + "' is " +
                                          other.text() + " for function '" + user + "', and " +
                                          extent.text() + " for function '" + saved.name +
                                          "'; needed the same for both");
      if (!extent.kind)
        continue;
      const bool areEqual = *ranks > 0 && extent.kind == KERATIN_PART_ALONG &&
                            graph.variables[variable].dims[size_t(extent.dimension)] % *ranks == 0;
      result.parts[variable] = {.kind = int32_t(*extent.kind),
                                .dimension = int32_t(extent.dimension),
                                .axis = axisName(extent.axis),
                                .ranks = areEqual ? *ranks : 0,
                                .reserved = {}};
    }
    return absl::OkStatus();
  }

  // Among whom the variable is in parts; 0: any number.
  absl::StatusOr<int64_t> ranksOf(const ir::SavedVariable &variable, const Extent &extent) const {
    if (options.mesh.empty() || !extent.kind)
      return 0;
    int64_t ranks = 1;
    std::string axes;
    bool hasAxis = extent.axis.empty();
    for (const auto &[axis, count] : options.mesh) {
      axes += (axes.empty() ? "'" : ", '") + axis + "'";
      hasAxis |= extent.axis == axis;
      if (extent.axis.empty() || extent.axis == axis)
        ranks = std::min<int64_t>(ranks * count, INT32_MAX);
    }
    if (!hasAxis)
      return absl::InvalidArgumentError("variable '" + variable.name + "' is " + extent.text() +
                                        "; the axes of the mesh are " + axes);
    return ranks;
  }

  // Null for all ranks. Of one name always the same.
  const char *axisName(const std::string &axis) {
    if (axis.empty())
      return nullptr;
    auto known = llvm::find(result.axes, axis);
    return (known == result.axes.end() ? result.axes.emplace_back(axis) : *known).c_str();
  }

  void mark(func::FuncOp function, ir::SavedFunction &saved,
            const std::map<unsigned, Extent> &divided) {
    function->removeAttr(ir::kShardsStatesAttr);
    ir::Signature signature(function);
    const unsigned first = signature.firstVariable();
    std::map<size_t, ir::DimExpr> symbols; // of the rank numbers
    for (const auto &[number, extent] : divided) {
      const unsigned argument = first + number;
      auto numberOf = [&](keratin_rank_number_kind_t kind, int64_t size = 0) {
        return symbolOf(function, saved, symbols, kind, size, extent.axis);
      };
      const StringAttr axis = ir::meshAxisAttr(function.getContext(), extent.axis);
      if (extent.kind == KERATIN_PART_ELEMENTS) {
        const ir::DimExpr rank = numberOf(KERATIN_RANK_PLACE);
        signature.setInParts(argument, {rank, numberOf(KERATIN_RANK_COUNT)}, axis);
        continue;
      }
      const int64_t size =
          ir::getShape(function.getArgument(argument))[size_t(extent.dimension)].constantValue();
      auto ofSize = [&](keratin_rank_number_kind_t kind) {
        return numberOf(kind, kind == KERATIN_RANK_PLACE ? 0 : size);
      };
      const int64_t ranks = result.parts[saved.variables[number]]->ranks;
      signature.setOwnPart(argument, ownPart(unsigned(extent.dimension), size, ranks, ofSize),
                           axis);
    }
  }

  ir::DimExpr symbolOf(func::FuncOp function, ir::SavedFunction &saved,
                       std::map<size_t, ir::DimExpr> &symbols, keratin_rank_number_kind_t kind,
                       int64_t size, const std::string &axis) {
    auto [place, isNew] = places.try_emplace({kind, size, axis}, result.made.size());
    if (isNew)
      result.made.push_back({.kind = kind, .size = size, .axis = axisName(axis), .reserved = {}});
    auto [known, isFirst] = symbols.try_emplace(place->second, ir::DimExpr());
    if (!isFirst)
      return known->second;
    const int64_t symbol = ir::firstUnusedSymbol(function);
    MLIRContext *context = function.getContext();
    ir::SignatureEntry entry =
        ir::SignatureEntry::variable(context, nameOfRankNumber(kind, axis, size));
    entry.setSymbol({ir::ValuePart::Whole, symbol});
    function.insertArgument(function.getNumArguments(),
                            ir::getTensorType({}, IntegerType::get(context, 64)),
                            entry.attributes(), function.getLoc());
    saved.variables.push_back(graph.variables.size() + place->second);
    return known->second = ir::DimExpr::symbol(symbol);
  }

  ir::SavedGraph &graph;
  const PartOptions &options;
  llvm::SmallVector<func::FuncOp> functions;
  std::vector<std::map<unsigned, Extent>> extents; // of the functions
  // Of the model's variables, by the first function that has each.
  std::map<size_t, std::pair<Extent, std::string>> firsts;
  std::map<std::tuple<keratin_rank_number_kind_t, int64_t, std::string>, size_t> places;
  RankParts result;
};

} // namespace keratin::compiler

absl::Status compiler::checkMesh(const PartOptions &options) {
  std::vector<keratin_mesh_axis_t> axes;
  int64_t ranks = 1;
  for (const auto &[name, count] : options.mesh) {
    axes.push_back({name.c_str(), count});
    ranks = std::min<int64_t>(ranks * std::max(count, 1), INT32_MAX);
  }
  keratin_status_t status = {};
  comm::Mesh mesh;
  if (mesh.arrange(axes.data(), int32_t(axes.size()), /*rank=*/0, int32_t(ranks), &status) ==
      KERATIN_OK)
    return absl::OkStatus();
  return absl::InvalidArgumentError(status.message);
}

absl::StatusOr<RankParts> compiler::divideVariables(ir::SavedGraph &graph,
                                                    const PartOptions &options) {
  return PartMarker(graph, options).run();
}
