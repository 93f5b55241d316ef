#include "compiler/store/GraphKey.h"

#include "compiler/artifact/ByteStream.h"
#include "ir/dialect/Keratin.h"
#include "ir/dialect/NameScope.h"
#include "ir/dialect/Signature.h"
#include "ir/dialect/SizeNames.h"
#include "passes/fusion/OpenScalars.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

using namespace keratin;
using namespace keratin::compiler;
using namespace mlir;

namespace {

// Elements that take more count by their digest.
constexpr size_t kMostElementBytes = 64;

// Writes a function down so that different ones are different bytes: each item says what it is and
// how long. Types, attributes and locations are spelled out when they are first mentioned.
class Encoder {
public:
  Encoder(func::FuncOp function, StringRef settings, const passes::OpenScalars *open)
      : function(function), open(open) {
    word(open ? 1 + open->size() : 0);
    if (open)
      key.scalars = open->bytes();
    key.said.add(function.getName());
    location(function.getLoc());
    text(settings);
    signature();
    region(function.getBody());
  }

  std::optional<GraphKey> finish() {
    if (!isFaithful)
      return std::nullopt;
    key.structure = std::move(out.bytes);
    key.digest = llvm::BLAKE3::hash(llvm::arrayRefFromStringRef(key.structure));
    return std::move(key);
  }

private:
  enum class Kind : uint8_t {
    Null,
    Integer,
    Float,
    Text,
    Numbers,
    Elements,
    List,
    Dictionary,
    Sizes,
    Type,
    Printed,
    Unknown,
    Line,
    Name,
    Call,
    Fused
  };

  void word(uint64_t value) { out.number(value); }
  void text(StringRef value) { out.text(value); }
  void kind(Kind value) { out.byte(uint8_t(value)); }

  void place(StringRef value) { word(key.said.addPlace(value)); }

  // Slashes at its end are not told to anybody (ir::scopeOf).
  void scope(StringRef value) {
    StringRef told = value.rtrim('/');
    word(value.size() - told.size());
    place(told);
  }

  // True where the thing must be spelled out. Things of different kinds are never at one address.
  bool mention(const void *thing) {
    auto [found, isNew] = numbers.try_emplace(thing, numbers.size());
    word(found->second);
    return isNew;
  }

  void signature() {
    auto given = function->getAttrOfType<ArrayAttr>(ir::SizeNames::attribute());
    if (given && !llvm::all_of(given, llvm::IsaPred<StringAttr>)) {
      isFaithful = false; // the verifier will say so
      return;
    }
    for (const auto &[symbol, name] : ir::SizeNames(function).all()) {
      word(uint64_t(symbol));
      // Two that the user named are never assumed to be equal.
      word(!ir::SizeNames::given(function, symbol).empty());
      key.said.sizes[symbol] = key.said.add(name);
    }
    for (NamedAttribute entry : function->getAttrs()) {
      // Types stand with the arguments and what is returned.
      if (entry.getName() == function.getSymNameAttrName() ||
          entry.getName() == function.getFunctionTypeAttrName() ||
          entry.getName() == function.getArgAttrsAttrName() ||
          entry.getName() == function.getResAttrsAttrName())
        continue;
      if (ir::SizeNames::isAttribute(entry.getName()))
        continue;
      text(entry.getName());
      attribute(entry.getValue());
    }
    word(function.getNumArguments());
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      key.said.arguments.push_back(named(function.getArgAttrDict(i)));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      key.said.results.push_back(named(function.getResultAttrDict(i)));
  }

  // The attributes of an argument or result. Returns the number of its name; whether it has one
  // decides what it is called.
  size_t named(DictionaryAttr attributes) {
    StringRef called;
    word(attributes ? attributes.size() : 0);
    for (NamedAttribute entry : attributes ? attributes.getValue() : ArrayRef<NamedAttribute>()) {
      text(entry.getName());
      auto name = dyn_cast<StringAttr>(entry.getValue());
      if (name && entry.getName() == "keratin.name") {
        called = name;
        word(called.empty());
      } else {
        attribute(entry.getValue());
      }
    }
    return key.said.add(called);
  }

  void region(Region &region) {
    word(uint64_t(llvm::range_size(region)));
    for (Block &block : region)
      mention(&block);
    for (Block &block : region) {
      word(block.getNumArguments());
      for (BlockArgument argument : block.getArguments()) {
        define(argument);
        location(argument.getLoc());
      }
      word(block.getOperations().size());
      for (Operation &op : block)
        operation(op);
    }
  }

  void operation(Operation &op) {
    if (mention(op.getName().getAsOpaquePointer()))
      text(op.getName().getStringRef());
    location(op.getLoc());
    auto constant = dyn_cast<ir::ConstantOp>(op);
    std::optional<size_t> scalar;
    if (open && constant)
      scalar = open->numberOf(constant);
    if (open && constant)
      word(scalar ? 1 + *scalar : 0);
    if (!scalar)
      attribute(op.getAttrDictionary());
    word(op.getNumOperands());
    for (Value operand : op.getOperands())
      (void)mention(operand.getAsOpaquePointer());
    word(op.getNumResults());
    for (Value result : op.getResults())
      define(result);
    word(op.getNumSuccessors());
    for (Block *successor : op.getSuccessors())
      (void)mention(successor);
    word(op.getNumRegions());
    for (Region &inner : op.getRegions())
      region(inner);
  }

