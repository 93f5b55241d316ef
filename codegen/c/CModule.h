// A module of scalar LLVM IR as one file of portable C99: for processors that LLVM here does not
// make code for.
//
// The subset is what code generation for a machine without vectors makes (codegen/cpu). Integers
// are unsigned, so that they wrap around; floats are operators and literals in hexadecimal, so that
// every bit is said; blocks are labels. What C leaves undefined is not relied upon, but that
// integers convert to signed ones of their width by their bits, as all compilers do it, and that
// memory holds values of any type (KERATIN_ALIAS).
#ifndef KERATIN_CODEGEN_C_CMODULE_H
#define KERATIN_CODEGEN_C_CMODULE_H

#include <map>
#include <optional>
#include <string>

namespace llvm {
class Module;
}

namespace keratin::codegen {

// Of each exported function how it is declared, up to the names of its parameters, which are p0,
// p1, …: "int32_t digits_predict(const float *p0, …)".
using CDeclarations = std::map<std::string, std::string>;

// Makes vectors of several elements single ones, and removes what LLVM has and C has not, in the
// order that printC() expects. To be done before.
void prepareForC(llvm::Module &module);

// Nullopt, with a message that begins with "not implemented", for what is not in the subset.
std::optional<std::string> printC(const llvm::Module &module, const CDeclarations &declarations,
                                  std::string *error);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_C_CMODULE_H
