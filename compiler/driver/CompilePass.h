// compile() as a pass, so that a reproducer can say "and then all of it".
#ifndef KERATIN_COMPILER_DRIVER_COMPILEPASS_H
#define KERATIN_COMPILER_DRIVER_COMPILEPASS_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace keratin::compiler {

struct CompileOptions;

// keratin-compile: compiles a copy of the module to code for this process, which is dropped, and
// fails where that does.
std::unique_ptr<mlir::Pass> createCompilePass(const CompileOptions &options);
void registerCompilePass();

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_DRIVER_COMPILEPASS_H
