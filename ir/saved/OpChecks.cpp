// Checks of the ops of a saved graph against the format, and of the sizes that they define.
#include "ir/dialect/Keratin.h"
#include "ir/saved/GraphReading.h"
#include "ir/saved/SavedFormat.h"

using namespace keratin;
using namespace keratin::ir;
using namespace mlir;

// A truncate gives the next symbol its value, and so does a loop with a name for its steps.
LogicalResult GraphReading::checkDefinition(const v1::Op &op) {
  DimExpr size;
  int64_t symbolEnd = 0;
  for (const v1::Attribute &attribute : op.attributes())
    if (attribute.name() == "length")
      return checkDefinition(attribute.has_dims() && attribute.dims().dims_size() == 1 &&
                                 readDim(attribute.dims().dims(0), size, symbolEnd),
                             size);
  int64_t axis = -1;
  for (const v1::Attribute &attribute : op.attributes())
    if (attribute.name() == "axis")
      axis = attribute.integer();
  const v1::TensorType *type = op.results_size() == 1 && op.results(0) < types.size()
                                   ? &graph.types(int(op.results(0)))
                                   : nullptr;
  return checkDefinition(type && axis >= 0 && axis < type->dims_size() &&
                             readDim(type->dims(int(axis)), size, symbolEnd),
                         size);
}

LogicalResult GraphReading::checkDefinition(bool found, const DimExpr &size) {
  if (!found || !size.isSymbol() || size.symbolId() != definedSymbols ||
      definedSymbols >= function->symbols_size())
    return fail("it must define the next symbol, d" + Twine(definedSymbols));
  ++definedSymbols;
  return success();
}

static bool hasLength(const v1::Op &op) {
  return llvm::any_of(op.attributes(),
                      [](const v1::Attribute &attribute) { return attribute.name() == "length"; });
}

LogicalResult GraphReading::checkSteps(const v1::Op &op) {
  return hasLength(op) ? checkDefinition(op) : success();
}

uint32_t GraphReading::minorOf(const v1::Op &op, const SavedOp &known) const {
  bool defines = op.name() == "truncate" || (op.name() == "while" && hasLength(op));
  return opPath.size() > 1 && defines ? std::max(known.minor, kSavedMinorOfLocalSizes)
                                      : known.minor;
}

LogicalResult GraphReading::checkOps(const google::protobuf::RepeatedPtrField<v1::Op> &ops) {
  for (auto [i, saved] : llvm::enumerate(ops)) {
    opPath.emplace_back(&saved, i);
    if (failed(advance(bytesOf(saved))) || failed(checkOp(saved)))
      return failure();
    opPath.pop_back();
  }
  return success();
}

LogicalResult GraphReading::checkOp(const v1::Op &op) {
  if (failed(checkLocation(op.location())))
    return failure();
  const SavedOp *known = findSavedOp(op.name());
  if (!known)
    return fail("no op of a saved graph has this name");
  if (uint32_t minor = minorOf(op, *known); minor > (graph.version() & 0xffff))
    return fail("needs format version 1." + Twine(minor) + ", which the file does not state");
  if (op.regions_size() != known->regions)
    return known->regions == 0 ? fail("has no regions")
                               : fail("needs " + Twine(known->regions) + " regions, found " +
                                      Twine(op.regions_size()));
  for (uint32_t operand : op.operands()) {
    if (operand >= valueTypes.size())
      return fail("operand " + Twine(operand) + " is not defined before it");
    sizeWork += types[valueTypes[operand]].sizeWork;
  }
  // The loop's own attribute mentions the symbol.
  if (op.name() == "while" && failed(checkSteps(op)))
    return failure();
  StringRef previous;
  size_t required = 0;
  for (const v1::Attribute &attribute : op.attributes()) {
    const SavedAttribute *entry = llvm::find_if(
        known->attributes, [&](const SavedAttribute &a) { return attribute.name() == a.name; });
    if (entry == known->attributes.end())
      return fail("has no attribute " + quoted(attribute.name()));
    if (!previous.empty() && previous >= entry->name)
      return fail("attribute " + quoted(entry->name) + " is not in order");
    previous = entry->name;
    required += !entry->optional;
    if (failed(checkAttribute(attribute, entry->kind)))
      return failure();
    if (entry->kind == SavedAttributeKind::Segments &&
        attribute.integers().values_size() != known->segments)
      return fail("attribute " + quoted(attribute.name()) + " must have " + Twine(known->segments) +
                  " entries");
  }
  for (const SavedAttribute &entry : known->attributes)
    required -= !entry.optional;
  if (required != 0)
    return fail("an attribute is missing");
  for (const v1::Region &region : op.regions())
    if (failed(checkRegion(region)))
      return failure();
  if (op.name() == "truncate" && failed(checkDefinition(op)))
    return failure();
  for (uint32_t type : op.results()) {
    if (failed(checkType(type)))
      return failure();
    valueTypes.push_back(type);
    sizeWork += types[type].sizeWork;
  }
  if (sizeWork > kMaxSavedSizeWork)
    return fail("the ops' size expressions are too long to check");
  return success();
}

