// The whole function as one native function that calls its kernels.
#ifndef KERATIN_CODEGEN_LOWERING_ENTRYFUNCTION_H
#define KERATIN_CODEGEN_LOWERING_ENTRYFUNCTION_H

#include "codegen/lowering/KernelFunction.h"
#include "codegen/lowering/LoopFunction.h"
#include "ir/dialect/Keratin.h"
#include "ir/host/Host.h"
#include "ir/interfaces/KernelName.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace keratin::codegen {

class KernelPlan;

// Machine code that only a device knows.
struct DeviceImage {
  std::string kind;
  std::vector<char> bytes;
};

// A function that a device launches.
struct DeviceKernel {
  std::string name;
  int64_t slots; // of its argv
};

// What the descriptor of the function must say for its entry function to work.
struct EntryDescription {
  std::vector<ir::DimExpr> sizes;     // expression of each slot of `sizes` after the symbols
  std::vector<KernelArgument> sites;  // check sites in the order of their numbers
  std::vector<mlir::Value> constants; // results of keratin.constant ops with memory of their own
  std::vector<ir::DefineSizeOp> computed; // of the last symbols
  int64_t scratchBytes = 0;
  int64_t kernels = 0, uniqueKernels = 0;
  int64_t numCollectives = 0; // kernels that all ranks of a job do together
  // What each kernel was lowered by: whoever lowers one puts its plan here. Kernels that are alike
  // are lowered once, and have one plan.
  llvm::DenseMap<mlir::Operation *, std::shared_ptr<const KernelPlan>> plans;
  // What became of each loop that the device does by itself, for people.
  std::vector<std::string> loops;
  // Of the kernels of the function, in the order of their numbers: what they are called, and the
  // function that each became. In a loop that the device does by itself that is the loop's.
  std::vector<ir::KernelName> kernelNames;
  std::vector<std::string> kernelFunctions;
  bool profile = false; // given: the entry function tells keratin_context_t::profile of each kernel
  bool onlyPlans = false; // given: of the code only plans and loops are looked at, none is run
  // Given: no runtime is there. Kernels are called where they would be shared by threads, and the
  // module declares the one function that they call (kFailFunction). The program asks for nothing
  // else of the runtime.
  bool isFreestanding = false;
  // Of a function whose kernels a device runs: its name, its images, and the functions that are
  // launched, by their numbers. Else empty.
  std::string device;
  std::vector<DeviceImage> images;
  std::vector<DeviceKernel> deviceKernels;
  // Given, or empty: asked before each kernel; a failure, which it has reported, is the lowering's.
  std::function<mlir::LogicalResult(mlir::Location)> beforeKernel;

  // Symbols have the first slots; those that the call computes come last, in the order in which it
  // does. All are added before any other size. False if there was a slot already. Where the symbol
  // counts a size by a unit, its slot is the size's.
  bool addSymbol(int64_t id, int64_t unit = 1);
  size_t symbolCount() const { return symbolSlots.size(); }
  int64_t firstComputedSlot() const { return int64_t(symbolCount() - computed.size()); }
  std::optional<int64_t> slotOfSymbol(int64_t id) const;
  // The slot of a size that is not constant, adding it if needed.
  int64_t slotOf(const ir::DimExpr &size);

private:
  // There may be as many of both as a function has inputs and outputs.
  llvm::DenseMap<int64_t, int64_t> symbolSlots;
  llvm::DenseSet<int64_t> counts; // the symbols that have a unit
  std::map<ir::DimExpr, int64_t> sizeSlots;
};

// Where the kernels go that a device runs, and how they are lowered, and resident loops if the
// device does any.
struct DeviceModule {
  mlir::ModuleOp into;
  KernelLowering lowering;
  LoopLowering loops = nullptr;
};

// Lowers the kernels of a planned function and makes its host program the entry function, of type
// keratin_entry_fn_t, under the given name in the module `into`. The description has all symbols.
// Kernels that the host runs are lowered by `onHost`. Of a function that works in the memory of a
// device, those that are launched go into the device's module, as functions with external linkage.
mlir::LogicalResult lowerFunction(mlir::func::FuncOp function, host::ProgramOp program,
                                  mlir::ModuleOp into, llvm::StringRef name, KernelLowering onHost,
                                  EntryDescription &description,
                                  const DeviceModule *device = nullptr);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LOWERING_ENTRYFUNCTION_H
