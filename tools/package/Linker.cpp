// ld.lld, for machines that have no linker: keratin-compile makes shared objects with it.
#include "lld/Common/Driver.h"

#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

// lld generates code of bitcode for every target of LLVM. The objects of models are machine code,
// so those targets, which are nine tenths of a linker, are left out.
#define LLVM_TARGET(name)                                                                          \
  extern "C" {                                                                                     \
  void LLVMInitialize##name##TargetInfo() {}                                                       \
  void LLVMInitialize##name##Target() {}                                                           \
  void LLVMInitialize##name##TargetMC() {}                                                         \
  }
#include "llvm/Config/Targets.def"
#define LLVM_ASM_PRINTER(name)                                                                     \
  extern "C" void LLVMInitialize##name##AsmPrinter() {}
#include "llvm/Config/AsmPrinters.def"
#define LLVM_ASM_PARSER(name)                                                                      \
  extern "C" void LLVMInitialize##name##AsmParser() {}
#include "llvm/Config/AsmParsers.def"

// Debian's LLVM asks Polly for its passes, for bitcode again.
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "none", "0", [](llvm::PassBuilder &) {}};
}

int main(int argc, char **argv) {
  return lld::lldMain({argv, argv + argc}, llvm::outs(), llvm::errs(),
                      {{lld::Gnu, &lld::elf::link}})
      .retCode;
}
