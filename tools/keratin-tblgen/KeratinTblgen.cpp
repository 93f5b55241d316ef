// Reads the op records and writes what follows from them: see each generator's description.
#include "tools/keratin-tblgen/Generators.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Main.h"
#include "llvm/TableGen/TableGenBackend.h"

using namespace keratin::tblgen;

static const llvm::TableGen::Emitter::Opt generators[] = {
    {"gen-op-records", emitOpRecords, "gradients and scalar bodies from the records"},
    {"gen-op-properties", emitOpProperties, "what ops are, for passes and code generation"},
    {"gen-op-operations", emitOpOperations, "counts of operations"},
    {"gen-op-kernels", emitOpKernels, "one macro call an op that decides how its kernel is made"},
    {"gen-op-batching", emitOpBatching,
     "one macro call an op that StepBatcher makes in a way of its own"},
    {"gen-op-bounds", emitOpBounds, "macro calls that say how ranges follow from ranges"},
    {"gen-scalar-functions", emitScalarFunctions, "one macro call a function of elements"},
    {"gen-graph-math", emitGraphMath, "one macro call an op that is a function of elements"},
    {"gen-saved-ops", emitSavedOps, "the ops of saved graphs"},
    {"gen-op-evaluators", emitOpEvaluators, "elementwise evaluators of the interpreter"},
    {"gen-op-table", emitOpTable, "one macro call an op, for tests that cover them all"},
    {"gen-backend-decls", emitBackendDeclarations, "declarations of K functions that are one op"},
    {"gen-backend-defs", emitBackendDefinitions, "definitions of K functions that are one op"},
    {"gen-api-docs", emitApiDocs, "docs/api.md"},
    {"gen-api-list", emitApiList, "all K functions, for the test that links them"},
    {"gen-api-parameters", emitApiParameters, "the parameters of all K functions"},
    {"gen-complex-functions", emitComplexFunctions, "the K functions that take complex numbers"},
    {"gen-python-functions", emitPythonFunctions, "K functions of the Python module"},
    {"gen-python-stubs", emitPythonStubs, "the types of these functions, for type checkers"},
};

int main(int argc, char **argv) {
  if (!llvm::cl::ParseCommandLineOptions(argc, argv, "Keratin's TableGen backends\n",
                                         &llvm::errs()))
    return 2;
  return llvm::TableGenMain(argv[0]);
}
