// K::save_function and K::save_functions.
#include "keratin/saving.h"

#include "compiler/diagnostics/DiagnosticCollector.h"
#include "compiler/driver/Attempt.h"
#include "compiler/pipelines/Pipelines.h"
#include "frontend/backend/FunctionState.h"
#include "frontend/backend/SavedFunctions.h"
#include "frontend/graph/Call.h"
#include "frontend/graph/Job.h"
#include "frontend/graph/RuntimeStatus.h"
#include "frontend/graph/SourcePlace.h"
#include "ir/builder/DifferentiablePaths.h"
#include "ir/dialect/LazyUpdates.h"
#include "ir/dialect/MeshAxes.h"
#include "ir/dialect/Precision.h"
#include "ir/dialect/ShardsStates.h"
#include "ir/dialect/Signature.h"
#include "ir/dialect/SizeNames.h"
#include "ir/dialect/SizedText.h"
#include "ir/dialect/VectorizedMap.h"
#include "ir/interfaces/ComputedSizes.h"
#include "ir/interfaces/OpProperties.h"
#include "ir/saved/GraphWriter.h"
#include "ir/saved/SavedFile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

using namespace keratin;
using namespace keratin::frontend;

// "x", or "x_1" if the name is taken.
static std::string uniqueAmong(llvm::StringSet<> &taken, const std::string &name) {
  std::string unique = name;
  for (unsigned i = 1; !taken.insert(unique).second; ++i)
    unique = name + "_" + std::to_string(i);
  return unique;
}

[[noreturn]] static void raise(const Call &call, const absl::Status &status) {
  throwStatus(status.code(), call.message(std::string(status.message())));
}

void frontend::throwFor(const char *caller, SourceLocation location, const absl::Status &status) {
  throwStatus(status.code(), withPlace(caller + (": " + std::string(status.message())), location));
}

// The block in which both sizes have values: a body that computes one of them, or the function's.
static mlir::Block *blockOf(mlir::func::FuncOp function,
                            const llvm::DenseMap<int64_t, mlir::Block *> &definedIn,
                            const ir::DimExpr &lhs, const ir::DimExpr &rhs) {
  mlir::Block *innermost = &function.getBody().front();
  for (const ir::DimExpr *size : {&lhs, &rhs})
    for (int64_t id : size->symbols())
      if (mlir::Block *block = definedIn.lookup(id);
          block && innermost->getParentOp()->isProperAncestor(block->getParentOp()))
        innermost = block;
  return innermost;
}

// What the checks of a function require, as ops on the first result of each block that they are of.
static void requirementsToOps(mlir::func::FuncOp function) {
  auto checks = function->getAttrOfType<mlir::ArrayAttr>("keratin.checks");
  function->removeAttr("keratin.checks");
  if (!checks)
    return;
  const ir::SizeNames names(function);
  llvm::DenseMap<int64_t, mlir::Block *> definedIn;
  function.walk([&](ir::DefineSizeOp define) {
    definedIn[int64_t(define.getSymbol())] = define->getBlock();
  });
  for (auto check : checks.getAsRange<mlir::DictionaryAttr>()) {
    // In a file sizes have the names that they have there.
    const std::string message = ir::SizedText::of(check.get("message")).text(names);
    llvm::MapVector<mlir::Block *, std::pair<ir::Shape, ir::Shape>> byBlock;
    for (auto [lhs, rhs] : llvm::zip(check.getAs<ir::DimsAttr>("lhs").getDims(),
                                     check.getAs<ir::DimsAttr>("rhs").getDims())) {
      auto &[left, right] = byBlock[blockOf(function, definedIn, lhs, rhs)];
      left.push_back(lhs);
      right.push_back(rhs);
    }
    for (const auto &[block, sizes] : byBlock) {
      mlir::Operation *terminator = block->getTerminator();
      if (terminator->getNumOperands() == 0)
        continue;
      mlir::OpBuilder b(terminator);
      mlir::Value value = terminator->getOperand(0);
      auto place = check.getAs<mlir::LocationAttr>("location");
      terminator->setOperand(0, b.create<ir::RequireOp>(
                                    place ? mlir::Location(place) : value.getLoc(), value.getType(),
                                    value, check.getAs<ir::RequirementAttr>("kind").getValue(),
                                    ir::DimsAttr::get(function.getContext(), sizes.first),
                                    ir::DimsAttr::get(function.getContext(), sizes.second),
                                    b.getStringAttr(message)));
    }
  }
}

