// K::load_function and K::load_functions.
#include "keratin/saving.h"

#include "compiler/driver/Attempt.h"
#include "frontend/backend/FunctionState.h"
#include "frontend/backend/SavedFunctions.h"
#include "frontend/graph/Call.h"
#include "frontend/graph/FunctionContext.h"
#include "frontend/graph/FunctionModule.h"
#include "frontend/graph/ProgressSteps.h"
#include "frontend/graph/Transfer.h"
#include "ir/dialect/GathersParts.h"
#include "ir/dialect/LocalStatistics.h"
#include "ir/dialect/ShardsStates.h"
#include "ir/dialect/Signature.h"
#include "ir/dialect/SizeNames.h"
#include "ir/interfaces/ComputedSizes.h"
#include "ir/saved/GraphReader.h"
#include "ir/saved/ReadingSteps.h"
#include "ir/saved/SavedFile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace keratin;
using namespace keratin::frontend;

namespace {

// The reading of one file, which ends as a compilation does: by what is told of it, or for want of
// time.
class Reading {
public:
  // For those who read.
  ir::ReadingSteps steps{[this](const ir::ReadingSteps &) { return goesOn(); }};

  Reading(const char *caller, const std::string &path, std::string function,
          const FunctionOptions &options, SourceLocation location)
      : caller(caller), path(path), asked(std::move(function)), limit(options.timeLimit),
        location(location), progress(options.progress) {}

  // What they have read.
  template <typename T> T check(absl::StatusOr<T> read, const std::string &prefix = "") {
    if (steps.isEnded())
      fail();
    if (!read.ok())
      throwFor(caller, location,
               absl::Status(read.status().code(), prefix + std::string(read.status().message())));
    return *std::move(read);
  }

  // In a call that holds the graph's mutex, but not while somebody is told.
  void advance(Call &call, uint64_t bytes) {
    inCall = &call;
    if (!steps.advance(bytes))
      fail();
  }

  // Whoever was told of it is told of its end.
  void end(Call &call) {
    inCall = &call;
    steps.enter(ir::ReadingSteps::End);
    if (isTold && !goesOn())
      fail();
  }

private:
  bool goesOn() {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (limit > 0 && taken.count() > limit && steps.step() != ir::ReadingSteps::End)
      return false;
    isTold = true;
    auto tell = [&] {
      return progress.tell([&] {
        return CompileProgress{function(), "read", steps.step(), ir::ReadingSteps::End,
                               steps.text()};
      });
    };
    return inCall ? inCall->runUserCode(tell) : tell();
  }

  const std::string &function() const { return steps.function.empty() ? asked : steps.function; }

  [[noreturn]] void fail() const {
    progress.rethrow();
    std::string message = "reading ";
    if (!function().empty())
      message += "function '" + function() + "' of ";
    llvm::raw_string_ostream(message)
        << "'" << path << "' takes longer than " << llvm::format("%g", limit * 1000)
        << " ms; stopped at " << steps.text();
    throwFor(caller, location, absl::ResourceExhaustedError(message));
  }

  const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  const char *const caller;
  const std::string &path;
  const std::string asked; // "": the only function, or all
  const double limit;      // in seconds; 0: none
  const SourceLocation location;
  ProgressSteps progress;
  Call *inCall = nullptr;
  bool isTold = false;
};

// Functions of a file on their way into the graph. Lives under the graph's mutex, but while
// somebody is told how far it is.
class GraphLoader {
public:
  GraphLoader(Call &call, const ir::SavedGraph &saved, Reading &reading)
      : call(call), graph(call.graph), saved(saved), reading(reading),
        variables(saved.variables.size()) {
    reading.steps.enter(ir::ReadingSteps::Graph);
  }

