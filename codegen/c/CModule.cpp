#include "codegen/c/CModule.h"

#include "codegen/c/CFunction.h"
#include "codegen/llvm/ModulePasses.h"

#include "llvm/IR/Module.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace keratin;
using namespace keratin::codegen;
using namespace llvm;

void codegen::prepareForC(Module &module) {
  ScalarizerPassOptions options;
  options.ScalarizeLoadStore = true;
  FunctionPassManager functions;
  functions.addPass(ScalarizerPass(options));
  functions.addPass(EarlyCSEPass(/*UseMemorySSA=*/false));
  functions.addPass(SimplifyCFGPass());
  functions.addPass(ADCEPass());
  ModulePassManager passes;
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(functions)));
  passes.addPass(GlobalDCEPass());
  runPasses(module, passes);
}

std::optional<std::string> codegen::printC(const Module &module, const CDeclarations &declarations,
                                           std::string *error) {
  CHelpers helpers;
  CValues values(module, helpers);
  std::string constants, heads, bodies;
  for (const GlobalVariable &global : module.globals())
    constants += values.definition(global);
  for (const Function &function : module) {
    if (function.isDeclaration())
      continue;
    auto exported = declarations.find(function.getName().str());
    const std::string head =
        exported == declarations.end() ? cHead(function, values) : exported->second;
    heads += head + ";\n";
    bodies += "\n// " + function.getName().str() + "\n" + head + " {\n" +
              CFunction(function, values, helpers).print() + "}\n";
  }
  if (!values.problem().empty()) {
    *error = values.problem();
    return std::nullopt;
  }
  return cPrelude().str() + helpers.text() + "\n" + constants + "\n" + heads + bodies;
}
