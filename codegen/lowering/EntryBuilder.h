// The entry function under construction, and the functions of its loops; private to EntryFunction.
//
// The entry function itself is straight code, with branches, that runs once a call: LLVM does not
// optimise it. A long one calls its parts, one after the other. Each outermost loop is a function
// of its own, which is optimised: what its steps have in common, pointers, sizes and arguments that
// stay the same, is computed before the loop.
#ifndef KERATIN_CODEGEN_LOWERING_ENTRYBUILDER_H
#define KERATIN_CODEGEN_LOWERING_ENTRYBUILDER_H

#include "codegen/lowering/EntryFunction.h"
#include "codegen/lowering/KernelLibrary.h"
#include "ir/dialect/MemoryPlan.h"

#include "llvm/ADT/DenseSet.h"

#include <map>

namespace keratin::codegen {

class EntryBuilder {
public:
  EntryBuilder(mlir::func::FuncOp source, mlir::ModuleOp into, llvm::StringRef name,
               const MachineTarget &target, EntryDescription &description);

  mlir::LogicalResult run();

private:
  // The native function that code is being emitted into.
  struct Frame {
    mlir::LLVM::LLVMFuncOp function;
    mlir::Value context, buffers, sizes;
    // Of a loop's function: the end of the block in which everything is emitted that is the same in
    // all steps. Of the entry function: none, values are loaded where they are used.
    mlir::Operation *prologueEnd = nullptr;
    // In the branches of the entry function: what is emitted there is unknown outside of them.
    bool isConditional = false;
    // Arguments of one kernel after another, as long as the longest list.
    mlir::LLVM::AllocaOp sharedSlots;
    size_t numSharedSlots = 1;
    size_t numOwnSlots = 0; // of kernels with memory of their own for them
    llvm::DenseMap<mlir::Value, mlir::Value> pointers;
    std::map<ir::DimExpr, mlir::Value> sizeValues;
    // Of a loop's function: the sizes that its steps compute. What depends on them is emitted where
    // it is used.
    llvm::DenseSet<int64_t> ownSymbols;
    // Of the loops that are being emitted: where operand k of the yield belongs.
    llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, mlir::Value> yieldPlaces;

    bool isLoop() const { return prologueEnd; }
  };

  // A state of a loop that is being emitted.
  struct LoopState {
    ir::PlaceAttr home;
    bool overInit;           // the result has the init's storage
    mlir::Value init, last;  // before the first step; before or after the current one
    mlir::Value result;      // null: nobody reads it
    mlir::Value next, other; // two buffers: the one that the step writes, and the one after it
  };
  using LoopStates = llvm::SmallVector<LoopState>;

  mlir::Value i64(int64_t value);
  mlir::Value sizeOf(const ir::DimExpr &size);
  mlir::Value bufferAt(int64_t number);
  mlir::Value offsetBy(mlir::Value base, mlir::Value bytes);
  mlir::Value contextField(size_t offset, mlir::Type type);
  mlir::FailureOr<mlir::Value> pointerOf(mlir::Value value);
  mlir::FailureOr<mlir::Value> pointerOfRows(ir::SliceOp rows);
  mlir::FailureOr<mlir::Value> placeOf(mlir::OpResult result);
  mlir::Value placeAt(ir::PlaceAttr place);
  bool isOwnSize(const ir::DimExpr &size) const;
  bool isOwnPlace(ir::PlaceAttr place) const;
  bool isOwnPlace(mlir::OpResult result) const;
  bool mentionsOwnSize(mlir::Operation *op) const;
  mlir::FailureOr<mlir::Value> placeOfReturned(mlir::Operation *parent, unsigned index);
  // Runs `emit` where values stand that do not depend on the step; with false, here.
  mlir::Value hoistedIf(bool isSame, llvm::function_ref<mlir::Value()> emit);
  mlir::Value hoisted(llvm::function_ref<mlir::Value()> emit);

  void openFunction(llvm::StringRef name, mlir::Type result);
  void closeFunction();
  mlir::LogicalResult emitStraight(llvm::StringRef functionName, bool isPart,
                                   llvm::function_ref<mlir::LogicalResult()> body);
  mlir::LogicalResult callPart(llvm::StringRef partName, mlir::Block::iterator &op,
                               mlir::Block::iterator end);
  mlir::LogicalResult emitFunction();
  void numberBuffers();
  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emitNode(mlir::Operation *op);

  mlir::LogicalResult call(ir::KernelOp op);
  mlir::Value countUnits(const KernelFunction &kernel);
  void callKernel(const KernelFunction &kernel, mlir::Value slots, bool hasOwnSize);
  mlir::Value argumentSlots(size_t count);
  void storeArgument(mlir::Value slots, size_t slot, mlir::Value value);
  mlir::LogicalResult define(ir::DefineSizeOp op);
  mlir::Value hasNotFailed();
  void leaveIfFailed();
  void leaveUnless(mlir::Value sound);
  void tellProfile(int64_t kernel, bool end);

  mlir::LogicalResult emitBranches(ir::IfOp op);
  mlir::LogicalResult callLoop(ir::LoopOpInterface op);
  mlir::LogicalResult emitLoop(ir::LoopOpInterface op);
  mlir::LogicalResult emitSteps(ir::ScanOp op, LoopStates &states);
  mlir::LogicalResult emitSteps(ir::WhileOp op, LoopStates &states);
  static llvm::SmallVector<mlir::Value *> carried(LoopStates &states);
  mlir::Value goesOn(ir::WhileOp op, mlir::Value step, const LoopState &flag);
  mlir::Value roomFor(ir::WhileOp op, mlir::Value step, mlir::Value room);
  std::optional<int64_t> tapeOf(mlir::OpResult stack);
  mlir::FailureOr<mlir::Value> elementOf(ir::LoopOpInterface op, unsigned yielded,
                                         mlir::Value place);
  mlir::FailureOr<LoopState> readState(ir::LoopOpInterface op, unsigned state);
  mlir::LogicalResult emitStep(ir::LoopOpInterface op, mlir::Value place, LoopStates &states);
  mlir::LogicalResult emitBody(ir::LoopOpInterface op);
  mlir::FailureOr<mlir::Value> elementAt(mlir::Value whole, mlir::Value element, mlir::Value place);
  void finishState(ir::LoopOpInterface op, unsigned number, const LoopState &state);
  mlir::FailureOr<ir::DimExpr> bytesOf(mlir::Value value);
  void copy(mlir::Value to, mlir::Value from, const ir::DimExpr &bytes);

  mlir::func::FuncOp source;
  mlir::ModuleOp into;
  std::string name;
  KernelLibrary library;
  EntryDescription &description;
  mlir::OpBuilder b;
  mlir::Location loc;
  mlir::Type pointer;
  Frame frame;
  mlir::Block *exit = nullptr; // of the entry function, or the part of it that is being emitted
  llvm::SmallVector<int64_t> resultBuffers; // of results of the function that have one of their own
  llvm::DenseMap<mlir::Value, int64_t> constantBuffers;
  int64_t arenaBuffer = 0;
  llvm::SmallVector<ir::MemoryAttr> memories;
  unsigned firstVariable = 0; // among the arguments
  bool mayHaveFailed = false;
  int64_t loops = 0;
  mlir::LLVM::LLVMFuncOp copyFunction; // made when first needed
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LOWERING_ENTRYBUILDER_H
