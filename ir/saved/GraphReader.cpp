#include "ir/saved/GraphReader.h"

#include "ir/dialect/Keratin.h"
#include "ir/dialect/Signature.h"
#include "ir/dialect/SizeLimits.h"
#include "ir/dialect/SizeNames.h"
#include "ir/dialect/SourceLine.h"
#include "ir/saved/SavedFormat.h"
#include "ir/saved/SavedOps.h"
#include "ir/saved/WireScan.h"
#include "ir/saved/graph.pb.h"
#include "ir/text/FileKind.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"

using namespace keratin;
using namespace keratin::ir;
using namespace mlir;

static_assert(v1::DTYPE_FLOAT64 == int(KERATIN_DTYPE_FLOAT64) &&
                  v1::DTYPE_BOOL == int(KERATIN_DTYPE_BOOL),
              "the format's dtypes are those of the ABI");

// Names come from the file: what is shown of them is short and printable.
static std::string quoted(StringRef name) {
  std::string text = "'";
  for (char c : name.take_front(80))
    text += uint8_t(c) < 0x20 || c == 0x7f ? '?' : c;
  return text + (name.size() > 80 ? "…'" : "'");
}

// Types in messages may hold expressions of thousands of terms.
static std::string clipped(std::string text) {
  constexpr size_t most = 600;
  if (text.size() > most)
    text = text.substr(0, most) + " …";
  return text;
}

