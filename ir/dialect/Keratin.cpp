#include "ir/dialect/Keratin.h"

#include "ir/dialect/DimsAssembly.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace keratin::ir;
using namespace mlir;

// Splits the code; false if it is not a list of expressions.
static bool decodeDims(ArrayRef<int64_t> code, std::vector<DimExpr> &dims) {
  while (!code.empty()) {
    int64_t length = code.front();
    code = code.drop_front();
    if (length < 0 || size_t(length) > code.size())
      return false;
    std::optional<DimExpr> dim = DimExpr::decode(code.data(), length);
    if (!dim)
      return false;
    dims.push_back(*dim);
    code = code.drop_front(length);
  }
  return true;
}

namespace keratin::ir::detail {

// The code is what makes an attribute unique. Its expressions are asked for again and again, so
// they are decoded once.
struct DimsAttrStorage : AttributeStorage {
  using KeyTy = std::tuple<ArrayRef<int64_t>>;

  explicit DimsAttrStorage(ArrayRef<int64_t> code) : code(code) { decodeDims(code, dims); }

  KeyTy getAsKey() const { return KeyTy(code); }
  bool operator==(const KeyTy &key) const { return getAsKey() == key; }
  static llvm::hash_code hashKey(const KeyTy &key) { return llvm::hash_value(std::get<0>(key)); }
  static DimsAttrStorage *construct(AttributeStorageAllocator &allocator, KeyTy &&key) {
    return new (allocator.allocate<DimsAttrStorage>())
        DimsAttrStorage(allocator.copyInto(std::get<0>(key)));
  }

  ArrayRef<int64_t> code;
  std::vector<DimExpr> dims;
};

} // namespace keratin::ir::detail

#include "ir/dialect/KeratinDialect.cpp.inc"
#include "ir/dialect/KeratinEnums.cpp.inc"
#include "ir/interfaces/Interfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/dialect/KeratinAttributes.cpp.inc"

void KeratinDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/dialect/KeratinAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/dialect/KeratinOps.cpp.inc"
      >();
}

Operation *KeratinDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                               Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return builder.create<ConstantOp>(loc, type, elements);
}

//===-- DimsAttr ------------------------------------------------------------------------------===//

DimsAttr DimsAttr::get(MLIRContext *context, const std::vector<DimExpr> &dims) {
  SmallVector<int64_t> code;
  for (const DimExpr &dim : dims) {
    std::vector<int64_t> encoded = dim.encode();
    code.push_back(encoded.size());
    code.append(encoded.begin(), encoded.end());
  }
  return get(context, ArrayRef<int64_t>(code));
}

ArrayRef<DimExpr> DimsAttr::getDims() const { return getImpl()->dims; }

LogicalResult DimsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> code) {
  std::vector<DimExpr> dims;
  if (!decodeDims(code, dims))
    return emitError() << "not a list of dimension expressions";
  return success();
}

// Expressions are read as text up to the comma or bracket that ends them; floordiv(a, b) and the
// like hold commas inside parentheses.
FailureOr<DimExpr> keratin::ir::parseDimExpr(AsmParser &parser) {
  SMLoc start = parser.getCurrentLocation();
  std::string text;
  int depth = 0;
  for (;;) {
    // The lexer of the generic parser has no hook for raw text: tokens are taken one by one, and
    // kept apart, or "d1 2" would be d12.
    // Of any width: converted to int64_t by the generic parser, 2^63 would become negative.
    APInt number;
    OptionalParseResult integer = parser.parseOptionalInteger(number);
    if (integer.has_value()) {
      if (failed(*integer))
        return failure();
      // "d0 - 1" arrives as d0 and -1.
      bool follows = !text.empty() && (llvm::isAlnum(text.back()) || text.back() == ')');
      text += !number.isNegative() ? " " : follows ? " + (" : "(";
      text += llvm::toString(number, 10, /*Signed=*/true) + (number.isNegative() ? ")" : "");
      continue;
    }
    StringRef word;
    if (succeeded(parser.parseOptionalKeyword(&word))) {
      text += " ";
      text += word;
    } else if (succeeded(parser.parseOptionalPlus())) {
      text += " + ";
    } else if (succeeded(parser.parseOptionalStar())) {
      text += "*";
    } else if (succeeded(parser.parseOptionalLParen())) {
      if (++depth > 64)
        return parser.emitError(start, "dimension expression is nested too deeply"), failure();
      text += "(";
    } else if (depth && succeeded(parser.parseOptionalRParen())) {
      --depth;
      text += ")";
    } else if (depth && succeeded(parser.parseOptionalComma())) {
      text += ", ";
    } else {
      break;
    }
  }
  std::optional<DimExpr> dim = DimExpr::parse(text);
  if (!dim)
    return parser.emitError(start, "expected a dimension expression over symbols d0, d1, …"),
           failure();
  return *dim;
}

Attribute DimsAttr::parse(AsmParser &parser, Type) {
  std::vector<DimExpr> dims;
  auto parseDim = [&]() -> ParseResult {
    FailureOr<DimExpr> dim = parseDimExpr(parser);
    if (failed(dim))
      return failure();
    dims.push_back(*dim);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseDim))
    return {};
  return DimsAttr::get(parser.getContext(), dims);
}

// The parser of the generic syntax reads a minus only before a number: "d0 - d1" is written
// "d0 + -1*d1".
static std::string withNumbersAfterMinus(StringRef text) {
  std::string result;
  for (; !text.empty(); text = text.drop_front()) {
    bool isBinary = text.starts_with("- ");
    StringRef rest = text.drop_front(isBinary ? 2 : 1);
    if (text.front() == '-' && !rest.empty() && llvm::isAlpha(rest.front())) {
      result += isBinary ? "+ -1*" : "-1*";
      text = text.drop_front(isBinary ? 1 : 0);
    } else {
      result += text.front();
    }
  }
  return result;
}

void keratin::ir::printDimExpr(AsmPrinter &printer, const DimExpr &dim) {
  printer << withNumbersAfterMinus(dim.str());
}

void DimsAttr::print(AsmPrinter &printer) const {
  printer << "<";
  llvm::interleaveComma(getDims(), printer.getStream(),
                        [&](const DimExpr &dim) { printDimExpr(printer, dim); });
  printer << ">";
}