// Random nodes count their draws last, as where functions are made: the passes move constants, and
// the order of the ops is that of the file.
static void countDrawsLast(mlir::func::FuncOp function, llvm::ArrayRef<ir::VariableOp> variables) {
  mlir::Operation *terminator = function.getBody().front().getTerminator();
  unsigned inputs = function.getNumArguments() - unsigned(variables.size());
  for (mlir::OpOperand &result : terminator->getOpOperands()) {
    std::optional<int64_t> index =
        ir::Signature(function).updatedVariable(result.getOperandNumber());
    if (!index)
      continue;
    ir::VariableOp variable = variables[size_t(*index)];
    if (!Graph::get().variables[variable.getId()].countsDraws)
      continue;
    mlir::Value counter = function.getArgument(inputs + unsigned(*index));
    mlir::OpBuilder b(terminator);
    ir::GraphMath g(b, counter.getLoc());
    result.set(g.add(counter, g.integerScalar(1, ir::getElementType(counter))));
  }
}

// Definitions of sizes, of which the frontend knows only truncates, a truncated vector of nothing,
// and loops, which define theirs themselves.
static void definitionsToOps(mlir::func::FuncOp function) {
  function.walk([](ir::DefineSizeOp define) {
    mlir::Operation *counter = define.getSize().getDefiningOp();
    if (counter && ir::symbolDefinedBy(counter) == int64_t(define.getSymbol())) {
      define.erase();
      return;
    }
    mlir::OpBuilder b(define);
    ir::GraphMath g(b, define.getLoc());
    mlir::Value vector = g.broadcast(g.scalar(0, b.getF32Type()), define.getBound()->getDims(), {});
    auto type =
        ir::getTensorType({ir::DimExpr::symbol(int64_t(define.getSymbol()))}, b.getF32Type());
    b.create<ir::TruncateOp>(define.getLoc(), type, vector, define.getSize(), uint64_t(0));
    define.erase();
  });
}

