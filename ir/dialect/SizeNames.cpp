#include "ir/dialect/SizeNames.h"

#include "ir/dialect/Signature.h"
#include "ir/dialect/TensorShape.h"
#include "ir/interfaces/ComputedSizes.h"
#include "ir/shapes/SizeUnits.h"

#include "llvm/ADT/StringExtras.h"

using namespace keratin::ir;
using namespace mlir;

static constexpr llvm::StringLiteral kSizes = "keratin.sizes";
// No file makes a list of more names than a function of any sense has symbols.
static constexpr size_t kMostNames = 1 << 16;

bool SizeNames::isName(StringRef text) {
  return !text.empty() && text.size() <= kMostLetters && llvm::isAlpha(text.front()) &&
         llvm::all_of(text, [](char letter) { return llvm::isAlnum(letter) || letter == '_'; });
}

StringRef SizeNames::attribute() { return kSizes; }

LogicalResult SizeNames::verify(Operation *op, NamedAttribute attribute) {
  auto list = dyn_cast<ArrayAttr>(attribute.getValue());
  llvm::StringSet<> names;
  bool isRight = list && list.size() <= kMostNames && isa<FunctionOpInterface>(op);
  for (size_t i = 0; isRight && i < list.size(); ++i) {
    auto name = dyn_cast<StringAttr>(list[i]);
    isRight = name && (name.empty() || (isName(name) && names.insert(name).second));
  }
  return isRight ? success()
                 : op->emitError()
                       << kSizes << " must be a list of different names of a function's sizes";
}

void SizeNames::set(FunctionOpInterface function,
                    const std::vector<std::pair<int64_t, std::string>> &names) {
  Builder b(function->getContext());
  SmallVector<Attribute> list;
  for (const auto &[symbol, name] : names) {
    list.resize(std::max(list.size(), size_t(symbol) + 1), b.getStringAttr(""));
    list[size_t(symbol)] = b.getStringAttr(name);
  }
  if (!list.empty())
    function->setAttr(kSizes, b.getArrayAttr(list));
}

std::vector<StringRef> SizeNames::given(FunctionOpInterface function) {
  std::vector<StringRef> names;
  if (auto list = function->getAttrOfType<ArrayAttr>(kSizes))
    for (StringAttr name : list.getAsRange<StringAttr>())
      if (!name.empty())
        names.push_back(name);
  return names;
}

StringRef SizeNames::given(FunctionOpInterface function, int64_t symbol) {
  auto list = function->getAttrOfType<ArrayAttr>(kSizes);
  return list && symbol >= 0 && symbol < int64_t(list.size())
             ? cast<StringAttr>(list[size_t(symbol)]).getValue()
             : StringRef();
}

static const char *suffixOf(ValuePart part) {
  return part == ValuePart::Whole      ? "_value"
         : part == ValuePart::Positive ? "_positive_part"
                                       : "_negative_part";
}

SizeNames::SizeNames(FunctionOpInterface function) : limits(function) {
  if (auto list = function->getAttrOfType<ArrayAttr>(kSizes))
    for (auto [symbol, name] : llvm::enumerate(list.getAsRange<StringAttr>()))
      if (!name.empty())
        add(int64_t(symbol), name.str());
  Signature signature(function);
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    StringAttr label = signature.argumentName(i);
    std::string base = label && !label.empty() ? label.str() : "input_" + std::to_string(i);
    for (const ArgumentSymbol &symbol : signature.symbols(i))
      add(symbol.id, base + suffixOf(symbol.part));
    if (isa<RankedTensorType>(function.getArgumentTypes()[i]) && !signature.isVariable(i))
      for (auto [axis, dim] : llvm::enumerate(signature.statedShape(i)))
        if (std::optional<int64_t> symbol = limits.symbolCountedBy(dim))
          add(*symbol, base + "_dim" + std::to_string(axis));
  }
  function.walk([&](Operation *op) {
    if (std::optional<int64_t> symbol = symbolDefinedBy(op))
      add(*symbol, "computed_size");
  });
}

void SizeNames::add(int64_t symbol, const std::string &name) {
  auto [entry, isNew] = names.try_emplace(symbol);
  if (!isNew)
    return;
  std::string unique = name;
  for (unsigned i = 1; !taken.insert(unique).second; ++i)
    unique = name + "_" + std::to_string(i);
  entry->second = std::move(unique);
}

std::string SizeNames::operator[](int64_t symbol) const {
  auto found = names.find(symbol);
  return found != names.end() ? found->second : "d" + std::to_string(symbol);
}

std::vector<std::pair<int64_t, std::string>> SizeNames::all() const {
  std::vector<std::pair<int64_t, std::string>> list(names.begin(), names.end());
  llvm::sort(list);
  return list;
}

std::string SizeNames::text(const DimExpr &size) const {
  return textBy([&](int64_t symbol) { return (*this)[symbol]; }, size);
}

std::string SizeNames::textBy(llvm::function_ref<std::string(int64_t)> name,
                              const DimExpr &size) const {
  std::optional<DimExpr> whole =
      inWholes(size, [&](int64_t symbol) { return limits.of(symbol).unit; });
  return whole ? text(*whole, name) : size.str();
}

std::string SizeNames::text(const std::vector<DimExpr> &shape) const {
  std::string all;
  for (const DimExpr &size : shape)
    all += (all.empty() ? "" : ", ") + text(size);
  return "(" + all + (shape.size() == 1 ? ",)" : ")");
}

std::string SizeNames::text(const DimExpr &size, llvm::function_ref<std::string(int64_t)> name) {
  // In an expression nothing but a symbol is a d before digits.
  std::string from = size.str(), text;
  for (size_t i = 0, end; i < from.size(); i = end) {
    end = i + 1;
    while (from[i] == 'd' && end < from.size() && llvm::isDigit(from[end]))
      ++end;
    text += end == i + 1 ? from.substr(i, 1) : name(std::stoll(from.substr(i + 1, end - i - 1)));
  }
  return text;
}
