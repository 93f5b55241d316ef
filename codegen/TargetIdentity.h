// What the code for a target depends on, as a text.
#ifndef KERATIN_CODEGEN_TARGETIDENTITY_H
#define KERATIN_CODEGEN_TARGETIDENTITY_H

#include "codegen/Target.h"

#include <string>

namespace keratin::codegen {

// Different for choices that may lead to different code: the processor of this machine and the
// assembler of device code are part of it, where they count. Starts nothing of LLVM; of a choice
// that makeTarget() refuses it is as good as any.
std::string targetIdentity(const TargetChoice &choice);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_TARGETIDENTITY_H
