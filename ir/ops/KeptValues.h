// What a step of a loop keeps for the step of its gradient.
#ifndef KERATIN_IR_OPS_KEPTVALUES_H
#define KERATIN_IR_OPS_KEPTVALUES_H

#include "ir/dialect/Keratin.h"

#include "llvm/ADT/SetVector.h"

namespace keratin::ir {

// A block that holds first the ops of a step, then `end`, then the ops of its gradient, which use
// values of the step. Those may be computed again if what they are computed from is at hand: the
// step's number, elements of the sequences, captures, and what is kept. Returns what has to be
// kept, so that only moves, casts and cheap arithmetic are done again, and no value is kept for an
// op that can be done again from others which are kept anyway. Values that depend on captures only
// are computed again at any cost, as they leave the loop later, and so are those whose sizes the
// step computes, as steps differ in them. Among the block's arguments only
// `states` are not at hand.
llvm::SetVector<mlir::Value> findKeptValues(mlir::Block &block, mlir::Operation *end,
                                            mlir::ValueRange states, mlir::ValueRange captures);

// The same where everything else is computed again, whatever it costs: the states that this takes.
llvm::SetVector<mlir::Value> findCheckpoints(mlir::Block &block, mlir::Operation *end,
                                             mlir::ValueRange states);

// The value that print, depend and require pass on unchanged: once is enough for their effects.
mlir::Value withoutEffects(mlir::Value value);
// Takes them out of the block and what is inside its ops: what it has done is done again in
// silence.
void dropEffects(mlir::Block &block);

} // namespace keratin::ir

#endif // KERATIN_IR_OPS_KEPTVALUES_H
