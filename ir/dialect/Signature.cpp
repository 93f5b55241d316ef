#include "ir/dialect/Signature.h"

#include "ir/dialect/MemoryPlan.h"
#include "ir/interfaces/OpProperties.h"

using namespace keratin::ir;
using namespace mlir;

static constexpr StringLiteral kKind = "keratin.kind", kName = "keratin.name",
                               kVariable = "keratin.variable", kDefault = "keratin.default",
                               kInitial = "keratin.initial", kStated = "keratin.stated",
                               kSharded = "keratin.sharded", kPart = "keratin.part",
                               kInParts = "keratin.in_parts", kOwnPart = "keratin.own_part",
                               kMeshAxis = "keratin.mesh_axis",
                               kFurtherParts = "keratin.further_parts";
static constexpr StringLiteral kInput = "input", kVariableKind = "variable", kOutput = "output",
                               kUpdate = "update";

static StringLiteral attributeOf(ValuePart part) {
  switch (part) {
  case ValuePart::Whole:
    return "keratin.symbol";
  case ValuePart::Positive:
    return "keratin.positive_part";
  case ValuePart::Negative:
    return "keratin.negative_part";
  }
  llvm_unreachable("a part of a value");
}

//===-- SignatureEntry ------------------------------------------------------------------------===//

StringRef keratin::ir::textOf(Attribute attribute) {
  auto text = dyn_cast_or_null<StringAttr>(attribute);
  return text ? text.getValue() : StringRef();
}

SignatureEntry SignatureEntry::input(MLIRContext *context, const Twine &name) {
  return SignatureEntry(context).makeInput().setName(name);
}

SignatureEntry SignatureEntry::variable(MLIRContext *context, const Twine &name) {
  SignatureEntry entry(context);
  entry.list.set(kKind, entry.b.getStringAttr(kVariableKind));
  return entry.setName(name);
}

SignatureEntry SignatureEntry::output(MLIRContext *context) {
  return SignatureEntry(context).makeOutput();
}

SignatureEntry SignatureEntry::update(MLIRContext *context, int64_t variable) {
  SignatureEntry entry(context);
  entry.list.set(kKind, entry.b.getStringAttr(kUpdate));
  entry.list.set(kVariable, entry.b.getI64IntegerAttr(variable));
  return entry;
}

bool SignatureEntry::hasKind() const { return isa_and_nonnull<StringAttr>(list.get(kKind)); }
bool SignatureEntry::isInput() const { return textOf(list.get(kKind)) == kInput; }
bool SignatureEntry::isVariable() const { return textOf(list.get(kKind)) == kVariableKind; }
StringAttr SignatureEntry::name() const { return dyn_cast_or_null<StringAttr>(list.get(kName)); }

SignatureEntry &SignatureEntry::makeInput() {
  list.set(kKind, b.getStringAttr(kInput));
  return *this;
}

SignatureEntry &SignatureEntry::makeOutput() {
  list.set(kKind, b.getStringAttr(kOutput));
  return *this;
}

SignatureEntry &SignatureEntry::setName(const Twine &name) {
  list.set(kName, b.getStringAttr(name));
  return *this;
}

SignatureEntry &SignatureEntry::setSymbol(const ArgumentSymbol &symbol) {
  list.set(attributeOf(symbol.part), b.getI64IntegerAttr(symbol.id));
  return *this;
}

SignatureEntry &SignatureEntry::setDefault(Attribute elements) {
  list.set(kDefault, elements);
  return *this;
}

SignatureEntry &SignatureEntry::setSharded(int64_t dimension, StringAttr axis) {
  list.set(kSharded, b.getI64IntegerAttr(dimension));
  if (axis)
    list.set(kMeshAxis, axis);
  else
    list.erase(kMeshAxis);
  return *this;
}

DenseElementsAttr SignatureEntry::takeInitial() {
  return dyn_cast_or_null<DenseElementsAttr>(list.erase(kInitial));
}

//===-- Signature -----------------------------------------------------------------------------===//

bool Signature::hasKind(unsigned argument) const {
  return bool(function.getArgAttrOfType<StringAttr>(argument, kKind));
}

bool Signature::isInput(unsigned argument) const {
  return textOf(function.getArgAttr(argument, kKind)) == kInput;
}

bool Signature::isVariable(unsigned argument) const {
  return textOf(function.getArgAttr(argument, kKind)) == kVariableKind;
}

