// TableGen backends. Each returns true on failure, as TableGen expects.
#ifndef KERATIN_TOOLS_KERATINTBLGEN_GENERATORS_H
#define KERATIN_TOOLS_KERATINTBLGEN_GENERATORS_H

namespace llvm {
class raw_ostream;
class RecordKeeper;
} // namespace llvm

namespace keratin::tblgen {

// For each op: isDifferentiableOperand, buildVjp (unless hasCustomVjp), buildScalar (if `scalar` is
// given).
bool emitOpRecords(llvm::raw_ostream &os, llvm::RecordKeeper &records);
// What ir/interfaces/OpProperties.h declares.
bool emitOpProperties(llvm::raw_ostream &os, llvm::RecordKeeper &records);
// For each op with `operations`: the case of operationCount.
bool emitOpOperations(llvm::raw_ostream &os, llvm::RecordKeeper &records);
// For each op with a kind of `kernel`: KERATIN_KERNEL(class, function that emits it).
bool emitOpKernels(llvm::raw_ostream &os, llvm::RecordKeeper &records);
// For each op whose batching is its own: KERATIN_BATCHED(class).
bool emitOpBatching(llvm::raw_ostream &os, llvm::RecordKeeper &records);
// For each op: KERATIN_BOUNDS(class, rule), and KERATIN_ADJUSTED(class) unless it is monotone.
bool emitOpBounds(llvm::raw_ostream &os, llvm::RecordKeeper &records);
// For each function of elements: KERATIN_SCALAR_FUNCTION(method, (types of its parameters)).
bool emitScalarFunctions(llvm::raw_ostream &os, llvm::RecordKeeper &records);
// For each op that is a function of elements: KERATIN_ELEMENTWISE(method, class, (parameters),
// (arguments of OpBuilder::create)).
bool emitGraphMath(llvm::raw_ostream &os, llvm::RecordKeeper &records);
// The table of ir/saved/SavedOps.cpp.
bool emitSavedOps(llvm::raw_ostream &os, llvm::RecordKeeper &records);
// For each op with a `reference` expression: evaluate.
bool emitOpEvaluators(llvm::raw_ostream &os, llvm::RecordKeeper &records);
// For each op: KERATIN_OP(class, mnemonic, number of operands, domain, whether it is
// differentiable).
bool emitOpTable(llvm::raw_ostream &os, llvm::RecordKeeper &records);
// For each op with a `backend` name: the K function.
bool emitBackendDeclarations(llvm::raw_ostream &os, llvm::RecordKeeper &records);
bool emitBackendDefinitions(llvm::raw_ostream &os, llvm::RecordKeeper &records);
// For the API table: docs/api.md, and the list of all.
bool emitApiDocs(llvm::raw_ostream &os, llvm::RecordKeeper &records);
bool emitApiList(llvm::raw_ostream &os, llvm::RecordKeeper &records);

} // namespace keratin::tblgen

#endif // KERATIN_TOOLS_KERATINTBLGEN_GENERATORS_H
