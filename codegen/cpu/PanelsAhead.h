// What is read later, brought near part by part by the tiles that multiply meanwhile.
#ifndef KERATIN_CODEGEN_CPU_PANELSAHEAD_H
#define KERATIN_CODEGEN_CPU_PANELSAHEAD_H

#include "codegen/cpu/ContractionMicroKernel.h"

namespace keratin::codegen {

// Memory of so many runs of `length` elements, each begins `apart` behind the one before.
struct RunsAhead {
  mlir::Value source, runs, length, apart;
};

// Whether it is of the type, and one of its strides is 1.
bool hasRuns(const ContractionOperand &operand, mlir::Type type);
// Of such a matrix `rows` x `columns` elements from a place in it on.
RunsAhead runsOf(LoopEmitter &emit, const ContractionOperand &operand, mlir::Value batch,
                 mlir::Value row, mlir::Value column, mlir::Value rows, mlir::Value columns);

// How many tiles of so many rows bring something near: the largest, or all.
mlir::Value tilesAhead(LoopEmitter &emit, const ContractionPlan &plan, mlir::Value rows);
// The part `number` of `count` parts of what is made of elements of the type, for the tiles of a
// panel whose other fields are set.
ContractionPanel::Ahead partAhead(LoopEmitter &emit, const ContractionPlan &plan,
                                  const ContractionPanel &job, const RunsAhead &memory,
                                  mlir::Type type, mlir::Value number, mlir::Value count);
// Hardly anything, from a place on.
ContractionPanel::Ahead nothingAhead(LoopEmitter &emit, const ContractionPanel &job,
                                     mlir::Value place);

using MakeAhead = llvm::function_ref<ContractionPanel::Ahead()>;
ContractionPanel::Ahead chooseAhead(LoopEmitter &emit, mlir::Value condition, MakeAhead then,
                                    MakeAhead otherwise);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_PANELSAHEAD_H