StringRef Signature::argumentKind(unsigned argument) const {
  return isVariable(argument) ? kVariableKind : kInput;
}

StringAttr Signature::argumentName(unsigned argument) const {
  return function.getArgAttrOfType<StringAttr>(argument, kName);
}

SmallVector<ArgumentSymbol, 1> Signature::symbols(unsigned argument) const {
  SmallVector<ArgumentSymbol, 1> symbols;
  for (ValuePart part : kValueParts)
    if (auto symbol = function.getArgAttrOfType<IntegerAttr>(argument, attributeOf(part)))
      symbols.push_back({part, symbol.getInt()});
  return symbols;
}

Shape Signature::statedShape(unsigned argument) const {
  if (auto stated = function.getArgAttrOfType<DimsAttr>(argument, kStated))
    return Shape(stated.getDims());
  return getShape(cast<RankedTensorType>(function.getArgumentTypes()[argument]));
}

DenseElementsAttr Signature::defaultValue(unsigned argument) const {
  return function.getArgAttrOfType<DenseElementsAttr>(argument, kDefault);
}

static std::optional<int64_t> numberOf(IntegerAttr attribute) {
  return attribute ? std::optional(attribute.getInt()) : std::nullopt;
}

std::optional<int64_t> Signature::sharded(unsigned argument) const {
  return numberOf(function.getArgAttrOfType<IntegerAttr>(argument, kSharded));
}

std::optional<int64_t> Signature::part(unsigned argument) const {
  return numberOf(function.getArgAttrOfType<IntegerAttr>(argument, kPart));
}

std::optional<EvenParts> Signature::inParts(unsigned argument) const {
  auto symbols = function.getArgAttrOfType<DimsAttr>(argument, kInParts);
  if (!symbols)
    return std::nullopt;
  return EvenParts{symbols.getDims()[0], symbols.getDims()[1]};
}

std::optional<OwnPart> Signature::ownPart(unsigned argument) const {
  auto symbols = function.getArgAttrOfType<DimsAttr>(argument, kOwnPart);
  std::optional<int64_t> dimension = sharded(argument);
  if (!symbols || !dimension)
    return std::nullopt;
  return OwnPart{unsigned(*dimension), symbols.getDims()[0], symbols.getDims()[1]};
}

unsigned Signature::numVariables() const {
  unsigned arguments = function.getNumArguments(), first = arguments;
  while (first > 0 && isVariable(first - 1))
    --first;
  return arguments - first;
}

// There are more than so many if the argument so far from the end is one.
bool Signature::hasVariable(int64_t number) const {
  int64_t arguments = function.getNumArguments();
  return number >= 0 && number < arguments && isVariable(unsigned(arguments - 1 - number));
}

bool Signature::resultHasKind(unsigned result) const {
  return bool(function.getResultAttrOfType<StringAttr>(result, kKind));
}

bool Signature::isOutput(unsigned result) const {
  return textOf(function.getResultAttr(result, kKind)) == kOutput;
}

bool Signature::isUpdate(unsigned result) const {
  return textOf(function.getResultAttr(result, kKind)) == kUpdate;
}

StringAttr Signature::resultName(unsigned result) const {
  return function.getResultAttrOfType<StringAttr>(result, kName);
}

std::optional<int64_t> Signature::updatedVariable(unsigned result) const {
  return numberOf(function.getResultAttrOfType<IntegerAttr>(result, kVariable));
}

SmallVector<Signature::ResultPart, 1> Signature::resultParts(unsigned result) const {
  SmallVector<ResultPart, 1> parts;
  if (auto first = numberOf(function.getResultAttrOfType<IntegerAttr>(result, kPart)))
    parts.push_back({*first, function.getResultAttrOfType<StringAttr>(result, kMeshAxis)});
  if (auto further = function.getResultAttrOfType<ArrayAttr>(result, kFurtherParts))
    for (size_t i = 0; i + 1 < further.size(); i += 2) {
      auto axis = cast<StringAttr>(further[i + 1]);
      parts.push_back({cast<IntegerAttr>(further[i]).getInt(), axis.empty() ? StringAttr() : axis});
    }
  return parts;
}

bool Signature::isInPlace(unsigned result) const {
  if (!isUpdate(result) || function.isExternal())
    return false;
  auto made = dyn_cast<OpResult>(
      rootOf(function.getFunctionBody().front().getTerminator()->getOperand(result)));
  PlaceAttr place = made ? placeOf(made) : PlaceAttr();
  return place && place.isInVariable();
}

