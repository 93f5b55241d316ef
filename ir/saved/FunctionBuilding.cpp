// Functions, from a saved graph that has been checked.
#include "ir/dialect/GathersParts.h"
#include "ir/dialect/Keratin.h"
#include "ir/dialect/LocalStatistics.h"
#include "ir/dialect/MeshAxes.h"
#include "ir/dialect/ShardsStates.h"
#include "ir/dialect/Signature.h"
#include "ir/dialect/SizeNames.h"
#include "ir/saved/GraphReading.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

using namespace keratin;
using namespace keratin::ir;
using namespace mlir;

LogicalResult GraphReading::buildFunction(const v1::Function &saved, ModuleOp module,
                                          SavedFunction &result) {
  enter(&saved);
  b.setInsertionPointToEnd(module.getBody());
  func::FuncOp built =
      b.create<func::FuncOp>(UnknownLoc::get(&context), saved.name(), b.getFunctionType({}, {}));
  Block *block = built.addEntryBlock();
  b.setInsertionPointToEnd(block);
  values.clear();
  SmallVector<DictionaryAttr> argumentAttributes, resultAttributes;
  auto argument = [&](SignatureEntry entry, uint32_t type, const auto &saved,
                      Attribute defaultValue) {
    values.push_back(block->addArgument(types[type].type, location(saved.location())));
    for (ValuePart part : kValueParts)
      if (uint32_t symbol = symbolOf(saved, part))
        entry.setSymbol({part, symbol - 1});
    if (defaultValue)
      entry.setDefault(defaultValue);
    argumentAttributes.push_back(entry.attributes());
  };
  for (const v1::Input &input : saved.inputs()) {
    SignatureEntry entry = SignatureEntry::input(&context, input.name());
    for (auto [dimension, size] : llvm::enumerate(getShape(types[input.type()].type))) {
      if (!size.isSymbol())
        continue;
      const auto found = llvm::find(saved.sharded_symbols(), size.symbolId());
      if (found == saved.sharded_symbols().end())
        continue;
      const auto place = int(found - saved.sharded_symbols().begin());
      entry.setSharded(
          int64_t(dimension),
          meshAxisAttr(&context, saved.shard_axes_size() > 0 ? saved.shard_axes(place) : ""));
    }
    argument(entry, input.type(), input,
             input.has_default_value() ? elements(input.default_value()) : Attribute());
  }
  auto shard = saved.variable_shards().begin();
  for (auto [number, use] : llvm::enumerate(saved.variables())) {
    const v1::Variable &variable = graph.variables(int(use.variable()));
    SignatureEntry entry = SignatureEntry::variable(&context, variable.name());
    if (shard != saved.variable_shards().end() && shard->variable() == number) {
      entry.setSharded(shard->dimension(), meshAxisAttr(&context, shard->axis()));
      ++shard;
    }
    argument(entry, variable.value().type(), use, Attribute());
    result.variables.push_back(use.variable());
  }
  if (failed(buildOps(saved.ops())))
    return failure();
  SmallVector<Value> results;
  for (const v1::Output &output : saved.outputs()) {
    results.push_back(values[output.value()]);
    SignatureEntry entry = SignatureEntry::output(&context);
    if (!output.name().empty())
      entry.setName(output.name());
    resultAttributes.push_back(entry.attributes());
  }
  for (const v1::Update &update : saved.updates()) {
    results.push_back(values[update.value()]);
    resultAttributes.push_back(SignatureEntry::update(&context, update.variable()).attributes());
  }
  b.create<func::ReturnOp>(UnknownLoc::get(&context), results);
  built.setType(b.getFunctionType(block->getArgumentTypes(), ValueRange(results).getTypes()));
  built.setAllArgAttrs(argumentAttributes);
  built.setAllResultAttrs(resultAttributes);
  std::vector<std::pair<int64_t, std::string>> names;
  for (uint32_t symbol : saved.named_symbols())
    names.emplace_back(symbol, saved.symbols(int(symbol)));
  SizeNames::set(built, names);
  LimitedSizes limited;
  for (const v1::SizeLimits &limits : saved.size_limits())
    limited.set(limits.symbol(), {limitsOf(limits)});
  limited.attachTo(built);
  if (saved.gathers_parts())
    built->setAttr(kGathersPartsAttr, b.getUnitAttr());
  if (saved.local_statistics())
    built->setAttr(kLocalStatisticsAttr, b.getUnitAttr());
  if (saved.shards_states())
    built->setAttr(kShardsStatesAttr, b.getUnitAttr());
  result.name = saved.name();
  result.symbols.assign(saved.symbols().begin(), saved.symbols().end());
  return success();
}

