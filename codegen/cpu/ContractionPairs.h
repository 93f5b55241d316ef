// Products of bfloat16, or of integers of 16 bits, two at a time: numbers k and k + 1 of a row of A
// or a column of B are one element of 32 bits where they are packed, the first in its lower half;
// behind an odd k comes zero.
//
// Products and sums of integers wrap in 32 bits: the sum of two products of 16 bits is too large by
// one in one case, and is right all the same. Where instructions multiply numbers of 8 bits, four
// of them are an element: some take an unsigned and a signed factor, in this order.
//
// The instruction that multiplies pairs of bfloat16 rounds each product and sum as others do, but
// takes denormal numbers for zeros. It has their bits where there are none: if the smallest
// magnitudes but zero that are packed of A and of B, m and m', are normal and all products
// multiples of 2^-126, which they are if the exponents of m and m' add up to -112 or more, then so
// is each sum, and none is denormal. Whatever is smaller is multiplied one number after the other,
// in the same order.
#ifndef KERATIN_CODEGEN_CPU_CONTRACTIONPAIRS_H
#define KERATIN_CODEGEN_CPU_CONTRACTIONPAIRS_H

#include "codegen/cpu/ContractionPlan.h"
#include "codegen/elements/LoopEmitter.h"

namespace keratin::codegen {

// Elements out of vectors of their numbers, two of 16 bits or four of 8.
mlir::Value emitPairs(LoopEmitter &emit, mlir::ValueRange numbers);
// Sums (f32 or i32) and the products of elements of A and of B, all of them vectors of the machine.
mlir::Value emitAddPairs(LoopEmitter &emit, const ContractionPlan &plan, mlir::Value sums,
                         mlir::Value a, mlir::Value b);
// f32 of the second numbers of pairs in memory (half 0) or of the first (half 1): of `lanes` pairs,
// before which there is memory, or of one for all lanes.
mlir::Value emitLanesOfPairs(LoopEmitter &emit, int64_t lanes, mlir::Value from, mlir::Value half);
mlir::Value emitSplatOfPairs(LoopEmitter &emit, int64_t lanes, mlir::Value from, mlir::Value half);

// The smallest magnitude but zero of what is packed, kept in memory (i16) from one block to the
// next, and in between as a vector that loops carry along. Of what is not of pairs there is none:
// no memory, no vector.
void emitForgetLeast(LoopEmitter &emit, mlir::Value least);
LoopEmitter::Values emitLeastSoFar(LoopEmitter &emit, const ContractionPlan &plan,
                                   mlir::Value least);
// Of packed pairs, a vector, or of one number.
void emitLeastOf(LoopEmitter &emit, mlir::Value packed, LoopEmitter::Values &least);
void emitKeepLeast(LoopEmitter &emit, const LoopEmitter::Values &found, mlir::Value least);
// Whether pairs multiplied at once have the bits of others.
mlir::Value emitPairsAreExact(LoopEmitter &emit, mlir::Value leastOfA, mlir::Value leastOfB);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_CONTRACTIONPAIRS_H
