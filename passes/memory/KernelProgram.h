// A block as the memory passes see it: kernels one after the other, and the storage they share.
//
// The block is a function's, a loop's body or a branch. Loops and branches stand between kernels
// and hold programs of their own; together these are the nodes of a program.
//
// Views have no storage: a reshape is its operand under another name, and some rows of a sequence
// that a loop walks through are a part of it. So everything is said about roots, the values at the
// bottom of chains of views: arguments, constants, results of nodes.
#ifndef KERATIN_PASSES_MEMORY_KERNELPROGRAM_H
#define KERATIN_PASSES_MEMORY_KERNELPROGRAM_H

#include "ir/dialect/MemoryPlan.h"
#include "ir/interfaces/ComputedSizes.h"
#include "ir/interfaces/OpProperties.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <vector>

namespace keratin::passes {

// Kernels, loops and branches.
using ir::isNode;
using ir::rootOf;

// Nodes that read a root, themselves or through views, once for each operand. The terminator is one
// of them.
llvm::SmallVector<mlir::Operation *> readersOf(mlir::Value root);
// Whether the node is a kernel that all ranks of a job do together: it starts where it stands, and
// goes on beside what follows.
bool isMessage(mlir::Operation *node);
// The op of the block before which a message must be over: the first that needs its result, a node
// in which there are others, since they are waited for in order, or the terminator.
mlir::Operation *waiterFor(ir::KernelOp message);

// A new value for a variable, as the function's signature declares it.
struct UpdateResult {
  unsigned result;              // of the function
  unsigned number;              // of the variable
  mlir::BlockArgument variable; // its old value
  bool isOnlyUpdate;            // no other result updates the same variable
};

class KernelProgram {
public:
  // Fails with a diagnostic if the block holds anything but nodes, views, constants, definitions of
  // sizes and its terminator, or if the function's signature is inconsistent. Valid until the block
  // changes.
  static mlir::FailureOr<KernelProgram> build(mlir::func::FuncOp function);
  static mlir::FailureOr<KernelProgram> build(mlir::Block &block);

  mlir::Block &block() const { return *body; }
  // The return or yield.
  mlir::Operation *exit() const { return body->getTerminator(); }
  // In the order in which they stand.
  const std::vector<mlir::Operation *> &nodes() const { return nodeOps; }
  int64_t position(mlir::Operation *node) const { return positions.lookup(node); }
  // The node that makes a root, or -1 for arguments and constants.
  int64_t producer(mlir::Value root) const;
  // Nodes that read a root, themselves or through views: ascending, without duplicates. What a
  // message sends and receives is read until there is a wait for it.
  llvm::ArrayRef<int64_t> readers(mlir::Value root) const;
  // Operands of the terminator that are a root, or a view of it.
  llvm::ArrayRef<unsigned> returnedAs(mlir::Value root) const;
  // Of a function; a region has none.
  llvm::ArrayRef<UpdateResult> updates() const { return updateResults; }
  // The update that function result `index` is, or null.
  const UpdateResult *updateAt(unsigned index) const;

  // Nodes that mention a size which the block computes, and those that make its value, -1 for an
  // argument or constant: the value is read right behind the node.
  struct SizeUse {
    int64_t definer, user;
  };
  llvm::ArrayRef<SizeUse> sizeUses() const { return sizeUseList; }
  // Nodes that read a value only once another one is there (keratin.delay), and who makes that.
  struct Wait {
    int64_t maker, reader;
  };
  llvm::ArrayRef<Wait> waits() const { return waitList; }
  // Of a function, with those that regions compute.
  const ir::ComputedSizes &sizes() const { return computedSizes; }

  // Of a loop or a branch: whether anything inside is. A size that a node computes may be wrong.
  bool isFallible(int64_t node) const { return fallible[node]; }
  bool hasEffect(int64_t node) const { return effect[node]; }

private:
  explicit KernelProgram(mlir::Block &block) : body(&block) {}
  mlir::LogicalResult readSignature(mlir::func::FuncOp function);
  mlir::LogicalResult readBlock();
  void addReader(mlir::Value root, int64_t node);
  void addWaits(mlir::Value operand, int64_t node);
  mlir::LogicalResult readSizes();

  mlir::Block *body;
  std::vector<mlir::Operation *> nodeOps;
  std::vector<bool> fallible, effect;
  llvm::DenseMap<mlir::Operation *, int64_t> positions;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t, 2>> readerLists;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<unsigned, 1>> returnLists;
  std::vector<UpdateResult> updateResults;
  ir::ComputedSizes computedSizes;
  std::vector<SizeUse> sizeUseList;
  std::vector<Wait> waitList;
};

// Puts the nodes of a program, all of them, in this order: behind constants, with views behind what
// they view. From here on the order says what is delayed. The program is no longer valid.
void putInOrder(const KernelProgram &program, llvm::ArrayRef<int64_t> order);

// Gives everything that a function, a step or a branch returns storage of its own: what is an
// argument, a constant, a view of one, a part of a value, or returned already is copied by a
// kernel. Afterwards each operand of each terminator is the result of a node, or a view of one,
// that no other operand shares; but a state of a loop may share it with one stack, where it then
// lives. Does nothing the second time.
void copySharedResults(mlir::func::FuncOp function);

} // namespace keratin::passes

#endif // KERATIN_PASSES_MEMORY_KERNELPROGRAM_H
