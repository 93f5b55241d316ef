// Complex numbers and their parts.
#include "frontend/backend/Complex.h"

#include "frontend/backend/ComplexFunctions.h"
#include "frontend/backend/Configuration.h"
#include "frontend/values/DTypeRules.h"
#include "keratin/complex.h"

#include "llvm/ADT/StringSet.h"

using namespace keratin;
using namespace keratin::frontend;

bool frontend::isComplex(Call &call, Value x) { return keratin::isComplex(call.dtypeOf(x)); }

ComplexParts frontend::partsOf(Call &call, Value x) {
  if (!isComplex(call, x))
    return {x, call.g.zeroLike(x)};
  const mlir::Type type =
      ir::withElementType(ir::getTensorType(x), call.elementType(partOf(call.dtypeOf(x))));
  Value re = call.builder.create<ir::RealOp>(call.g.location(), type, x);
  return {re, call.builder.create<ir::ImagOp>(call.g.location(), type, x)};
}

Value frontend::complexOf(Call &call, const ComplexParts &parts) {
  const mlir::Type type = ir::withElementType(ir::getTensorType(parts.re),
                                              call.elementType(complexOf(call.dtypeOf(parts.re))));
  return call.builder.create<ir::ComplexOp>(call.g.location(), type, parts.re, parts.im);
}

Value frontend::realOfCast(Value value) {
  auto complex = value.getDefiningOp<ir::ComplexOp>();
  Value im = complex ? complex.getIm() : Value();
  if (auto repeated = im ? im.getDefiningOp<ir::BroadcastOp>() : ir::BroadcastOp())
    im = repeated.getX();
  auto constant = im ? im.getDefiningOp<ir::ConstantOp>() : ir::ConstantOp();
  auto zero = constant ? llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue())
                       : mlir::DenseElementsAttr();
  return zero && zero.isSplat() && zero.getSplatValue<llvm::APFloat>().isPosZero() ? complex.getRe()
                                                                                   : Value();
}

static bool isComplex(const Operand &operand) {
  switch (operand.kind()) {
  case Operand::Kind::Tensor:
    return !operand.tensor().isEmpty() && keratin::isComplex(operand.tensor().dtype());
  case Operand::Kind::Array:
    return keratin::isComplex(operand.array().dtype());
  case Operand::Kind::List:
    return llvm::any_of(operand.list(), [](const Operand &entry) { return ::isComplex(entry); });
  default:
    return false;
  }
}

DType frontend::defaultDtype(const Operand &value) {
  const DType floatx = Configuration::floatx();
  return ::isComplex(value) ? complexOf(floatx) : floatx;
}

bool frontend::takesComplex(llvm::StringRef function) {
  static const auto *names = new llvm::StringSet<>{
      "add", "subtract", "multiply", "divide", "negative", "getitem",
#define KERATIN_TAKES_COMPLEX(name) name,
#include "frontend/generated/ComplexFunctions.inc"
#undef KERATIN_TAKES_COMPLEX
  };
  return names->contains(function);
}

namespace keratin::backend {

Tensor angle(const Operand &z, SourceLocation location) {
  Call call("angle", location);
  return call.tensor(complexAngle(call, call.floating(z)));
}

Tensor complex(const Operand &re, const Operand &im, SourceLocation location) {
  Call call("complex", location);
  auto [a, b] = call.binary(re, im);
  if (isComplex(call, a))
    call.typeError(std::string("a part is ") + dtypeName(call.dtypeOf(a)) +
                   "; needed real numbers");
  const DType part = partOf(complexOf(call.dtypeOf(a)));
  Value first = call.cast(a, part);
  Value y = complexOf(call, {first, call.cast(b, part)});
  // A value of its own, as K::cast makes.
  return call.tensor(call.builder.create<ir::IdentityOp>(call.g.location(), y));
}

Tensor real(const Operand &operand, SourceLocation location) {
  Call call("real", location);
  Value x = call.value(operand);
  return call.tensor(isComplex(call, x) ? partsOf(call, x).re : x);
}

Tensor imag(const Operand &operand, SourceLocation location) {
  Call call("imag", location);
  return call.tensor(partsOf(call, call.value(operand)).im);
}

Tensor conj(const Operand &operand, SourceLocation location) {
  Call call("conj", location);
  Value x = call.value(operand);
  if (!isComplex(call, x))
    return call.tensor(x);
  const ComplexParts parts = partsOf(call, x);
  return call.tensor(complexOf(call, {parts.re, call.g.neg(parts.im)}));
}

} // namespace keratin::backend
