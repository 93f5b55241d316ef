// Ahead of time: the functions of a model in, relocatable objects and a C header out.
#ifndef KERATIN_COMPILER_DRIVER_MODELCOMPILER_H
#define KERATIN_COMPILER_DRIVER_MODELCOMPILER_H

#include "codegen/Target.h"
#include "compiler/driver/Compiler.h"
#include "compiler/driver/RankParts.h"
#include "ir/saved/SavedGraph.h"

#include "absl/status/statusor.h"

#include "llvm/Support/MemoryBuffer.h"

namespace keratin::compiler {

struct Model {
  std::string name; // checkModelName: the prefix of all symbols
  ir::SavedGraph graph;
};

// What the code of functions in which unknown sizes are broadcast to each other assumes: nothing,
// or that these are equal, with the code for other calls beside it or not.
enum class AssumedSizes { None, Equal, OnlyEqual };
// The spelling of options, in the order of the enum.
inline std::vector<std::string> assumedSizesNames() { return {"no", "yes", "only"}; }

// The processors that --mcpu names: of "multi" several, the best first. A model has code for those
// that matter to it.
std::vector<std::string> processorsNamed(const std::string &cpu);

struct ModelOptions {
  std::string target = "cpu";                 // as --target: also the triple of a CPU
  std::vector<std::string> cpus = {"native"}; // best first; the first that can run is taken
  int32_t threads = 0;                        // of a call of the model, 0: as many as processors
  AssumedSizes assumedSizes = AssumedSizes::Equal;
  PartOptions parts;
  CompileOptions compile; // cpu and assumeEqualSizes are not looked at
};

struct CompiledModel {
  std::string triple;
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects; // to be linked with the runtime
  std::vector<std::string> exports;                         // the symbols of the header
  std::vector<std::string> sharedExports; // and kModelMetadata: of a shared object
  std::string header;
  std::string metadata;                                       // ModelMetadata.h
  std::string warning;                                        // codegen::Target::warning()
  std::vector<std::pair<std::string, CompileReport>> reports; // of each function
};

// The target that --target and --mcpu name, for code that is taken elsewhere, with what else the
// options say of targets.
codegen::TargetChoice portableChoice(const std::string &target, const std::string &cpu,
                                     const CompileOptions &options);

// Whether a model may have this name (isModelName in artifact/Names.h).
absl::Status checkModelName(const std::string &name);

// Errors as compile(). The same model, options and version give the same bytes.
absl::StatusOr<CompiledModel> compileModel(Model model, const ModelOptions &options);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_DRIVER_MODELCOMPILER_H
