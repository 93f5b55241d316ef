#include "ir/saved/GraphWriter.h"

#include "ir/dialect/GathersParts.h"
#include "ir/dialect/Keratin.h"
#include "ir/dialect/LocalStatistics.h"
#include "ir/dialect/ShardsStates.h"
#include "ir/dialect/Signature.h"
#include "ir/dialect/SizeLimits.h"
#include "ir/dialect/SizeNames.h"
#include "ir/dialect/SourceLine.h"
#include "ir/interfaces/ComputedSizes.h"
#include "ir/saved/SavedFormat.h"
#include "ir/saved/SavedOps.h"
#include "ir/saved/WireScan.h"
#include "ir/saved/graph.pb.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/ConvertUTF.h"

#include <map>
#include <set>

using namespace keratin;
using namespace keratin::ir;
using namespace mlir;

static bool isUtf8(StringRef text) {
  auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data());
  return llvm::isLegalUTF8String(&begin, begin + text.size());
}

// A name as the format takes it.
static std::string nameFor(StringRef name) {
  std::string text = name.str();
  bool legal = isUtf8(name);
  for (char &c : text)
    if (!isSavedName(StringRef(&c, 1)) || (!legal && (c & 0x80)))
      c = '?';
  return text;
}

namespace {

class Writer {
public:
  Writer(ArrayRef<SavedFunction> functions, ArrayRef<SavedVariable> variables)
      : functions(functions), variables(variables) {}

  LogicalResult run(ArrayRef<func::FuncOp> bodies) {
    graph.set_magic(kSavedMagic);
    graph.set_version(kSavedMajor << 16);
    graph.set_producer("keratin " KERATIN_VERSION);
    llvm::StringSet<> names;
    for (const SavedVariable &variable : variables) {
      if (variable.name.empty() || !names.insert(nameFor(variable.name)).second)
        return fail("variables need names, all different; found '" + Twine(variable.name) + "'");
      writeVariable(variable);
    }
    if (bodies.size() != functions.size() || bodies.empty())
      return fail("needed one function or more");
    names.clear();
    for (auto [function, description] : llvm::zip(bodies, functions)) {
      if (description.name.empty() || !names.insert(nameFor(description.name)).second)
        return fail("functions need names, all different; found '" + Twine(description.name) + "'");
      name = description.name;
      if (failed(writeFunction(function, description)))
        return failure();
    }
    return success();
  }

  v1::Graph graph;
  std::string error;

private:
  LogicalResult fail(const Twine &what) {
    error = what.str();
    return failure();
  }

  LogicalResult fail(Operation *op, const Twine &what) {
    return fail(withSourceLine("function '" + name + "': " + op->getName().stripDialect().str() +
                                   ": " + what.str(),
                               op->getLoc()));
  }

  //===-- Tables ------------------------------------------------------------------------------===//

  static uint32_t indexOf(llvm::StringMap<uint32_t> &table, StringRef text,
                          google::protobuf::RepeatedPtrField<std::string> *list) {
    auto [entry, isNew] = table.try_emplace(text, list->size());
    if (isNew)
      *list->Add() = nameFor(text);
    return entry->second;
  }

  uint32_t location(Location place) {
    auto [entry, isNew] = locations.try_emplace(place, 0);
    if (!isNew)
      return entry->second;
    SmallVector<StringRef> scopes;
    LocationAttr inner = place;
    // What is fused was made of its first part.
    for (;;) {
      if (auto named = dyn_cast<NameLoc>(inner)) {
        scopes.push_back(named.getName().getValue());
        inner = named.getChildLoc();
      } else if (auto fused = dyn_cast<FusedLoc>(inner); fused && !fused.getLocations().empty()) {
        inner = fused.getLocations().front();
      } else if (auto call = dyn_cast<CallSiteLoc>(inner)) {
        inner = call.getCallee();
      } else {
        break;
      }
    }
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return 0;
    v1::Location *saved = graph.add_locations();
    saved->set_file(indexOf(files, file.getFilename().getValue(), graph.mutable_files()));
    saved->set_line(file.getLine());
    saved->set_column(file.getColumn());
    // Gradients of gradients of …: the innermost names say most.
    if (scopes.size() > size_t(kMaxSavedScopes))
      scopes.erase(scopes.begin(), scopes.end() - kMaxSavedScopes);
    for (StringRef scope : scopes)
      saved->add_scopes(indexOf(scopeNames, scope, graph.mutable_scopes()));
    return locations[place] = uint32_t(graph.locations_size());
  }

