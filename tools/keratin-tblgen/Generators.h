// TableGen backends.
#ifndef KERATIN_TOOLS_KERATINTBLGEN_GENERATORS_H
#define KERATIN_TOOLS_KERATINTBLGEN_GENERATORS_H

namespace llvm {
class raw_ostream;
class RecordKeeper;
} // namespace llvm

namespace keratin::tblgen {

// For each op: isDifferentiableOperand, buildVjp (unless hasCustomVjp), buildScalar (if `scalar` is
// given).
void emitOpRecords(llvm::RecordKeeper &records, llvm::raw_ostream &os);
// What ir/interfaces/OpProperties.h declares.
void emitOpProperties(llvm::RecordKeeper &records, llvm::raw_ostream &os);
// For each op with `operations`: the case of operationCount.
void emitOpOperations(llvm::RecordKeeper &records, llvm::raw_ostream &os);
// For each op with a kind of `kernel`: KERATIN_KERNEL(class, function that emits it).
void emitOpKernels(llvm::RecordKeeper &records, llvm::raw_ostream &os);
// For each op whose batching is a method of its own: KERATIN_BATCHED(class).
void emitOpBatching(llvm::RecordKeeper &records, llvm::raw_ostream &os);
// For each op: KERATIN_BOUNDS(class, rule), and KERATIN_ADJUSTED(class) unless it is monotone.
void emitOpBounds(llvm::RecordKeeper &records, llvm::raw_ostream &os);
// For each function of elements: KERATIN_SCALAR_FUNCTION(method, (types of its parameters)).
void emitScalarFunctions(llvm::RecordKeeper &records, llvm::raw_ostream &os);
// For each op that is a function of elements: KERATIN_ELEMENTWISE(method, class, (parameters),
// (arguments of OpBuilder::create)).
void emitGraphMath(llvm::RecordKeeper &records, llvm::raw_ostream &os);
// The table of ir/saved/SavedOps.cpp.
void emitSavedOps(llvm::RecordKeeper &records, llvm::raw_ostream &os);
// For each op with a `reference` expression: evaluate.
void emitOpEvaluators(llvm::RecordKeeper &records, llvm::raw_ostream &os);
// For each op: KERATIN_OP(class, mnemonic, number of operands, domain, whether it is
// differentiable).
void emitOpTable(llvm::RecordKeeper &records, llvm::raw_ostream &os);
// For each op with a `backend` name: the K function.
void emitBackendDeclarations(llvm::RecordKeeper &records, llvm::raw_ostream &os);
void emitBackendDefinitions(llvm::RecordKeeper &records, llvm::raw_ostream &os);
// For the API table: docs/api.md, and the list of all.
void emitApiDocs(llvm::RecordKeeper &records, llvm::raw_ostream &os);
void emitApiList(llvm::RecordKeeper &records, llvm::raw_ostream &os);
// The K functions that take complex numbers.
void emitComplexFunctions(llvm::RecordKeeper &records, llvm::raw_ostream &os);
// For Python: the functions as keratin/_functions.py has them, and KERATIN_PARAMETERS(name, names
// of the parameters) for each of the table.
void emitPythonFunctions(llvm::RecordKeeper &records, llvm::raw_ostream &os);
// Their types, as keratin/_functions.pyi has them.
void emitPythonStubs(llvm::RecordKeeper &records, llvm::raw_ostream &os);
void emitApiParameters(llvm::RecordKeeper &records, llvm::raw_ostream &os);

} // namespace keratin::tblgen

#endif // KERATIN_TOOLS_KERATINTBLGEN_GENERATORS_H
