// Shares of sums that go in one message.
#ifndef KERATIN_PASSES_SHARD_BUCKET_H
#define KERATIN_PASSES_SHARD_BUCKET_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"

#include <vector>

namespace keratin::passes {

// What a rank has, and who needs what all ranks make of it.
struct Need {
  mlir::Value share;
  llvm::SmallVector<mlir::OpOperand *> uses;
  int64_t bytes; // of the whole
};

// A size that is not known counts as 32, as in reports.
int64_t bytesOf(mlir::Value value);

// Needs whose shares go in one message, in the order in which they are ready. What stands between
// them and needs one of them comes behind the message: an update of a variable stands behind its
// gradient, and need not be done before the next gradient is.
class Bucket {
public:
  explicit Bucket(mlir::Block &body) : body(body) {}

  llvm::ArrayRef<Need> needs() const { return members; }
  // Whether the share needs none of the others as a whole. To be asked for each share in its turn.
  bool isReadyFor(const Need &need);
  void add(const Need &need);
  int64_t bytes() const { return sum; }
  // Of what goes in the message; all that waits comes behind the last share.
  void moveWaiting();
  void clear();

private:
  bool waits(mlir::Operation &op) const;

  mlir::Block &body;
  std::vector<Need> members;
  int64_t sum = 0;
  // What needs a share as a whole, and ops up to `last` that need such.
  llvm::DenseSet<mlir::Operation *> users;
  llvm::SetVector<mlir::Operation *> waiting;
  mlir::Operation *last = nullptr;
};

// In the order of the block, which changes where what waits for a message moves.
void sortByPlace(llvm::MutableArrayRef<Need> needs);

// Puts the ops of the block in an order in which each stands as far in front as it can, and the
// shares in that order: gradients may stand behind all others although what they are made of is
// there long before.
void makeEarly(mlir::Block &body, llvm::MutableArrayRef<Need> needs);

struct BucketLimits {
  int64_t bytes;
  // Of the last: what is ready at the end has nothing beside which it could go.
  int64_t lastBytes;
};

// In the order in which they are ready, those of one element type that need none of the others
// together: up to so many bytes, each time. What `send` adds stands behind the last of a bucket.
void sendInBuckets(mlir::Block &body, llvm::ArrayRef<Need> needs, BucketLimits limits,
                   llvm::function_ref<void(llvm::ArrayRef<Need>)> send);

} // namespace keratin::passes

#endif // KERATIN_PASSES_SHARD_BUCKET_H