// Its values are numbered apart; messages nest, and so does this, to a bounded depth.
LogicalResult GraphReading::checkRegion(const v1::Region &region) {
  std::vector<uint32_t> outside;
  outside.swap(valueTypes);
  for (uint32_t type : region.arguments()) {
    if (failed(checkType(type)))
      return failure();
    valueTypes.push_back(type);
    sizeWork += types[type].sizeWork;
  }
  if (failed(checkOps(region.ops())))
    return failure();
  for (uint32_t result : region.results())
    if (result >= valueTypes.size())
      return fail("there is no value " + Twine(result) + " in the region");
  valueTypes.swap(outside);
  return success();
}

LogicalResult GraphReading::checkAttribute(const v1::Attribute &attribute,
                                           SavedAttributeKind kind) {
  auto expect = [&](bool holds) {
    return holds ? success()
                 : fail("attribute " + quoted(attribute.name()) + " must be " + kindName(kind));
  };
  switch (kind) {
  case SavedAttributeKind::Flag:
    return expect(attribute.has_flag() && attribute.flag());
  case SavedAttributeKind::Integer:
    return expect(attribute.has_integer());
  case SavedAttributeKind::Integers:
    return expect(attribute.has_integers() && attribute.integers().values_size() <= kMaxSavedList);
  case SavedAttributeKind::Flags:
    return expect(attribute.has_integers() && attribute.integers().values_size() <= kMaxSavedList &&
                  llvm::all_of(attribute.integers().values(),
                               [](int64_t flag) { return flag == 0 || flag == 1; }));
  case SavedAttributeKind::Segments:
    return expect(attribute.has_integers() && attribute.integers().values_size() <= kMaxSavedList &&
                  llvm::all_of(attribute.integers().values(),
                               [](int64_t count) { return count >= 0 && count <= INT32_MAX; }));
  case SavedAttributeKind::Text:
    return expect(attribute.has_text());
  case SavedAttributeKind::Comparison:
    return expect(attribute.has_choice() && symbolizeComparison(attribute.choice()));
  case SavedAttributeKind::Requirement:
    return expect(attribute.has_choice() && symbolizeRequirement(attribute.choice()));
  case SavedAttributeKind::RankReduction:
    return expect(attribute.has_choice() && symbolizeRankReduction(attribute.choice()));
  case SavedAttributeKind::Dims: {
    if (failed(expect(attribute.has_dims() && attribute.dims().dims_size() <= kMaxSavedList)))
      return failure();
    int64_t symbolEnd = 0;
    DimExpr ignored;
    for (const v1::Dim &dim : attribute.dims().dims())
      if (!readDim(dim, ignored, symbolEnd))
        return fail("attribute " + quoted(attribute.name()) +
                    ": a size is not an expression in its one encoding");
    if (symbolEnd > definedSymbols)
      return fail("attribute " + quoted(attribute.name()) + " has the symbol d" +
                  Twine(symbolEnd - 1) + ", which " + whoLacks(symbolEnd));
    return success();
  }
  case SavedAttributeKind::Dense:
    if (failed(expect(attribute.has_dense())))
      return failure();
    if (std::string wrong = denseError(attribute.dense()); !wrong.empty())
      return fail("attribute " + quoted(attribute.name()) + ": " + wrong);
    return success();
  }
  return failure();
}
