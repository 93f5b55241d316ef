// A host program on its way to the entry function, and the functions of its loops; private to
// EntryFunction, and the files beside it by what they do: EntryValues, EntryOps, EntryKernels and
// EntryControl.
//
// The entry function itself is straight code, with branches, that runs once a call: LLVM does not
// optimise it. A long one calls its parts, one after the other. Each outermost loop is a function
// of its own, which is optimised: what its steps have in common, pointers, sizes and arguments that
// stay the same, is computed before the loop.
//
// Places and sizes of the program are expressions: they become code where something uses them, once
// in a function, or before the loop. What the host does becomes code where it stands.
#ifndef KERATIN_CODEGEN_LOWERING_ENTRYLOWERING_H
#define KERATIN_CODEGEN_LOWERING_ENTRYLOWERING_H

#include "codegen/lowering/EntryFunction.h"
#include "codegen/lowering/KernelLibrary.h"
#include "ir/dialect/MemoryPlan.h"
#include "ir/host/Host.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace keratin::codegen {

class EntryLowering {
public:
  EntryLowering(mlir::func::FuncOp source, host::ProgramOp program, mlir::ModuleOp into,
                llvm::StringRef name, KernelLowering onHost, EntryDescription &description,
                const DeviceModule *device);

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
    size_t numOwnSlots = 0;                          // of kernels with memory of their own for them
    llvm::DenseMap<mlir::Value, mlir::Value> values; // by those of the program
    std::map<ir::DimExpr, mlir::Value> sizeValues;
    // Of a loop's function: the sizes that its steps compute. What depends on them is emitted where
    // it is used.
    llvm::DenseSet<int64_t> ownSymbols;
    // How many steps the innermost loop has done, where there is one.
    mlir::Value step;

    bool isLoop() const { return prologueEnd; }
  };

  mlir::Value i64(int64_t value);
  mlir::Value sizeOf(const ir::DimExpr &size);
  mlir::Value bufferAt(int64_t number);
  mlir::Value offsetBy(mlir::Value base, mlir::Value bytes);
  mlir::Value contextField(size_t offset, mlir::Type type);
  // Calls the function that stands at this offset of keratin_runtime_functions_t. Without a result
  // type it returns nothing.
  mlir::Value callRuntime(size_t offset, mlir::Type result, mlir::ValueRange arguments);
  mlir::Value runtimeFunction(size_t offset);
  mlir::Value i32(int64_t value);
  bool isOwnSize(const ir::DimExpr &size) const;
  bool isOwnMemory(host::MemoryOp memory) const;
  // Runs `emit` where values stand that do not depend on the step; with false, here.
  mlir::Value hoistedIf(bool isSame, llvm::function_ref<mlir::Value()> emit);
  mlir::Value hoisted(llvm::function_ref<mlir::Value()> emit);
  // The native value for one of the program.
  mlir::Value valueOf(mlir::Value value);
  mlir::Value buffer(mlir::Value value, int64_t number);
  mlir::Value placeAt(host::AtOp at);
  mlir::Type typeOf(mlir::Type type);

  void openFunction(llvm::StringRef functionName, mlir::Type result);
  void closeFunction();
  mlir::LogicalResult emitStraight(llvm::StringRef functionName, bool isPart,
                                   llvm::function_ref<mlir::LogicalResult()> body);
  mlir::LogicalResult callPart(llvm::StringRef partName, mlir::Block::iterator &op,
                               mlir::Block::iterator end);
  mlir::LogicalResult emitFunction();
  void numberBuffers();

  mlir::LogicalResult lower(mlir::Operation *op);
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  void lowerNumber(mlir::Operation *op);

  mlir::LogicalResult lowerKernels();
  mlir::LogicalResult lowerResidentLoops();
  mlir::Value argumentOf(const KernelArgument &argument);
  void call(const host::Work &work, host::LaunchOp launch);
  void launchOnDevice(mlir::LLVM::LLVMFuncOp function, llvm::ArrayRef<mlir::Value> arguments,
                      mlir::Value slots, mlir::Value units, mlir::Value grain, int64_t stream);
  using Count = std::function<mlir::Value(mlir::OpBuilder &, mlir::Location, SizeOf)>;
  mlir::Value countUnits(const KernelFunction &kernel);
  mlir::Value count(const Count &count);
  void callKernel(const KernelFunction &kernel, mlir::Value slots, bool hasOwnSize);
  void callLastUnit(const KernelFunction &kernel, mlir::Value slots, bool hasOwnSize);
  mlir::Value argumentSlots(size_t count);
  void storeArgument(mlir::Value slots, size_t slot, mlir::Value value);
  mlir::Value read(host::ReadOp op);
  mlir::Value define(host::DefineSizeOp op);
  mlir::Value growTapes(host::GrowTapesOp op);
  mlir::Value hasNotFailed();
  mlir::Value mustPrepare();
  void leaveIfFailed();
  void askRanks();
  void wait(host::WaitCollectiveOp op);
  void leaveUnless(mlir::Value sound);
  void tellProfile(int64_t kernel, bool end);
  int64_t definitionOf(int64_t symbol) const;
  void copy(host::CopyOp op);
  mlir::Value staging(host::StagingOp op);
  void transfer(mlir::Operation *op);
  void transferBytes(size_t function, mlir::Value to, mlir::Value from, mlir::Value bytes,
                     int64_t stream);
  bool isInDevice(mlir::Operation *op) const;

  mlir::LogicalResult callLoop(host::LoopOp op);
  void launchLoop(host::LoopOp op, const LoopFunction &made);
  mlir::LogicalResult lower(mlir::scf::IfOp op);
  mlir::LogicalResult lower(mlir::scf::ForOp op);
  mlir::LogicalResult lower(mlir::scf::WhileOp op);

  mlir::func::FuncOp source;
  host::ProgramOp program;
  mlir::ModuleOp into;
  std::string name;
  KernelLibrary library;
  std::optional<KernelLibrary> onDevice; // of kernels that a device runs
  LoopLowering loopsOnDevice;
  llvm::DenseMap<mlir::Operation *, LoopFunction> residentLoops; // that are launched
  llvm::StringMap<int64_t> deviceNumbers;                        // by the names of their functions
  EntryDescription &description;
  int64_t siteNumbers = 0; // of the sites of the description
  mlir::OpBuilder b;
  mlir::Location loc;
  mlir::Type pointer;
  Frame frame;
  mlir::Block *exit = nullptr; // of the entry function, or the part of it that is being emitted
  llvm::SmallVector<ir::KernelOp> kernels;
  llvm::SmallVector<ir::MemoryAttr> memories;
  llvm::SmallVector<int64_t> resultBuffers; // buffer of each result of the function
  int64_t constantBuffers = 0;              // of the first constant
  int64_t arenaBuffer = 0;
  bool mayHaveFailed = false;
  int64_t loops = 0;
  mlir::LLVM::LLVMFuncOp copyFunction; // made when first needed
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LOWERING_ENTRYLOWERING_H
