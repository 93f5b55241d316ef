// Reads the op records and writes what follows from them: see each generator's description.
#include "tools/keratin-tblgen/Generators.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/TableGen/Main.h"
#include "llvm/TableGen/Record.h"

using namespace keratin::tblgen;

namespace {
enum class Action {
  OpRecords,
  OpProperties,
  OpOperations,
  OpKernels,
  OpBatching,
  OpBounds,
  ScalarFunctions,
  GraphMath,
  SavedOps,
  OpEvaluators,
  OpTable,
  BackendDecls,
  BackendDefs,
  ApiDocs,
  ApiList
};
} // namespace

static llvm::cl::opt<Action> action(
    llvm::cl::desc("What to generate:"), llvm::cl::Required,
    llvm::cl::values(clEnumValN(Action::OpRecords, "gen-op-records",
                                "gradients and scalar bodies from the records"),
                     clEnumValN(Action::OpProperties, "gen-op-properties",
                                "what ops are, for passes and code generation"),
                     clEnumValN(Action::OpOperations, "gen-op-operations", "counts of operations"),
                     clEnumValN(Action::OpKernels, "gen-op-kernels",
                                "one macro call an op that decides how its kernel is made"),
                     clEnumValN(Action::OpBatching, "gen-op-batching",
                                "one macro call an op that StepBatcher makes in a way of its own"),
                     clEnumValN(Action::OpBounds, "gen-op-bounds",
                                "macro calls that say how ranges follow from ranges"),
                     clEnumValN(Action::ScalarFunctions, "gen-scalar-functions",
                                "one macro call a function of elements"),
                     clEnumValN(Action::GraphMath, "gen-graph-math",
                                "one macro call an op that is a function of elements"),
                     clEnumValN(Action::SavedOps, "gen-saved-ops", "the ops of saved graphs"),
                     clEnumValN(Action::OpEvaluators, "gen-op-evaluators",
                                "elementwise evaluators of the interpreter"),
                     clEnumValN(Action::OpTable, "gen-op-table",
                                "one macro call an op, for tests that cover them all"),
                     clEnumValN(Action::BackendDecls, "gen-backend-decls",
                                "declarations of K functions that are one op"),
                     clEnumValN(Action::BackendDefs, "gen-backend-defs",
                                "definitions of K functions that are one op"),
                     clEnumValN(Action::ApiDocs, "gen-api-docs", "docs/api.md"),
                     clEnumValN(Action::ApiList, "gen-api-list",
                                "all K functions, for the test that links them")));

static bool run(llvm::raw_ostream &os, llvm::RecordKeeper &records) {
  switch (action) {
  case Action::OpRecords:
    return emitOpRecords(os, records);
  case Action::OpProperties:
    return emitOpProperties(os, records);
  case Action::OpOperations:
    return emitOpOperations(os, records);
  case Action::OpKernels:
    return emitOpKernels(os, records);
  case Action::OpBatching:
    return emitOpBatching(os, records);
  case Action::OpBounds:
    return emitOpBounds(os, records);
  case Action::ScalarFunctions:
    return emitScalarFunctions(os, records);
  case Action::GraphMath:
    return emitGraphMath(os, records);
  case Action::SavedOps:
    return emitSavedOps(os, records);
  case Action::OpEvaluators:
    return emitOpEvaluators(os, records);
  case Action::OpTable:
    return emitOpTable(os, records);
  case Action::BackendDecls:
    return emitBackendDeclarations(os, records);
  case Action::BackendDefs:
    return emitBackendDefinitions(os, records);
  case Action::ApiDocs:
    return emitApiDocs(os, records);
  case Action::ApiList:
    return emitApiList(os, records);
  }
  return true;
}

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(argc, argv, "Keratin's TableGen backends\n");
  return llvm::TableGenMain(argv[0], run);
}