  std::shared_ptr<Function::Impl> load(size_t index) {
    function = *std::next(saved.module.get().getOps<mlir::func::FuncOp>().begin(), index);
    const ir::SavedFunction &description = saved.functions[index];
    impl = std::make_shared<Function::Impl>();
    impl->name = reading.steps.function = description.name;
    impl->isLoaded = true;
    values.clear();
    bound.clear();
    // Symbols are numbered by the function.
    Transfer names(graph.context);
    transfer = &names;
    size_t inputs = function.getNumArguments() - description.variables.size();
    for (size_t i = 0; i < description.variables.size(); ++i)
      addVariable(description.variables[i], function.getArgument(unsigned(inputs + i)));
    addInputs(unsigned(inputs));
    for (mlir::Operation &op : function.getBody().front().without_terminator()) {
      clone(&op);
      reading.advance(call, ir::ReadingSteps::kThing + bytesOf(&op));
    }
    addResults();
    for (const InputSpec &spec : impl->specs)
      impl->inputNames.push_back(spec.name);
    impl->givenInputs = impl->inputs;
    impl->givenOutputs = impl->outputs;
    return impl;
  }

private:
  std::string nameOf(mlir::BlockArgument argument) {
    return ir::Signature(function).argumentName(argument.getArgNumber()).str();
  }

  void bindValue(mlir::BlockArgument argument, mlir::Operation *op) {
    for (const auto &[part, symbol] : ir::Signature(function).symbols(argument.getArgNumber()))
      bind(symbol, graph.valueSymbol(op, part));
  }

  void bind(int64_t symbol, int64_t number) {
    if (bound.insert(symbol).second)
      transfer->bind(symbol, number);
  }

  // The size that an op of a body defines: nobody owns it, as it goes with the body.
  void bindInside(mlir::Operation *nested) {
    if (std::optional<int64_t> defined = ir::symbolDefinedBy(nested))
      bind(*defined, graph.addSymbol(SymbolInfo{nullptr, std::nullopt,
                                                "a size that a body in function " +
                                                    function.getName().str() + " computes"}));
  }

  void addVariable(size_t index, mlir::BlockArgument argument) {
    if (variables[index].isEmpty()) {
      const ir::SavedVariable &from = saved.variables[index];
      VariableInfo info;
      info.name = graph.uniqueName(from.name);
      info.savedName = from.name;
      info.trainable = from.trainable;
      info.countsDraws = from.countsDraws;
      info.storage = std::make_shared<VariableStorage>(
          Array::copyOf(DType(from.dtype), from.dims, from.bytes.data()));
      int64_t id = graph.variables.add(std::move(info));
      variables[index] = tensorOf(call.builder.create<ir::VariableOp>(
          transfer->location(argument.getLoc()), transfer->type(argument.getType()), id,
          call.builder.getStringAttr("")));
    }
    reading.advance(call, saved.variables[index].bytes.size());
    values[argument] = valueOf(variables[index]);
    bindValue(argument, values[argument].getDefiningOp());
    // Part of the function, whatever its ops read.
    impl->updates.push_back(variables[index]);
  }

  // The symbols before the types that mention them.
  void addInputs(unsigned count) {
    const ir::LimitedSizes limited(function);
    impl->inputs.resize(count);
    for (unsigned i = 0; i < count; ++i)
      if (!ir::Signature(function).symbols(i).empty()) {
        addPlaceholder(i, graph.uniqueName(nameOf(function.getArgument(i))));
        bindValue(function.getArgument(i), valueOf(impl->inputs[i]).getDefiningOp());
      }
    std::vector<std::string> names(count);
    std::vector<llvm::SmallVector<int64_t>> owned(count);
    for (unsigned i = 0; i < count; ++i) {
      if (!impl->inputs[i].isEmpty())
        continue;
      names[i] = graph.uniqueName(nameOf(function.getArgument(i)));
      for (auto [axis, dim] : llvm::enumerate(ir::getShape(function.getArgument(i))))
        if (dim.isSymbol() && !bound.contains(dim.symbolId())) {
          // The same size as that of this name in the rest of the graph.
          if (llvm::StringRef given = ir::SizeNames::given(function, dim.symbolId());
              !given.empty()) {
            int64_t symbol = graph.namedSymbol(given.str());
            call.limit(symbol, limited.of(dim.symbolId()).limits,
                       "function '" + function.getName().str() + "'");
            bind(dim.symbolId(), symbol);
            continue;
          }
          owned[i].push_back(graph.addSymbol(
              SymbolInfo{nullptr, std::nullopt,
                         "dimension " + std::to_string(axis) + " of placeholder " + names[i]}));
          graph.symbols[owned[i].back()].limits = limited.of(dim.symbolId()).limits;
          bind(dim.symbolId(), owned[i].back());
        }
    }
    for (unsigned i = 0; i < count; ++i)
      if (impl->inputs[i].isEmpty()) {
        addPlaceholder(i, names[i]);
        graph.own(valueOf(impl->inputs[i]).getDefiningOp(), owned[i]);
      }
    takeShards(count);
    for (unsigned i = 0; i < count; ++i) {
      impl->specs.push_back(specOf(graph, impl->inputs[i]));
      impl->specs.back().name = nameOf(function.getArgument(i));
    }
  }

