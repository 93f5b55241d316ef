#include "tests/store/GraphText.h"

#include "compiler/driver/Attempt.h"

#include "mlir/Parser/Parser.h"

using namespace keratin;
using namespace keratin::tests;

GraphText::GraphText(const std::string &text) : context(compiler::makeContext()) {
  module = mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
}

compiler::GraphKey GraphText::key(const std::string &settings) {
  return *compiler::GraphKey::of(*module->getOps<mlir::func::FuncOp>().begin(), settings);
}

std::shared_ptr<const compiler::CompiledFunction>
GraphText::compile(const compiler::CompileOptions &options) {
  auto compiled = compiler::compile(*module, options);
  error = compiled.status();
  return compiled.ok() ? *compiled : nullptr;
}

std::string Scaled::text() const {
  const std::string type = "tensor<" + std::to_string(elements) + "xf32>",
                    place = " loc(\"" + file + "\":" + std::to_string(line) + ":1)";
  return "func.func @" + function + "(%x: " + type +
         " {keratin.kind = \"input\", keratin.name = \"" + input + "\"}" + place + ") -> (" + type +
         " {keratin.kind = \"output\"}) {\n  %c = keratin.constant dense<" + factor +
         "> : " + type + "\n  %0 = keratin.tanh %x : (" + type + ") -> " + type + place +
         "\n  %1 = keratin.mul %0, %c : (" + type + ", " + type + ") -> " + type + place +
         "\n  return %1 : " + type + "\n}\n";
}
