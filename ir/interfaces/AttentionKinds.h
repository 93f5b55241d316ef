// What of attention a target makes as one kernel.
#ifndef KERATIN_IR_INTERFACES_ATTENTIONKINDS_H
#define KERATIN_IR_INTERFACES_ATTENTIONKINDS_H

#include "llvm/ADT/BitmaskEnum.h"

#include <cstdint>

namespace keratin::ir {

LLVM_ENABLE_BITMASK_ENUMS_IN_NAMESPACE();

// A set, of kernels without a matrix of queries and keys.
enum class AttentionKinds : uint8_t {
  None = 0,
  Exact = 1,     // of any types, where weights are not rounded
  Halves = 2,    // by tensor cores, of float16 and bfloat16; they may round weights
  Tf32 = 4,      // by tensor cores, of float32, whose factors are rounded to tf32
  Gradients = 8, // and their gradients, of float32 and float64 or by tensor cores
  LLVM_MARK_AS_BITMASK_ENUM(Gradients)
};

inline bool has(AttentionKinds kinds, AttentionKinds kind) {
  return (kinds & kind) != AttentionKinds::None;
}

} // namespace keratin::ir

#endif // KERATIN_IR_INTERFACES_ATTENTIONKINDS_H
