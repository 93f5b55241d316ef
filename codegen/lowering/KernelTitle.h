// What a kernel is called where people read of it: in profiles, and beside its plan.
#ifndef KERATIN_CODEGEN_LOWERING_KERNELTITLE_H
#define KERATIN_CODEGEN_LOWERING_KERNELTITLE_H

#include "ir/dialect/Keratin.h"

namespace keratin::codegen {

// The names of its ops, and the source line of the first.
struct KernelTitle {
  std::string name, location;
};
KernelTitle titleOf(ir::KernelOp kernel);
llvm::raw_ostream &operator<<(llvm::raw_ostream &out, const KernelTitle &title);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LOWERING_KERNELTITLE_H
