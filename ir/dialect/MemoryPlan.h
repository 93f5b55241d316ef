// A plan of memory: what keratin-plan-memory writes down, and whoever comes after it reads.
//
// On the function:
//   keratin.memories  [#keratin.memory…], what a call asks for. Number 0 is the arena, which is
//                     there from the start. If some nodes are prepared, number 1 is as well, with
//                     what they made; it is the function's own. The others wait for sizes without a
//                     bound.
// On each node, a kernel, a loop or a branch:
//   keratin.places    [#keratin.place…], for each result where it lies.
// On a kernel that puts values one behind the other:
//   keratin.joined    they lie where its result has them, and it is not launched.
// On each loop:
//   keratin.states    [#keratin.place…], for each state where it lives while the loop runs: in the
//                     loop's result; there and in a second buffer, whose place it is, which steps
//                     read and write in turn (of a scan the last one writes the result; of a
//                     keratin.while, which does not know, it may have to be copied there); or in a
//                     stack. The first step reads the init where it lies.
//   keratin.step      #keratin.place, in a memory, where the step's number lies; not there if
//                     nobody reads it.
// On each loop and branch with values of its own in the arena:
//   keratin.room      #keratin.room, the part of the arena that they take.
// Offsets are those of the whole memory, however deep in loops the node stands.
//
// The verifiers of ops see to it that what is there fits the op, its block and the function's
// memories; verifyMemoryPlan() that nothing is missing.
#ifndef KERATIN_IR_DIALECT_MEMORYPLAN_H
#define KERATIN_IR_DIALECT_MEMORYPLAN_H

#include "ir/dialect/Keratin.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace keratin::ir {

// Attributes of kernels that a plan depends on: it can fail (an integer: the site), or does what
// can be seen from outside (a unit).
inline constexpr llvm::StringLiteral kFallibleAttr = "keratin.fallible",
                                     kEffectAttr = "keratin.effect";
// Of nodes of a function that stand before all others: what they make depends on variables that the
// function does not update, and on constants, alone. A call does them if one of these variables has
// been written since the last that did.
inline constexpr llvm::StringLiteral kPreparedAttr = "keratin.prepared";

// Of a kernel that puts values one behind the other, for a message: they are made where its result
// has them, so nothing is left for it to do.
inline constexpr llvm::StringLiteral kJoinedAttr = "keratin.joined";

// Whether the op is a kernel, a loop or a branch: what has places of its own.
bool isNode(mlir::Operation *op);
bool isPrepared(mlir::Operation *node);
bool isJoined(mlir::Operation *node);
// Whether anything in the node may end the call: a kernel, or a size that is wrong.
bool isFallible(mlir::Operation *node);

//===-- Reading -------------------------------------------------------------------------------===//

// Where a node's result lies; null: no plan says so.
PlaceAttr placeOf(mlir::OpResult result);
// Of a loop's state while the loop runs; null: no plan says so.
PlaceAttr placeOfState(LoopOpInterface loop, unsigned state);
// Of the step's number; null: it has none.
PlaceAttr placeOfStep(LoopOpInterface loop);
// What the inside of a loop or a branch takes of the arena; null: nothing.
RoomAttr roomOf(mlir::Operation *node);
// Of a function; empty: it has no plan.
llvm::SmallVector<MemoryAttr> memoriesOf(mlir::FunctionOpInterface function);
// The memory of what is prepared, number 1; null: nothing is.
MemoryAttr preparedMemoryOf(mlir::FunctionOpInterface function);
// Its bytes; nullopt: nothing is prepared.
std::optional<int64_t> preparedBytes(mlir::FunctionOpInterface function);
// That kernels of the function work in, and in which its arguments, results and constants are.
MemorySpace spaceOf(mlir::FunctionOpInterface function);
// "host", "device"
llvm::StringRef memorySpaceName(MemorySpace space);
std::optional<MemorySpace> memorySpaceByName(llvm::StringRef name);

// Whether the function has a plan for each of its nodes, and memories wait for sizes that it
// computes; a diagnostic says what is missing. Precondition: the function is verified.
mlir::LogicalResult verifyMemoryPlan(mlir::func::FuncOp function);

//===-- Writing -------------------------------------------------------------------------------===//

void setPlaces(mlir::Operation *node, llvm::ArrayRef<PlaceAttr> places);
// `step` may be null.
void setLoopPlaces(LoopOpInterface loop, llvm::ArrayRef<PlaceAttr> states, PlaceAttr step);
void setRoom(mlir::Operation *node, RoomAttr room);
void setJoined(KernelOp kernel);
void setMemories(mlir::func::FuncOp function, llvm::ArrayRef<MemoryAttr> memories);
// Of a node, or of the function itself.
void removePlan(mlir::Operation *op);

//===-- For the dialect's verifiers -----------------------------------------------------------===//

// One attribute of a plan, wherever it stands; others are right. The op itself may be wrong.
mlir::LogicalResult verifyPlanAttribute(mlir::Operation *op, mlir::NamedAttribute attribute);
// What a node has of a plan. Precondition: the node is right apart from that.
mlir::LogicalResult verifyNodePlan(mlir::Operation *node);

} // namespace keratin::ir

#endif // KERATIN_IR_DIALECT_MEMORYPLAN_H
