// The ops of a block in groups, each of which becomes one kernel.
#ifndef KERATIN_PASSES_FUSION_KERNELGROUPS_H
#define KERATIN_PASSES_FUSION_KERNELGROUPS_H

#include "ir/interfaces/ComputedSizes.h"
#include "passes/fusion/Attentions.h"
#include "passes/fusion/FusionPolicy.h"
#include "passes/fusion/GroupGraph.h"
#include "passes/fusion/RowUpdates.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <vector>

namespace keratin::passes {

// Joins producers with consumers as long as the policy finds one kernel in them and no cycle
// arises. An op that is free to repeat stands in every group that reads it and belongs to none;
// reshapes and other storage belong to none either.
class KernelGroups {
public:
  // Ops of one kernel in the order of the block, its free ops included.
  using Group = llvm::SmallVector<mlir::Operation *>;

  // What is made of single ops: without `fuse` every op is a group of its own; with `updateRows`,
  // those of a RowUpdate are one, and so are those of `attention` of these kinds.
  struct Kinds {
    bool fuse, updateRows;
    ir::AttentionKinds attention;
  };
  // `sizes` are those that the block defines.
  KernelGroups(mlir::Block &block, const ir::ComputedSizes &sizes, const FusionPolicy &policy,
               const Kinds &kinds)
      : block(block), sizes(sizes), policy(policy), fuse(kinds.fuse),
        updateRows(kinds.fuse && kinds.updateRows),
        attention(kinds.fuse ? kinds.attention : ir::AttentionKinds::None) {}

  // May add copies of arguments that the block yields, and of what gradients need of attention, and
  // change the order of ops; changes nothing else.
  void form();

  //===-- What came of it -------------------------------------------------------------------===//

  // All ops of the block but the terminator.
  llvm::ArrayRef<mlir::Operation *> ops() const { return order; }
  const ir::ComputedSizes &definedSizes() const { return sizes; }
  // Which groups read which. Groups that are not alive have become parts of others.
  const GroupGraph &groupGraph() const { return graph; }
  size_t count() const { return groups.size(); }
  const Group &group(int id) const { return groups[id]; }
  // Whether the op is computed in exactly one group.
  bool isOwned(mlir::Operation *op) const { return home.count(op); }

  // Groups that a value is computed by, through storage and free ops.
  using Ids = llvm::SmallSetVector<int, 4>;
  void collectProducers(mlir::Value value, Ids &producers) const;
  // Values of the ops that someone outside reads.
  llvm::SmallVector<mlir::Value> outputsOf(llvm::ArrayRef<mlir::Operation *> ops) const;
  // Rows of a sequence for loops, which read them where they are.
  bool areStoredRows(mlir::Operation *op) const;

private:
  // What other groups and the loop around see of the ops.
  bool isStorage(mlir::Operation *op) const;
  bool leavesThrough(mlir::Operation *user, const llvm::DenseSet<mlir::Operation *> &inside) const;
  llvm::SmallSetVector<int64_t, 2> computedSizesOf(llvm::ArrayRef<mlir::Operation *> ops) const;
  bool definesOwnSize(llvm::ArrayRef<mlir::Operation *> ops) const;
  int groupOf(mlir::Value value) const;

  void copyYieldedArguments();
  void placeCopy(mlir::Operation *copy);
  void number();
  void findRowUpdates();
  void place(mlir::Operation *op);
  Group membersOf(const RowUpdate &update) const;
  Group membersOf(const ir::Attention &attention) const;
  Group withFreeOrRemade(llvm::ArrayRef<mlir::Operation *> ops) const;
  void addGroup(Group members, mlir::Operation *op);
  Group readInMemory(llvm::ArrayRef<mlir::Operation *> members) const;
  Group withFreeOperands(mlir::Operation *op) const;

  std::optional<ir::Shape> smallShapeOf(int id) const;
  void joinSmallSiblings();
  llvm::SmallSetVector<mlir::Value, 4> reducedInputsOf(int id) const;
  void joinReductions();
  Group merged(int a, int b) const;
  std::optional<Nest> nestOf(llvm::ArrayRef<mlir::Operation *> ops) const;
  std::optional<Nest> joined(int producer, int consumer,
                             llvm::ArrayRef<mlir::Operation *> ops) const;
  bool join(int producer, int consumer);

  mlir::Block &block;
  const ir::ComputedSizes &sizes;
  const FusionPolicy &policy;
  const bool fuse, updateRows;
  const ir::AttentionKinds attention;
  std::vector<mlir::Operation *> order;
  GroupGraph graph;
  std::vector<Group> groups;                    // of the same numbers
  std::vector<Nest> nests;                      // of the groups
  std::vector<Group> fromMemory;                // ops that a group reads the results of in memory
  llvm::SetVector<mlir::Operation *> copies;    // of arguments that the block yields
  llvm::DenseSet<mlir::Operation *> inMemory;   // free ops that someone reads from memory
  llvm::DenseMap<mlir::Operation *, int> home;  // group that computes an op
  llvm::DenseMap<int64_t, mlir::Value> sizesOf; // the values of symbols
  llvm::DenseMap<mlir::Operation *, RowUpdate> rowUpdates; // by their last op
  llvm::DenseSet<mlir::Operation *> ofRowUpdates;          // the others
  Attentions attentions;
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_FUSION_KERNELGROUPS_H
