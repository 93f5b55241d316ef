// top_k where most of a long line is asked for.
#ifndef KERATIN_CODEGEN_CPU_TOPKSORT_H
#define KERATIN_CODEGEN_CPU_TOPKSORT_H

#include "codegen/cpu/CpuKernelPlan.h"

namespace keratin::codegen {

// Null where ir::LineSort has nothing for the op, or there is no memory for it.
CpuPlan planTopKSort(ir::KernelOp kernel, ir::TopKOp op, const MachineTarget &target);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_TOPKSORT_H
