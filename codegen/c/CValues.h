// Values of LLVM IR as expressions of C.
#ifndef KERATIN_CODEGEN_C_CVALUES_H
#define KERATIN_CODEGEN_C_CVALUES_H

#include "codegen/c/CPrelude.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Value.h"

#include <optional>
#include <string>

namespace llvm {
class APFloat;
class APInt;
class Constant;
class GlobalVariable;
class Module;
} // namespace llvm

namespace keratin::codegen {

// "0x1.8p+1f"; nullopt for NaN and infinities, which have no literal.
std::optional<std::string> cLiteral(const llvm::APFloat &value);
// "5u", "0x8000000000000000u": of the type that arithmetic on it is done in.
std::string cLiteral(const llvm::APInt &value);

// The first thing that is not in the subset is kept.
class CValues {
public:
  CValues(const llvm::Module &module, CHelpers &helpers);

  void nameLocal(const llvm::Value *value, std::string name) { names[value] = std::move(name); }
  // Of a global, an argument or an instruction that has been named, or of a constant.
  std::string operator()(const llvm::Value *value);
  // An integer with its sign.
  std::string asSigned(const llvm::Value *value);
  // "static const float keratin_data_1[] = {…};"
  std::string definition(const llvm::GlobalVariable &global);

  std::string refuse(const std::string &what);
  const std::string &problem() const { return firstProblem; }

private:
  std::string constant(const llvm::Constant *value);

  CHelpers &helpers;
  llvm::DenseMap<const llvm::Value *, std::string> names;
  std::string firstProblem;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_C_CVALUES_H
