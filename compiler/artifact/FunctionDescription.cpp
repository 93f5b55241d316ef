#include "compiler/artifact/FunctionDescription.h"

#include "compiler/artifact/SavedDescription.h"

#include "ir/dialect/GraphError.h"
#include "ir/dialect/MemoryPlan.h"
#include "ir/dialect/NameScope.h"
#include "ir/dialect/RankNumbers.h"
#include "ir/dialect/Signature.h"
#include "ir/dialect/SizeNames.h"
#include "ir/dialect/SourceLine.h"
#include "ir/dialect/TensorShape.h"
#include "ir/interfaces/OpProperties.h"
#include "ir/shapes/SizeUnits.h"

#include <cstring>
#include <set>

using namespace keratin;
using namespace keratin::compiler;
using namespace mlir;
using ir::DimExpr;

const char *FunctionDescription::text(Said said) {
  return texts.emplace_back(std::move(said)).text.c_str();
}

keratin_tensor_desc_t FunctionDescription::tensor(RankedTensorType type, const ir::Shape &shape,
                                                  Said name, Location location,
                                                  codegen::EntryDescription &entry) {
  std::vector<int64_t> &dims = numbers.emplace_back();
  for (const DimExpr &dim : shape)
    dims.push_back(dim.isConstant() ? dim.constantValue() : -1 - entry.slotOf(dim));
  keratin_tensor_desc_t result = {};
  result.name = text(std::move(name));
  result.dtype = ir::dtypeOf(type.getElementType());
  result.rank = type.getRank();
  result.dims = dims.data();
  result.location = text(words.place(ir::sourceLine(location)));
  return result;
}

static keratin_symbol_source_t sourceOf(ir::ValuePart part, bool isVariable) {
  switch (part) {
  case ir::ValuePart::Whole:
    return isVariable ? KERATIN_SYMBOL_VARIABLE_VALUE : KERATIN_SYMBOL_INPUT_VALUE;
  case ir::ValuePart::Positive:
    return isVariable ? KERATIN_SYMBOL_VARIABLE_POSITIVE_PART : KERATIN_SYMBOL_INPUT_POSITIVE_PART;
  case ir::ValuePart::Negative:
    return isVariable ? KERATIN_SYMBOL_VARIABLE_NEGATIVE_PART : KERATIN_SYMBOL_INPUT_NEGATIVE_PART;
  }
  llvm_unreachable("a part of a value");
}

void FunctionDescription::bindRanks(func::FuncOp function, codegen::EntryDescription &entry) {
  const auto axes = ir::meshAxesIn(function);
  function.walk([&](Operation *op) {
    if (!ir::isRankNumber(op))
      return;
    const ir::DimsAttr size = ir::rankNumberSize(op);
    assert(size && "--keratin-shard gives it a symbol");
    const StringAttr axis = ir::meshAxisOf(op);
    const bool isCount = isa<ir::RankCountOp>(op);
    if (entry.addSymbol(size.getDims()[0].symbolId()))
      symbols.push_back({.source = isCount ? KERATIN_SYMBOL_RANKS : KERATIN_SYMBOL_RANK,
                         .input = 0,
                         .index = axis ? 1 + (llvm::find(axes, axis) - axes.begin()) : 0,
                         .name = fixed(isCount ? "ranks" : "rank")});
  });
}

LogicalResult FunctionDescription::bindSymbols(func::FuncOp function,
                                               codegen::EntryDescription &entry) {
  const ir::SizeNames names(function);
  const ir::LimitedSizes limited(function);
  auto add = [&](int64_t id, keratin_symbol_source_t source, int32_t number, int64_t index) {
    if (entry.addSymbol(id, limited.of(id).unit))
      symbols.push_back({.source = source,
                         .input = number,
                         .index = index,
                         .name = text(words.size(id, names[id]))});
  };
  ir::Signature signature(function);
  int32_t input = 0, variable = 0;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    bool isVariable = signature.isVariable(i);
    int32_t number = isVariable ? variable++ : input++;
    for (const ir::ArgumentSymbol &symbol : signature.symbols(i))
      add(symbol.id, sourceOf(symbol.part, isVariable), number, 0);
    if (isVariable)
      continue;
    if (!isa<RankedTensorType>(function.getArgumentTypes()[i]))
      return ir::emitGraphError(function) << "argument " << i << " is not a ranked tensor";
    for (auto [axis, dim] : llvm::enumerate(signature.statedShape(i)))
      if (std::optional<int64_t> id = limited.symbolCountedBy(dim))
        add(*id, KERATIN_SYMBOL_INPUT_DIM, number, axis);
  }
  bindRanks(function, entry);
  FailureOr<ir::ComputedSizes> found = ir::ComputedSizes::of(function);
  if (failed(found))
    return failure();
  sizes = std::move(*found);
  for (ir::DefineSizeOp op : sizes.ops()) {
    add(op.getSymbol(), KERATIN_SYMBOL_COMPUTED, 0, int64_t(entry.computed.size()));
    entry.computed.push_back(op);
  }
  describeChecks(function, entry, /*assumed=*/true);
  return success();
}