void Signature::makeInput(unsigned argument) {
  function.setArgAttr(argument, kKind, StringAttr::get(function.getContext(), kInput));
}

void Signature::makeOutput(unsigned result) {
  function.setResultAttr(result, kKind, StringAttr::get(function.getContext(), kOutput));
}

StringAttr Signature::meshAxis(unsigned argument) const {
  return function.getArgAttrOfType<StringAttr>(argument, kMeshAxis);
}

void Signature::makePart(unsigned argument) {
  Attribute dimension = function.removeArgAttr(argument, kSharded);
  if (dimension)
    function.setArgAttr(argument, kPart, dimension);
}

void Signature::addResultPart(unsigned result, int64_t dimension, StringAttr axis) {
  Builder builder(function.getContext());
  SmallVector<Attribute> further;
  for (const ResultPart &part : resultParts(result))
    further.append({builder.getI64IntegerAttr(part.dimension),
                    part.axis ? part.axis : builder.getStringAttr("")});
  if (!further.empty())
    function.setResultAttr(result, kFurtherParts, builder.getArrayAttr(further));
  function.setResultAttr(result, kPart, builder.getI64IntegerAttr(dimension));
  if (axis)
    function.setResultAttr(result, kMeshAxis, axis);
}

void Signature::setInParts(unsigned argument, const EvenParts &parts, StringAttr axis) {
  function.setArgAttr(argument, kInParts,
                      DimsAttr::get(function.getContext(), {parts.rank, parts.ranks}));
  if (axis)
    function.setArgAttr(argument, kMeshAxis, axis);
}

void Signature::removeInParts(unsigned argument) {
  function.removeArgAttr(argument, kInParts);
  function.removeArgAttr(argument, kMeshAxis);
}

void Signature::setOwnPart(unsigned argument, const OwnPart &part, StringAttr axis) {
  function.setArgAttr(argument, kSharded,
                      Builder(function.getContext()).getI64IntegerAttr(part.dimension));
  function.setArgAttr(argument, kOwnPart,
                      DimsAttr::get(function.getContext(), {part.begin, part.size}));
  if (axis)
    function.setArgAttr(argument, kMeshAxis, axis);
}

void Signature::removeOwnPart(unsigned argument) {
  for (StringRef attribute : {kOwnPart, kSharded, kMeshAxis})
    function.removeArgAttr(argument, attribute);
}

void Signature::setArgumentName(unsigned argument, const Twine &name) {
  function.setArgAttr(argument, kName, StringAttr::get(function.getContext(), name));
}

void Signature::setStated(unsigned argument, const Shape &shape) {
  if (!function.getArgAttr(argument, kStated))
    function.setArgAttr(argument, kStated, DimsAttr::get(function.getContext(), shape));
}

//===-- Verifying -----------------------------------------------------------------------------===//

static LogicalResult verifyDimension(NamedAttribute attribute, Type of,
                                     llvm::function_ref<InFlightDiagnostic()> emitError) {
  auto dimension = dyn_cast<IntegerAttr>(attribute.getValue());
  auto type = dyn_cast<RankedTensorType>(of);
  if (!dimension || !type || !dimension.getType().isInteger(64) || dimension.getInt() < 0 ||
      dimension.getInt() >= type.getRank())
    return emitError() << attribute.getName().strref() << " must be one of its dimensions";
  return success();
}