  void writeDim(const DimExpr &dim, v1::Dim *saved) {
    if (dim.isConstant()) {
      saved->set_size(dim.constantValue());
      return;
    }
    // Other numbers for symbols keep what is representable representable.
    DimExpr renumbered = *dim.substitute(
        [&](int64_t id) -> std::optional<DimExpr> { return DimExpr::symbol(symbols.lookup(id)); });
    std::vector<int64_t> code = renumbered.encode();
    saved->mutable_code()->Assign(code.begin(), code.end());
  }

  uint32_t addType(v1::TensorType &&type) {
    if (type.dtype() >= v1::DTYPE_COMPLEX64)
      graph.set_version(std::max(graph.version(), kSavedMajor << 16 | kSavedMinorOfComplex));
    std::string key = type.SerializeAsString();
    auto [entry, isNew] = typeTable.try_emplace(std::move(key), graph.types_size());
    if (isNew)
      *graph.add_types() = std::move(type);
    return entry->second;
  }

  uint32_t typeIndex(Type type) {
    auto [entry, isNew] = functionTypes.try_emplace(type, 0);
    if (!isNew)
      return entry->second;
    auto tensor = cast<RankedTensorType>(type);
    v1::TensorType saved;
    saved.set_dtype(v1::DType(dtypeOf(tensor.getElementType())));
    for (const DimExpr &dim : getShape(tensor))
      writeDim(dim, saved.add_dims());
    return entry->second = addType(std::move(saved));
  }

  void writeVariable(const SavedVariable &variable) {
    v1::Variable *saved = graph.add_variables();
    saved->set_name(nameFor(variable.name));
    v1::TensorType type;
    type.set_dtype(v1::DType(variable.dtype));
    for (int64_t size : variable.dims)
      type.add_dims()->set_size(size);
    saved->mutable_value()->set_type(addType(std::move(type)));
    saved->mutable_value()->set_data(variable.bytes);
    saved->set_trainable(variable.trainable);
    saved->set_counts_draws(variable.countsDraws);
  }

  void writeElements(DenseElementsAttr elements, v1::Dense *saved) {
    saved->set_type(typeIndex(elements.getType()));
    int64_t count = elements.getNumElements();
    bool isBool = elements.getElementType().isInteger(1);
    uint64_t width = isBool ? 1 : elements.getElementType().getIntOrFloatBitWidth() / 8;
    bool splat =
        elements.isSplat() && count > 1 && uint64_t(count) <= (kMaxSplatBytes - splatBytes) / width;
    if (splat) {
      saved->set_splat(true);
      splatBytes += uint64_t(count) * width;
    }
    std::string *data = saved->mutable_data();
    if (isBool) {
      if (elements.isSplat())
        data->assign(splat ? 1 : size_t(count), char(elements.getSplatValue<bool>()));
      else
        for (bool bit : elements.getValues<bool>())
          data->push_back(char(bit));
      return;
    }
    ArrayRef<char> raw = elements.getRawData();
    for (int64_t i = 0; elements.isSplat() && !splat && i + 1 < count; ++i)
      data->append(raw.data(), raw.size());
    data->append(raw.data(), raw.size());
    if (count == 0)
      data->clear();
  }

  //===-- Functions ---------------------------------------------------------------------------===//

