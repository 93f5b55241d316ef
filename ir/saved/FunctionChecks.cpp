// Checks of the functions of a saved graph: their names, arguments, sizes and results.
#include "ir/dialect/Keratin.h"
#include "ir/dialect/MeshAxes.h"
#include "ir/dialect/SizeNames.h"
#include "ir/saved/GraphReading.h"
#include "ir/saved/SavedFormat.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

using namespace keratin;
using namespace keratin::ir;
using namespace mlir;

LogicalResult GraphReading::checkFunctions() {
  llvm::StringSet<> names;
  if (graph.functions().empty())
    return fail("no function");
  for (const v1::Function &saved : graph.functions()) {
    if (saved.name().empty() || !isSavedName(saved.name()))
      return fail("a function has no name, or one with control characters");
    if (!names.insert(saved.name()).second)
      return fail("two functions are named " + quoted(saved.name()));
    enter(&saved);
    if (failed(checkFunction()))
      return failure();
    enter(nullptr);
  }
  return success();
}

LogicalResult GraphReading::checkFunction() {
  valueTypes.clear();
  if (failed(checkArguments()) || failed(checkOps(function->ops())))
    return failure();
  return definedSymbols == function->symbols_size() ? checkResults() : failUndefined();
}

LogicalResult GraphReading::checkArguments() {
  llvm::StringSet<> names;
  llvm::DenseSet<int64_t> bound, values, dimensions;
  definedSymbols = function->symbols_size();
  for (const std::string &symbol : function->symbols())
    if (!isSavedName(symbol))
      return fail("a symbol's name has control characters");
  if (failed(checkSizeNames()))
    return failure();
  auto argument = [&](uint32_t type, const auto &saved) -> LogicalResult {
    if (failed(checkType(type)) || failed(checkLocation(saved.location())))
      return failure();
    valueTypes.push_back(type);
    for (ValuePart part : kValueParts) {
      uint32_t symbol = symbolOf(saved, part);
      if (!symbol)
        continue;
      RankedTensorType tensor = types[type].type;
      if (symbol > uint32_t(function->symbols_size()))
        return fail("there is no symbol " + Twine(symbol - 1));
      if (tensor.getRank() != 0 || !isa<IntegerType>(tensor.getElementType()) ||
          tensor.getElementType().isInteger(1))
        return fail("only an integer scalar can be the value of a symbol");
      if (part != ValuePart::Whole && (graph.version() & 0xffff) < kSavedMinorOfValueParts)
        return fail("needs format version 1." + Twine(kSavedMinorOfValueParts) +
                    ", which the file does not state");
      if (!values.insert(symbol - 1).second)
        return fail("two values for the symbol d" + Twine(symbol - 1));
      bound.insert(symbol - 1);
    }
    return success();
  };
  for (const v1::Input &input : function->inputs()) {
    if (!isSavedName(input.name()))
      return fail("an input's name has control characters");
    if (!names.insert(input.name()).second)
      return fail("two inputs are named " + quoted(input.name()));
    if (failed(argument(input.type(), input)))
      return failure();
    for (const DimExpr &dim : getShape(types[input.type()].type))
      if (dim.isSymbol())
        dimensions.insert(dim.symbolId());
    if (!input.has_default_value())
      continue;
    std::string wrong = denseError(input.default_value());
    if (wrong.empty() && input.default_value().type() != input.type())
      wrong = "it has another type";
    if (!wrong.empty())
      return fail("the default of input " + quoted(input.name()) + ": " + wrong);
  }
  bound.insert(dimensions.begin(), dimensions.end());
  if (failed(checkSizeLimits(dimensions)) || failed(checkShards(dimensions)))
    return failure();
  llvm::DenseSet<uint32_t> used;
  for (const v1::VariableUse &use : function->variables()) {
    if (use.variable() >= variables.size())
      return fail("there is no variable " + Twine(use.variable()));
    if (!used.insert(use.variable()).second)
      return fail("variable " + quoted(variables[use.variable()].name) + " is listed twice");
    if (failed(argument(graph.variables(int(use.variable())).value().type(), use)))
      return failure();
  }
  // The others are ops' to define, see checkDefinition().
  definedSymbols = 0;
  while (definedSymbols < function->symbols_size() && bound.contains(definedSymbols))
    ++definedSymbols;
  for (uint32_t type : valueTypes)
    if (types[type].symbolEnd > definedSymbols)
      return failUndefined();
  for (int64_t symbol : bound)
    if (symbol >= definedSymbols)
      return failUndefined();
  return success();
}