  Mesh meshOf(unsigned argument) const {
    const mlir::StringAttr axis = ir::Signature(function).meshAxis(argument);
    return axis ? Mesh(axis.str()) : Mesh();
  }

  // What was sharded when the function was saved: sizes by their names, and variables.
  void takeShards(unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      if (std::optional<int64_t> dimension = ir::Signature(function).sharded(i)) {
        DimExpr size = ir::getShape(function.getArgument(i))[size_t(*dimension)];
        std::string name = ir::SizeNames::given(function, size.symbolId()).str();
        if (llvm::none_of(impl->shard, [&](const Shard &shard) { return shard.size == name; }))
          impl->shard.emplace_back(name, meshOf(i));
      }
    for (unsigned i = count; i < function.getNumArguments(); ++i)
      if (std::optional<int64_t> dimension = ir::Signature(function).sharded(i))
        impl->shard.emplace_back(tensorOf(values.lookup(function.getArgument(i))), *dimension,
                                 meshOf(i));
    impl->gatherParts = function->hasAttr(ir::kGathersPartsAttr);
    impl->localStatistics = function->hasAttr(ir::kLocalStatisticsAttr);
    impl->shardStates = function->hasAttr(ir::kShardsStatesAttr);
  }

  void addPlaceholder(unsigned i, const std::string &name) {
    mlir::BlockArgument argument = function.getArgument(i);
    PlaceholderInfo info{name, std::nullopt};
    info.askedName = nameOf(argument);
    if (mlir::DenseElementsAttr value = ir::Signature(function).defaultValue(i))
      info.defaultValue = arrayOf(value);
    int64_t id = graph.placeholders.add(std::move(info));
    impl->inputs[i] = tensorOf(call.builder.create<ir::PlaceholderOp>(
        transfer->location(argument.getLoc()), transfer->type(argument.getType()), id,
        call.builder.getStringAttr("")));
    values[argument] = valueOf(impl->inputs[i]);
  }

  static uint64_t bytesOf(mlir::Operation *op) {
    auto constant = llvm::dyn_cast<ir::ConstantOp>(op);
    return constant ? llvm::cast<mlir::DenseElementsAttr>(constant.getValue()).getRawData().size()
                    : 0;
  }

  void clone(mlir::Operation *op) {
    mlir::Location location = transfer->location(op->getLoc());
    mlir::Operation *copy;
    if (auto constant = llvm::dyn_cast<ir::ConstantOp>(op)) {
      int64_t id =
          graph.literals.add(arrayOf(llvm::cast<mlir::DenseElementsAttr>(constant.getValue())));
      copy = call.builder.create<ir::LiteralOp>(location, transfer->type(constant.getType()), id);
    } else {
      std::optional<int64_t> defined = ir::symbolDefinedBy(op);
      int64_t computed = -1;
      if (defined) {
        computed = graph.addSymbol(
            SymbolInfo{nullptr, std::nullopt,
                       "a size that function " + function.getName().str() + " computes"});
        bind(*defined, computed);
      }
      for (mlir::Region &region : op->getRegions())
        region.walk([&](mlir::Operation *nested) { bindInside(nested); });
      copy = transfer->clone(op, call.builder, values);
      if (defined)
        graph.own(copy, computed);
    }
    values[op->getResult(0)] = copy->getResult(0);
    // Evaluated for what it does.
    if (copy->walk([](ir::PrintOp) { return mlir::WalkResult::interrupt(); }).wasInterrupted())
      impl->updates.push_back(tensorOf(copy->getResult(0)));
  }

