#include "frontend/graph/FunctionModule.h"

#include "compiler/driver/Attempt.h"
#include "compiler/driver/Compiler.h"
#include "compiler/driver/RankParts.h"
#include "frontend/graph/FunctionContext.h"
#include "frontend/graph/InputNames.h"
#include "frontend/graph/Job.h"
#include "frontend/graph/RankStatistics.h"
#include "frontend/graph/RuntimeStatus.h"
#include "frontend/graph/Transfer.h"
#include "ir/builder/GraphMath.h"
#include "ir/dialect/GathersParts.h"
#include "ir/dialect/LazyUpdates.h"
#include "ir/dialect/MeshAxes.h"
#include "ir/dialect/Precision.h"
#include "ir/dialect/Signature.h"
#include "ir/dialect/SizeNames.h"
#include "ir/interfaces/ComputedSizes.h"
#include "runtime/object/VariablePart.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include "llvm/ADT/MapVector.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace mlir;

namespace {

class ModuleBuilder {
public:
  ModuleBuilder(const GraphSlice &slice, const std::string &name, Literals literals)
      : graph(Graph::get()), slice(slice), literals(literals), context(compiler::makeContext()),
        b(context.get()), transfer(*context) {
    module = ModuleOp::create(UnknownLoc::get(context.get()));
    b.setInsertionPointToEnd(module->getBody());
    function =
        b.create<func::FuncOp>(UnknownLoc::get(context.get()), name, b.getFunctionType({}, {}));
    block = function.addEntryBlock();
    b.setInsertionPointToEnd(block);
  }

  FunctionModule run() {
    for (auto [input, name] : llvm::zip(slice.inputs, inputNames(graph, slice.inputs)))
      addArgument(input, ir::SignatureEntry::input(context.get(), name));
    if (literals == Literals::AsInputs)
      for (ir::LiteralOp literal : slice.literals)
        addArgument(literal.getResult(), ir::SignatureEntry::input(context.get(), "literal"));
    for (ir::VariableOp variable : slice.variables) {
      const VariableInfo &info = graph.variables[variable.getId()];
      addArgument(variable.getResult(), ir::SignatureEntry::variable(context.get(), info.name));
      result.variables.push_back({info.name, info.storage});
    }
    for (Operation *op : slice.ops)
      clone(op);
    finish();
    result.module = std::move(module);
    result.context = std::move(context);
    result.outputs = int64_t(slice.outputs.size());
    return std::move(result);
  }

private:
  void addArgument(Value value, ir::SignatureEntry entry) {
    Value argument =
        block->addArgument(transfer.type(value.getType()), transfer.location(value.getLoc()));
    // Fed twice: the first counts, the other is only checked.
    values.try_emplace(value, argument);
    arguments.push_back(std::move(entry));
    for (ir::ValuePart part : ir::kValueParts)
      if (auto symbol = graph.existingValueSymbol(value.getDefiningOp(), part))
        argumentSymbols.push_back({arguments.size() - 1, {part, *symbol}});
  }

  Value constant(const Array &array, Type type, Location location) {
    result.constantBytes += array.bytes();
    return b.create<ir::ConstantOp>(location, elementsOf(array, cast<RankedTensorType>(type)));
  }

  void clone(Operation *op) {
    Location location = transfer.location(op->getLoc());
    if (auto literal = dyn_cast<ir::LiteralOp>(op)) {
      if (literals == Literals::AsConstants)
        values[op->getResult(0)] =
            constant(graph.literals[literal.getId()], transfer.type(literal.getType()), location);
    } else if (auto placeholder = dyn_cast<ir::PlaceholderOp>(op)) {
      values[op->getResult(0)] = constant(*graph.placeholders[placeholder.getId()].defaultValue,
                                          transfer.type(placeholder.getType()), location);
    } else if (auto update = dyn_cast<ir::UpdateOp>(op)) {
      Value value = values.lookup(update.getValue());
      if (update.getKind() == ir::UpdateKind::Add)
        value = b.create<ir::AddOp>(location, values.lookup(update.getVariable()), value);
      // What is assigned is a number to whoever reads it: an update has no derivative.
      read.push_back(b.create<ir::StopGradientOp>(location, value));
      values[op->getResult(0)] = read.back();
    } else if (isa<ir::DependOp>(op)) {
      values[op->getResult(0)] = values.lookup(op->getOperand(0));
    } else {
      transfer.clone(op, b, values);
    }
  }

