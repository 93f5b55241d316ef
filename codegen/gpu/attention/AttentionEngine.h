// The two products of attention by tensor cores, as a block of threads does them.
#ifndef KERATIN_CODEGEN_GPU_ATTENTION_ATTENTIONENGINE_H
#define KERATIN_CODEGEN_GPU_ATTENTION_ATTENTIONENGINE_H

#include "codegen/gpu/attention/AttentionTilesPlan.h"
#include "codegen/gpu/contractions/ContractionEngine.h"

namespace keratin::codegen {

// The kernel says when what is copied to where, and what becomes of scores and of sums; they are
// numbers of this thread, in matrices of 16 rows and 8 columns, of each two neighbours of a row,
// then of the row 8 below. All threads of the block come to each function together.
class AttentionEngine {
public:
  using Value = mlir::Value;
  using Values = LoopEmitter::Values;

  struct Sources {
    ContractionSource &queries, &keys, &values;
  };
  // `shared`: the block's memory. Sources and the plan outlive it.
  static std::unique_ptr<AttentionEngine> make(LoopEmitter &emit, const AttentionTilesPlan &plan,
                                               Value shared, Value thread, const Sources &sources);
  virtual ~AttentionEngine();

  // Copies of queries, to the beginning of the memory; and of keys and values from a key on, to a
  // stage.
  virtual void copyQueries() = 0;
  virtual void copyKeys(Value first, Value stage) = 0;
  // Those before are a group. Waits for all groups of this thread but so many.
  virtual void commit() = 0;
  virtual void await(int64_t left) = 0;
  // Once they have come, of all threads. Where mma.sync multiplies they stay in registers.
  virtual void readQueries() = 0;

  virtual Values scores(Value stage) = 0;
  // Which key a score is of: of 8 that of the first, of the threads of a row this one, and how many
  // further the second is.
  virtual Value firstKey(Value thread) = 0;
  virtual int64_t nextKey() = 0;
  // Weights in the place of scores.
  virtual Values mix(mlir::ValueRange sums, mlir::ValueRange weights, Value stage) = 0;
  // Of which engine finished sums are.
  virtual ContractionEngine &ofSums() = 0;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_ATTENTION_ATTENTIONENGINE_H
