// Targets, passes and tables of LLVM.
#ifndef KERATIN_CODEGEN_LLVM_STARTLLVM_H
#define KERATIN_CODEGEN_LLVM_STARTLLVM_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CodeGen.h"

#include <string>

namespace keratin::codegen {

// Before anything is asked of LLVM's targets; see Beginning.h.
void startLlvm();

// Makes a code generator and uses it. Some of its passes register when they are made, or when
// another asks for them: for what begins once.
void runCodeGenerator(const std::string &triple, llvm::StringRef cpu, llvm::StringRef features,
                      llvm::CodeGenOptLevel level, llvm::CodeGenFileType file);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LLVM_STARTLLVM_H
