// The instruction sets of the machine we run on.
#ifndef KERATIN_CODEGEN_CPU_HOSTFEATURES_H
#define KERATIN_CODEGEN_CPU_HOSTFEATURES_H

#include "llvm/ADT/StringMap.h"

namespace keratin::codegen {

// As LLVM names and finds them; tiles are there only if the system lets this process use them.
llvm::StringMap<bool> hostFeatures();

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_HOSTFEATURES_H
