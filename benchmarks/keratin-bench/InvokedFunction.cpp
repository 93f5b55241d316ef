#include "benchmarks/keratin-bench/InvokedFunction.h"

#include "compiler/driver/Compiler.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <stdexcept>

using namespace keratin::bench;

InvokedFunction::InvokedFunction(const std::string &moduleText) {
  mlir::DialectRegistry registry;
  compiler::registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(moduleText, &context);
  if (!module)
    throw std::runtime_error("the module does not parse");
  auto compiled = compiler::compile(*module, compiler::CompileOptions());
  if (!compiled.ok())
    throw std::runtime_error(std::string(compiled.status().message()));
  keratin_status_t status;
  if (keratin_executable_create(&(*compiled)->descriptor(), &handle, &status) != KERATIN_OK)
    throw std::runtime_error(status.message);
  milliseconds = (*compiled)->report().milliseconds;
  code = *std::move(compiled);
}

InvokedFunction::~InvokedFunction() { keratin_executable_destroy(handle); }