  void define(Value value) {
    (void)mention(value.getAsOpaquePointer());
    type(value.getType());
  }

  void type(Type type) {
    if (!mention(type.getAsOpaquePointer()))
      return;
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      kind(Kind::Type);
      word(uint64_t(tensor.getRank()));
      for (int64_t dim : tensor.getShape())
        word(uint64_t(dim));
      this->type(tensor.getElementType());
      attribute(tensor.getEncoding());
    } else {
      print(type);
    }
  }

  void attribute(Attribute attribute) {
    if (!mention(attribute.getAsOpaquePointer()))
      return;
    if (!attribute) {
      kind(Kind::Null);
    } else if (auto number = dyn_cast<IntegerAttr>(attribute)) {
      kind(Kind::Integer);
      type(number.getType());
      bits(number.getValue());
    } else if (auto number = dyn_cast<FloatAttr>(attribute)) {
      kind(Kind::Float);
      type(number.getType());
      bits(number.getValue().bitcastToAPInt());
    } else if (auto value = dyn_cast<StringAttr>(attribute)) {
      kind(Kind::Text);
      type(value.getType());
      text(value);
    } else if (auto numbers = dyn_cast<DenseArrayAttr>(attribute)) {
      kind(Kind::Numbers);
      type(numbers.getElementType());
      elements(numbers.getRawData());
    } else if (auto values = dyn_cast<DenseElementsAttr>(attribute); values && !hasTexts(values)) {
      kind(Kind::Elements);
      type(values.getType());
      word(values.isSplat());
      elements(values.getRawData());
    } else if (auto list = dyn_cast<ArrayAttr>(attribute)) {
      kind(Kind::List);
      word(list.size());
      for (Attribute entry : list)
        this->attribute(entry);
    } else if (auto dictionary = dyn_cast<DictionaryAttr>(attribute)) {
      kind(Kind::Dictionary);
      word(dictionary.size());
      for (NamedAttribute entry : dictionary) {
        this->attribute(entry.getName());
        this->attribute(entry.getValue());
      }
    } else if (auto dims = dyn_cast<ir::DimsAttr>(attribute)) {
      kind(Kind::Sizes);
      word(dims.getDims().size());
      for (const ir::DimExpr &dim : dims.getDims()) {
        std::vector<int64_t> code = dim.encode();
        word(code.size());
        for (int64_t number : code)
          word(uint64_t(number));
      }
    } else if (auto inner = dyn_cast<LocationAttr>(attribute)) {
      spell(inner);
    } else if (isa<UnitAttr, TypeAttr, SymbolRefAttr>(attribute)) {
      print(attribute);
    } else {
      isFaithful = false; // a resource, say, which is but a name
    }
  }

  static bool hasTexts(DenseElementsAttr values) { return isa<DenseStringElementsAttr>(values); }

  void location(Location location) {
    if (mention(location.getAsOpaquePointer()))
      spell(location);
  }

  // Columns are told to nobody.
  void spell(LocationAttr given) {
    if (auto line = dyn_cast<FileLineColLoc>(given)) {
      kind(Kind::Line);
      place((line.getFilename().getValue() + ":" + Twine(line.getLine())).str());
    } else if (auto name = dyn_cast<NameLoc>(given)) {
      kind(Kind::Name);
      StringRef value = name.getName();
      bool isGradient = value.starts_with(ir::kGradientOf);
      word(isGradient);
      if (isGradient)
        text(value);
      else
        scope(value);
      location(name.getChildLoc());
    } else if (auto call = dyn_cast<CallSiteLoc>(given)) {
      kind(Kind::Call);
      location(call.getCallee());
      location(call.getCaller());
    } else if (auto fused = dyn_cast<FusedLoc>(given)) {
      kind(Kind::Fused);
      word(fused.getLocations().size());
      for (Location part : fused.getLocations())
        location(part);
      attribute(fused.getMetadata());
    } else {
      kind(Kind::Unknown);
      isFaithful &= isa<UnknownLoc>(given);
    }
  }

  void bits(const llvm::APInt &value) {
    for (unsigned i = 0; i < value.getNumWords(); ++i)
      word(value.getRawData()[i]);
  }

  void elements(ArrayRef<char> data) {
    StringRef bytes(data.data(), data.size());
    if (data.size() <= kMostElementBytes)
      return text(bytes);
    // As long as nothing that is written as it is.
    Digest digest = llvm::BLAKE3::hash(llvm::arrayRefFromStringRef(bytes));
    word(data.size());
    for (uint8_t byte : digest)
      out.byte(byte);
  }

  template <typename T> void print(T thing) {
    kind(Kind::Printed);
    std::string printed;
    llvm::raw_string_ostream(printed) << thing;
    text(printed);
  }

  func::FuncOp function;
  const passes::OpenScalars *open;
  GraphKey key;
  ByteWriter out; // the structure
  bool isFaithful = true;
  llvm::DenseMap<const void *, uint64_t> numbers;
};

} // namespace

std::optional<GraphKey> GraphKey::of(func::FuncOp function, StringRef settings,
                                     const passes::OpenScalars *scalars) {
  return Encoder(function, settings, scalars).finish();
}
