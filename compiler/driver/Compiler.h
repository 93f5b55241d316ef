// One call: a function of the dialect in, an executable function out.
#ifndef KERATIN_COMPILER_DRIVER_COMPILER_H
#define KERATIN_COMPILER_DRIVER_COMPILER_H

#include "codegen/Effort.h"
#include "codegen/Float32Products.h"
#include "compiler/driver/CompileReport.h"
#include "compiler/driver/SourcePaths.h"

#include "absl/status/statusor.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

struct keratin_device_t;
struct keratin_function_desc_t;
struct keratin_part_axes_t;

namespace mlir {
class DialectRegistry;
class ModuleOp;
} // namespace mlir

namespace keratin::compiler {

// What compiling one function does next, for CompileOptions::progress.
struct CompileStep {
  std::string function;
  // In this order: "wait" (if another thread makes the code); "budget" (if there is one to be
  // kept); "graph", "gradient", "simplify", "fusion", "memory", "host" (phaseName,
  // pipelines/Pipelines.h); "kernels" and "llvm", once for each machine that the code is for;
  // "link" (where it is loaded). From "fusion" on that is "link" alone if a function that differs
  // in constants only has the code; if another thread makes it, "wait" stands between them.
  std::string stage;
  int64_t done = 0, of = 0; // of the stage's steps; equal at its end
  std::string next;         // "pass keratin-form-kernels"; "" at a stage's end
};

struct CompileOptions {
  std::string target = "cpu"; // as TargetChoice::name (codegen/Target.h)
  std::string cpu = "native"; // as --mcpu
  // What will run the code, if that is known: what helps it is made too, where that can be done.
  const keratin_device_t *device = nullptr;
  // Equal functions have one code, which is made once (compiler/store). False: it is made anew. So
  // it is with options that let somebody see how: verify, printAfterAll, dumpDirectory.
  bool reuse = true;
  // Verifies the IR after each pass, and the memory plan by the independent checker: for tests, and
  // for finding which pass is wrong.
  bool verify = false;
  // The code reports what its kernels take where a profile is wanted (keratin_profile_start).
  bool profile = false;
  bool printAfterAll = false; // the IR after each pass, to standard error
  // If not empty: the IR before the first and after each phase, and the assembly, are written to
  // this folder, which must exist, as <function>.<number>-<phase>.mlir. The environment variable
  // KERATIN_DUMP_DIR does the same.
  std::string dumpDirectory;
  // Whether this is the code for calls that other code of the function does not serve
  // (assumeEqualSizes): its dumps are <function>.<number>-<phase>.general.mlir.
  bool isGeneral = false;
  // A graph beyond these is refused. Ops are counted as given and after gradients were expanded;
  // constants as they will lie in memory.
  int64_t maxOps = 1'000'000;
  int64_t maxConstantBytes = int64_t(1) << 30;
  // Bytes that a call may take for temporaries; 0: as many as there are. Loops that are
  // differentiated then keep a few states and do their steps again, if nothing less will do: the
  // report says how it came out, and it is no error if the budget is too small. Sizes that are not
  // known count as 32, but a loop whose length is not known is divided into segments that keep
  // a third of the budget, whatever that length will be.
  int64_t memoryBudget = 0;
  // Of the clock on the wall, for one function; 0: any time. Looked at before each pass and each
  // kernel; one of them, and what LLVM does with the kernels of one thread, is not interrupted.
  std::chrono::nanoseconds timeLimit{0};
  // If there: told each step before it is done, and each end of a stage, in the thread that
  // compiles. False ends the compilation, which is then CANCELLED. It must not throw: LLVM and MLIR
  // are built without exceptions. Of code that is there nothing is told; while another thread makes
  // it, the stage is "wait", again and again.
  std::function<bool(const CompileStep &)> progress;
  // If there: told, within attempt(), that code must be made, before the module is changed. Where
  // code is there the module stays as it is.
  std::function<void()> beforeWork;
  // Whether calls fail in which an op makes NaN or an infinity of finite numbers
  // (keratin-check-numbers).
  bool checkNumbers = false;
  // Whether what depends on variables that the function does not update is made again only when one
  // of them was written (keratin-prepare). Not of functions that check numbers, which look at them
  // in each call, nor on devices with memory of their own.
  bool prepareWeights = true;
  // Whether the code is only for calls in which sizes that are broadcast to each other are equal
  // (keratin-unify-sizes). Where there are such sizes, the descriptor has a check with the status
  // KERATIN_SIZES_DIFFER.
  bool assumeEqualSizes = false;
  // What the code and all messages say of source files.
  SourcePathOptions sourcePaths;
  codegen::Float32Products float32Products = codegen::Float32Products::Float32;
  // For the code that the host runs.
  codegen::Effort effort = codegen::Effort::Full;
  // Whether an internal error writes a reproducer, and where; empty: the folder that the
  // environment variable KERATIN_REPRODUCER_DIR names, or that of temporary files.
  bool writeReproducer = true;
  std::string reproducerDirectory;
  // Whether values of constants, names and messages may stand in a reproducer.
  bool reproducerWithData = false;
  // For tests: see PhaseOptions (compiler/pipelines). Behind the last pass code generation fails,
  // and behind that it dies as LLVM does.
  int failBefore = -1;
  // That generate machine code, the calling one among them; 0 means two where the machine has them.
  unsigned threads = 0;
};

class FunctionDescription;
struct LoadedCode;

// Machine code of one function with its description. Immutable; keep it alive as long as
// executables made from it.
class CompiledFunction {
public:
  // Of code that functions may share, and what describes this one.
  CompiledFunction(std::shared_ptr<const LoadedCode> code,
                   std::shared_ptr<const FunctionDescription> description, CompileReport report);
  ~CompiledFunction();
  const keratin_function_desc_t &descriptor() const;
  // As FunctionDescription::partAxes.
  const keratin_part_axes_t *partAxes() const;
  const CompileReport &report() const;
  // Whether there are calls that the code does not serve (CompileOptions::assumeEqualSizes).
  bool assumesSizes() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

// The dialects that a context needs before modules for compile() are built in it.
void registerDialects(mlir::DialectRegistry &registry);
// A registry of them, which nobody changes.
const mlir::DialectRegistry &dialects();

// Compiles the one func.func of the module, which is consumed (left in an unspecified valid state).
// The function's contract:
//  - each argument has the attribute keratin.kind: "input" or "variable", and keratin.name (a
//  string);
//    inputs come first;
//  - each result has keratin.kind: "output", or "update" with keratin.variable = index among the
//  variables; outputs first;
//  - it is pure and functional: no placeholder, variable, literal, update ops are left; gradients
//  ops may be;
//  - symbols of its types are bound by dimensions of inputs, or by the value of an integer scalar
//  input or variable with the attribute
//    keratin.symbol = <id of the symbol> on that argument.
// Errors are INVALID_ARGUMENT (the graph is wrong; message with the source line), UNIMPLEMENTED,
// RESOURCE_EXHAUSTED, CANCELLED or INTERNAL. Of an error that isAbandoned() (Attempt.h) the module
// and its context are lost.
absl::StatusOr<std::shared_ptr<const CompiledFunction>> compile(mlir::ModuleOp module,
                                                                const CompileOptions &options);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_DRIVER_COMPILER_H