// What the user said of sizes.
void FunctionDescription::describeLimits(func::FuncOp function, codegen::EntryDescription &entry) {
  const ir::SizeNames names(function);
  const ir::LimitedSizes limited(function);
  for (const auto &[symbol, size] : limited.all()) {
    const ir::SizeLimits &limits = size.limits;
    const int64_t slot = entry.slotOf(*mul(DimExpr::symbol(symbol), DimExpr(size.unit)));
    Said said = Wording::fixed("size '");
    said += words.size(symbol, names[symbol]);
    said += Wording::fixed("'");
    const char *message = text(std::move(said));
    auto add = [&](keratin_check_kind_t kind, int64_t number) {
      checks.push_back({.kind = kind,
                        .status = KERATIN_INVALID_ARGUMENT,
                        .lhs = slot,
                        .rhs = entry.slotOf(DimExpr(number)),
                        .message = message});
    };
    if (limits.min > 0)
      add(KERATIN_CHECK_AT_LEAST, limits.min);
    if (limits.max != ir::SizeLimits::kNoMax)
      add(KERATIN_CHECK_AT_MOST, limits.max);
    if (limits.multipleOf > 1)
      add(KERATIN_CHECK_MULTIPLE, limits.multipleOf);
  }
}

// Memory for the output just described is asked for before the call knows its size.
LogicalResult FunctionDescription::describeCapacity(RankedTensorType type, Location location,
                                                    codegen::EntryDescription &entry) {
  ir::Shape shape = ir::getShape(type);
  if (llvm::none_of(shape, [&](const DimExpr &dim) { return sizes.mentions(dim); }))
    return success();
  std::vector<int64_t> &dims = numbers.emplace_back();
  for (const DimExpr &dim : shape) {
    std::optional<DimExpr> most = sizes.atMost(dim);
    if (!most || sizes.lastUnbounded(*most) >= 0)
      return ir::emitGraphError(location)
             << "no bound is known of the size " << dim.str() << " of an output";
    dims.push_back(most->isConstant() ? most->constantValue() : -1 - entry.slotOf(*most));
  }
  outputs.back().capacity = dims.data();
  return success();
}

LogicalResult FunctionDescription::describeComputed(func::FuncOp function,
                                                    codegen::EntryDescription &entry) {
  if (sizes.empty())
    return success();
  for (ir::DefineSizeOp op : sizes.ops()) {
    DimExpr bound = op.getBound() ? *sizes.atMost(op.getBound()->getDims()[0]) : DimExpr(INT64_MAX);
    bool isLoop = op.getSize().getDefiningOp<ir::WhileOp>();
    const char *message = isLoop ? "while: the loop makes more steps than it may"
                                 : "truncate: the size is outside of the tensor";
    computedSizes.push_back(
        {.bound = entry.slotOf(bound),
         .status = KERATIN_OUT_OF_RANGE,
         .reserved = 0,
         .message = text(words.withLine(Wording::fixed(message), ir::sourceLine(op.getLoc())))});
  }
  SmallVector<ir::MemoryAttr> allMemories = ir::memoriesOf(function);
  for (ir::MemoryAttr memory :
       llvm::make_filter_range(allMemories, [](ir::MemoryAttr memory) { return memory.waits(); }))
    memories.push_back({.kind = memory.isTape() ? KERATIN_MEMORY_TAPE : KERATIN_MEMORY_ARENA,
                        .size = int32_t(sizes.numberOf(memory.getSymbol())),
                        .slot = entry.slotOf(memory.getBytes())});
  return success();
}

