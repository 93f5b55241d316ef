#include "tests/codegen/OnDevice.h"

#include "ir/reference/ErrorBounds.h"
#include "ir/reference/Interpreter.h"
#include "runtime/abi/keratin_cuda_abi.h"
#include "tests/cuda/driver/EmulatedDriver.h"

#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

using namespace keratin;
using namespace keratin::tests;
using ir::HostTensor;

static mlir::DialectRegistry registry() {
  mlir::DialectRegistry result;
  compiler::registerDialects(result);
  return result;
}

OnDevice::OnDevice(const std::string &type, const std::string &body)
    : context(registry(), mlir::MLIRContext::Threading::DISABLED) {
  emulator();
  std::string text = "func.func @main(%x: " + type + ") -> " + body;
  INFO(text);
  module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  REQUIRE(module);
  function = module->lookupSymbol<mlir::func::FuncOp>("main");
  compiler::CompileOptions options;
  options.target = KERATIN_CUDA_DEVICE;
  runner = std::make_unique<CompiledRunner>(function, options);
  REQUIRE(runner->error == "");
}

void OnDevice::check(const HostTensor &x, std::vector<int64_t> symbols) {
  ir::EvaluationContext evaluation;
  for (size_t i = 0; i < symbols.size(); ++i)
    evaluation.symbols[int64_t(i)] = symbols[i];
  auto expected = ir::interpretWithBounds(function, x, evaluation);
  INFO(evaluation.error);
  REQUIRE(succeeded(expected));
  std::optional<std::vector<HostTensor>> first;
  for (const char *order : {"order=fixed", "order=reversed", "seed=7"}) {
    INFO(order);
    emulator().set(order);
    auto actual = runner->run(x);
    emulator().set("order=fixed");
    INFO(runner->error);
    REQUIRE(actual);
    for (size_t i = 0; i < actual->size(); ++i) {
      CHECK(ir::findMismatch((*actual)[i], (*expected)[i]).value_or("") == "");
      CHECK((!first || areIdentical((*actual)[i], (*first)[i])));
    }
    first = actual;
  }
}
