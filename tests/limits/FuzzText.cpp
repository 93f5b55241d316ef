// libFuzzer over the reader of textual IR: whatever the bytes, a refusal with a place, or a text
// that MLIR's parser reads or refuses, and that is printed as it can be read again.
#include "ir/dialect/Keratin.h"
#include "ir/dialect/ModelContents.h"
#include "ir/text/SourceText.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace keratin;

static void require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static std::unique_ptr<mlir::MLIRContext> context;
  static unsigned runs = 0;
  // A context keeps every type and attribute that it was asked for.
  if (runs++ % 1000 == 0) {
    mlir::DialectRegistry registry;
    registry.insert<ir::KeratinDialect, mlir::func::FuncDialect>();
    context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
    context->loadAllAvailableDialects();
    context->printOpOnDiagnostic(false);
    context->getDiagEngine().registerHandler([](mlir::Diagnostic &) {});
  }
  // With the NUL behind it that MLIR's lexer needs, as the buffers of files have it.
  const std::string source(reinterpret_cast<const char *>(data), size);
  llvm::StringRef text = source;
  if (auto refusal = ir::refuseSource(text)) {
    require(!refusal->why.empty(), "a refusal without a reason");
    require(refusal->line >= 1 && refusal->line <= size_t(text.count('\n')) + 1,
            "the line is not in the text");
    require(refusal->column >= 1 && refusal->column <= size + 1, "the column is not in the text");
    return 0;
  }
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
  if (!module || failed(ir::verifyModelContents(*module)))
    return 0;
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  module->print(stream);
  require(!ir::refuseSource(printed) || printed.size() > 16 * size,
          "what was read is refused when it is printed");
  return 0;
}
