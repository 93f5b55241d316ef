// What a CPU makes of attention.
//
// A unit is some rows of queries of one batch entry. It walks over the keys block by block: scores
// of a few rows and a block of keys are made by the micro-kernel of contractions, become weights in
// the cache, and are the first factor of the product with the block's values. Weights are
// exponentials of scores less the largest so far; when a larger one comes, what was summed before
// is scaled down (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018; Dao,
// Fu, Ermon, Rudra and Ré, "FlashAttention: fast and memory-efficient exact attention with
// IO-awareness", 2022). So no matrix of scores is in memory, however many keys there are.
#ifndef KERATIN_CODEGEN_CPU_ATTENTIONPLAN_H
#define KERATIN_CODEGEN_CPU_ATTENTIONPLAN_H

#include "codegen/cpu/ContractionPlan.h"
#include "codegen/cpu/ProductPlan.h"
#include "codegen/elements/SpecSizes.h"
#include "codegen/lowering/AttentionNest.h"

namespace keratin::codegen {

struct AttentionSchedule {
  // Tiles of the two products, and how their operands are packed: all are.
  ContractionPlan scores, mix;
  int64_t lanes = 1;
  int64_t keys = 256; // of a block at most: whole panels
  int64_t rows = 56;  // that share a block of scores at most: whole tiles of scores
  // Rows of a unit at most, which share packed keys and values; fewer where there would be too few
  // units to share among threads. Multiples of `rows`.
  int64_t unitRows = 280, fewUnitRows = 56, manyUnits = 16;
  // So few queries meet keys one by one, as dot products: putting keys in order would take longer.
  // Set where a call may have so few and keys are contiguous.
  std::optional<ContractionDots> dots;
  int64_t fewQueries = 5;
  // So many at most read values where they are, if these are contiguous.
  bool mayReadValues = false;
  int64_t valueReaders = 56;
  // Tiles ask memory for what is packed next, if there are so many scores: fewer are made before it
  // would be there.
  bool bringsNext = false;
  int64_t manyScores = 56 * 128;
  bool isOneBlock = false;  // of keys, in every call
  bool wholePanels = false; // the keys are known to fill all panels
  bool mayHaveNoKeys = true;

  int64_t depth = 1, width = 1; // of a query, and of a value
  int64_t weightStride() const; // from one row of a block of scores to the next
  int64_t mixPanels() const;
  int64_t mixElements() const; // of a block of rows of sums

  // Where things are in the scratch, in elements.
  struct Scratch {
    int64_t queries = 0, keys = 0, values = 0, sums = 0, weights = 0;
    int64_t maxima = 0;           // a vector for each row of a block
    int64_t peaks = 0;            // the largest score so far of each row of a unit
    int64_t totals = 0;           // a vector of sums of weights for each
    int64_t mixed = 0, bytes = 0; // of each block of rows the panels of sums
  } scratch;
};

AttentionSchedule scheduleAttention(const AttentionNest &nest, const MachineTarget &target);

// The rows of a unit, and their number for each batch entry, which follow from the sizes alone.
template <typename Arithmetic> struct AttentionUnits {
  using Number = typename Arithmetic::Number;

  AttentionUnits(Arithmetic &emit, const ContractionSpec &mix, const AttentionSchedule &schedule) {
    batch = numberOf(emit, mix.batch);
    Number m = numberOf(emit, mix.m), one = emit.constant(1);
    Number most = emit.constant(schedule.unitRows);
    Number isFew =
        emit.less(emit.mul(batch, emit.ceilDiv(m, most)), emit.constant(schedule.manyUnits));
    most = emit.select(isFew, emit.constant(schedule.fewUnitRows), most);
    count = emit.ceilDiv(m, most);
    rows = emit.max(emit.roundUp(emit.ceilDiv(m, emit.max(count, one)), schedule.scores.tileRows),
                    emit.constant(schedule.scores.tileRows));
  }

  Number batch, count, rows;
};

class AttentionPlan final : public ProductPlan {
public:
  AttentionPlan(ir::KernelOp kernel, AttentionNest attention, const MachineTarget &target);

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printSchedule(llvm::raw_ostream &out) const override;

private:
  mlir::Value emitUnits(mlir::OpBuilder &b, mlir::Location loc, SizeOf sizeOf) const override;
  SizeCases unitSizes() const override;
  void emitUnitsOf(CpuKernelBuilder &k) const override;

  AttentionNest nest;
  const MachineTarget &target;
  AttentionSchedule schedule;
};

// The units that the function is called with.
void emitAttention(CpuKernelBuilder &k, const AttentionNest &nest,
                   const AttentionSchedule &schedule);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_ATTENTIONPLAN_H