  LogicalResult writeFunction(func::FuncOp function, const SavedFunction &description) {
    symbols.clear();
    functionTypes.clear();
    values.clear();
    nextValue = 0;
    v1::Function *saved = graph.add_functions();
    saved->set_name(nameFor(description.name));
    if (!function.getBody().hasOneBlock())
      return fail("function '" + name + "': needed one block");
    if (function->hasAttr("keratin.checks"))
      return fail("function '" + name + "': requirements must be ops");
    nameSizesApart(function);
    if (failed(numberSymbols(function, description, saved)) ||
        failed(writeLimits(function, saved)) || failed(writeShards(function, saved)) ||
        failed(writeArguments(function, description, saved)))
      return failure();
    Block &block = function.getBody().front();
    for (Operation &op : block.without_terminator())
      if (failed(writeOp(&op, saved->add_ops())))
        return failure();
    return writeResults(function, saved);
  }

  LogicalResult writeLimits(func::FuncOp function, v1::Function *saved) {
    std::map<int64_t, SizeLimits> limits; // by the file's numbers
    const LimitedSizes limited(function);
    for (const auto &[symbol, size] : limited.all()) {
      if (size.unit != 1)
        return fail("function '" + name + "': d" + Twine(symbol) + " counts a size by " +
                    Twine(size.unit) + "; needed the function before keratin-divide-sizes");
      limits[symbols.lookup(symbol)] = size.limits;
    }
    for (const auto &[symbol, limit] : limits) {
      v1::SizeLimits *entry = saved->add_size_limits();
      entry->set_symbol(uint32_t(symbol));
      entry->set_min(limit.min);
      if (limit.max != SizeLimits::kNoMax)
        entry->set_max(limit.max);
      if (limit.multipleOf > 1)
        entry->set_multiple_of(limit.multipleOf);
      graph.set_version(std::max(graph.version(), kSavedMajor << 16 | kSavedMinorOfSizeNames));
    }
    return success();
  }

  LogicalResult writeShards(func::FuncOp function, v1::Function *saved) {
    std::map<uint32_t, std::string> sharded; // the axis of each, by the file's numbers
    const Signature signature(function);
    for (BlockArgument argument : function.getArguments()) {
      const unsigned number = argument.getArgNumber();
      std::optional<int64_t> dimension = signature.sharded(number);
      if (!dimension)
        continue;
      const std::string axis = textOf(signature.meshAxis(number)).str();
      if (signature.isVariable(number)) {
        v1::VariableShard *shard = saved->add_variable_shards();
        shard->set_variable(number - signature.firstVariable());
        shard->set_dimension(uint32_t(*dimension));
        shard->set_axis(axis);
        continue;
      }
      DimExpr size = getShape(argument)[size_t(*dimension)];
      if (!size.isSymbol() || SizeNames::given(function, size.symbolId()).empty())
        return fail("function '" + name + "': dimension " + Twine(*dimension) + " of argument " +
                    Twine(number) + " is sharded and cannot be saved; needed a size with a name");
      sharded[uint32_t(symbols.lookup(size.symbolId()))] = axis;
    }
    const bool hasAxes =
        llvm::any_of(sharded, [](const auto &size) { return !size.second.empty(); });
    for (const auto &[symbol, axis] : sharded) {
      saved->add_sharded_symbols(symbol);
      if (hasAxes)
        saved->add_shard_axes(axis);
    }
    if (sharded.empty() && saved->variable_shards().empty())
      return success();
    if (!sharded.empty()) {
      saved->set_gathers_parts(function->hasAttr(kGathersPartsAttr));
      saved->set_local_statistics(function->hasAttr(kLocalStatisticsAttr));
      saved->set_shards_states(function->hasAttr(kShardsStatesAttr));
    }
    graph.set_version(std::max(graph.version(), kSavedMajor << 16 | kSavedMinorOfSizeNames));
    return success();
  }

