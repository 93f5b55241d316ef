// Names of the attributes in which a memory plan is written down, for those who read it.
//
// On the function (keratin-plan-memory, Passes.td):
//   keratin.arena_bytes  #keratin.dims<total>, bytes of the arena of one call;
//   keratin.offsets      #keratin.dims<…>, places in the arena, each a multiple of 64;
//   keratin.memories     #keratin.dims<…>, only if something depends on a size without bound: bytes
//                        of each memory that is asked for during the call; of a tape, bytes a step;
//   keratin.memory_sizes array<i64>, for each of them k >= 0: when the k-th definition of a size is
//                        reached, or -1 - k: a tape, whose steps that size counts;
//   keratin.offset_memories array<i64>, for each offset the memory it is a place in: 0 is the
//                        arena, 1 + k the k-th of keratin.memories;
//   keratin.in_place     array<i64>, for each update 1 if the variable's own buffer is written.
// On each node, a kernel, a loop or a branch:
//   keratin.results      array<i64>, for each result an index into keratin.offsets, or -1 - k for
//                        the place of what the terminator of its block returns as operand k, or
//                        kNowhere. In the function that place is the buffer of function result k:
//                        of an output, of an update's new value, or of the variable itself where
//                        the update is in place. In a loop's body it is the place of the next
//                        state, or of the step's element of a stack; in a branch, that of the
//                        result.
//   keratin.reuses       array<i64>, for each result the operand whose storage it takes over, or
//                        -1. A kernel must read an element of such operands before it writes
//                        results at the same index, and may not assume that operand and result are
//                        apart.
// On each loop:
//   keratin.states       array<i64>, for each state where it lives while the loop runs. kInPlace:
//   in
//                        the place of the loop's result. k >= 0: there and in a second buffer, at
//                        offset k, which steps read and write in turn. Of a scan the last one
//                        writes the result; of a keratin.while, which does not know, it may have to
//                        be copied there. kInStack - j: in stack j, where it was last written.
//                        The first step reads the init where it lies.
//   keratin.step         an index into keratin.offsets, where the step's number lies; -1: nobody
//                        reads it.
// On each loop and branch with values of its own in the arena:
//   keratin.arena        an index into keratin.offsets, where they begin;
//   keratin.arena_bytes  #keratin.dims<…>, how many bytes they take.
// Offsets are those of the whole arena, however deep in loops the node stands.
//
// Read by the memory passes: keratin.fallible (an integer: the site) and keratin.effect (a unit) on
// kernels; keratin.kind and keratin.variable on arguments and results of the function.
#ifndef KERATIN_PASSES_MEMORY_MEMORYPLAN_H
#define KERATIN_PASSES_MEMORY_MEMORYPLAN_H

#include <cstdint>

namespace keratin::passes {

inline constexpr char kArenaAttr[] = "keratin.arena";
inline constexpr char kArenaBytesAttr[] = "keratin.arena_bytes";
inline constexpr char kOffsetsAttr[] = "keratin.offsets";
inline constexpr char kMemoriesAttr[] = "keratin.memories";
inline constexpr char kMemorySizesAttr[] = "keratin.memory_sizes";
inline constexpr char kOffsetMemoriesAttr[] = "keratin.offset_memories";
inline constexpr char kInPlaceAttr[] = "keratin.in_place";
inline constexpr char kResultsAttr[] = "keratin.results";
inline constexpr char kReusesAttr[] = "keratin.reuses";

inline constexpr char kStatesAttr[] = "keratin.states";
inline constexpr char kStepAttr[] = "keratin.step";
inline constexpr int64_t kInPlace = -1, kInStack = -2;
inline constexpr int64_t kNowhere = INT64_MIN; // nobody reads the result, and no step writes it

inline constexpr char kFallibleAttr[] = "keratin.fallible";
inline constexpr char kEffectAttr[] = "keratin.effect";
inline constexpr char kKindAttr[] = "keratin.kind";
inline constexpr char kVariableAttr[] = "keratin.variable";

} // namespace keratin::passes

#endif // KERATIN_PASSES_MEMORY_MEMORYPLAN_H