void FunctionDescription::describePrepared(func::FuncOp function) {
  std::optional<int64_t> bytes = ir::preparedBytes(function);
  if (!bytes)
    return;
  const int64_t firstVariable = ir::Signature(function).firstVariable();
  std::set<int64_t> read;
  for (Operation &op : function.getBody().front())
    if (ir::isPrepared(&op))
      for (Value operand : op.getOperands())
        if (auto argument = dyn_cast<BlockArgument>(ir::rootOf(operand)))
          read.insert(int64_t(argument.getArgNumber()) - firstVariable);
  const std::vector<int64_t> &list = numbers.emplace_back(read.begin(), read.end());
  prepares = true;
  prepared = {.bytes = *bytes,
              .num_variables = int64_t(list.size()),
              .variables = list.data(),
              .reserved = {}};
}

void FunctionDescription::describeDeviceCode(codegen::EntryDescription &entry) {
  if (entry.device.empty())
    return;
  for (codegen::DeviceImage &image : entry.images) {
    const std::string &bytes = imageData.emplace_back(image.bytes.data(), image.bytes.size());
    images.push_back({.kind = fixed(image.kind),
                      .data = bytes.data(),
                      .bytes = int64_t(bytes.size()),
                      .reserved = {}});
  }
  for (const codegen::DeviceKernel &kernel : entry.deviceKernels)
    deviceKernels.push_back(fixed(kernel.name));
  deviceCode.device = fixed(entry.device);
}

// What is assumed comes first, on sizes of its own: whoever has other code for other sizes turns to
// that before anything else can be wrong.
void FunctionDescription::describeChecks(func::FuncOp function, codegen::EntryDescription &entry,
                                         bool assumed) {
  auto list = function->getAttrOfType<ArrayAttr>("keratin.checks");
  if (!list)
    return;
  const ir::SizeNames names(function);
  for (auto check : list.getAsRange<DictionaryAttr>()) {
    if (check.contains("assumed") != assumed)
      continue;
    Said message = words.message(ir::SizedText::of(check.get("message")), names);
    if (auto location = check.getAs<LocationAttr>("location"))
      message = words.withLine(std::move(message), ir::sourceLine(Location(location)));
    if (assumed) {
      Said whole = Wording::fixed("function '");
      whole += words.function(function.getName());
      whole += Wording::fixed("': ");
      whole += message;
      message = std::move(whole);
    }
    for (auto [l, r] : llvm::zip(check.getAs<ir::DimsAttr>("lhs").getDims(),
                                 check.getAs<ir::DimsAttr>("rhs").getDims()))
      checks.push_back({.kind = int32_t(cast<IntegerAttr>(check.get("kind")).getInt()),
                        .status = assumed ? KERATIN_SIZES_DIFFER : KERATIN_INVALID_ARGUMENT,
                        .lhs = entry.slotOf(l),
                        .rhs = entry.slotOf(r),
                        .message = text(message)});
  }
}

namespace {

// Codegen has put the messages of checks of numbers together, of its own words and of names: "log:
// made {}, in scope 'head'", "input 'x': holds {}". They are taken apart again.
class NumberMessages {
public:
  NumberMessages(func::FuncOp function, Wording &words) : words(words) {
    const ir::Signature signature(function);
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      const StringAttr name = signature.argumentName(i);
      Said what = Wording::fixed(signature.argumentKind(i));
      what += Wording::fixed(name ? " '" : " " + std::to_string(i));
      if (name) {
        what += words.argument(i, name);
        what += Wording::fixed("'");
      }
      what += Wording::fixed(": holds {}");
      auto [known, isNew] = fed.try_emplace(what.text, what);
      if (!isNew)
        known->second = std::nullopt; // of two that are called the same
    }
  }

  Said operator()(const codegen::KernelArgument &site) {
    StringRef rest = site.message;
    const StringRef scope = ir::scopeOf(site.location);
    const bool isScoped = !scope.empty() && rest.consume_back((", in scope '" + scope + "'").str());
    auto known = fed.find(rest);
    Said said;
    if (known != fed.end() && known->second)
      said = *known->second;
    else if (rest.ends_with(": made {}"))
      said = Wording::fixed(rest);
    else
      return words.unknown(site.message);
    if (isScoped) {
      said += Wording::fixed(", in scope '");
      said += words.place(scope);
      said += Wording::fixed("'");
    }
    return said;
  }

private:
  Wording &words;
  llvm::StringMap<std::optional<Said>> fed; // by what is said of it; none if that is not one's own
};

} // namespace

