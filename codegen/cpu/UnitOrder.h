// In which order a call of a contraction does its units.
#ifndef KERATIN_CODEGEN_CPU_UNITORDER_H
#define KERATIN_CODEGEN_CPU_UNITORDER_H

#include "codegen/elements/LoopEmitter.h"
#include "codegen/lowering/ContractionSpec.h"

namespace keratin::codegen {

// The unit that comes at this place, of those from begin to end.
inline mlir::Value unitAt(LoopEmitter &emit, const ContractionSpec &spec, mlir::Value begin,
                          mlir::Value end, mlir::Value place) {
  if (!spec.isBackwards)
    return place;
  mlir::Value last = emit.add(emit.add(begin, end), -1);
  return emit.select(spec.isBackwards, emit.sub(last, place), place);
}

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_UNITORDER_H