  void addResults() {
    size_t inputs = impl->inputs.size();
    for (auto [i, result] :
         llvm::enumerate(function.getBody().front().getTerminator()->getOperands())) {
      mlir::Value value = values.lookup(result);
      mlir::StringAttr name = ir::Signature(function).resultName(unsigned(i));
      std::optional<int64_t> variable = ir::Signature(function).updatedVariable(unsigned(i));
      if (!variable) {
        impl->outputs.push_back(tensorOf(value));
        impl->outputNames.push_back(name ? name.str() : "");
        Node *node = nodeOf(impl->outputs.back());
        if (name && node->name.empty() &&
            !llvm::isa<ir::PlaceholderOp, ir::VariableOp>(value.getDefiningOp()))
          node->name = graph.uniqueName(name.str()) + ":0";
        continue;
      }
      auto target = values.lookup(function.getArgument(unsigned(inputs + *variable)))
                        .getDefiningOp<ir::VariableOp>();
      // Who uses a random node counts its draws: that is no update of the user's.
      if (!graph.variables[target.getId()].countsDraws)
        impl->updates.push_back(tensorOf(call.builder.create<ir::UpdateOp>(
            value.getLoc(), target.getType(), target, value, ir::UpdateKind::Assign)));
    }
  }

  Call &call;
  Graph &graph;
  const ir::SavedGraph &saved;
  Reading &reading;
  std::vector<Tensor> variables;

  // Of the function at hand.
  mlir::func::FuncOp function;
  std::shared_ptr<Function::Impl> impl;
  Transfer *transfer = nullptr;
  llvm::DenseSet<int64_t> bound; // symbols that the transfer knows
  llvm::DenseMap<mlir::Value, mlir::Value> values;
};

} // namespace

// The function of this number, or all for none.
static std::vector<Function> load(const char *caller, const std::string &path,
                                  const std::string &name,
                                  llvm::function_ref<size_t(Call &, const ir::SavedGraph &)> choose,
                                  const FunctionOptions &options, SourceLocation location) {
  checkOptions(Call(caller, location), options);
  Reading reading(caller, path, name, options, location);
  std::string bytes = reading.check(ir::readFileBytes(path, reading.steps));
  std::unique_ptr<mlir::MLIRContext> own;
  withThreadObjects([&] {
    own = compiler::makeContext(mlir::DialectRegistry());
    own->loadDialect<ir::KeratinDialect, mlir::func::FuncDialect>();
  });
  std::vector<std::shared_ptr<Function::Impl>> impls;
  std::vector<FunctionModule> modules;
  std::vector<Placement> placements;
  {
    const ir::SavedGraph saved =
        reading.check(ir::readGraph(bytes, *own, reading.steps), "'" + path + "': ");
    bytes = std::string();
    Call call(caller, location);
    GraphLoader loader(call, saved, reading);
    if (choose) {
      impls.push_back(loader.load(choose(call, saved)));
    } else {
      for (size_t i = 0; i < saved.functions.size(); ++i)
        impls.push_back(loader.load(i));
    }
    reading.end(call);
    for (const auto &impl : impls) {
      setOptions(call, *impl, options);
      modules.push_back(moduleOf(call, *impl));
      placements.push_back(placeFunction(call, modules.back(), options));
    }
  }
  std::vector<Function> functions;
  for (size_t i = 0; i < impls.size(); ++i) {
    compileFunction(*impls[i], std::move(modules[i]), placements[i]);
    functions.push_back(Function(std::move(impls[i])));
  }
  return functions;
}

namespace keratin::backend {

std::vector<Function> load_functions(const std::string &path, const FunctionOptions &options,
                                     SourceLocation location) {
  if (!options.name.empty())
    Call("load_functions", location)
        .valueError("the options have the name '" + options.name +
                    "'; needed none, as each function has that of the file");
  return load("load_functions", path, "", nullptr, options, location);
}

Function load_function(const std::string &path, const std::string &givenName,
                       const FunctionOptions &options, SourceLocation location) {
  const std::string &name = givenName.empty() ? options.name : givenName;
  auto choose = [&](Call &call, const ir::SavedGraph &saved) -> size_t {
    std::string names;
    for (auto [i, function] : llvm::enumerate(saved.functions)) {
      if (function.name == name)
        return i;
      names += (i ? ", " : "") + function.name;
    }
    if (name.empty() && saved.functions.size() == 1)
      return 0;
    if (name.empty() && saved.functions.size() > 1)
      call.valueError("'" + path + "' has several functions; needed the name of one: " + names);
    call.valueError("'" + path + "' has no function named '" + name + "'; it has " + names);
  };
  return load("load_function", path, name, choose, options, location).front();
}

} // namespace keratin::backend
