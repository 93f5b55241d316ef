// What a CPU makes of the gradients of attention.
//
// For some queries and a block of keys, scores and the gradient by weights are made by the
// micro-kernel of contractions, become weights and the gradient by scores in the cache, and are the
// first factors of the products that the gradients are sums of (Dao, Fu, Ermon, Rudra and Ré,
// "FlashAttention: fast and memory-efficient exact attention with IO-awareness", 2022). So no
// matrix of queries and keys is in memory. A unit is a batch entry: the sums over queries stay in
// the cache while one block of keys meets all queries, those over keys are added up in memory.
// Where entries are too few to share among threads, units are blocks of keys, for sums over
// queries, and blocks of queries, for those over keys: both make the scores.
#ifndef KERATIN_CODEGEN_CPU_ATTENTIONGRADIENTPLAN_H
#define KERATIN_CODEGEN_CPU_ATTENTIONGRADIENTPLAN_H

#include "codegen/cpu/ContractionPlan.h"
#include "codegen/cpu/ProductPlan.h"
#include "codegen/elements/SpecSizes.h"
#include "codegen/lowering/AttentionGradientNest.h"

namespace keratin::codegen {

struct AttentionGradientSchedule {
  // A product of queries and keys, whose sums for a block of rows and a panel of keys stay near.
  struct Made {
    ContractionPlan plan; // both operands are packed
    int64_t depth = 1;
    int64_t rows = 0, keys = 0, sums = 0; // where they are in the scratch, in elements
  };
  // A sum over queries or keys.
  struct Sum {
    ContractionPlan plan;
    int64_t width = 1;
    bool isOverKeys = false;
    int64_t depth = 1;  // of a block's products at most
    int64_t factor = 0; // the packed second factor
    int64_t sums = 0;   // panels of rows: of a block of queries, or of a block of keys
    int64_t panels() const;
  };
  llvm::SmallVector<Made, 2> made;
  llvm::SmallVector<Sum, 3> sums;
  llvm::SmallVector<int64_t, 2> tiles; // where they are
  int64_t lanes = 1;
  int64_t keys = 256;     // of a block at most: whole panels
  int64_t rows = 112;     // of queries of a block at most: whole tiles of all products
  int64_t fewEntries = 8; // so many are enough to share among threads
  bool wholePanels = false;

  int64_t tileRows() const { return made.front().plan.tileRows; }
  int64_t panelColumns() const { return made.front().plan.tileColumns(); }
  // One vector more than the keys, so that rows do not share their sets of the cache.
  int64_t tileStride() const { return keys + lanes; }
  int64_t panelElements(const Sum &sum) const; // of sums
  bool sumsOverKeys() const;
  bool sumsOverQueries() const;

  bool bringsNext = false; // tiles ask memory for what is packed next, and for results
  int64_t scratchBytes = 0;
};

AttentionGradientSchedule scheduleAttentionGradient(const AttentionGradientNest &nest,
                                                    const MachineTarget &target);

// The blocks of each batch entry, and the number of units, which follow from the sizes alone.
template <typename Arithmetic> struct AttentionGradientUnits {
  using Number = typename Arithmetic::Number;

  AttentionGradientUnits(Arithmetic &emit, const ContractionSpec &made,
                         const AttentionGradientSchedule &schedule) {
    Number one = emit.constant(1);
    auto cut = [&](Number size, int64_t most, int64_t step, Number &blocks, Number &size_) {
      blocks = emit.max(emit.ceilDiv(size, emit.constant(most)), one);
      size_ = emit.max(emit.roundUp(emit.ceilDiv(size, blocks), step), emit.constant(step));
    };
    batch = numberOf(emit, made.batch);
    cut(numberOf(emit, made.n), schedule.keys, schedule.panelColumns(), keyBlocks, blockKeys);
    cut(numberOf(emit, made.m), schedule.rows, schedule.tileRows(), rowBlocks, blockRows);
    const bool both = schedule.sumsOverKeys() && schedule.sumsOverQueries();
    Number apart =
        !both ? schedule.sumsOverKeys() ? rowBlocks : keyBlocks : emit.add(keyBlocks, rowBlocks);
    areEntries = both ? emit.less(emit.constant(schedule.fewEntries - 1), batch)
                      : emit.less(one, emit.constant(0));
    perEntry = emit.select(areEntries, one, apart);
    count = emit.mul(batch, perEntry);
  }

  Number batch, keyBlocks, blockKeys, rowBlocks, blockRows, areEntries, perEntry, count;
};

class AttentionGradientPlan final : public ProductPlan {
public:
  AttentionGradientPlan(ir::KernelOp kernel, AttentionGradientNest gradient,
                        const MachineTarget &target);

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printSchedule(llvm::raw_ostream &out) const override;

private:
  mlir::Value emitUnits(mlir::OpBuilder &b, mlir::Location loc, SizeOf sizeOf) const override;
  SizeCases unitSizes() const override;
  void emitUnitsOf(CpuKernelBuilder &k) const override;

  AttentionGradientNest nest;
  const MachineTarget &target;
  AttentionGradientSchedule schedule;
};

// The units that the function is called with.
void emitAttentionGradient(CpuKernelBuilder &k, const AttentionGradientNest &nest,
                           const AttentionGradientSchedule &schedule);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_ATTENTIONGRADIENTPLAN_H