LogicalResult GraphReading::checkSizeNames() {
  llvm::StringSet<> names;
  int64_t previous = -1;
  if (function->named_symbols_size() > 0 && (graph.version() & 0xffff) < kSavedMinorOfSizeNames)
    return fail("needs format version 1." + Twine(kSavedMinorOfSizeNames) +
                ", which the file does not state");
  for (uint32_t symbol : function->named_symbols()) {
    if (int64_t(symbol) <= previous || symbol >= uint32_t(function->symbols_size()))
      return fail("the named symbols are not in order, or none of the function's");
    const std::string &name = function->symbols(int(symbol));
    if (!SizeNames::isName(name) || !names.insert(name).second)
      return fail("a size cannot be named " + quoted(name));
    previous = symbol;
  }
  return success();
}

SizeLimits GraphReading::limitsOf(const v1::SizeLimits &saved) {
  SizeLimits limits;
  limits.min = saved.min();
  if (saved.has_max())
    limits.max = saved.max();
  if (saved.multiple_of())
    limits.multipleOf = saved.multiple_of();
  return limits;
}

LogicalResult GraphReading::checkSizeLimits(const llvm::DenseSet<int64_t> &dimensions) {
  int64_t previous = -1;
  if (function->size_limits_size() > 0 && (graph.version() & 0xffff) < kSavedMinorOfSizeNames)
    return fail("needs format version 1." + Twine(kSavedMinorOfSizeNames) +
                ", which the file does not state");
  for (const v1::SizeLimits &saved : function->size_limits()) {
    if (int64_t(saved.symbol()) <= previous || !dimensions.contains(saved.symbol()))
      return fail("the limits of sizes are not in order, or of no dimension of an input");
    if (!limitsOf(saved).canHold())
      return fail("no size keeps the limits of d" + Twine(saved.symbol()));
    previous = saved.symbol();
  }
  return success();
}

LogicalResult GraphReading::checkShards(const llvm::DenseSet<int64_t> &dimensions) {
  int64_t previous = -1;
  if ((function->sharded_symbols_size() > 0 || function->variable_shards_size() > 0) &&
      (graph.version() & 0xffff) < kSavedMinorOfSizeNames)
    return fail("needs format version 1." + Twine(kSavedMinorOfSizeNames) +
                ", which the file does not state");
  for (uint32_t symbol : function->sharded_symbols()) {
    if (int64_t(symbol) <= previous || !dimensions.contains(symbol) ||
        !llvm::is_contained(function->named_symbols(), symbol))
      return fail("the sharded sizes are not in order, or no named dimensions of an input");
    previous = symbol;
  }
  auto isAxis = [](const std::string &name) { return name.empty() || isMeshAxis(name); };
  if (function->shard_axes_size() > 0 &&
      (function->shard_axes_size() != function->sharded_symbols_size() ||
       !llvm::all_of(function->shard_axes(), isAxis)))
    return fail("the axes of the sharded sizes are not one for each, or have no names");
  previous = -1;
  for (const v1::VariableShard &shard : function->variable_shards()) {
    if (int64_t(shard.variable()) <= previous ||
        int64_t(shard.variable()) >= function->variables_size())
      return fail("the sharded variables are not in order, or none of the function's");
    const uint32_t index = function->variables(int(shard.variable())).variable();
    if (index >= variables.size())
      return fail("there is no variable " + Twine(index));
    if (shard.dimension() >= variables[index].dims.size() || !isAxis(shard.axis()))
      return fail("variable " + quoted(variables[index].name) +
                  " is sharded along no dimension, or along no axis of a mesh");
    previous = shard.variable();
  }
  if (function->gathers_parts() && function->sharded_symbols().empty())
    return fail("gathers parts, but no size is sharded");
  if (function->local_statistics() && function->sharded_symbols().empty())
    return fail("has local statistics, but no size is sharded");
  if (function->shards_states() && function->sharded_symbols().empty())
    return fail("has states in parts, but no size is sharded");
  return success();
}

LogicalResult GraphReading::failUndefined() {
  return fail("nothing gives the symbol d" + Twine(definedSymbols) + " a value");
}

LogicalResult GraphReading::checkResults() {
  for (const v1::Output &output : function->outputs()) {
    if (!isSavedName(output.name()))
      return fail("an output's name has control characters");
    if (output.value() >= valueTypes.size())
      return fail("there is no value " + Twine(output.value()) + " to be an output");
  }
  llvm::DenseSet<uint32_t> updated;
  for (const v1::Update &update : function->updates()) {
    if (int64_t(update.variable()) >= function->variables_size())
      return fail("there is no variable " + Twine(update.variable()) + " to update");
    if (!updated.insert(update.variable()).second)
      return fail("a variable is updated twice");
    if (update.value() >= valueTypes.size())
      return fail("there is no value " + Twine(update.value()) + " to be an update");
    const SavedVariable &variable =
        variables[function->variables(int(update.variable())).variable()];
    uint32_t needed = valueTypes[size_t(function->inputs_size()) + update.variable()];
    if (types[valueTypes[update.value()]].type != types[needed].type)
      return fail("the new value of variable " + quoted(variable.name) + " has another type");
  }
  return success();
}