const char *FunctionDescription::partAxis(std::optional<int64_t> dimension, StringAttr axis) {
  return dimension && axis ? fixed(axis.getValue()) : nullptr;
}

void FunctionDescription::describeParts(const ir::Signature &signature, unsigned result) {
  outputAxes.push_back(nullptr);
  for (const auto &[i, part] : llvm::enumerate(signature.resultParts(result))) {
    const char *axis = partAxis(part.dimension, part.axis);
    if (i == 0) {
      outputs.back().part = 1 + part.dimension;
      outputAxes.back() = axis;
    } else {
      furtherParts.push_back({int32_t(outputs.size() - 1), int32_t(part.dimension), axis});
    }
  }
}

LogicalResult FunctionDescription::describe(func::FuncOp function,
                                            codegen::EntryDescription &entry) {
  ir::Signature signature(function);
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto type = cast<RankedTensorType>(function.getArgumentTypes()[i]);
    (signature.isVariable(i) ? variables : inputs)
        .push_back(tensor(type, signature.statedShape(i),
                          words.argument(i, ir::textOf(signature.argumentName(i))),
                          function.getArgument(i).getLoc(), entry));
    if (std::optional<int64_t> dimension = signature.part(i))
      inputs.back().part = 1 + *dimension;
    if (!signature.isVariable(i))
      inputAxes.push_back(partAxis(signature.part(i), signature.meshAxis(i)));
  }
  Operation *terminator = function.getBody().front().getTerminator();
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    if (signature.isUpdate(i)) {
      updates.push_back(
          {.variable = int32_t(*signature.updatedVariable(i)), .in_place = signature.isInPlace(i)});
    } else {
      auto type = cast<RankedTensorType>(function.getResultTypes()[i]);
      StringRef name = ir::textOf(signature.resultName(i));
      Location location = terminator->getOperand(i).getLoc();
      outputs.push_back(tensor(type, ir::getShape(type),
                               name.empty()
                                   ? Wording::fixed("output_" + std::to_string(outputs.size()))
                                   : words.result(i, name),
                               location, entry));
      describeParts(signature, i);
      if (failed(describeCapacity(type, location, entry)))
        return failure();
    }
  }
  for (Value constant : entry.constants) {
    auto op = constant.getDefiningOp<ir::ConstantOp>();
    auto elements = cast<DenseElementsAttr>(op.getValue());
    int64_t width = ir::dtypeBytes(ir::dtypeOf(elements.getElementType()));
    int64_t count = elements.getNumElements();
    // count * width was checked when the attribute was made: it is in memory.
    std::shared_ptr<char> memory = constantMemory(size_t(count * width));
    if (!memory)
      return ir::emitGraphError(op, ir::GraphError::TooLarge)
             << "not enough memory for a constant of " << count * width << " bytes";
    char *data = memory.get();
    constantData.push_back(std::move(memory));
    bool isBool = elements.getElementType().isInteger(1);
    if (!isBool && !elements.isSplat()) {
      llvm::copy(elements.getRawData(), data); // none at all where it is empty
    } else {
      int64_t i = 0;
      if (isBool)
        for (bool value : elements.getValues<bool>())
          data[i++] = value;
      else
        for (; i < count; ++i)
          std::memcpy(data + i * width, elements.getRawData().data(), width);
    }
    constants.push_back({.data = data, .bytes = count * width});
  }

  describeLimits(function, entry);
  describeChecks(function, entry, /*assumed=*/false);
  std::optional<NumberMessages> numberMessages;
  for (const codegen::KernelArgument &site : entry.sites) {
    const bool isOfNumbers = site.status == KERATIN_NOT_FINITE;
    if (isOfNumbers && !numberMessages)
      numberMessages.emplace(function, words);
    Said message = isOfNumbers ? (*numberMessages)(site) : Wording::fixed(site.message);
    sites.push_back(
        {.status = site.status,
         .message = text(words.withLine(std::move(message), ir::sourceLine(site.location)))});
  }
  descriptor.arena_slot = -1;
  SmallVector<ir::MemoryAttr> planned = ir::memoriesOf(function);
  if (!planned.empty() && planned.front().getBytes() != DimExpr(0))
    descriptor.arena_slot = entry.slotOf(planned.front().getBytes());

  if (failed(describeComputed(function, entry)))
    return failure();
  // Last, when every slot is known.
  const int64_t firstComputed = entry.firstComputedSlot();
  const ir::LimitedSizes limited(function);
  for (const DimExpr &size : entry.sizes) {
    int64_t level = 0;
    for (int64_t id : size.symbols()) {
      std::optional<int64_t> slot = entry.slotOfSymbol(id);
      if (!slot)
        return ir::emitGraphError(function) << "nothing gives size '" << ir::SizeNames(function)[id]
                                            << "' a value; needed an input that has it";
      if (*slot >= firstComputed)
        level = std::max(level, *slot - firstComputed + 1);
    }
    programLevels.push_back(level);
    // Slots hold whole sizes.
    std::optional<DimExpr> whole =
        ir::inWholes(size, [&](int64_t id) { return limited.of(id).unit; });
    if (!whole)
      return ir::emitGraphError(function, ir::GraphError::TooLarge)
             << "a size is too long an expression";
    std::vector<int64_t> &code =
        numbers.emplace_back(whole->program([&](int64_t id) { return *entry.slotOfSymbol(id); }));
    programs.push_back({.code = code.data(), .length = int64_t(code.size())});
  }

  descriptor.name = text(words.function(function.getName()));
  descriptor.scratch_bytes = entry.scratchBytes;
  descriptor.num_collectives = entry.numCollectives;
  for (StringAttr axis : ir::meshAxesIn(function))
    axisNames.push_back(fixed(axis.getValue()));
  if (entry.profile)
    for (const ir::KernelName &kernel : entry.kernelNames) {
      Said name = words.place(kernel.scope);
      name += Wording::fixed((kernel.scope.empty() ? "" : ": ") + kernel.work);
      kernels.push_back({.name = text(std::move(name)),
                         .location = text(words.place(kernel.location)),
                         .reserved = {}});
    }
  describePrepared(function);
  describeDeviceCode(entry);
  finish();
  return success();
}

