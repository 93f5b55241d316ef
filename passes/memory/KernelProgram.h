// A function as the memory passes see it: kernels one after the other, and the storage they share.
//
// Views have no storage: a reshape is its operand under another name. So everything is said about
// roots, the values at the bottom of chains of views: arguments, constants, results of kernels.
#ifndef KERATIN_PASSES_MEMORY_KERNELPROGRAM_H
#define KERATIN_PASSES_MEMORY_KERNELPROGRAM_H

#include "ir/dialect/Keratin.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <vector>

namespace keratin::passes {

// The value whose storage `value` is.
mlir::Value rootOf(mlir::Value value);

// Bytes of a value; nullopt if they do not fit 64 bits.
std::optional<ir::DimExpr> bytesOf(mlir::Value value);

// A new value for a variable, as the function's signature declares it.
struct UpdateResult {
  unsigned result;              // of the function
  mlir::BlockArgument variable; // its old value
  bool isOnlyUpdate;            // no other result updates the same variable
};

class KernelProgram {
public:
  // Fails with a diagnostic if the function holds anything but kernels, views, constants and its
  // return, or if its signature is inconsistent. Valid until the function changes.
  static mlir::FailureOr<KernelProgram> build(mlir::func::FuncOp function);

  mlir::func::FuncOp function() const { return func; }
  mlir::func::ReturnOp returnOp() const;
  // In the order in which they stand.
  const std::vector<ir::KernelOp> &kernels() const { return kernelOps; }
  int64_t position(ir::KernelOp kernel) const { return positions.lookup(kernel); }
  // The kernel that makes a root, or -1 for arguments and constants.
  int64_t producer(mlir::Value root) const;
  // Kernels that read a root, themselves or through views: ascending, without duplicates.
  llvm::ArrayRef<int64_t> readers(mlir::Value root) const;
  // Function results that are a root, or a view of it.
  llvm::ArrayRef<unsigned> returnedAs(mlir::Value root) const;
  llvm::ArrayRef<UpdateResult> updates() const { return updateResults; }
  // The update that function result `index` is, or null.
  const UpdateResult *updateAt(unsigned index) const;

  bool isFallible(int64_t kernel) const;
  bool hasEffect(int64_t kernel) const;

private:
  explicit KernelProgram(mlir::func::FuncOp func) : func(func) {}
  mlir::LogicalResult readSignature();

  mlir::func::FuncOp func;
  std::vector<ir::KernelOp> kernelOps;
  llvm::DenseMap<mlir::Operation *, int64_t> positions;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t, 2>> readerLists;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<unsigned, 1>> returnLists;
  std::vector<UpdateResult> updateResults;
};

// Gives every function result storage of its own: what is an argument, a constant, a view of one,
// or returned already is copied by a kernel. Afterwards each result is the result of a kernel, or a
// view of one, that no other function result shares. Does nothing the second time.
void copySharedResults(mlir::func::FuncOp function);

} // namespace keratin::passes

#endif // KERATIN_PASSES_MEMORY_KERNELPROGRAM_H