// Derivatives become ops, and so do maps that are to be vectors. What derivatives are taken of is
// brought into stable formulas first, as the compiler does it; a function without either is saved
// as it is written, unless its updates are lazy or its precision is mixed.
static absl::Status expandGradients(mlir::ModuleOp module, mlir::func::FuncOp function,
                                    llvm::ArrayRef<ir::VariableOp> variables) {
  auto isExpanded = [](mlir::Operation *op) {
    return ir::isDerivative(op) || op->hasAttr(ir::kVectorizedAttr) ||
                   llvm::isa<ir::CustomGradientOp, ir::CheckpointOp>(op)
               ? mlir::WalkResult::interrupt()
               : mlir::WalkResult::advance();
  };
  if (function.walk(isExpanded).wasInterrupted() || function->hasAttr(ir::kLazyUpdatesAttr) ||
      function->hasAttr(ir::kProductDTypeAttr)) {
    compiler::DiagnosticCollector diagnostics(module.getContext());
    mlir::PassManager manager(module.getContext());
    auto &nested = manager.nest<mlir::func::FuncOp>();
    compiler::PhaseOptions options;
    options.shards = false; // a file says what is sharded, whoever loads it makes parts
    options.complexViews = false;
    compiler::buildPhase(nested, compiler::PipelinePhase::Graph, options);
    compiler::buildPhase(nested, compiler::PipelinePhase::Gradient, options);
    if (failed(manager.run(module)))
      return diagnostics.status();
    countDrawsLast(function, variables);
    // When it is done is for whoever compiles the function.
    function.walk([](ir::DelayOp delay) {
      delay.replaceAllUsesWith(delay.getX());
      delay.erase();
    });
    // Nor does a file say why a map is a loop.
    function.walk([](ir::ScanOp scan) { scan->removeAttr(ir::kLoopedAttr); });
    requirementsToOps(function);
    definitionsToOps(function);
  }
  // From the last, so that what only dead ops need is dead too.
  for (mlir::Operation &op : llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    if (mlir::isOpTriviallyDead(&op))
      op.erase();
  return absl::OkStatus();
}

namespace {

// Several functions on their way to one file. Lives under the graph's mutex.
class GraphSaver {
public:
  explicit GraphSaver(Call &call) : call(call), graph(call.graph) {}

  void add(const Function::Impl &impl) {
    if (!functionNames.insert(impl.name).second)
      call.valueError("two functions are named '" + impl.name + "'; needed different names");
    GraphSlice slice = sliceFunction(impl);
    auto sizes = slice.sharded.begin();
    for (const Shard &shard : impl.shard)
      if (shard.variable.isEmpty())
        (sizes++)->axis = axisInFile(shard.mesh);
    ir::SavedFunction &saved = functions.emplace_back();
    saved.name = impl.name;
    for (ir::VariableOp variable : slice.variables)
      addVariable(graph.variables[variable.getId()]);
    // In the order of the file, which is that in which they are loaded.
    llvm::sort(slice.variables,
               [&](ir::VariableOp a, ir::VariableOp b) { return indexOf(a) < indexOf(b); });
    for (ir::VariableOp variable : slice.variables)
      saved.variables.push_back(indexOf(variable));
    modules.push_back(buildFunctionModule(slice, impl.name, Literals::AsConstants));
    mlir::ModuleOp module = *modules.back().module;
    bodies.push_back(*module.getOps<mlir::func::FuncOp>().begin());
    annotate(impl, bodies.back());
    markVariables(impl, slice.variables, bodies.back());
    if (impl.shardStates)
      bodies.back()->setAttr(ir::kShardsStatesAttr, mlir::UnitAttr::get(module.getContext()));
    absl::Status expanded;
    absl::Status status = compiler::attempt("saving function '" + impl.name + "'", [&] {
      expanded = expandGradients(module, bodies.back(), slice.variables);
    });
    if (compiler::isAbandoned(status))
      modules.back().abandon();
    if (status.ok())
      status = expanded;
    if (!status.ok())
      raise(call, status);
  }

  void show(llvm::function_ref<void(mlir::func::FuncOp, const ir::SavedFunction &,
                                    llvm::ArrayRef<ir::SavedVariable>)>
                show) {
    readVariables();
    show(bodies.front(), functions.front(), variables);
  }

  std::string bytes() {
    readVariables();
    auto result = ir::writeGraph(bodies, functions, variables);
    if (!result.ok())
      raise(call, result.status());
    return *std::move(result);
  }

private:
  size_t indexOf(ir::VariableOp variable) {
    return indices.lookup(graph.variables[variable.getId()].storage.get());
  }

  void addVariable(const VariableInfo &info) {
    if (!indices.try_emplace(info.storage.get(), variables.size()).second)
      return;
    const VariableStorage &storage = *info.storage;
    storages.push_back(info.storage);
    variables.push_back(
        {uniqueAmong(variableNames, info.savedName.empty() ? info.name : info.savedName),
         keratin_dtype_t(storage.dtype()), storage.shape(), /*bytes=*/"", info.trainable,
         info.countsDraws});
  }

  // All at once, so that no call that updates them comes in between.
  void readVariables() {
    std::vector<VariableStorage::Destination> destinations;
    for (size_t i = 0; i < variables.size(); ++i) {
      variables[i].bytes.resize(storages[i]->bytes());
      destinations.push_back({storages[i], variables[i].bytes.data()});
    }
    VariableStorage::read(destinations);
  }

  // Names and defaults. Attributes of all are set at once: each setting makes a list of all.
  void annotate(const Function::Impl &impl, mlir::func::FuncOp function) {
    llvm::StringSet<> inputs, outputs;
    llvm::SmallVector<mlir::DictionaryAttr> argumentAttributes, resultAttributes;
    function.getAllArgAttrs(argumentAttributes);
    function.getAllResultAttrs(resultAttributes);
    mlir::MLIRContext *context = function.getContext();
    for (unsigned i = 0; i < impl.inputs.size(); ++i) {
      const InputSpec &spec = impl.specs[i];
      ir::SignatureEntry entry(context, argumentAttributes[i]);
      entry.setName(uniqueAmong(inputs, spec.name));
      if (spec.defaultValue) {
        auto type = llvm::cast<mlir::RankedTensorType>(function.getArgumentTypes()[i]);
        entry.setDefault(elementsOf(*spec.defaultValue, type));
      }
      argumentAttributes[i] = entry.attributes();
    }
    for (const std::string &name : impl.outputNames)
      outputs.insert(name);
    for (unsigned i = 0; i < impl.outputs.size(); ++i) {
      std::string name = impl.outputNames[i];
      if (name.empty() && !impl.isLoaded) {
        // Without the ":0" that Keras puts behind names.
        name = impl.outputs[i].name();
        name = uniqueAmong(outputs, name.substr(0, name.rfind(':')));
      }
      ir::SignatureEntry entry(context, resultAttributes[i]);
      resultAttributes[i] = entry.setName(name).attributes();
    }
    function.setAllArgAttrs(argumentAttributes);
    function.setAllResultAttrs(resultAttributes);
  }

  // Those in parts: whoever loads them makes parts of them again.
  void markVariables(const Function::Impl &impl, llvm::ArrayRef<ir::VariableOp> variables,
                     mlir::func::FuncOp function) {
    const unsigned first = ir::Signature(function).firstVariable();
    for (const Shard &shard : impl.shard) {
      const auto *of = llvm::find_if(variables, [&](ir::VariableOp variable) {
        return !shard.variable.isEmpty() && isSame(variable, shard.variable);
      });
      if (of == variables.end())
        continue;
      const auto argument = first + unsigned(of - variables.begin());
      ir::SignatureEntry entry(function.getContext(), function.getArgAttrDict(argument));
      entry.setSharded(call.axis(shard.dimension, call.rank(call.raw(shard.variable))),
                       ir::meshAxisAttr(function.getContext(), axisInFile(shard.mesh)));
      function.setArgAttrs(argument, entry.attributes());
    }
  }

  // Whether both have the one value.
  bool isSame(ir::VariableOp variable, const Tensor &divided) const {
    auto other = call.raw(divided).getDefiningOp<ir::VariableOp>();
    return other &&
           graph.variables[variable.getId()].storage == graph.variables[other.getId()].storage;
  }

  Call &call;
  Graph &graph;
  llvm::StringSet<> functionNames, variableNames;
  llvm::DenseMap<const VariableStorage *, size_t> indices;
  std::vector<FunctionModule> modules;
  std::vector<mlir::func::FuncOp> bodies;
  std::vector<ir::SavedFunction> functions;
  std::vector<ir::SavedVariable> variables;               // without bytes until they are written
  std::vector<std::shared_ptr<VariableStorage>> storages; // of them
};

} // namespace

std::string frontend::savedGraphOf(const char *caller, const std::vector<Function> &functions,
                                   SourceLocation location) {
  Call call(caller, location);
  if (functions.empty())
    call.valueError("no function; needed one or more");
  GraphSaver saver(call);
  for (const Function &function : functions) {
    if (!FunctionAccess::impl(function))
      call.valueError("a Function is empty");
    saver.add(*FunctionAccess::impl(function));
  }
  return saver.bytes();
}

void frontend::withSavedFunction(
    const char *caller, const Function &function, SourceLocation location,
    llvm::function_ref<void(mlir::func::FuncOp, const ir::SavedFunction &,
                            llvm::ArrayRef<ir::SavedVariable>)>
        show) {
  Call call(caller, location);
  if (!FunctionAccess::impl(function))
    call.valueError("a Function is empty");
  GraphSaver saver(call);
  saver.add(*FunctionAccess::impl(function));
  saver.show(show);
}

static void save(const char *caller, const std::vector<Function> &functions,
                 const std::string &path, SourceLocation location) {
  const std::string bytes = savedGraphOf(caller, functions, location);
  if (absl::Status status = ir::writeFileBytes(path, bytes); !status.ok())
    throwFor(caller, location, status);
}

namespace keratin::backend {

void save_functions(const std::vector<Function> &functions, const std::string &path,
                    SourceLocation location) {
  save("save_functions", functions, path, location);
}

void save_function(const Function &f, const std::string &path, SourceLocation location) {
  save("save_function", {f}, path, location);
}

} // namespace keratin::backend
