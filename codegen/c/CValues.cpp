#include "codegen/c/CValues.h"

#include "codegen/c/CTypes.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace keratin;
using namespace keratin::codegen;
using namespace llvm;

std::optional<std::string> codegen::cLiteral(const APFloat &value) {
  if (!value.isFinite())
    return std::nullopt;
  char text[64];
  value.convertToHexString(text, /*HexDigits=*/0, /*UpperCase=*/false,
                           APFloat::rmNearestTiesToEven);
  return std::string(text) + (&value.getSemantics() == &APFloat::IEEEsingle() ? "f" : "");
}

std::string codegen::cLiteral(const APInt &value) {
  SmallString<24> text;
  value.toStringUnsigned(text, value.getActiveBits() > 16 ? 16 : 10);
  return (value.getActiveBits() > 16 ? "0x" : "") + text.str().lower() + "u";
}

CValues::CValues(const Module &module, CHelpers &helpers) : helpers(helpers) {
  size_t next = 0;
  for (const GlobalVariable &global : module.globals())
    names[&global] = "keratin_data_" + std::to_string(next++);
  next = 0;
  for (const Function &function : module)
    names[&function] = function.hasLocalLinkage() ? "keratin_code_" + std::to_string(next++)
                                                  : function.getName().str();
}

std::string CValues::refuse(const std::string &what) {
  if (firstProblem.empty())
    firstProblem = "not implemented: " + what + " in C";
  return "0";
}

std::string CValues::constant(const Constant *value) {
  if (auto *number = dyn_cast<ConstantInt>(value)) {
    const std::string literal = cLiteral(number->getValue());
    return bitsOf(value->getType()) <= 32 ? literal : "(uint64_t)" + literal;
  }
  if (auto *number = dyn_cast<ConstantFP>(value)) {
    Type *type = scalarOf(value->getType());
    if (!type->isFloatTy() && !type->isDoubleTy())
      return refuse("floats of 16 bits");
    if (std::optional<std::string> literal = cLiteral(number->getValueAPF()))
      return literal->front() == '-' ? "(" + *literal + ")" : *literal;
    return helpers.use(type->isFloatTy() ? "float32" : "float64") + "(" +
           cLiteral(number->getValueAPF().bitcastToAPInt()) + ")";
  }
  // Any value will do.
  if (isa<UndefValue>(value) || value->isNullValue())
    return scalarOf(value->getType())->isFloatTy()    ? "0.0f"
           : scalarOf(value->getType())->isDoubleTy() ? "0.0"
                                                      : "0u";
  if (value->getType()->isVectorTy() && scalarOf(value->getType()) != value->getType())
    if (const Constant *element = value->getAggregateElement(0u))
      return constant(element);
  return refuse("a constant expression");
}

std::string CValues::operator()(const Value *value) {
  if (auto known = names.find(value); known != names.end()) {
    if (isa<GlobalVariable>(value))
      return "(unsigned char *)(uintptr_t)" + known->second;
    return known->second;
  }
  if (isa<ConstantPointerNull>(value))
    return "(unsigned char *)0";
  // A place in a constant.
  if (auto *address = dyn_cast<GEPOperator>(value))
    if (auto *base = dyn_cast<GlobalVariable>(address->getPointerOperand())) {
      const DataLayout &layout = base->getParent()->getDataLayout();
      APInt offset(64, 0);
      if (address->accumulateConstantOffset(layout, offset))
        return "keratin_at(" + names[base] + ", " + cLiteral(offset) + ")";
    }
  if (auto *known = dyn_cast<Constant>(value))
    return constant(known);
  return refuse("a value of an unknown kind");
}

std::string CValues::asSigned(const Value *value) {
  return "(" + cSignedType(value->getType()) + ")" + (*this)(value);
}

std::string CValues::definition(const GlobalVariable &global) {
  if (!global.isConstant() || !global.hasInitializer()) {
    refuse("a variable");
    return "";
  }
  const Constant *value = global.getInitializer();
  auto *type = dyn_cast<ArrayType>(value->getType());
  Type *element = type ? type->getElementType() : value->getType();
  if (cType(element).empty() || element->isPointerTy()) {
    refuse("a constant of this type");
    return "";
  }
  const uint64_t count = type ? type->getNumElements() : 1;
  auto at = [&](uint64_t i) -> const Constant * {
    return type ? value->getAggregateElement(unsigned(i)) : value;
  };
  auto *data = dyn_cast<ConstantDataSequential>(value);
  if (data && data->isString() && data->getAsString().ends_with(StringRef("\0", 1))) {
    std::string text;
    raw_string_ostream stream(text);
    for (unsigned char c : data->getAsString().drop_back()) {
      if (isPrint(char(c)) && c != '"' && c != '\\' && c != '?')
        stream << char(c);
      else
        stream << '\\' << char('0' + c / 64) << char('0' + c / 8 % 8) << char('0' + c % 8);
    }
    return "static const char " + names[&global] + "[] = \"" + text + "\";\n";
  }
  // NaN and infinities have no literals: then all are bits.
  bool areBits = false;
  for (uint64_t i = 0; i < count && element->isFloatingPointTy(); ++i)
    if (auto *number = dyn_cast<ConstantFP>(at(i)))
      areBits |= !number->getValueAPF().isFinite();
  std::string text = "static const " +
                     (areBits ? "uint" + std::to_string(bitsOf(element)) + "_t" : cType(element)) +
                     " " + names[&global] + "[] = {";
  size_t column = text.size();
  for (uint64_t i = 0; i < count; ++i) {
    const Constant *item = at(i);
    std::string literal;
    if (auto *number = dyn_cast<ConstantFP>(item))
      literal = areBits ? cLiteral(number->getValueAPF().bitcastToAPInt())
                        : *cLiteral(number->getValueAPF());
    else if (auto *number = dyn_cast<ConstantInt>(item))
      literal = cLiteral(number->getValue());
    else
      literal = constant(item);
    if (column + literal.size() > 98) {
      text += "\n  ";
      column = 2;
    }
    text += literal + ", ";
    column += literal.size() + 2;
  }
  return text + "};\n";
}
