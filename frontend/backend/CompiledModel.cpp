// K::compile_model.
#include "keratin/saving.h"

#include "frontend/backend/SavedFunctions.h"
#include "frontend/graph/FunctionContext.h"
#include "frontend/graph/Job.h"
#include "frontend/graph/ProgressSteps.h"
#include "frontend/graph/RuntimeStatus.h"
#include "frontend/graph/SourcePlace.h"

#include "compiler/artifact/Names.h"
#include "compiler/artifact/SharedObject.h"
#include "compiler/driver/Attempt.h"
#include "compiler/driver/ModelCompiler.h"
#include "ir/saved/GraphReader.h"
#include "ir/saved/SavedFile.h"

#include "mlir/IR/MLIRContext.h"

#include "llvm/Support/Path.h"

#include <algorithm>
#include <limits>

using namespace keratin;
using namespace keratin::frontend;

namespace {

const char kCaller[] = "compile_model";

// What the options say wrong is the caller's error.
class ObjectCompiler {
public:
  ObjectCompiler(const std::string &path, const ObjectOptions &options, SourceLocation location)
      : path(path), options(options), location(location) {
    const llvm::StringRef stem = llvm::sys::path::stem(path);
    model.name = options.name;
    if (model.name.empty())
      model.name = compiler::modelName(stem.starts_with("lib") ? stem.drop_front(3) : stem);
    modelOptions.target = options.target;
    modelOptions.cpus = compiler::processorsNamed(options.cpu);
    if (options.threads < 0 || options.threads > std::numeric_limits<int32_t>::max())
      refuse("threads is " + std::to_string(options.threads) + "; needed 0 or more");
    modelOptions.threads = int32_t(options.threads);
    const std::vector<std::string> assumptions = compiler::assumedSizesNames();
    const auto assumption = std::ranges::find(assumptions, options.assumeEqualSizes);
    if (assumption == assumptions.end())
      refuse("assumeEqualSizes is '" + options.assumeEqualSizes +
             "'; needed 'yes', 'only' or 'no'");
    modelOptions.assumedSizes = compiler::AssumedSizes(assumption - assumptions.begin());
    const auto products = codegen::float32ProductsByName(options.float32Products);
    if (!products)
      refuse("float32Products is '" + options.float32Products + "'; needed 'float32' or 'tf32'");
    if (options.memoryBudget < 0)
      refuse("memoryBudget is " + std::to_string(options.memoryBudget) + "; needed 0 or more");
    checkAxisNames(kCaller, options.mesh, location);
    modelOptions.parts.states = options.shardStates;
    for (const auto &[axis, size] : options.mesh)
      modelOptions.parts.mesh.emplace_back(axis, size);
    check(compiler::checkMesh(modelOptions.parts));
    compiler::CompileOptions &compile = modelOptions.compile;
    compile.float32Products = *products;
    compile.memoryBudget = options.memoryBudget;
    compile.checkNumbers = options.checkNumbers;
    compile.prepareWeights = options.prepareWeights;
    compile.sourcePaths.strip = options.stripLocations;
    compile.profile = options.profile;
    compile.progress = progress.teller();
  }

  void run(const std::string &graph) {
    absl::StatusOr<compiler::CompiledModel> compiled = absl::UnknownError("");
    withThreadObjects([&] { compiled = compileGraph(graph); });
    progress.rethrow();
    check(compiled.status());
    std::string object;
    llvm::raw_string_ostream stream(object);
    compiler::LinkOptions link;
    link.triple = compiled->triple;
    link.sysroot = options.sysroot;
    link.name = llvm::sys::path::filename(path).str();
    const bool isShared = !llvm::StringRef(path).ends_with(".o");
    check((isShared ? compiler::linkSharedObject : compiler::linkRelocatable)(
        std::move(compiled->objects), isShared ? compiled->sharedExports : compiled->exports,
        stream, link));
    check(ir::writeFileBytes(path, object));
    if (!options.header.empty())
      check(ir::writeFileBytes(options.header, compiled->header));
    if (!options.metadata.empty())
      check(ir::writeFileBytes(options.metadata, compiled->metadata));
  }

private:
  [[noreturn]] void refuse(const std::string &what) const {
    throw ValueError(withPlace(kCaller + (": " + what), location));
  }
  void check(const absl::Status &status) const {
    if (!status.ok())
      throwFor(kCaller, location, status);
  }

  absl::StatusOr<compiler::CompiledModel> compileGraph(const std::string &graph) {
    std::unique_ptr<mlir::MLIRContext> context;
    absl::StatusOr<compiler::CompiledModel> compiled = absl::UnknownError("");
    absl::Status ended = compiler::attempt("compiling model '" + model.name + "'", [&] {
      context = compiler::makeContext();
      auto read = ir::readGraph(graph, *context);
      if (!read.ok()) {
        compiled = read.status();
        return;
      }
      model.graph = *std::move(read);
      compiled = compiler::compileModel(std::move(model), modelOptions);
    });
    if (compiler::isAbandoned(ended)) {
      (void)context.release();
      (void)model.graph.module.release();
    }
    return ended.ok() ? std::move(compiled) : ended;
  }

  const std::string &path;
  const ObjectOptions &options;
  const SourceLocation location;
  ProgressSteps progress{options.progress};
  compiler::ModelOptions modelOptions;
  compiler::Model model;
};

} // namespace

void backend::compile_model(const std::vector<Function> &functions, const std::string &path,
                            const ObjectOptions &options, SourceLocation location) {
  ObjectCompiler compiler(path, options, location);
  compiler.run(savedGraphOf(kCaller, functions, location));
}
