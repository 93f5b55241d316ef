#include "tools/support/Shards.h"

#include "ir/dialect/Signature.h"
#include "ir/dialect/SizeNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace keratin;
using namespace mlir;

void tools::addShardOption(CommandLine &line, std::vector<std::string> &names) {
  line.texts("--shard", names, "NAME",
             "the size of which each rank of a job has a part, as batch; may be repeated");
}

// The sizes that inputs have as dimensions become `known`; whether one of them is the name.
static bool shardSize(func::FuncOp function, const std::string &name,
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
      function.setArgAttrs(i, entry.setSharded(int64_t(dimension)).attributes());
      isFound = true;
    }
  return isFound;
}

absl::Status tools::shardSizes(ir::SavedGraph &graph, const std::vector<std::string> &names) {
  for (const std::string &name : names) {
    std::set<std::string> known;
    bool isFound = false;
    for (auto function : graph.module->getOps<func::FuncOp>())
      isFound |= shardSize(function, name, known);
    if (!isFound)
      return absl::InvalidArgumentError(
          "--shard: no input has a size '" + name + "'; " +
          (known.empty() ? "they have no unknown sizes" : "there are " + llvm::join(known, ", ")));
  }
  return absl::OkStatus();
}
