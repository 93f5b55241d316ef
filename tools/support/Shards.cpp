#include "tools/support/Shards.h"

#include "ir/dialect/GathersParts.h"
#include "ir/dialect/MeshAxes.h"
#include "ir/dialect/Signature.h"
#include "ir/dialect/SizeNames.h"
#include "runtime/comm/Mesh.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace keratin;
using namespace mlir;

void tools::addShardOptions(CommandLine &line, ShardOptions &options) {
  line.texts(
      "--shard", options.sizes, "NAME[:AXIS]",
      "the size of which each rank of a job has a part, as batch, or, along an axis of their "
      "mesh, as batch:data; may be repeated");
  line.flag("--gather-parts", options.gatherParts,
            "ops that need all parts get them, which costs the memory of the whole on each rank");
  line.flag("--shard-states", options.shardStates,
            "each rank has a part of what optimizers keep of weights, in functions with --shard");
}

std::string tools::meshProblem(const ShardOptions &options) {
  keratin_status_t status = {};
  if (options.mesh.empty() ||
      comm::MeshText().read("--mesh", options.mesh.c_str(), &status) != KERATIN_OK)
    return status.message;
  const absl::Status checked = compiler::checkMesh(partOptions(options));
  return checked.ok() ? "" : "--mesh: " + std::string(checked.message());
}

compiler::PartOptions tools::partOptions(const ShardOptions &options) {
  compiler::PartOptions parts;
  parts.states = options.shardStates;
  comm::MeshText mesh;
  keratin_status_t status = {};
  if (!options.mesh.empty() && mesh.read("--mesh", options.mesh.c_str(), &status) == KERATIN_OK)
    for (int32_t i = 0; i < mesh.count(); ++i)
      parts.mesh.emplace_back(mesh.axes()[i].name, mesh.axes()[i].count);
  return parts;
}

// The sizes that inputs have as dimensions become `known`; whether one of them is the name.
static bool shardSize(func::FuncOp function, StringRef name, StringRef axis,
                      std::set<std::string> &known) {
  const ir::Signature signature(function);
  const ir::SizeNames names(function);
  bool isFound = false;
  for (unsigned i = 0; i < signature.firstVariable(); ++i)
    for (auto [dimension, size] : llvm::enumerate(ir::getShape(function.getArgument(i)))) {
      if (!size.isSymbol())
        continue;
      known.insert(names[size.symbolId()]);
      if (names[size.symbolId()] != name)
        continue;
      ir::SignatureEntry entry(function.getContext(), function.getArgAttrDict(i));
      entry.setSharded(int64_t(dimension), ir::meshAxisAttr(function.getContext(), axis));
      function.setArgAttrs(i, entry.attributes());
      isFound = true;
    }
  return isFound;
}

// Where it has a sharded size; whether it has one.
static bool gatherParts(func::FuncOp function) {
  const ir::Signature signature(function);
  for (unsigned i = 0; i < signature.firstVariable(); ++i)
    if (signature.sharded(i)) {
      function->setAttr(ir::kGathersPartsAttr, UnitAttr::get(function.getContext()));
      return true;
    }
  return false;
}

absl::Status tools::shardSizes(ir::SavedGraph &graph, const ShardOptions &options) {
  for (StringRef given : options.sizes) {
    const auto [name, axis] = given.split(':');
    if (given.contains(':') && !ir::isMeshAxis(axis))
      return absl::InvalidArgumentError("--shard: '" + given.str() +
                                        "' names no axis; needed one, as batch:data");
    std::set<std::string> known;
    bool isFound = false;
    for (auto function : graph.module->getOps<func::FuncOp>())
      isFound |= shardSize(function, name, axis, known);
    if (!isFound)
      return absl::InvalidArgumentError(
          "--shard: no input has a size '" + name.str() + "'; " +
          (known.empty() ? "they have no unknown sizes" : "there are " + llvm::join(known, ", ")));
  }
  if (!options.gatherParts)
    return absl::OkStatus();
  bool hasParts = false;
  for (auto function : graph.module->getOps<func::FuncOp>())
    hasParts |= gatherParts(function);
  return hasParts
             ? absl::OkStatus()
             : absl::InvalidArgumentError("--gather-parts: no size is sharded; needed --shard");
}