namespace {

class Reader {
public:
  Reader(const v1::Graph &graph, MLIRContext &context)
      : graph(graph), context(context), b(&context),
        diagnostics(&context, [this](Diagnostic &diagnostic) {
          if (reported.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
            reported = clipped(diagnostic.str());
          return success();
        }) {}

  LogicalResult run(SavedGraph &result) {
    if (failed(readLocations()) || failed(readTypes()) || failed(readVariables()) ||
        failed(checkFunctions()))
      return failure();
    result.module = ModuleOp::create(UnknownLoc::get(&context));
    for (const v1::Function &saved : graph.functions()) {
      result.functions.emplace_back();
      if (failed(buildFunction(saved, *result.module, result.functions.back())))
        return failure();
    }
    function = nullptr;
    if (failed(verify(*result.module)))
      return fail(reported);
    result.variables = std::move(variables);
    return success();
  }

  std::string error;

private:
  struct TypeEntry {
    RankedTensorType type;
    int64_t symbolEnd = 0; // above all symbols
    uint64_t bytes = 0;    // if static
    uint64_t sizeWork = 0; // numbers of its size expressions
  };

  // Says where the reader stands, then what is wrong.
  LogicalResult fail(const Twine &what) {
    std::string text;
    if (function)
      text += "function " + quoted(function->name()) + ": ";
    for (const auto &[op, index] : opPath)
      text += "op " + std::to_string(index) + " (" + quoted(op->name()) + "): ";
    error = text + what.str();
    if (!opPath.empty() && opPath.back().first->location() <= locations.size())
      error = withSourceLine(error, location(opPath.back().first->location()));
    return failure();
  }

  //===-- Tables ------------------------------------------------------------------------------===//

  LogicalResult readLocations() {
    for (const std::string &file : graph.files())
      if (!isSavedName(file))
        return fail("the file name " + quoted(file) + " has control characters");
    for (auto [i, saved] : llvm::enumerate(graph.locations())) {
      auto bad = [&, i = i](const char *what) {
        return fail("location " + Twine(i) + ": " + what);
      };
      if (int64_t(saved.file()) >= graph.files_size())
        return bad("there is no such file");
      if (saved.scopes_size() > kMaxSavedScopes)
        return bad("too many scopes");
      Location place = FileLineColLoc::get(&context, graph.files(int(saved.file())), saved.line(),
                                           saved.column());
      for (uint32_t scope : llvm::reverse(saved.scopes())) {
        if (int64_t(scope) >= graph.scopes_size())
          return bad("there is no such scope");
        place = NameLoc::get(b.getStringAttr(graph.scopes(int(scope))), place);
      }
      locations.push_back(place);
    }
    return success();
  }

  // Precondition: checked.
  Location location(uint32_t index) {
    return index ? Location(locations[index - 1]) : Location(UnknownLoc::get(&context));
  }

  LogicalResult checkLocation(uint32_t index) {
    return index <= locations.size() ? success() : fail("there is no location " + Twine(index));
  }

  // False if it is not a size in its one encoding.
  static bool readDim(const v1::Dim &saved, DimExpr &dim, int64_t &symbolEnd) {
    if (saved.code().empty()) {
      dim = DimExpr(saved.size());
      return true;
    }
    SmallVector<int64_t> code(saved.code().begin(), saved.code().end());
    std::optional<DimExpr> decoded = DimExpr::decode(code.data(), code.size());
    if (!decoded || decoded->isConstant() || saved.size())
      return false;
    dim = *decoded;
    for (int64_t symbol : dim.symbols())
      symbolEnd = std::max(symbolEnd, symbol == INT64_MAX ? symbol : symbol + 1);
    return true;
  }

  LogicalResult readTypes() {
    for (auto [i, saved] : llvm::enumerate(graph.types())) {
      auto bad = [&, i = i](const Twine &what) { return fail("type " + Twine(i) + ": " + what); };
      if (saved.dtype() < v1::DTYPE_BOOL || saved.dtype() > v1::DTYPE_FLOAT64)
        return bad("unknown dtype " + Twine(int(saved.dtype())));
      if (saved.dims_size() > KERATIN_MAX_RANK)
        return bad("rank " + Twine(saved.dims_size()) + " is above " + Twine(KERATIN_MAX_RANK));
      TypeEntry entry;
      Shape shape;
      uint64_t bytes = uint64_t(dtypeBytes(keratin_dtype_t(saved.dtype())));
      bool isEmpty = false;
      for (const v1::Dim &dim : saved.dims()) {
        DimExpr size;
        if (!readDim(dim, size, entry.symbolEnd))
          return bad("a size is not an expression in its one encoding");
        if (size.isConstant() && size.constantValue() < 0)
          return bad("size " + Twine(size.constantValue()) + " is negative");
        if (size.isConstant() && size.constantValue() == 0)
          isEmpty = true;
        // Zeros are left out: strides of what has no elements are computed too.
        else if (size.isConstant() &&
                 (__builtin_mul_overflow(bytes, uint64_t(size.constantValue()), &bytes) ||
                  bytes > INT64_MAX))
          return bad("the number of bytes does not fit 64 bits");
        entry.sizeWork += uint64_t(dim.code_size());
        shape.push_back(size);
      }
      entry.bytes = isEmpty ? 0 : bytes;
      entry.type = getTensorType(shape, elementTypeOf(keratin_dtype_t(saved.dtype()), &context));
      if (failed(
              verifyTensorType(entry.type, [&] { return emitError(UnknownLoc::get(&context)); })))
        return bad(reported);
      types.push_back(entry);
    }
    return success();
  }

  // What is wrong, "" if nothing is.
  std::string typeError(uint32_t index) {
    if (index >= types.size())
      return "there is no type " + std::to_string(index);
    if (function && types[index].symbolEnd > definedSymbols)
      return "type " + std::to_string(index) + " has the symbol d" +
             std::to_string(types[index].symbolEnd - 1) + ", which " +
             whoLacks(types[index].symbolEnd);
    return {};
  }

  // "the function has not", or has not yet.
  std::string whoLacks(int64_t symbolEnd) const {
    return symbolEnd > function->symbols_size() ? "the function has not" : "has no value before it";
  }

  LogicalResult checkType(uint32_t index) {
    std::string wrong = typeError(index);
    return wrong.empty() ? success() : fail(wrong);
  }

  // Elements have a type of known sizes, and are as many bytes as it takes. "" if so.
  std::string denseError(const v1::Dense &dense) {
    if (std::string wrong = typeError(dense.type()); !wrong.empty())
      return wrong;
    const TypeEntry &entry = types[dense.type()];
    if (!entry.type.hasStaticShape())
      return "elements of a type with unknown sizes";
    bool isBool = entry.type.getElementType().isInteger(1);
    uint64_t width = isBool ? 1 : entry.type.getElementTypeBitWidth() / 8;
    uint64_t needed = entry.bytes;
    if (dense.splat()) {
      if (entry.bytes <= width)
        return "a splat of less than two elements";
      if (entry.bytes > kMaxSplatBytes - splatBytes)
        return "splats stand for more than " + std::to_string(kMaxSplatBytes) + " bytes";
      splatBytes += entry.bytes;
      needed = width;
    }
    if (dense.data().size() != needed)
      return std::to_string(dense.data().size()) + " bytes of elements; needed " +
             std::to_string(needed);
    if (isBool && llvm::any_of(dense.data(), [](char byte) { return byte != 0 && byte != 1; }))
      return "a bool that is neither 0 nor 1";
    return {};
  }

  // Precondition: checked.
  DenseElementsAttr elements(const v1::Dense &dense) {
    RankedTensorType type = types[dense.type()].type;
    if (type.getElementType().isInteger(1)) {
      SmallVector<bool> bits(dense.data().begin(), dense.data().end());
      return DenseElementsAttr::get(type, bits);
    }
    return DenseElementsAttr::getFromRawBuffer(
        type, ArrayRef<char>(dense.data().data(), dense.data().size()));
  }

  LogicalResult readVariables() {
    llvm::StringSet<> names;
    for (const v1::Variable &saved : graph.variables()) {
      if (saved.name().empty() || !isSavedName(saved.name()))
        return fail("a variable has no name, or one with control characters");
      auto bad = [&](const Twine &what) {
        return fail("variable " + quoted(saved.name()) + ": " + what);
      };
      if (!names.insert(saved.name()).second)
        return bad("two variables have this name");
      if (!saved.has_value() || saved.value().splat())
        return bad("needs all its elements");
      if (std::string wrong = denseError(saved.value()); !wrong.empty())
        return bad(wrong);
      RankedTensorType type = types[saved.value().type()].type;
      if (saved.counts_draws() && (type.getRank() != 0 || !type.getElementType().isInteger(64)))
        return bad("what counts draws is an int64 scalar");
      variables.push_back({saved.name(), dtypeOf(type.getElementType()),
                           std::vector<int64_t>(type.getShape()), saved.value().data(),
                           saved.trainable(), saved.counts_draws()});
    }
    return success();
  }

  //===-- Checks ------------------------------------------------------------------------------===//

  LogicalResult checkFunctions() {
    llvm::StringSet<> names;
    if (graph.functions().empty())
      return fail("no function");
    for (const v1::Function &saved : graph.functions()) {
      if (saved.name().empty() || !isSavedName(saved.name()))
        return fail("a function has no name, or one with control characters");
      if (!names.insert(saved.name()).second)
        return fail("two functions are named " + quoted(saved.name()));
      function = &saved;
      if (failed(checkFunction()))
        return failure();
      function = nullptr;
    }
    return success();
  }

  LogicalResult checkFunction() {
    valueTypes.clear();
    if (failed(checkArguments()) || failed(checkOps(function->ops())))
      return failure();
    return definedSymbols == function->symbols_size() ? checkResults() : failUndefined();
  }

  // Of an input or the use of a variable: index + 1, or 0.
  template <typename Argument> static uint32_t symbolOf(const Argument &saved, ValuePart part) {
    return part == ValuePart::Whole      ? saved.value_symbol()
           : part == ValuePart::Positive ? saved.positive_part_symbol()
                                         : saved.negative_part_symbol();
  }

  LogicalResult checkArguments() {
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
    if (failed(checkSizeLimits(dimensions)))
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

  LogicalResult checkSizeNames() {
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

  static SizeLimits limitsOf(const v1::SizeLimits &saved) {
    SizeLimits limits;
    limits.min = saved.min();
    if (saved.has_max())
      limits.max = saved.max();
    if (saved.multiple_of())
      limits.multipleOf = saved.multiple_of();
    return limits;
  }

  LogicalResult checkSizeLimits(const llvm::DenseSet<int64_t> &dimensions) {
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

  LogicalResult failUndefined() {
    return fail("nothing gives the symbol d" + Twine(definedSymbols) + " a value");
  }

  // A truncate gives the next symbol its value, and so does a loop with a name for its steps.
  LogicalResult checkDefinition(const v1::Op &op) {
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

  LogicalResult checkDefinition(bool found, const DimExpr &size) {
    if (!found || !size.isSymbol() || size.symbolId() != definedSymbols ||
        definedSymbols >= function->symbols_size())
      return fail("it must define the next symbol, d" + Twine(definedSymbols));
    ++definedSymbols;
    return success();
  }

  static bool hasLength(const v1::Op &op) {
    return llvm::any_of(op.attributes(), [](const v1::Attribute &attribute) {
      return attribute.name() == "length";
    });
  }

  LogicalResult checkSteps(const v1::Op &op) {
    return hasLength(op) ? checkDefinition(op) : success();
  }

  uint32_t minorOf(const v1::Op &op, const SavedOp &known) const {
    bool defines = op.name() == "truncate" || (op.name() == "while" && hasLength(op));
    return opPath.size() > 1 && defines ? std::max(known.minor, kSavedMinorOfLocalSizes)
                                        : known.minor;
  }

  LogicalResult checkOps(const google::protobuf::RepeatedPtrField<v1::Op> &ops) {
    for (auto [i, saved] : llvm::enumerate(ops)) {
      opPath.emplace_back(&saved, i);
      if (failed(checkOp(saved)))
        return failure();
      opPath.pop_back();
    }
    return success();
  }

  LogicalResult checkOp(const v1::Op &op) {
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
        return fail("attribute " + quoted(attribute.name()) + " must have " +
                    Twine(known->segments) + " entries");
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
  LogicalResult checkRegion(const v1::Region &region) {
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

  LogicalResult checkAttribute(const v1::Attribute &attribute, SavedAttributeKind kind) {
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
      return expect(attribute.has_integers() &&
                    attribute.integers().values_size() <= kMaxSavedList);
    case SavedAttributeKind::Flags:
      return expect(attribute.has_integers() &&
                    attribute.integers().values_size() <= kMaxSavedList &&
                    llvm::all_of(attribute.integers().values(),
                                 [](int64_t flag) { return flag == 0 || flag == 1; }));
    case SavedAttributeKind::Segments:
      return expect(attribute.has_integers() &&
                    attribute.integers().values_size() <= kMaxSavedList &&
                    llvm::all_of(attribute.integers().values(),
                                 [](int64_t count) { return count >= 0 && count <= INT32_MAX; }));
    case SavedAttributeKind::Text:
      return expect(attribute.has_text());
    case SavedAttributeKind::Comparison:
      return expect(attribute.has_choice() && symbolizeComparison(attribute.choice()));
    case SavedAttributeKind::Requirement:
      return expect(attribute.has_choice() && symbolizeRequirement(attribute.choice()));
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

  LogicalResult checkResults() {
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

  //===-- Building, after everything has been checked
  //-------------------------------------------===//

  LogicalResult buildFunction(const v1::Function &saved, ModuleOp module, SavedFunction &result) {
    function = &saved;
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
    for (const v1::Input &input : saved.inputs())
      argument(SignatureEntry::input(&context, input.name()), input.type(), input,
               input.has_default_value() ? elements(input.default_value()) : Attribute());
    for (const v1::VariableUse &use : saved.variables()) {
      const v1::Variable &variable = graph.variables(int(use.variable()));
      argument(SignatureEntry::variable(&context, variable.name()), variable.value().type(), use,
               Attribute());
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
    result.name = saved.name();
    result.symbols.assign(saved.symbols().begin(), saved.symbols().end());
    return success();
  }

  LogicalResult buildOps(const google::protobuf::RepeatedPtrField<v1::Op> &ops) {
    for (auto [i, saved] : llvm::enumerate(ops)) {
      opPath.emplace_back(&saved, i);
      if (failed(buildOp(saved)))
        return failure();
      opPath.pop_back();
    }
    return success();
  }

  LogicalResult buildOp(const v1::Op &op) {
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

  LogicalResult buildRegion(Region &region, const v1::Region &saved, Location place) {
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

  Attribute buildAttribute(const v1::Attribute &attribute, SavedAttributeKind kind) {
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

  const v1::Graph &graph;
  MLIRContext &context;
  OpBuilder b;
  // What verifiers say; nothing gets out to the user's handlers.
  std::string reported;
  ScopedDiagnosticHandler diagnostics;

  std::vector<Location> locations;
  std::vector<TypeEntry> types;
  std::vector<SavedVariable> variables;
  uint64_t splatBytes = 0;
  uint64_t sizeWork = 0;

  // Of the function at hand.
  const v1::Function *function = nullptr;
  // The op at hand with its number, after those that it is in.
  SmallVector<std::pair<const v1::Op *, size_t>> opPath;
  // Of the region at hand.
  std::vector<uint32_t> valueTypes;
  int64_t definedSymbols = 0; // that many have values so far
  SmallVector<Value> values;
};

} // namespace

static absl::Status checkHeader(std::string_view bytes) {
  constexpr char versionTag = 2 << 3 | 5;
  size_t header = kSavedMagicBytes.size() + 1 + 4;
  if (bytes.substr(0, kSavedMagicBytes.size()) != kSavedMagicBytes || bytes.size() < header ||
      bytes[kSavedMagicBytes.size()] != versionTag) {
    std::string kind = fileKind(bytes);
    return absl::InvalidArgumentError(
        "not a saved graph: " + (kind.empty() ? "it does not begin like one" : "this is " + kind));
  }
  uint32_t version = llvm::support::endian::read32le(bytes.data() + kSavedMagicBytes.size() + 1);
  uint32_t major = version >> 16, minor = version & 0xffff;
  auto text = std::to_string(major) + "." + std::to_string(minor);
  auto own = std::to_string(kSavedMajor) + "." + std::to_string(kSavedMinor);
  if (major == 0)
    return absl::InvalidArgumentError("format version " + text + " does not exist");
  if (major != kSavedMajor)
    return absl::InvalidArgumentError("format version " + text +
                                      " is another major version; this Keratin reads 1.x up to " +
                                      own);
  if (minor > kSavedMinor)
    return absl::InvalidArgumentError("format version " + text +
                                      " is newer; this Keratin reads up to " + own);
  return absl::OkStatus();
}

absl::StatusOr<SavedGraph> keratin::ir::readGraph(std::string_view bytes, MLIRContext &context) {
  if (bytes.size() > kMaxSavedBytes)
    return absl::InvalidArgumentError("a saved graph has at most 2 GiB");
  if (absl::Status status = checkHeader(bytes); !status.ok())
    return status;
  // Half of what is promised; the functions that are built take the rest.
  size_t memory = (24 << 20) + 8 * bytes.size();
  if (absl::Status status = scanWire(bytes, v1::Graph::descriptor(), memory); !status.ok())
    return status;
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t *>(bytes.data()),
                                                int(bytes.size()));
  stream.SetRecursionLimit(int(kMaxSavedDepth));
  v1::Graph graph;
  if (!graph.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
    return absl::InvalidArgumentError("damaged: not a message of the schema");
  if (graph.magic() != kSavedMagic ||
      graph.version() != llvm::support::endian::read32le(bytes.data() + 10))
    return absl::InvalidArgumentError("damaged: the file has two headers");
  SavedGraph result;
  Reader reader(graph, context);
  if (failed(reader.run(result)))
    return absl::InvalidArgumentError(reader.error);
  return result;
}
