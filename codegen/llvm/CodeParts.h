// A module compiled in parts: what threads can share, and what other functions have in common.
#ifndef KERATIN_CODEGEN_LLVM_CODEPARTS_H
#define KERATIN_CODEGEN_LLVM_CODEPARTS_H

#include "codegen/Effort.h"
#include "codegen/llvm/LlvmTarget.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class MemoryBuffer;
}

namespace keratin::codegen {

class StageClock;

// Marks a function that other modules may have too, of which there is one for each name in a
// module. Its object code is kept for the life of the process, by what it computes: equal functions
// are compiled once for a machine. Its linkage must be weak, so that two objects may hold it; it
// calls no function of its module.
inline constexpr char kSharedFunctionAttr[] = "keratin.shared";

// Kernels that equal ones of other modules may have in common, whatever they are called: as long as
// somebody keeps the code of one, the others are not compiled.
struct SharedKernels {
  std::vector<std::string> names; // given: functions of the module
  // What those that are worth it are called now; their code is to be kept as long as the module's.
  std::map<std::string, std::string> newNames;
  std::vector<std::shared_ptr<const llvm::MemoryBuffer>> code;
};

// Compiles a module of the LLVM dialect, which is consumed, to objects that JitLibrary links. Up to
// `threads` threads work, the calling one among them; the code does not depend on their number. The
// clock learns what the stages cost, all threads together. `kernels`, if given, are shared. `tell`,
// if given, is told how many of the parts are compiled, in the calling thread and before each of
// its own; its failure is the result.
mlir::FailureOr<std::vector<std::unique_ptr<llvm::MemoryBuffer>>>
emitObjects(mlir::ModuleOp module, const LlvmTarget &target, Effort effort, unsigned threads,
            StageClock &clock, SharedKernels *kernels = nullptr,
            const std::function<mlir::LogicalResult(int64_t done, int64_t of)> &tell = nullptr);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LLVM_CODEPARTS_H