  // The new value of each updated variable, in the order of the variables' first update.
  void resolveUpdates(llvm::MapVector<Operation *, Value> &assigned) {
    llvm::MapVector<Operation *, SmallVector<ir::UpdateOp>> perVariable;
    for (ir::UpdateOp update : slice.updates)
      perVariable[update.getVariable().getDefiningOp()].push_back(update);
    for (auto &[variable, updates] : perVariable) {
      Value value = values.lookup(variable->getResult(0));
      for (ir::UpdateOp update : updates)
        if (update.getKind() == ir::UpdateKind::Assign)
          value = values.lookup(update.getValue());
      for (ir::UpdateOp update : updates)
        if (update.getKind() == ir::UpdateKind::Add)
          value = b.create<ir::AddOp>(transfer.location(update.getLoc()), value,
                                      values.lookup(update.getValue()));
      assigned[variable] = value;
    }
    for (ir::VariableOp variable : slice.variables)
      if (graph.variables[variable.getId()].countsDraws) {
        ir::GraphMath g(b, transfer.location(variable.getLoc()));
        assigned[variable] =
            g.add(values.lookup(variable.getResult()), g.integerScalar(1, b.getI64Type()));
      }
  }

  void finish() {
    SmallVector<Value> results;
    SmallVector<DictionaryAttr> resultAttributes;
    for (Value output : slice.outputs) {
      results.push_back(values.lookup(output));
      resultAttributes.push_back(ir::SignatureEntry::output(context.get()).attributes());
    }
    llvm::MapVector<Operation *, Value> assigned;
    resolveUpdates(assigned);
    for (auto [index, variable] : llvm::enumerate(slice.variables)) {
      auto found = assigned.find(variable);
      if (found == assigned.end())
        continue;
      results.push_back(found->second);
      resultAttributes.push_back(
          ir::SignatureEntry::update(context.get(), int64_t(index)).attributes());
    }
    b.create<func::ReturnOp>(UnknownLoc::get(context.get()), results);
    for (ir::StopGradientOp op : read)
      if (op.use_empty())
        op.erase();
    function.setType(b.getFunctionType(block->getArgumentTypes(), ValueRange(results).getTypes()));
    // Of a value that is no size here nothing is asked.
    for (const auto &[argument, symbol] : argumentSymbols)
      if (std::optional<int64_t> size = transfer.knownSymbol(symbol.id))
        arguments[argument].setSymbol({symbol.part, *size});
    std::vector<std::pair<int64_t, std::string>> names;
    for (auto [symbol, number] : transfer.knownSymbols())
      if (const std::string &name = graph.symbols[symbol].name; !name.empty())
        names.emplace_back(number, name);
    ir::SizeNames::set(function, names);
    ir::LimitedSizes limited;
    for (auto [symbol, number] : transfer.knownSymbols())
      if (const ir::SizeLimits &limits = graph.symbols[symbol].limits; limits.areStated())
        limited.set(number, {limits});
    limited.attachTo(function);
    for (const auto &[symbol, axis] : slice.sharded)
      if (std::optional<int64_t> size = transfer.knownSymbol(symbol))
        for (auto [index, argument] : llvm::enumerate(block->getArguments()))
          for (auto [dimension, dim] : llvm::enumerate(ir::getShape(argument)))
            if (dim == ir::DimExpr::symbol(*size))
              arguments[index].setSharded(int64_t(dimension),
                                          ir::meshAxisAttr(context.get(), axis));
    SmallVector<DictionaryAttr> argumentAttributes;
    for (ir::SignatureEntry &entry : arguments)
      argumentAttributes.push_back(entry.attributes());
    function.setAllArgAttrs(argumentAttributes);
    function.setAllResultAttrs(resultAttributes);
    if (slice.lazyUpdates)
      function->setAttr(ir::kLazyUpdatesAttr, b.getUnitAttr());
    if (!slice.productDType.empty())
      function->setAttr(ir::kProductDTypeAttr, b.getStringAttr(slice.productDType));
    if (slice.gatherParts)
      function->setAttr(ir::kGathersPartsAttr, b.getUnitAttr());
    resolveRankStatistics(function, slice.localStatistics);
  }

