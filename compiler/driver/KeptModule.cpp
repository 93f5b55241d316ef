#include "compiler/driver/KeptModule.h"

#include "codegen/llvm/Beginning.h"
#include "compiler/driver/Attempt.h"
#include "compiler/driver/Compiler.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Parser/Parser.h"

using namespace keratin::compiler;
using namespace mlir;

static std::string bytesOf(ModuleOp module) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  // Only an older version of the format could be refused.
  if (failed(writeBytecodeToFile(module, stream)))
    bytes.clear();
  return bytes;
}

static OwningOpRef<ModuleOp> moduleOf(const std::string &bytes, MLIRContext &context) {
  return parseSourceString<ModuleOp>(bytes, ParserConfig(&context, /*verifyAfterParse=*/false));
}

// The classes of MLIR's that write and read are named when they are first used.
static void beginBytecode() {
  static constinit keratin::codegen::Beginning beginning([] {
    std::unique_ptr<MLIRContext> context = makeContext(dialects());
    OwningOpRef<ModuleOp> empty = ModuleOp::create(UnknownLoc::get(context.get()));
    (void)moduleOf(bytesOf(*empty), *context);
  });
  beginning.await();
}

KeptModule::KeptModule(ModuleOp module) {
  beginBytecode();
  bytes = bytesOf(module);
}

OwningOpRef<ModuleOp> KeptModule::read(MLIRContext &context) const {
  return empty() ? nullptr : moduleOf(bytes, context);
}
