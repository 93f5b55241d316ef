// A host program under construction; private to passes/host.
#ifndef KERATIN_PASSES_HOST_PROGRAMBUILDER_H
#define KERATIN_PASSES_HOST_PROGRAMBUILDER_H

#include "ir/dialect/MemoryPlan.h"
#include "ir/host/Host.h"

#include "llvm/ADT/DenseSet.h"

namespace keratin::passes {

// Lets the program of a function that works in the memory of a device say what goes to and fro, but
// for resident loops.
// Precondition: it does not yet.
mlir::LogicalResult addTransfers(mlir::func::FuncOp function, host::ProgramOp program);

// Finds the loops that a device may do by itself: those that need nothing of the host, outermost
// first, if their kernels have at most `mostWork` elementary operations on average.
void markResidentLoops(mlir::func::FuncOp function, host::ProgramOp program, int64_t mostWork);

class ProgramBuilder {
public:
  // Precondition: verifyMemoryPlan().
  ProgramBuilder(mlir::func::FuncOp source, host::ProgramOp program);

  // Fails with a diagnostic.
  mlir::LogicalResult run();

private:
  // A state of a loop that is being built.
  struct LoopState {
    ir::PlaceAttr home;
    bool overInit = false;   // the result has the init's storage
    mlir::Value init, last;  // before the first step; before or after the current one
    mlir::Value result;      // null: nobody reads it
    mlir::Value next, other; // two buffers: the one that the step writes, and the one after it
  };
  using LoopStates = llvm::SmallVector<LoopState>;

  // Constants, sizes.
  mlir::Value i64(int64_t value);
  mlir::Value sizeOf(const ir::DimExpr &size);
  ir::DimsAttr attributeOf(const ir::DimExpr &size);

  // Places.
  mlir::Value shared(llvm::function_ref<mlir::Value()> make);
  mlir::Value placeAt(ir::PlaceAttr place);
  mlir::FailureOr<mlir::Value> placeOf(mlir::Value value);
  mlir::FailureOr<mlir::Value> placeOfResult(mlir::OpResult result);
  mlir::FailureOr<mlir::Value> placeOfReturned(mlir::Operation *parent, unsigned index);
  mlir::FailureOr<mlir::Value> placeOfRows(ir::SliceOp rows);
  bool isOwn(ir::PlaceAttr place) const;
  bool isOwn(mlir::OpResult result) const;

  // Nodes.
  mlir::LogicalResult buildBlock(mlir::Block &block);
  mlir::LogicalResult buildPrepared();
  mlir::LogicalResult buildNode(mlir::Operation *op);
  mlir::LogicalResult buildWork(ir::KernelOp op);
  mlir::LogicalResult buildDefinition(ir::DefineSizeOp op);
  mlir::LogicalResult buildBranches(ir::IfOp op);
  void check();
  void waitFor(size_t count);

  // Loops (LoopPrograms.cpp).
  mlir::LogicalResult buildLoop(ir::LoopOpInterface op);
  mlir::LogicalResult buildSteps(ir::ScanOp op, LoopStates &states);
  mlir::LogicalResult buildSteps(ir::WhileOp op, LoopStates &states);
  mlir::LogicalResult buildStep(ir::LoopOpInterface op, mlir::Value place, LoopStates &states);
  mlir::LogicalResult buildBody(ir::LoopOpInterface op);
  mlir::FailureOr<LoopState> readState(ir::LoopOpInterface op, unsigned number);
  void finishState(ir::LoopOpInterface op, unsigned number, const LoopState &state);
  static llvm::SmallVector<mlir::Value *> carried(LoopStates &states);
  mlir::Value goesOn(ir::WhileOp op, mlir::Value step, const LoopState &flag);
  mlir::Value roomFor(ir::WhileOp op, mlir::Value step, mlir::Value room);
  bool isTape(mlir::OpResult stack) const;
  mlir::FailureOr<mlir::Value> elementAt(mlir::Value whole, mlir::Value element, mlir::Value place);
  mlir::FailureOr<mlir::Value> elementOf(ir::LoopOpInterface op, unsigned yielded,
                                         mlir::Value place);
  mlir::FailureOr<ir::DimExpr> bytesOf(mlir::Value value);
  void copy(mlir::Value from, mlir::Value to, const ir::DimExpr &bytes);

  mlir::func::FuncOp source;
  host::ProgramOp program;
  mlir::OpBuilder b;
  mlir::Location loc;
  llvm::SmallVector<ir::MemoryAttr> memories;
  unsigned firstVariable;                             // among the arguments
  llvm::DenseMap<mlir::Operation *, int64_t> numbers; // of kernels and constants
  llvm::DenseSet<int64_t> computed;                   // symbols that the call computes
  // Of the outermost loop that is being built: the sizes that its steps compute. What depends on
  // them is made where it is used.
  llvm::DenseSet<int64_t> ownSymbols;
  llvm::DenseMap<mlir::Value, mlir::Value> places;
  llvm::DenseMap<unsigned, mlir::Value> memoryValues; // that are the same in the whole program
  // Of the loops that are being built: where operand k of the yield belongs.
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, mlir::Value> yieldPlaces;
  bool mayHaveFailed = false;
  // Collectives that the block which is being built has started, in order, and the ops before which
  // they must be over.
  struct Message {
    ir::KernelOp kernel;
    mlir::Operation *waiter;
  };
  llvm::SmallVector<Message> messages;
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_HOST_PROGRAMBUILDER_H
