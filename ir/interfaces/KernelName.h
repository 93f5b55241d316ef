// What a kernel is called wherever people read of it: in pictures and tables of keratin-dump, the
// memory plan, the host program, what the target makes of it, assembly, profiles.
#ifndef KERATIN_IR_INTERFACES_KERNELNAME_H
#define KERATIN_IR_INTERFACES_KERNELNAME_H

#include "ir/dialect/Keratin.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>

namespace keratin::ir {

// "stage0/block1: gradient of convolution + 6" and "net.cc:57". The op that computes most is named,
// of which gradient it is, and its scope and line; how many others there are, or the only one by
// its name. Where the gradient of one op is computed by another, both are: "gradient of
// max_pool (select)".
struct KernelName {
  std::string scope, work; // "stage0/block1", "gradient of convolution + 6"
  std::string location;    // "" if it is unknown

  // "stage0/block1: gradient of convolution + 6".
  std::string str() const { return scope.empty() ? work : scope + ": " + work; }
};
// Two blanks stand before the line.
llvm::raw_ostream &operator<<(llvm::raw_ostream &out, const KernelName &name);

// Of a kernel, or of a loop or branch by the heaviest kernel in it: "lstm: scan of dot_general +
// 8". What is in a kernel stays as forming kernels has made it, and so does the name.
KernelName nameOf(mlir::Operation *node);

// The kernels of a function in the order of their numbers: as they stand, those of loops and
// branches among the others.
llvm::SmallVector<KernelOp> numberedKernels(mlir::func::FuncOp function);

// The same for questions.
class KernelNumbers {
public:
  struct Range {
    int64_t first, last; // last < first: none
  };

  explicit KernelNumbers(mlir::func::FuncOp function);

  // Precondition: the kernel is the function's.
  int64_t of(KernelOp kernel) const { return numbers.lookup(kernel); }
  // Of a kernel, or of those in a loop or a branch. Where there are none, `first` is the number of
  // the kernel after it.
  Range of(mlir::Operation *op) const;

private:
  llvm::DenseMap<mlir::Operation *, int64_t> numbers;
  llvm::DenseMap<mlir::Operation *, Range> ranges; // of loops and branches
};

// "kernel 3", "kernels 3 to 7", "no kernels".
std::string inWords(const KernelNumbers::Range &range);

} // namespace keratin::ir

#endif // KERATIN_IR_INTERFACES_KERNELNAME_H