LogicalResult Signature::verifyArgument(Operation *op, unsigned index, NamedAttribute attribute) {
  auto emitError = [&] { return op->emitError() << "argument " << index << ": "; };
  StringRef name = attribute.getName().strref();
  if (name == kKind) {
    StringRef kind = textOf(attribute.getValue());
    if (kind != kInput && kind != kVariableKind)
      return emitError() << kKind << " must be \"input\" or \"variable\"";
    if (auto function = dyn_cast<FunctionOpInterface>(op)) {
      bool isLast = index + 1 == function.getNumArguments();
      if (kind == kVariableKind && !isLast && !Signature(function).isVariable(index + 1))
        return op->emitError() << "argument " << index + 1 << ": inputs come before variables";
      return verifyTensorType(function.getArgumentTypes()[index], emitError);
    }
  }
  if (name == kName && !isa<StringAttr>(attribute.getValue()))
    return emitError() << kName << " must be a string";
  if (auto function = dyn_cast<FunctionOpInterface>(op); function && name == kStated) {
    auto stated = dyn_cast<DimsAttr>(attribute.getValue());
    auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[index]);
    if (!stated || !type || int64_t(stated.getDims().size()) != type.getRank())
      return emitError() << kStated << " must be a size for each dimension";
  }
  auto pair = dyn_cast<DimsAttr>(attribute.getValue());
  if (pair && pair.getDims().size() != 2)
    pair = {};
  const bool areTwoSymbols = pair && pair.getDims()[0].isSymbol() && pair.getDims()[1].isSymbol();
  if (name == kMeshAxis && !isMeshAxis(textOf(attribute.getValue())))
    return emitError() << kMeshAxis << " must be the name of an axis of a mesh";
  if (name == kInParts && !areTwoSymbols)
    return emitError() << kInParts << " must be the symbols of a rank and of how many there are";
  if (auto function = dyn_cast<FunctionOpInterface>(op); function && name == kOwnPart) {
    auto sharded = function.getArgAttrOfType<IntegerAttr>(index, kSharded);
    auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[index]);
    const bool isOfVariable = Signature(function).isVariable(index) && sharded && type &&
                              sharded.getInt() >= 0 && sharded.getInt() < type.getRank() &&
                              !type.isDynamicDim(unsigned(sharded.getInt()));
    auto areEqualParts = [&] {
      if (!pair || !pair.getDims()[1].isConstant() || pair.getDims()[1].constantValue() < 1)
        return false;
      const DimExpr &size = pair.getDims()[1];
      std::optional<DimExpr> rank = floordiv(pair.getDims()[0], size);
      return rank && rank->isSymbol() && mul(*rank, size) == pair.getDims()[0] &&
             type.getDimSize(unsigned(sharded.getInt())) % size.constantValue() == 0;
    };
    if (!isOfVariable || !(areTwoSymbols || areEqualParts()))
      return emitError() << kOwnPart
                         << " must be the symbols of the begin and the size of a part, or 3*d1 and "
                            "3 of equal parts, of a variable with a known size that is sharded";
  }
  if (auto function = dyn_cast<FunctionOpInterface>(op);
      function && (name == kSharded || name == kPart))
    return verifyDimension(attribute, function.getArgumentTypes()[index], emitError);
  if (llvm::any_of(kValueParts, [&](ValuePart part) { return name == attributeOf(part); })) {
    auto symbol = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!symbol || !symbol.getType().isInteger(64) || symbol.getInt() < 0 ||
        symbol.getInt() >= int64_t(1) << 62)
      return emitError() << name << " must be the number of a symbol";
  }
  return success();
}

LogicalResult Signature::verifyResult(Operation *op, unsigned index, NamedAttribute attribute) {
  auto emitError = [&] { return op->emitError() << "result " << index << ": "; };
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (function && attribute.getName() == kPart)
    return verifyDimension(attribute, function.getResultTypes()[index], emitError);
  if (function && attribute.getName() == kFurtherParts) {
    auto parts = dyn_cast<ArrayAttr>(attribute.getValue());
    bool areNamed = parts && parts.size() % 2 == 0;
    for (size_t i = 1; areNamed && i < parts.size(); i += 2)
      areNamed =
          isa<StringAttr>(parts[i]) && (textOf(parts[i]).empty() || isMeshAxis(textOf(parts[i])));
    if (!areNamed)
      return emitError() << kFurtherParts << " must be dimensions, each with the name of an axis";
    for (size_t i = 0; i < parts.size(); i += 2)
      if (failed(verifyDimension({attribute.getName(), parts[i]}, function.getResultTypes()[index],
                                 emitError)))
        return failure();
  }
  if (attribute.getName() != kKind)
    return success();
  StringRef kind = textOf(attribute.getValue());
  if (kind != kOutput && kind != kUpdate)
    return emitError() << kKind << " must be \"output\" or \"update\"";
  if (!function)
    return success();
  Signature signature(function);
  if (kind == kUpdate) {
    auto variable = function.getResultAttrOfType<IntegerAttr>(index, kVariable);
    if (!variable || !variable.getType().isInteger(64) || !signature.hasVariable(variable.getInt()))
      return emitError() << "an update needs " << kVariable << ", the number of one of the "
                         << signature.numVariables() << " variables";
  } else if (index > 0 && signature.isUpdate(index - 1)) {
    return emitError() << "outputs come before updates";
  }
  return verifyTensorType(function.getResultTypes()[index], emitError);
}