  Graph &graph;
  const GraphSlice &slice;
  Literals literals;
  std::unique_ptr<MLIRContext> context;
  OpBuilder b;
  Transfer transfer;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  Block *block;
  DenseMap<Value, Value> values;
  SmallVector<ir::StopGradientOp> read; // what updates are to whoever reads them
  SmallVector<ir::SignatureEntry> arguments;
  SmallVector<std::pair<size_t, ir::ArgumentSymbol>> argumentSymbols; // of each argument's value
  FunctionModule result;
};

} // namespace

DenseElementsAttr frontend::elementsOf(const Array &array, RankedTensorType type) {
  if (array.dtype() != DType::Bool)
    return DenseElementsAttr::getFromRawBuffer(
        type, ArrayRef<char>(static_cast<const char *>(array.rawData()), array.bytes()));
  return DenseElementsAttr::get(
      type, ArrayRef<bool>(static_cast<const bool *>(array.rawData()), size_t(array.size())));
}

Array frontend::arrayOf(DenseElementsAttr elements) {
  auto type = cast<RankedTensorType>(elements.getType());
  Array array = Array::empty(DType(ir::dtypeOf(type.getElementType())), type.getShape().vec());
  auto *to = static_cast<char *>(array.rawData());
  if (array.dtype() == DType::Bool) {
    for (bool bit : elements.getValues<bool>())
      *to++ = char(bit);
    return array;
  }
  // A splat's raw data is one element.
  ArrayRef<char> raw = elements.getRawData();
  for (size_t done = 0; done < array.bytes(); done += raw.size())
    std::memcpy(to + done, raw.data(), raw.size());
  return array;
}

ir::DimExpr frontend::addRankNumber(FunctionModule &module, keratin_rank_number_kind_t kind,
                                    const std::string &axis, int64_t size) {
  noteParts();
  const std::string name = compiler::nameOfRankNumber(kind, axis, size);
  const keratin_axis_t along = jobAxis(axis).value_or(keratin_axis_t{});
  const int64_t value = runtime::rankNumber(
      {.kind = kind, .size = size, .axis = {}, .reserved = {}}, jobRank(along), jobSize(along));
  func::FuncOp function = *module.module->getOps<func::FuncOp>().begin();
  const int64_t symbol = ir::firstUnusedSymbol(function);
  ir::SignatureEntry entry = ir::SignatureEntry::variable(module.context.get(), name);
  entry.setSymbol({ir::ValuePart::Whole, symbol});
  function.insertArgument(function.getNumArguments(),
                          ir::getTensorType({}, IntegerType::get(module.context.get(), 64)),
                          entry.attributes(), function.getLoc());
  module.variables.push_back({name, std::make_shared<VariableStorage>(Array(value))});
  return ir::DimExpr::symbol(symbol);
}

void FunctionModule::recycle() {
  // The context keeps what was made in it.
  constexpr size_t mostBytes = 1 << 14;
  if (constantBytes > mostBytes)
    return;
  module = {};
  compiler::keepContext(std::move(context));
}

void FunctionModule::abandon() {
  (void)module.release();
  (void)context.release();
}

FunctionModule frontend::buildFunctionModule(const GraphSlice &slice, const std::string &name,
                                             Literals literals) {
  FunctionModule module;
  absl::Status status;
  withThreadObjects([&] {
    status = compiler::attempt(
        "compiling function '" + name + "'",
        [&] { module = ModuleBuilder(slice, name, literals).run(); }, compiler::Beginnings::Graphs);
  });
  if (!status.ok())
    throwStatus(status.code(), std::string(status.message()));
  return module;
}
