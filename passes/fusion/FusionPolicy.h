// What is worth joining into one kernel. What one loop nest can hold is decided by
// ir::analyzeIterationSpace; here it is decided what is good for a machine.
#ifndef KERATIN_PASSES_FUSION_FUSIONPOLICY_H
#define KERATIN_PASSES_FUSION_FUSIONPOLICY_H

#include "ir/dialect/Keratin.h"
#include "ir/interfaces/IterationSpace.h"

namespace keratin::passes {

// What a kernel may take of a machine: options of the pass, which describes them.
struct FusionLimits {
  int64_t ops, tileTensors, recomputed, moves, smallElements;
  bool random; // random bits stand in kernels of others
  // Those of lines of multiples of so many in reductions and tiles too; 0: none.
  int64_t randomLine;
  bool columns; // kernels reduce columns beside rows
};

// What is known of a group's loops without another look at its ops: with it the time to form a
// kernel does not grow with the square of its length.
struct Nest {
  // The full shape, without sizes of 1, where nothing is reduced and there are no tiles. Such
  // groups of the same shape fit one nest whatever they compute: their values have the full shape
  // or are computed where they are read. Nothing: ir::analyzeIterationSpace has to be asked.
  std::optional<ir::Shape> walked;
  int64_t ops = 1;        // that count and are not free, so that no other group has them
  int64_t recomputed = 0; // ops done anew for every element that reads them
  int64_t moves = 0;      // ops that compute an index out of an index
};

// Whether it is copied run by run, in a kernel of its own: of many long operands, each element of a
// loop nest would look for its own among all, and what the others are made of would be computed
// under masks. What reads it in another order does so for each element, of a few operands too.
bool isCopied(ir::ConcatenateOp op);

class FusionPolicy {
public:
  explicit FusionPolicy(const FusionLimits &limits) : limits(limits) {}

  // Whether the op reads one element, which costs no more than to read what it would be kept in.
  static bool isElement(mlir::Operation *op);
  // Whether the op takes part in loop nests with others; the rest are kernels of their own.
  bool isFusible(mlir::Operation *op) const;
  // How many of the ops are done for each element: scalars, and what repeats them, are there
  // before.
  static int64_t countOps(llvm::ArrayRef<mlir::Operation *> ops);
  // Whether so many ops may be one kernel.
  bool allowsOps(int64_t count) const { return count <= limits.ops; }
  // Whether these may be, those included that do not count: they are compiled, too.
  bool allowsOps(llvm::ArrayRef<mlir::Operation *> ops) const {
    return allowsOps(countOps(ops)) && int64_t(ops.size()) <= 6 * limits.ops;
  }
  size_t mostOps() const { return size_t(std::max<int64_t>(limits.ops, 0)); }

  // Of an op with the free ops that it reads.
  static Nest nestOf(mlir::Operation *op);
  // Of ops that yield the outputs and of which so many are not free; nothing if they are no kernel,
  // or better apart.
  std::optional<Nest> nestOf(llvm::ArrayRef<mlir::Operation *> ops,
                             llvm::ArrayRef<mlir::Value> outputs, int64_t owned) const;
  // Of two that walk the same elements; nothing if they are better apart.
  std::optional<Nest> joined(const Nest &a, const Nest &b) const;

  // Whether calls of kernels that walk these elements take longer than what they do.
  bool isSmall(const ir::Shape &shape) const;

private:
  bool isCheap(const Nest &nest) const;
  bool suitsRandomBits(const ir::IterationSpace &space,
                       llvm::ArrayRef<mlir::Operation *> ops) const;
  bool suitsColumns(const ir::IterationSpace &space) const;
  bool suitsTile(const ir::IterationSpace &space, llvm::ArrayRef<mlir::Operation *> ops,
                 llvm::ArrayRef<mlir::Value> outputs) const;

  FusionLimits limits;
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_FUSION_FUSIONPOLICY_H
