// What passes must know of the machine that kernels run on: the pipelines hand it to them as
// options. The defaults are a CPU's.
#ifndef KERATIN_CODEGEN_TARGETLIMITS_H
#define KERATIN_CODEGEN_TARGETLIMITS_H

#include "ir/interfaces/AttentionKinds.h"

#include <cstdint>

namespace keratin::codegen {

struct TargetLimits {
  // Ops of a kernel at most (keratin-form-kernels).
  int64_t kernelOps = 144;
  // Tensors of the full shape that the kernel of a contraction may read and write beside its
  // operands (keratin-form-kernels).
  int64_t tileTensors = 4;
  // One kernel scatters rows, scales them and adds them to a variable (keratin-form-kernels).
  bool updatesRows = true;
  // What of attention is one kernel (keratin-form-kernels).
  ir::AttentionKinds attention = ir::AttentionKinds::Exact | ir::AttentionKinds::Gradients;
  // Kernels that reduce rows also reduce columns (keratin-form-kernels).
  bool reducesColumnsBesideRows = true;
  // Random bits are made by the kernels that read them, element by element (keratin-form-kernels).
  bool randomInKernels = false;
  // Where lines are multiples of so many elements, by reductions and tiles too; 0: nowhere.
  int64_t randomLine = 0;
  // Bytes on a multiple of which buffers begin (keratin-plan-memory).
  int64_t alignment = 64;
  // Kernels run in memory that the host's code can neither read nor write: the memories of a plan
  // are in the device's space, and host programs say what is transferred.
  bool hasOwnMemory = false;
  // Elementary operations of a kernel of a loop, on average, up to which the device does the loop
  // by itself (keratin-build-host-program); 0: it can do none.
  int64_t residentWork = 0;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_TARGETLIMITS_H
