// Variables of which each rank of a job has a part, ahead of time: for any number of ranks.
#ifndef KERATIN_COMPILER_DRIVER_RANKPARTS_H
#define KERATIN_COMPILER_DRIVER_RANKPARTS_H

#include "ir/dialect/Signature.h"
#include "ir/saved/SavedGraph.h"
#include "runtime/abi/keratin_object_abi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "absl/status/statusor.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace keratin::compiler {

// The other variables, by their numbers, that are made element by element of a state, as well as
// its own new value; none where the variable is no state: something else reads it.
llvm::SetVector<int64_t> updatedByState(mlir::func::FuncOp function, mlir::BlockArgument variable);

// What functions call a number of the ranks along the axis of a mesh, "": of all, and the header of
// a model what depends on it; `size` is of BEGIN and SIZE.
std::string nameOfRankNumber(keratin_rank_number_kind_t kind, const std::string &axis,
                             int64_t size = 0);
// A rank's part of a dimension of this size, by numbers of the ranks. `ranks` is how many there
// are; 0: any number.
ir::OwnPart ownPart(unsigned dimension, int64_t size, int64_t ranks,
                    llvm::function_ref<ir::DimExpr(keratin_rank_number_kind_t)> numberOf);

// What a model's descriptor says of ranks. May be moved; what it points at stays.
class RankParts {
public:
  // Of one of the model's variables; null: each rank has the whole.
  const keratin_object_part_t *partOf(size_t variable) const {
    return variable < parts.size() && parts[variable] ? &*parts[variable] : nullptr;
  }
  // Null: no function asks for any. Moves with this object.
  const keratin_rank_numbers_t *numbers() const { return list.num_numbers ? &list : nullptr; }

private:
  friend class PartMarker; // RankParts.cpp

  std::vector<std::optional<keratin_object_part_t>> parts;
  std::vector<keratin_rank_number_t> made;
  keratin_rank_numbers_t list = {};
  std::deque<std::string> axes;
};

struct PartOptions {
  // False: each rank has the whole of what the graph has in parts.
  bool variables = true;
  // What optimizers keep of each variable, of all functions with a sharded size, in parts of its
  // elements; else of those of which the graph says so.
  bool states = false;
  // The mesh that the code is for: its axes, and how many ranks there are along each. Parts of
  // variables that are equal then have sizes that the compiler knows, which heads of attention need
  // to be parted. Empty: any.
  std::vector<std::pair<std::string, int32_t>> mesh;
};

// INVALID_ARGUMENT for what is no mesh, however many ranks there are.
absl::Status checkMesh(const PartOptions &options);

// Marks the variables that are sharded (keratin.sharded), and the states of optimizers that belong
// to them, for --keratin-shard. Functions get a variable more for each rank number that they need:
// its index in SavedFunction::variables is that of the number, behind the model's variables.
// INVALID_ARGUMENT where two functions do not agree on the parts of a variable, where the mesh
// lacks its axis, or where there are to be states in parts and no size is. Precondition: checkMesh.
absl::StatusOr<RankParts> divideVariables(ir::SavedGraph &graph, const PartOptions &options);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_DRIVER_RANKPARTS_H
