#include "compiler/driver/KeptModule.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Parser/Parser.h"

using namespace keratin::compiler;
using namespace mlir;

KeptModule::KeptModule(ModuleOp module) {
  llvm::raw_string_ostream stream(bytes);
  // Only an older version of the format could be refused.
  if (failed(writeBytecodeToFile(module, stream)))
    bytes.clear();
}

OwningOpRef<ModuleOp> KeptModule::read(MLIRContext &context) const {
  if (empty())
    return nullptr;
  return parseSourceString<ModuleOp>(bytes, ParserConfig(&context, /*verifyAfterParse=*/false));
}