LogicalResult GraphReading::buildOps(const google::protobuf::RepeatedPtrField<v1::Op> &ops) {
  for (auto [i, saved] : llvm::enumerate(ops)) {
    opPath.emplace_back(&saved, i);
    if (failed(advance(bytesOf(saved))) || failed(buildOp(saved)))
      return failure();
    opPath.pop_back();
  }
  return success();
}

LogicalResult GraphReading::buildOp(const v1::Op &op) {
  OperationState state(location(op.location()), "keratin." + op.name());
  for (uint32_t operand : op.operands())
    state.operands.push_back(values[operand]);
  for (uint32_t type : op.results())
    state.types.push_back(types[type].type);
  const SavedOp *known = findSavedOp(op.name());
  for (const v1::Attribute &attribute : op.attributes()) {
    const SavedAttribute *entry = llvm::find_if(
        known->attributes, [&](const SavedAttribute &a) { return attribute.name() == a.name; });
    state.addAttribute(attribute.name(), buildAttribute(attribute, entry->kind));
  }
  for (int i = 0; i < op.regions_size(); ++i)
    state.addRegion();
  Operation *built = b.create(state);
  for (auto [region, saved] : llvm::zip(built->getRegions(), op.regions()))
    if (failed(buildRegion(region, saved, built->getLoc())))
      return failure();
  // One by one, so that later ops find operands that keep their word.
  if (failed(verify(built)))
    return fail(reported);
  values.append(built->result_begin(), built->result_end());
  return success();
}

LogicalResult GraphReading::buildRegion(Region &region, const v1::Region &saved, Location place) {
  SmallVector<Value> outside;
  std::swap(outside, values);
  OpBuilder::InsertionGuard guard(b);
  Block &block = region.emplaceBlock();
  for (uint32_t type : saved.arguments())
    values.push_back(block.addArgument(types[type].type, place));
  b.setInsertionPointToEnd(&block);
  if (failed(buildOps(saved.ops())))
    return failure();
  SmallVector<Value> results;
  for (uint32_t result : saved.results())
    results.push_back(values[result]);
  b.create<YieldOp>(place, results);
  std::swap(outside, values);
  return success();
}

Attribute GraphReading::buildAttribute(const v1::Attribute &attribute, SavedAttributeKind kind) {
  switch (kind) {
  case SavedAttributeKind::Flag:
    return b.getUnitAttr();
  case SavedAttributeKind::Integer:
    return b.getI64IntegerAttr(attribute.integer());
  case SavedAttributeKind::Integers:
    return b.getDenseI64ArrayAttr(SmallVector<int64_t>(attribute.integers().values().begin(),
                                                       attribute.integers().values().end()));
  case SavedAttributeKind::Flags:
    return b.getDenseBoolArrayAttr(SmallVector<bool>(attribute.integers().values().begin(),
                                                     attribute.integers().values().end()));
  case SavedAttributeKind::Segments:
    return b.getDenseI32ArrayAttr(SmallVector<int32_t>(attribute.integers().values().begin(),
                                                       attribute.integers().values().end()));
  case SavedAttributeKind::Text:
    return b.getStringAttr(attribute.text());
  case SavedAttributeKind::Comparison:
    return ComparisonAttr::get(&context, *symbolizeComparison(attribute.choice()));
  case SavedAttributeKind::Requirement:
    return RequirementAttr::get(&context, *symbolizeRequirement(attribute.choice()));
  case SavedAttributeKind::RankReduction:
    return RankReductionAttr::get(&context, *symbolizeRankReduction(attribute.choice()));
  case SavedAttributeKind::Dims: {
    Shape shape;
    int64_t ignored = 0;
    for (const v1::Dim &dim : attribute.dims().dims())
      readDim(dim, shape.emplace_back(), ignored);
    return DimsAttr::get(&context, shape);
  }
  case SavedAttributeKind::Dense:
    return elements(attribute.dense());
  }
  return {};
}
