#include "compiler/driver/Reproducer.h"

#include "ir/dialect/Keratin.h"
#include "ir/dialect/Signature.h"
#include "runtime/files/FileWriter.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace keratin::compiler;
using namespace mlir;

// Longer lists of integers may be anything; short ones are axes and sizes.
static constexpr int64_t kSmallList = 16;

Reproducer::Reproducer(ModuleOp original, bool withData)
    : module(original.clone()), withData(withData) {}

static void removeElements(keratin::ir::ConstantOp op) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements || elements.getNumElements() == 1 ||
      (isa<IntegerType>(elements.getElementType()) && elements.getNumElements() <= kSmallList))
    return;
  Attribute zero = Builder(op.getContext()).getZeroAttr(elements.getElementType());
  op.setValueAttr(DenseElementsAttr::get(cast<ShapedType>(elements.getType()), zero));
}

void Reproducer::removeData() {
  module->walk([](Operation *op) {
    Builder b(op->getContext());
    if (auto constant = dyn_cast<ir::ConstantOp>(op))
      removeElements(constant);
    if (auto require = dyn_cast<ir::RequireOp>(op))
      require.setMessage("requirement");
    if (auto print = dyn_cast<ir::PrintOp>(op))
      print.setMessage("");
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function)
      return;
    SymbolTable::setSymbolName(op, "function");
    ir::Signature signature(function);
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (signature.argumentName(i))
        signature.setArgumentName(i, "argument_" + Twine(i));
  });
}

std::string Reproducer::write(std::string directory, PassManager &passes) {
  if (!withData)
    removeData();
  if (directory.empty())
    if (const char *environment = std::getenv("KERATIN_REPRODUCER_DIR"))
      directory = environment;
  llvm::SmallString<128> path(directory);
  if (directory.empty())
    llvm::sys::path::system_temp_directory(/*erasedOnReboot=*/true, path);
  char digits[17];
  if (!keratin::runtime::randomDigits(digits, sizeof digits - 1))
    return {};
  llvm::sys::path::append(path, llvm::Twine("keratin-reproducer-") + digits + ".mlir");
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  // In the form of MLIR's own reproducers, which cannot be asked for without a pass that crashes.
  stream << "\n{-#\n  external_resources: {\n    mlir_reproducer: {\n      pipeline: \"";
  passes.printAsTextualPipeline(stream);
  stream << "\",\n      disable_threading: true,\n      verify_each: true\n    }\n  }\n#-}\n";
  runtime::FileOptions options;
  options.mode = 0600;
  if (runtime::writeFile(path.c_str(), text.data(), text.size(), options) != 0)
    return {};
  return path.str().str();
}
