// Gradients of attention on a device: blocks of threads make scores anew, and hold them and what
// follows from them in registers.
#ifndef KERATIN_CODEGEN_GPU_ATTENTION_ATTENTIONGRADIENTTILESPLAN_H
#define KERATIN_CODEGEN_GPU_ATTENTION_ATTENTIONGRADIENTTILESPLAN_H

#include "codegen/gpu/DevicePlan.h"
#include "codegen/gpu/contractions/ContractionTile.h"
#include "codegen/lowering/AttentionGradientNest.h"

namespace keratin::codegen {

// A unit has some keys of an entry of the batch and walks over all queries, for the sums over
// these; or it has some queries and walks over all keys. Both make the products of queries and keys
// by themselves: nothing is added up in memory, so that the order of each sum is the same in every
// run. What a unit has are the rows of its products, so that what follows from these is, in
// registers, the first factor of its sums. (After Dao, "FlashAttention-2: faster attention with
// better parallelism and work partitioning", 2023.)
class AttentionGradientTilesPlan final : public FormPlan {
public:
  // Null where the kernel is something else.
  static DevicePlanPtr make(ir::KernelOp kernel, const DeviceTraits &device);

  AttentionGradientTilesPlan(ir::KernelOp kernel, AttentionGradientNest nest,
                             const DeviceTraits &device);

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printForm(llvm::raw_ostream &out) const override;
  void emit(DeviceKernelBuilder &k) const override;

  // A matrix that a unit walks over, in each stage.
  struct Walked {
    int64_t place = 0;    // bytes of the stage before it
    bool isFirst = false; // else it is there for another product
  };
  struct Made {
    size_t number; // in the nest
    ContractionTile tile;
    int64_t own = 0; // bytes before the rows that the unit has
    Walked walked;
  };
  struct Sum {
    size_t number;
    ContractionTile tile;
    Walked walked;
  };
  // What units of one kind do.
  struct Side {
    bool hasQueries;
    llvm::SmallVector<Made, 2> made; // that its sums follow from
    llvm::SmallVector<Sum, 3> sums;
    int64_t ownBytes = 0, stageBytes = 0;
    // Where a stage has numbers of the queries that units walk over: each of all of them.
    int64_t numbers = 0;

    bool exists() const { return !sums.empty(); }
    int64_t sharedBytes() const;
  };
  static constexpr int64_t warps = 4, rows = 64, stages = 2, numberBytes = 4;

  uint64_t sharedAlignment() const { return ContractionTile{multiplier}.sharedAlignment(); }
  // How many units an entry has of each kind.
  ir::DimExpr tilesOf(const Side &side) const;

  AttentionGradientNest nest;
  ContractionTile::Units multiplier; // what multiplies
  int64_t walk;                      // lines at a time
  Side ofKeys, ofQueries;

private:
  Side sideOf(bool hasQueries) const;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_ATTENTION_ATTENTIONGRADIENTTILESPLAN_H
