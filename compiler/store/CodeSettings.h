// What the code of a function depends on beside the function.
#ifndef KERATIN_COMPILER_STORE_CODESETTINGS_H
#define KERATIN_COMPILER_STORE_CODESETTINGS_H

#include "codegen/Target.h"
#include "compiler/driver/Compiler.h"

#include <string>

namespace keratin::compiler {

codegen::TargetChoice targetChoice(const CompileOptions &options);

// Whether code that was made before will do: not for those who want to see it made.
bool mayReuse(const CompileOptions &options);

// Options and target, as a text that is different where these are.
std::string codeSettings(const CompileOptions &options);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_STORE_CODESETTINGS_H
