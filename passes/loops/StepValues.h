// Which values of loop bodies are equal at every step.
#ifndef KERATIN_PASSES_LOOPS_STEPVALUES_H
#define KERATIN_PASSES_LOOPS_STEPVALUES_H

#include "ir/dialect/Keratin.h"

#include "llvm/ADT/DenseMap.h"

namespace keratin::passes {

// Value numbers across the bodies of scans that run side by side: equally many steps, in the same
// direction. Elements of one sequence are equal, captures of one value are, and so are states that
// begin with the same value and whose next values are equal if they themselves are (coinduction:
// the coarsest partition of the states that holds from one step to the next). Ops are compared as
// they stand, so equal values should have been merged outside.
class StepValues {
public:
  explicit StepValues(llvm::ArrayRef<ir::ScanOp> scans);

  // The first value that this one equals, in the order of the scans and of their bodies; itself, if
  // there is none. Values of nested regions are not asked for.
  mlir::Value leader(mlir::Value value) const {
    mlir::Value found = leaders.lookup(value);
    return found ? found : value;
  }

private:
  void number(llvm::ArrayRef<ir::ScanOp> scans, llvm::ArrayRef<unsigned> classes);
  void numberBody(mlir::Block &body,
                  llvm::DenseMap<size_t, llvm::SmallVector<mlir::Operation *>> &seen);
  bool areEqual(mlir::Operation *a, mlir::Operation *b) const;

  llvm::DenseMap<mlir::Value, mlir::Value> leaders; // of values that are not their own
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_LOOPS_STEPVALUES_H
