#include "codegen/cpu/MathForm.h"

#include "ir/dialect/Keratin.h"
#include "ir/interfaces/OpProperties.h"

#include "mlir/IR/OperationSupport.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
namespace ir = keratin::ir;

// A math function counts as 20 instructions or more (ir/dialect/KeratinBase.td), most as 30. It
// becomes three times as many, for which LLVM takes 3 to 10 ms, where a kernel has it on two
// vectors and a masked one.
static constexpr int64_t mathFunction = 20;
// In kernels that differ. From here on a tenth of a second and more is at stake; a call costs a
// twentieth of the time of a kernel that does little else. Nets that people write stay below.
static constexpr int64_t manyInstructions = 960;

bool keratin::codegen::callsMath(func::FuncOp function) {
  int64_t instructions = 0;
  // Kernels that are alike are compiled once. Which operand an op takes is left out: that makes a
  // difference for few.
  llvm::DenseSet<size_t> seen;
  function.walk([&](ir::KernelOp kernel) {
    llvm::hash_code hash = 0;
    int64_t own = 0;
    for (Operation &op : kernel.getBody().front()) {
      hash = llvm::hash_combine(
          hash, OperationEquivalence::computeHash(&op, OperationEquivalence::ignoreHashValue,
                                                  OperationEquivalence::ignoreHashValue,
                                                  OperationEquivalence::IgnoreLocations));
      if (int64_t each = ir::instructionsOf(&op); each >= mathFunction)
        own += each;
    }
    if (own > 0 && seen.insert(hash).second)
      instructions += own;
  });
  return instructions >= manyInstructions;
}
