// One function on its way to machine code: what compiling in process and ahead of time share.
#ifndef KERATIN_COMPILER_DRIVER_FUNCTIONCOMPILER_H
#define KERATIN_COMPILER_DRIVER_FUNCTIONCOMPILER_H

#include "codegen/Target.h"
#include "codegen/llvm/CodeParts.h"
#include "codegen/llvm/ObjectEmitter.h"
#include "codegen/lowering/KernelListing.h"
#include "compiler/artifact/FunctionDescription.h"
#include "compiler/diagnostics/DiagnosticCollector.h"
#include "compiler/driver/Compiler.h"
#include "compiler/driver/PhaseDump.h"
#include "compiler/driver/Reproducer.h"
#include "compiler/pipelines/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/Support/MemoryBuffer.h"

#include <map>

namespace keratin::compiler {

// Machine code of one function for one machine.
struct FunctionCode {
  std::unique_ptr<FunctionDescription> description; // without the address of the entry function
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects; // to be linked together
  int64_t kernels = 0, uniqueKernels = 0;
  std::vector<int64_t> scalarOfConstant; // as LoadedCode
  codegen::KernelListing listing;
  // To be kept as long as the code, so that other functions need not compile the same.
  std::vector<std::shared_ptr<const llvm::MemoryBuffer>> sharedKernels;
};

// A function as code that needs no runtime, before it is machine code.
struct FreestandingCode {
  std::unique_ptr<FunctionDescription> description; // without the address of the entry function
  codegen::EntryDescription entry;
  mlir::OwningOpRef<mlir::ModuleOp> module; // of the LLVM dialect
};

class FunctionCompiler {
public:
  // The module holds one function with the contract of Compiler.h; it and the options must outlive
  // this object, whose thread gets the context's diagnostics. Planned within the target's limits.
  // The time limit counts from `started`. With texts, what is said of the function can be said of
  // others that have the same code; they must outlive this object, too.
  FunctionCompiler(mlir::ModuleOp module, std::shared_ptr<const codegen::Target> target,
                   const CompileOptions &options,
                   std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now(),
                   const SaidTexts *said = nullptr);

  // Verifies the function and takes it through the planning phases and to its host program, or up
  // to the last phase named, from where it may be called again.
  absl::Status plan(PipelinePhase last = PipelinePhase::Host);

  // After plan() up to kernels: scalars in these (passes/fusion/OpenScalars.h) will be constants in
  // memory, and what is said can be said of others that have these texts.
  void openScalars(const SaidTexts *texts) {
    opensScalars = true;
    said = texts;
  }

  // After all of plan(), any number of times, for targets of the same name. All symbols that the
  // objects define begin with entryName, but for functions that equal each other in all code for
  // the machine; `variant` is appended to the names of those where code for several machines is
  // linked together. Kernels may be shared with other functions of the process, under names of
  // their own.
  absl::StatusOr<FunctionCode> generate(const codegen::Target &target, const std::string &entryName,
                                        const std::string &variant = "",
                                        bool mayShareKernels = false);
  // The same as text, for people, with comments that name the kernels; and a list of them.
  absl::StatusOr<std::string> generateText(const codegen::Target &target,
                                           const std::string &entryName, codegen::CodeKind kind,
                                           codegen::KernelListing *listing = nullptr);

  // Code that asks a runtime for nothing but codegen::kFailFunction, which the module declares.
  // After all of plan(), of a program that asks it for nothing (freestanding/RuntimeNeeds.h).
  absl::StatusOr<FreestandingCode> generateFreestanding(const codegen::Target &target,
                                                        const std::string &entryName);

  // After all of plan(): each kernel with what the target makes of it, for people.
  absl::StatusOr<std::string> schedules(const codegen::Target &target);

  // Time and stages are those so far.
  CompileReport report() const;
  // Of plan(), with texts: CompileReport::memoryPlan as memoryReportPattern() makes it.
  const std::optional<std::string> &memoryPlanPattern() const { return planPattern; }
  codegen::StageClock &stageClock() { return clock; }
  // Stages of CompileOptions::progress, of so many steps: each begins with begin(), and at the end
  // stands leave(). Failure: the compilation is cancelled, or the time is over.
  void enter(const char *stage, int64_t steps);
  mlir::LogicalResult begin(llvm::StringRef next, mlir::Location location);
  mlir::LogicalResult leave();
  // The collected errors. Without a phase: code generation.
  absl::Status failure(std::optional<PipelinePhase> phase = std::nullopt);
  // An internal error of this function, with the file that shows it again.
  absl::Status withReproducer(const absl::Status &status,
                              std::optional<PipelinePhase> phase = std::nullopt);
  mlir::func::FuncOp planned() const { return function; }

private:
  mlir::LogicalResult tell(llvm::StringRef next);
  absl::Status beginPlan();
  mlir::LogicalResult checkSignature();
  mlir::LogicalResult checkConstants(const codegen::EntryDescription &entry);
  PhaseOptions phaseOptions();
  // What loops may keep so that the plan fits the budget, or is smallest. Plans copies.
  absl::StatusOr<int64_t> chooseKeptBytes();
  absl::StatusOr<int64_t> arenaWith(int64_t kept);
  mlir::LogicalResult runPhase(mlir::ModuleOp module, PipelinePhase phase, bool isShown);
  std::string schedulesOf(const codegen::EntryDescription &entry) const;
  void nameCode(const codegen::EntryDescription &entry, const codegen::SharedKernels &shared);
  // To MLIR's dialects for code; lower() goes on to that of LLVM.
  mlir::OwningOpRef<mlir::ModuleOp> lowerKernels(const codegen::Target &target,
                                                 const std::string &entryName,
                                                 FunctionDescription &description,
                                                 codegen::EntryDescription &entry);
  mlir::OwningOpRef<mlir::ModuleOp> lower(const codegen::Target &target,
                                          const std::string &entryName,
                                          FunctionDescription &description,
                                          codegen::EntryDescription &entry);

  mlir::ModuleOp module;
  const std::shared_ptr<const codegen::Target> target;
  const CompileOptions &options;
  const std::chrono::steady_clock::time_point started;
  const SaidTexts *said;
  DiagnosticCollector diagnostics;
  std::optional<Reproducer> reproducer; // of the function as it was given
  PhaseDump dump;
  mlir::func::FuncOp function;
  std::optional<PipelinePhase> reached; // by plan()
  bool opensScalars = false;
  std::optional<int64_t> keptBytes; // with a budget
  codegen::StageClock clock;
  CompileReport planReport;
  std::map<std::string, std::string> codeNames; // of functions, for people
  std::optional<std::string> planPattern;
  CompileStep step;
  bool isCancelled = false;
};

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_DRIVER_FUNCTIONCOMPILER_H
