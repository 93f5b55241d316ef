// Names of the attributes in which a memory plan is written down, for those who read it.
//
// On the function (keratin-plan-memory, Passes.td):
//   keratin.arena_bytes  #keratin.dims<total>, bytes of the arena of one call;
//   keratin.offsets      #keratin.dims<…>, places in the arena, each a multiple of 64;
//   keratin.in_place     array<i64>, for each update 1 if the variable's own buffer is written.
// On each kernel:
//   keratin.results      array<i64>, for each result an index into keratin.offsets, or -1 - k for
//   the
//                        buffer of function result k: of an output, of an update's new value, or of
//                        the variable itself where the update is in place;
//   keratin.reuses       array<i64>, for each result the operand whose storage it takes over, or
//   -1.
//                        Such a kernel must read an element of its operands before it writes
//                        results at the same index, and may not assume that operand and result are
//                        apart.
//
// Read by the memory passes: keratin.fallible (an integer: the site) and keratin.effect (a unit) on
// kernels; keratin.kind and keratin.variable on arguments and results of the function.
#ifndef KERATIN_PASSES_MEMORY_MEMORYPLAN_H
#define KERATIN_PASSES_MEMORY_MEMORYPLAN_H

namespace keratin::passes {

inline constexpr char kArenaBytesAttr[] = "keratin.arena_bytes";
inline constexpr char kOffsetsAttr[] = "keratin.offsets";
inline constexpr char kInPlaceAttr[] = "keratin.in_place";
inline constexpr char kResultsAttr[] = "keratin.results";
inline constexpr char kReusesAttr[] = "keratin.reuses";

inline constexpr char kFallibleAttr[] = "keratin.fallible";
inline constexpr char kEffectAttr[] = "keratin.effect";
inline constexpr char kKindAttr[] = "keratin.kind";
inline constexpr char kVariableAttr[] = "keratin.variable";

} // namespace keratin::passes

#endif // KERATIN_PASSES_MEMORY_MEMORYPLAN_H
