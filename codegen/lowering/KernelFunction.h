// A keratin.kernel as a function over units of its iteration space.
#ifndef KERATIN_CODEGEN_LOWERING_KERNELFUNCTION_H
#define KERATIN_CODEGEN_LOWERING_KERNELFUNCTION_H

#include "ir/dialect/Keratin.h"
#include "runtime/abi/keratin_types.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "llvm/ADT/MapVector.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace keratin::codegen {

// One of the eight-byte slots of argv.
struct KernelArgument {
  enum class Kind { Input, Output, Size, Site, Number, Step } kind;
  unsigned index = 0;      // of the input or output
  ir::DimExpr size{};      // Size
  std::string message{};   // Site: what the user is told if the check fails
  mlir::Location location; // Site
  keratin_status_code_t status = KERATIN_OUT_OF_RANGE; // Site
  uint64_t number = 0;                                 // Number: its bits
};

// A size as i64.
using SizeOf = llvm::function_ref<mlir::Value(const ir::DimExpr &)>;

// What the entry function needs to know to call the kernel: keratin_kernel_fn_t's signature, i.e.
// (context, argv, begin, end).
struct KernelFunction {
  mlir::LLVM::LLVMFuncOp function;
  std::vector<KernelArgument> arguments;
  ir::DimExpr units = 1; // of work that may run at once
  // Set instead of `units` where their number is no dimension expression: emits it as i64.
  std::function<mlir::Value(mlir::OpBuilder &, mlir::Location, SizeOf)> countUnits;
  int64_t scratchBytes = 0; // per thread, behind keratin_context_t::scratch
  ir::DimExpr grain = 1;    // units of a chunk
  ir::DimExpr work = 1; // elementary operations of the whole kernel, to tell whether threads pay
  // One unit more, numbered `units`, is done by itself behind all others.
  bool hasLastUnit = false;
};

// How kernels become functions in the module that the builder stands in. Fails with a diagnostic at
// the op that has no lowering.
using KernelLowering = std::function<mlir::FailureOr<KernelFunction>(
    ir::KernelOp kernel, mlir::OpBuilder &builder, llvm::StringRef name)>;

// The function under construction, shared by the kinds of kernel.
class KernelBuilder {
public:
  KernelBuilder(ir::KernelOp kernel, mlir::OpBuilder &builder, llvm::StringRef name);
  virtual ~KernelBuilder() = default;

  mlir::OpBuilder b;
  ir::KernelOp kernel;
  mlir::Location loc;
  KernelFunction result;
  mlir::Value context, argv, begin, end;
  llvm::SmallVector<mlir::Value> inputs, outputs; // pointers
  bool watchesNumbers; // the function has the attribute keratin.check_numbers
  // So many neighbouring elements of the op, from a position on, as a vector, where threads make
  // them together; null, or null of an op where each is made by itself.
  std::function<mlir::Value(ir::RandomBitsOp op, mlir::Value draw, mlir::Value first,
                            unsigned count)>
      randomBits;

  mlir::Block &body() { return kernel.getBody().front(); }
  // The size as i64: a constant, or an argument added for it.
  mlir::Value sizeOf(const ir::DimExpr &size);
  // What is asked for from here on are arguments of its own: code for other sizes may want the
  // registers of these.
  void renewSizes() { sizes.clear(); }
  // The number of a check site as i32: one for an op and a message, however often it is asked for.
  mlir::Value site(mlir::Operation *op, llvm::StringRef message,
                   keratin_status_code_t status = KERATIN_OUT_OF_RANGE);
  // The same of one whose message may tell of the element (runtime/abi/keratin_site_message.h), as
  // i64: its first number in the low half, how many it has behind that in the high half.
  mlir::Value numberedSite(mlir::Operation *op, llvm::StringRef message);
  // Tells the call that it has failed at the site.
  virtual void fail(mlir::Location where, mlir::Value site);
  // Memory of the function, zeros before it begins, in which numbers are noted that are not finite
  // (ElementEmitter::watch) by bits that are set. It becomes a register.
  mlir::Value notes(mlir::Type type);
  // Tells the call at the end of the function if bits have been set.
  void tellNotes();
  // A number (i64) that kernels of the same text may differ in.
  mlir::Value argumentFor(int64_t number);
  // How many steps the innermost loop around the call of the kernel has done (i64); 0 where it is
  // called outside of loops.
  mlir::Value step();
  mlir::Value i64(int64_t value);
  // for (iv = from; iv < to; iv += step) with loop-carried values; everything is i64.
  llvm::SmallVector<mlir::Value>
  forLoop(mlir::Value from, mlir::Value to, mlir::Value step, llvm::ArrayRef<mlir::Value> init,
          llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Operation *loop, mlir::Value iv,
                                                            llvm::ArrayRef<mlir::Value> carried)>
              body);

protected:
  // Says so of numbers that are not finite; several threads may, all of them the same.
  virtual void tellSuspect();

private:
  mlir::Value argument(KernelArgument description, mlir::Type type);
  std::map<ir::DimExpr, mlir::Value> sizes;
  std::map<std::pair<mlir::Operation *, std::string>, mlir::Value> sites, numberedSites;
  llvm::MapVector<mlir::Type, mlir::Value> noted; // memory for notes of each type
  mlir::Value stepNumber;
};

// In a module without a runtime, the function that stands for keratin_runtime_functions_t::fail.
inline constexpr llvm::StringLiteral kFailFunction = "keratin.fail";
// Makes the module one, before anything is emitted into it.
void declareFailFunction(mlir::ModuleOp module);

// The function that stands at this offset of keratin_runtime_functions_t.
mlir::Value runtimeFunction(mlir::OpBuilder &b, mlir::Location loc, mlir::Value context,
                            size_t offset);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LOWERING_KERNELFUNCTION_H
