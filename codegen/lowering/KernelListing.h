// The kernels of a function that has been lowered, for people.
#ifndef KERATIN_CODEGEN_LOWERING_KERNELLISTING_H
#define KERATIN_CODEGEN_LOWERING_KERNELLISTING_H

#include "codegen/lowering/EntryFunction.h"

namespace keratin::codegen {

// In order, with their plans, and what became of loops.
void printKernels(llvm::raw_ostream &out, mlir::func::FuncOp function,
                  const EntryDescription &description);

// Of each kernel by its number: its name, and the function that it became, "" if none.
struct KernelListing {
  std::vector<ir::KernelName> names;
  std::vector<std::string> functions;

  KernelListing() = default;
  explicit KernelListing(const EntryDescription &description)
      : names(description.kernelNames), functions(description.kernelFunctions) {}

  // Code as text, with lines before each function that say which kernels it is of:
  // "# kernel 2: head: dot_general + tanh  net.cc:57", after `comment`. `functionAt` gives the name
  // of the function that begins in a line, "" if none does.
  std::string annotate(llvm::StringRef code, llvm::StringRef comment,
                       llvm::function_ref<llvm::StringRef(llvm::StringRef line)> functionAt) const;
  std::string annotateAssembly(llvm::StringRef code) const;
  std::string annotateLlvm(llvm::StringRef code) const;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LOWERING_KERNELLISTING_H