  // In the order in which the arguments bind them, then in which ops define them.
  LogicalResult numberSymbols(func::FuncOp function, const SavedFunction &description,
                              v1::Function *saved) {
    llvm::StringSet<> names;
    // Those of the user's stay as they are, so they are taken from the start.
    for (StringRef given : SizeNames::given(function))
      names.insert(given);
    auto bind = [&](int64_t symbol, const std::string &name) {
      if (!symbols.try_emplace(symbol, int64_t(symbols.size())).second)
        return;
      if (StringRef given = SizeNames::given(function, symbol); !given.empty()) {
        saved->add_named_symbols(uint32_t(saved->symbols_size()));
        saved->add_symbols(given.str());
        graph.set_version(std::max(graph.version(), kSavedMajor << 16 | kSavedMinorOfSizeNames));
        return;
      }
      std::string unique = name;
      for (unsigned i = 1; !names.insert(unique).second; ++i)
        unique = name + "_" + std::to_string(i);
      saved->add_symbols(unique);
    };
    Signature signature(function);
    size_t variable = 0;
    for (BlockArgument argument : function.getArguments()) {
      unsigned i = argument.getArgNumber();
      auto tensor = dyn_cast<RankedTensorType>(argument.getType());
      StringAttr label = signature.argumentName(i);
      if (!tensor || !signature.hasKind(i))
        return fail("function '" + name + "': argument " + Twine(i) +
                    " is neither an input nor a variable");
      std::string base = label ? nameFor(label) : "input";
      // By its name in the file: in the graph it may have had to get another one.
      if (signature.isVariable(i) && variable < description.variables.size())
        if (size_t number = description.variables[variable++]; number < variables.size())
          base = nameFor(variables[number].name);
      if (signature.isInput(i))
        for (auto [axis, dim] : llvm::enumerate(getShape(tensor)))
          if (dim.isSymbol())
            bind(dim.symbolId(), base + "_" + std::to_string(axis));
      for (const ArgumentSymbol &symbol : signature.symbols(i))
        bind(symbol.id, base);
    }
    // Those of a loop before those that its body defines.
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (std::optional<int64_t> symbol = symbolDefinedBy(op))
        bind(*symbol, "size");
    });
    return success();
  }

  // Whether all symbols of a type or attribute have numbers.
  bool isBound(ArrayRef<DimExpr> dims) {
    return llvm::all_of(dims, [&](const DimExpr &dim) {
      return llvm::all_of(dim.symbols(), [&](int64_t id) { return symbols.contains(id); });
    });
  }

  template <typename Argument>
  void setSymbols(func::FuncOp function, unsigned argument, Argument *saved) {
    for (const auto &[part, id] : Signature(function).symbols(argument)) {
      uint32_t symbol = uint32_t(symbols.lookup(id) + 1);
      if (part == ValuePart::Whole)
        saved->set_value_symbol(symbol);
      else if (part == ValuePart::Positive)
        saved->set_positive_part_symbol(symbol);
      else
        saved->set_negative_part_symbol(symbol);
      if (part != ValuePart::Whole)
        graph.set_version(std::max(graph.version(), kSavedMajor << 16 | kSavedMinorOfValueParts));
    }
  }

  LogicalResult writeArguments(func::FuncOp function, const SavedFunction &description,
                               v1::Function *saved) {
    Signature signature(function);
    llvm::StringSet<> names;
    size_t variable = 0;
    for (BlockArgument argument : function.getArguments()) {
      unsigned i = argument.getArgNumber();
      if (!isBound(getShape(argument)))
        return fail("function '" + name + "': nothing binds a size of argument " + Twine(i));
      values[argument] = nextValue++;
      if (signature.isVariable(i)) {
        if (variable == description.variables.size() ||
            description.variables[variable] >= variables.size())
          return fail("function '" + name + "': argument " + Twine(i) + " has no variable");
        v1::VariableUse *use = saved->add_variables();
        use->set_variable(uint32_t(description.variables[variable++]));
        setSymbols(function, i, use);
        use->set_location(location(argument.getLoc()));
        const auto &declared = graph.variables(int(use->variable())).value();
        if (typeIndex(argument.getType()) != declared.type())
          return fail("function '" + name + "': argument " + Twine(i) +
                      " has not the type of its variable");
        continue;
      }
      if (variable != 0)
        return fail("function '" + name + "': inputs come before variables");
      StringAttr label = signature.argumentName(i);
      v1::Input *input = saved->add_inputs();
      if (label)
        input->set_name(nameFor(label));
      if (!names.insert(input->name()).second)
        return fail("function '" + name + "': two inputs are named '" + input->name() + "'");
      input->set_type(typeIndex(argument.getType()));
      setSymbols(function, i, input);
      input->set_location(location(argument.getLoc()));
      if (DenseElementsAttr value = signature.defaultValue(i))
        writeElements(value, input->mutable_default_value());
    }
    if (variable != description.variables.size())
      return fail("function '" + name + "': more variables than arguments for them");
    return success();
  }

  LogicalResult writeOp(Operation *op, v1::Op *saved) {
    const SavedOp *known =
        isa<KeratinDialect>(op->getDialect()) ? findSavedOp(op->getName().stripDialect()) : nullptr;
    if (!known)
      return fail(op, "this op cannot be saved");
    saved->set_name(known->name);
    // The least version that has all that is in the file.
    uint32_t minor = known->minor;
    if (regionDepth > 0 && symbolDefinedBy(op))
      minor = std::max(minor, kSavedMinorOfLocalSizes);
    graph.set_version(std::max(graph.version(), kSavedMajor << 16 | minor));
    for (Value operand : op->getOperands())
      saved->add_operands(values.lookup(operand));
    for (Value result : op->getResults()) {
      if (!isBound(getShape(result)))
        return fail(op, "nothing binds a size of the result");
      values[result] = nextValue++;
      saved->add_results(typeIndex(result.getType()));
    }
    // Sorted by name.
    for (NamedAttribute attribute : op->getAttrDictionary()) {
      const SavedAttribute *entry = llvm::find_if(known->attributes, [&](const SavedAttribute &a) {
        return attribute.getName() == a.name;
      });
      if (entry == known->attributes.end())
        return fail(op, "the attribute " + attribute.getName().strref() + " cannot be saved");
      v1::Attribute *place = saved->add_attributes();
      place->set_name(entry->name);
      if (failed(writeAttribute(attribute.getValue(), entry->kind, place)))
        return fail(op, "the attribute " + Twine(entry->name) + " cannot be saved");
    }
    for (Region &region : op->getRegions())
      if (failed(writeRegion(op, region, saved->add_regions())))
        return failure();
    saved->set_location(location(op->getLoc()));
    return success();
  }

  // Closed, with numbers of its own; its yield is the list of results.
  LogicalResult writeRegion(Operation *op, Region &region, v1::Region *saved) {
    if (++regionDepth > kMaxSavedRegionDepth)
      return fail(op, "more than " + Twine(kMaxSavedRegionDepth) +
                          " loops and branches inside each other cannot be saved");
    uint32_t outside = std::exchange(nextValue, 0);
    Block &block = region.front();
    for (BlockArgument argument : block.getArguments()) {
      if (!isBound(getShape(argument)))
        return fail(op, "nothing binds a size in the region");
      values[argument] = nextValue++;
      saved->add_arguments(typeIndex(argument.getType()));
    }
    for (Operation &inner : block.without_terminator())
      if (failed(writeOp(&inner, saved->add_ops())))
        return failure();
    for (Value result : block.getTerminator()->getOperands())
      saved->add_results(values.lookup(result));
    nextValue = outside;
    --regionDepth;
    return success();
  }

  LogicalResult writeAttribute(Attribute value, SavedAttributeKind kind, v1::Attribute *saved) {
    switch (kind) {
    case SavedAttributeKind::Flag:
      saved->set_flag(true);
      return success();
    case SavedAttributeKind::Integer:
      saved->set_integer(cast<IntegerAttr>(value).getInt());
      return success();
    case SavedAttributeKind::Integers: {
      ArrayRef<int64_t> list = cast<DenseI64ArrayAttr>(value).asArrayRef();
      saved->mutable_integers()->mutable_values()->Assign(list.begin(), list.end());
      return success(list.size() <= size_t(kMaxSavedList));
    }
    case SavedAttributeKind::Flags: {
      ArrayRef<bool> list = cast<DenseBoolArrayAttr>(value).asArrayRef();
      saved->mutable_integers()->mutable_values()->Assign(list.begin(), list.end());
      return success(list.size() <= size_t(kMaxSavedList));
    }
    case SavedAttributeKind::Segments: {
      ArrayRef<int32_t> list = cast<DenseI32ArrayAttr>(value).asArrayRef();
      saved->mutable_integers()->mutable_values()->Assign(list.begin(), list.end());
      return success();
    }
    case SavedAttributeKind::Text:
      saved->set_text(cast<StringAttr>(value).str());
      return success(isUtf8(saved->text()));
    case SavedAttributeKind::Comparison:
      saved->set_choice(stringifyComparison(cast<ComparisonAttr>(value).getValue()).str());
      return success();
    case SavedAttributeKind::Requirement:
      saved->set_choice(stringifyRequirement(cast<RequirementAttr>(value).getValue()).str());
      return success();
    case SavedAttributeKind::RankReduction:
      saved->set_choice(stringifyRankReduction(cast<RankReductionAttr>(value).getValue()).str());
      return success();
    case SavedAttributeKind::Dims: {
      std::vector<DimExpr> dims = cast<DimsAttr>(value).getDims();
      if (!isBound(dims) || dims.size() > size_t(kMaxSavedList))
        return failure();
      saved->mutable_dims(); // there even if empty
      for (const DimExpr &dim : dims)
        writeDim(dim, saved->mutable_dims()->add_dims());
      return success();
    }
    case SavedAttributeKind::Dense: {
      auto elements = dyn_cast<DenseElementsAttr>(value);
      if (!elements)
        return failure();
      writeElements(elements, saved->mutable_dense());
      return success();
    }
    }
    return failure();
  }

  LogicalResult writeResults(func::FuncOp function, v1::Function *saved) {
    Operation *terminator = function.getBody().front().getTerminator();
    Signature signature(function);
    for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
      StringAttr label = signature.resultName(unsigned(i));
      std::optional<int64_t> variable = signature.updatedVariable(unsigned(i));
      if (signature.isOutput(unsigned(i))) {
        v1::Output *output = saved->add_outputs();
        if (label)
          output->set_name(nameFor(label));
        output->set_value(values.lookup(value));
      } else if (signature.isUpdate(unsigned(i)) && variable && *variable >= 0 &&
                 *variable < saved->variables_size()) {
        v1::Update *update = saved->add_updates();
        update->set_variable(uint32_t(*variable));
        update->set_value(values.lookup(value));
      } else {
        return fail("function '" + name + "': result " + Twine(i) +
                    " is neither an output nor an update");
      }
    }
    return success();
  }

  ArrayRef<SavedFunction> functions;
  ArrayRef<SavedVariable> variables;
  std::string name; // of the function at hand

  llvm::StringMap<uint32_t> files, scopeNames;
  llvm::DenseMap<Location, uint32_t> locations;
  std::map<std::string, uint32_t> typeTable;
  uint64_t splatBytes = 0;

  // Of the function at hand.
  llvm::DenseMap<int64_t, int64_t> symbols;
  llvm::DenseMap<Type, uint32_t> functionTypes;
  llvm::DenseMap<Value, uint32_t> values;
  uint32_t nextValue = 0;
  unsigned regionDepth = 0;
};

} // namespace

absl::StatusOr<std::string> keratin::ir::writeGraph(ModuleOp module,
                                                    ArrayRef<SavedFunction> functions,
                                                    ArrayRef<SavedVariable> variables) {
  return writeGraph(llvm::to_vector(module.getOps<func::FuncOp>()), functions, variables);
}

absl::StatusOr<std::string> keratin::ir::writeGraph(ArrayRef<func::FuncOp> bodies,
                                                    ArrayRef<SavedFunction> functions,
                                                    ArrayRef<SavedVariable> variables) {
  Writer writer(functions, variables);
  if (failed(writer.run(bodies)))
    return absl::InvalidArgumentError(writer.error);
  if (writer.graph.ByteSizeLong() > kMaxSavedBytes)
    return absl::InvalidArgumentError("a saved graph has at most 2 GiB");
  std::string bytes = writer.graph.SerializeAsString();
  // No file is written that cannot be read.
  ReadingSteps steps;
  if (absl::Status status =
          scanWire(bytes, v1::Graph::descriptor(), mostMessageBytes(bytes.size()), steps);
      !status.ok())
    return status;
  return bytes;
}
