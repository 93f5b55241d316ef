// Kinds of places and memories; ir/dialect/PlanAttributes.td says what they are.
#ifndef KERATIN_IR_DIALECT_PLANKINDS_H
#define KERATIN_IR_DIALECT_PLANKINDS_H

namespace keratin::ir {

enum class PlaceKind { Memory, Returned, Variable, Nowhere, Result, Stack };
// What the host's code reads and writes, or what only kernels do.
enum class MemorySpace { Host, Device };
// When it is there: from the beginning of the call, from a size on, or step by step.
enum class MemoryTime { Call, Size, Steps };

} // namespace keratin::ir

#endif // KERATIN_IR_DIALECT_PLANKINDS_H
