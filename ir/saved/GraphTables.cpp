// Locations, types and variables of a saved graph, and elements.
#include "ir/dialect/Keratin.h"
#include "ir/saved/GraphReading.h"
#include "ir/saved/SavedFormat.h"

#include "llvm/ADT/StringSet.h"

using namespace keratin;
using namespace keratin::ir;
using namespace mlir;

static_assert(v1::DTYPE_COMPLEX128 == int(KERATIN_DTYPE_COMPLEX128) &&
                  v1::DTYPE_BOOL == int(KERATIN_DTYPE_BOOL),
              "the format's dtypes are those of the ABI");

LogicalResult GraphReading::readLocations() {
  for (const std::string &file : graph.files())
    if (!isSavedName(file))
      return fail("the file name " + quoted(file) + " has control characters");
  for (auto [i, saved] : llvm::enumerate(graph.locations())) {
    if (failed(advance()))
      return failure();
    auto bad = [&, i = i](const char *what) { return fail("location " + Twine(i) + ": " + what); };
    if (int64_t(saved.file()) >= graph.files_size())
      return bad("there is no such file");
    if (saved.scopes_size() > kMaxSavedScopes)
      return bad("too many scopes");
    Location place =
        FileLineColLoc::get(&context, graph.files(int(saved.file())), saved.line(), saved.column());
    for (uint32_t scope : llvm::reverse(saved.scopes())) {
      if (int64_t(scope) >= graph.scopes_size())
        return bad("there is no such scope");
      place = NameLoc::get(b.getStringAttr(graph.scopes(int(scope))), place);
    }
    locations.push_back(place);
  }
  return success();
}

Location GraphReading::location(uint32_t index) {
  return index ? Location(locations[index - 1]) : Location(UnknownLoc::get(&context));
}

LogicalResult GraphReading::checkLocation(uint32_t index) {
  return index <= locations.size() ? success() : fail("there is no location " + Twine(index));
}

bool GraphReading::readDim(const v1::Dim &saved, DimExpr &dim, int64_t &symbolEnd) {
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

LogicalResult GraphReading::readTypes() {
  for (auto [i, saved] : llvm::enumerate(graph.types())) {
    if (failed(advance()))
      return failure();
    auto bad = [&, i = i](const Twine &what) { return fail("type " + Twine(i) + ": " + what); };
    if (saved.dtype() < v1::DTYPE_BOOL || saved.dtype() > v1::DTYPE_COMPLEX128)
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
    if (failed(verifyTensorType(entry.type, [&] { return emitError(UnknownLoc::get(&context)); })))
      return bad(reported);
    types.push_back(entry);
  }
  return success();
}

std::string GraphReading::typeError(uint32_t index) {
  if (index >= types.size())
    return "there is no type " + std::to_string(index);
  if (function && types[index].symbolEnd > definedSymbols)
    return "type " + std::to_string(index) + " has the symbol d" +
           std::to_string(types[index].symbolEnd - 1) + ", which " +
           whoLacks(types[index].symbolEnd);
  return {};
}

std::string GraphReading::whoLacks(int64_t symbolEnd) const {
  return symbolEnd > function->symbols_size() ? "the function has not" : "has no value before it";
}

LogicalResult GraphReading::checkType(uint32_t index) {
  std::string wrong = typeError(index);
  return wrong.empty() ? success() : fail(wrong);
}

std::string GraphReading::denseError(const v1::Dense &dense) {
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

DenseElementsAttr GraphReading::elements(const v1::Dense &dense) {
  RankedTensorType type = types[dense.type()].type;
  if (type.getElementType().isInteger(1)) {
    SmallVector<bool> bits(dense.data().begin(), dense.data().end());
    return DenseElementsAttr::get(type, bits);
  }
  return DenseElementsAttr::getFromRawBuffer(
      type, ArrayRef<char>(dense.data().data(), dense.data().size()));
}

LogicalResult GraphReading::readVariables() {
  llvm::StringSet<> names;
  for (const v1::Variable &saved : graph.variables()) {
    if (failed(advance(saved.value().data().size())))
      return failure();
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
