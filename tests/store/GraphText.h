// Functions for tests, as text.
#ifndef KERATIN_TESTS_STORE_GRAPHTEXT_H
#define KERATIN_TESTS_STORE_GRAPHTEXT_H

#include "compiler/driver/Compiler.h"
#include "compiler/store/GraphKey.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <string>

namespace keratin::tests {

// A module in a context of its own.
struct GraphText {
  explicit GraphText(const std::string &text);

  compiler::GraphKey key(const std::string &settings = "");
  // Null where compiling fails, which `error` says.
  std::shared_ptr<const compiler::CompiledFunction>
  compile(const compiler::CompileOptions &options = {});

  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  absl::Status error;
};

// y = tanh(x) * factor, of so many elements.
struct Scaled {
  std::string function = "f", input = "x", factor = "1.25", file = "a.cc";
  int elements = 8, line = 7;

  std::string text() const;
};

} // namespace keratin::tests

#endif // KERATIN_TESTS_STORE_GRAPHTEXT_H
