// LLVM dialect to machine code.
#ifndef KERATIN_CODEGEN_LLVM_OBJECTEMITTER_H
#define KERATIN_CODEGEN_LLVM_OBJECTEMITTER_H

#include "codegen/llvm/LlvmTarget.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

#include <memory>
#include <string>

namespace llvm {
class Function;
class LLVMContext;
class MemoryBuffer;
class Module;
} // namespace llvm

namespace keratin::codegen {

class StageClock;

enum class CodeKind { Object, Assembly, LlvmIr };

// A module of LLVM IR in a context of its own, so that any thread may compile it.
struct LlvmCode {
  LlvmCode();
  LlvmCode(LlvmCode &&);
  ~LlvmCode();
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  // Long straight code that runs once a call, or code that runs a few times at all: it is made in
  // the time of its length, as it stands.
  bool runsOnce = false;
  // Each function and each constant has a section of its own, so that a linker drops what nobody
  // calls, and the object says how much of the stack each function takes.
  bool isForParts = false;
};

// What each function of code for the target says of itself; translate() sees to its own.
void setAttributes(llvm::Function &function, const LlvmTarget &target);

// Translates a module of the LLVM dialect. Failure is reported as a diagnostic on the module.
mlir::FailureOr<LlvmCode> translate(mlir::ModuleOp module, const LlvmTarget &target);

// The short scalar clean-up by itself: what generate() begins with. False with a message on
// failure.
bool cleanUpCode(LlvmCode &code, const LlvmTarget &target, std::string *error);

// Runs the short scalar clean-up that suits code which is vectors already, unless it runs once, and
// emits the code. Null with a message on failure.
std::unique_ptr<llvm::MemoryBuffer> generate(LlvmCode &code, const LlvmTarget &target,
                                             CodeKind kind, StageClock &clock, std::string *error);

// Both at once, for a whole module.
mlir::FailureOr<std::unique_ptr<llvm::MemoryBuffer>>
emitCode(mlir::ModuleOp module, const LlvmTarget &target, CodeKind kind = CodeKind::Object);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LLVM_OBJECTEMITTER_H
