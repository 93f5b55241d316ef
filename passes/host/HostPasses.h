// Passes from planned functions to host programs; what each does stands in Passes.td.
#ifndef KERATIN_PASSES_HOST_HOSTPASSES_H
#define KERATIN_PASSES_HOST_HOSTPASSES_H

#include "ir/host/Host.h"

#include "mlir/Pass/Pass.h"

namespace keratin::passes {

#define GEN_PASS_DECL
#include "passes/host/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/host/Passes.h.inc"

} // namespace keratin::passes

#endif // KERATIN_PASSES_HOST_HOSTPASSES_H
