// Products of bfloat16, or of integers of 8 bits, in the tile registers of AMX, each 16 rows of 16
// elements of 32 bits: pairs, or fours.
//
// One instruction goes 16 steps in depth. Of integers, of any two signs, it makes what others do.
// Of bfloat16 it makes, for each element of C, the sum of the first numbers of the pairs, one after
// the other, that of the second numbers, adds these two, and adds what they make to the element.
// Like the instruction for single pairs it takes denormal numbers for zeros, and has the bits of
// others where there are none (ContractionPairs.h); what is multiplied apart has the same order.
// Source: Intel Architecture Instruction Set Extensions Programming Reference, TDPBF16PS and TDPB*.
#ifndef KERATIN_CODEGEN_CPU_CONTRACTIONAMX_H
#define KERATIN_CODEGEN_CPU_CONTRACTIONAMX_H

#include "codegen/cpu/ContractionMicroKernel.h"

namespace keratin::codegen {

constexpr int64_t kAmxRows = 16, kAmxLanes = 16;

// Tiles have their shapes in between, and no other code uses them.
void emitBeginAmx(LoopEmitter &emit);
void emitEndAmx(LoopEmitter &emit);

// emitContractionPanel() of a plan with usesAmx: rows of A contiguous in depth, which is a multiple
// of stepsAtOnce().
void emitAmxPanel(LoopEmitter &emit, const ContractionPlan &plan, const ContractionPanel &panel);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_CONTRACTIONAMX_H
