// Values of a function that no argument changes, computed when they are asked for.
#ifndef KERATIN_PASSES_SPARSITY_KNOWNVALUES_H
#define KERATIN_PASSES_SPARSITY_KNOWNVALUES_H

#include "ir/reference/HostTensor.h"

#include "mlir/IR/Value.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>

namespace keratin::passes {

class KnownValues {
public:
  // Null where it depends on an argument, on a loop or a branch, or on too much work. By the
  // reference interpreter, so integers are what a call computes.
  const ir::HostTensor *of(mlir::Value value);
  // The same of a value whose zeros are zeros in a call, too: nothing that it is made of rounds.
  const ir::HostTensor *exactly(mlir::Value value);

private:
  struct Known {
    std::unique_ptr<ir::HostTensor> tensor; // null: not known
    bool rounds = false;
  };
  void compute(mlir::Value value);
  bool compute(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, Known> values;
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_SPARSITY_KNOWNVALUES_H
