// Bits of random_bits in registers: Philox blocks, and any element by itself.
#ifndef KERATIN_CODEGEN_ELEMENTS_RANDOMBITS_H
#define KERATIN_CODEGEN_ELEMENTS_RANDOMBITS_H

#include "codegen/elements/ElementTarget.h"
#include "codegen/elements/LaneCode.h"
#include "codegen/lowering/RandomNest.h"

#include <array>

namespace keratin::codegen {

using PhiloxWords = std::array<mlir::Value, RandomNest::words>;

// The words of the block whose number has these halves, i32. Where the lower one is a vector, so
// are the words: a block a lane. The draw is an i64.
PhiloxWords philoxWords(mlir::OpBuilder &b, mlir::Location loc, const ElementTarget &target,
                        uint64_t seed, mlir::Value draw, mlir::Value low, mlir::Value high);
// The words of several blocks, in less code (VectorMath::philoxLoop).
llvm::SmallVector<PhiloxWords> philoxBlocks(mlir::OpBuilder &b, mlir::Location loc,
                                            const ElementTarget &target, uint64_t seed,
                                            mlir::Value draw, mlir::ValueRange lows,
                                            mlir::Value high);
// The half of an i64, or of each lane.
mlir::Value halfOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value wide, bool upper);

// The element at a position (i64, or a vector of them): a block for one word of it.
mlir::Value randomBitsAt(LaneCode &code, const ElementTarget &target, ir::RandomBitsOp op,
                         mlir::Value draw, mlir::Value position);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_RANDOMBITS_H