void FunctionDescription::finish() {
  descriptor.abi_version = KERATIN_ABI_VERSION;
  descriptor.num_inputs = inputs.size();
  descriptor.num_variables = variables.size();
  descriptor.num_outputs = outputs.size();
  descriptor.num_updates = updates.size();
  descriptor.num_constants = constants.size();
  descriptor.inputs = inputs.data();
  descriptor.variables = variables.data();
  descriptor.outputs = outputs.data();
  descriptor.updates = updates.data();
  descriptor.constants = constants.data();
  descriptor.num_symbols = symbols.size();
  descriptor.symbols = symbols.data();
  descriptor.num_programs = programs.size();
  descriptor.programs = programs.data();
  descriptor.num_checks = checks.size();
  descriptor.checks = checks.data();
  descriptor.num_sites = sites.size();
  descriptor.sites = sites.data();
  descriptor.num_kernels = kernels.size();
  descriptor.kernels = kernels.data();
  computed = {.num_sizes = int64_t(computedSizes.size()),
              .sizes = computedSizes.data(),
              .program_levels = programLevels.data(),
              .num_memories = int64_t(memories.size()),
              .memories = memories.data(),
              .reserved = {}};
  descriptor.computed = computedSizes.empty() ? nullptr : &computed;
  descriptor.prepared = prepares ? &prepared : nullptr;
  deviceCode.num_images = int64_t(images.size());
  deviceCode.images = images.data();
  deviceCode.num_kernels = int64_t(deviceKernels.size());
  deviceCode.kernels = deviceKernels.data();
  descriptor.device_code = deviceCode.device ? &deviceCode : nullptr;
  axes.num_axes = int64_t(axisNames.size());
  axes.names = axisNames.data();
  descriptor.axes = axisNames.empty() ? nullptr : &axes;
  axesOfParts.inputs = inputAxes.data();
  axesOfParts.outputs = outputAxes.data();
  axesOfParts.num_further = int64_t(furtherParts.size());
  axesOfParts.further = furtherParts.data();
}

const keratin_part_axes_t *FunctionDescription::partAxes() const {
  auto isNamed = [](const char *axis) { return axis != nullptr; };
  return llvm::any_of(inputAxes, isNamed) || llvm::any_of(outputAxes, isNamed) ? &axesOfParts
                                                                               : nullptr;
}
