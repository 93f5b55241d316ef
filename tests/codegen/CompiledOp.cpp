#include "tests/codegen/CompiledOp.h"

#include "ir/dialect/Keratin.h"
#include "ir/reference/ErrorBounds.h"
#include "ir/reference/Interpreter.h"
#include "tests/support/TestEnvironment.h"

#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

using namespace keratin;
using namespace keratin::tests;
using ir::HostTensor;

// Of other targets than the CPU there is one.
static std::vector<const char *> machines() {
  static Sample others;
  std::vector<const char *> result{"native"};
  if (testedTarget() == "cpu")
    for (const char *other : {"x86-64-v3", "x86-64-v2", "x86-64"})
      if (others.takesNext())
        result.push_back(other);
  return result;
}

const char *keratin::tests::nameOf(keratin_dtype_t dtype) {
  static constexpr const char *names[] = {"",     "i1",   "i8",   "i16", "i32",  "i64", "ui8",
                                          "ui16", "ui32", "ui64", "f16", "bf16", "f32", "f64"};
  return names[dtype];
}

std::string keratin::tests::typeOf(keratin_dtype_t dtype, const Dims &dims, int firstSymbol) {
  std::string sizes, symbols;
  for (size_t i = 0; i < dims.size(); ++i) {
    sizes += (firstSymbol < 0 ? std::to_string(dims[i]) : "?") + "x";
    symbols += (i ? ", d" : "d") + std::to_string(firstSymbol + int(i));
  }
  return "tensor<" + sizes + nameOf(dtype) +
         (firstSymbol < 0 || dims.empty() ? "" : ", #keratin.dims<" + symbols + ">") + ">";
}

static mlir::DialectRegistry registry() {
  mlir::DialectRegistry result;
  compiler::registerDialects(result);
  return result;
}

CompiledOp::CompiledOp(const std::string &op, const std::vector<std::string> &arguments,
                       const std::string &result)
    : context(registry(), mlir::MLIRContext::Threading::DISABLED) {
  std::string parameters, types;
  for (size_t i = 0; i < arguments.size(); ++i) {
    parameters += (i ? ", %" : "%") + std::to_string(i) + ": " + arguments[i];
    types += (i ? ", " : "") + arguments[i];
  }
  bool isPrint = op.rfind("print", 0) == 0;
  std::string text = "func.func @main(" + parameters + ") -> " + result + " {\n  %y = keratin." +
                     op + " : " + (isPrint ? result : "(" + types + ") -> " + result) +
                     "\n  return %y : " + result + "\n}\n";
  INFO(text);
  module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  REQUIRE(module);
  function = module->lookupSymbol<mlir::func::FuncOp>("main");
  for (const char *machine : machines()) {
    compiler::CompileOptions options;
    options.cpu = machine;
    options.verify = true;
    runners.emplace_back(machine, std::make_unique<CompiledRunner>(function, options));
    INFO(machine);
    REQUIRE(runners.back().second->error == "");
  }
}

ir::EvaluationContext CompiledOp::evaluationOf(const std::vector<HostTensor> &arguments) {
  ir::EvaluationContext evaluation;
  int64_t symbol = 0;
  for (const HostTensor &argument : arguments)
    for (int64_t size : argument.dims)
      evaluation.symbols[symbol++] = size;
  return evaluation;
}

void CompiledOp::onEachMachine(const std::vector<HostTensor> &arguments, Edge edge,
                               llvm::function_ref<void(const HostTensor &)> test) {
  for (auto &[machine, runner] : runners) {
    auto actual = runner->run(arguments, edge);
    INFO(machine << ": " << runner->error);
    REQUIRE(actual);
    test(actual->front());
  }
}

void CompiledOp::check(const std::vector<HostTensor> &arguments, Edge edge) {
  ir::EvaluationContext evaluation = evaluationOf(arguments);
  auto expected = ir::interpret(function, arguments, evaluation);
  INFO(evaluation.error);
  REQUIRE(succeeded(expected));
  onEachMachine(arguments, edge, [&](const HostTensor &actual) {
    CHECK(largestDifference(actual, expected->front()) == 0);
  });
}

void CompiledOp::checkWithinBounds(const std::vector<HostTensor> &arguments) {
  ir::EvaluationContext evaluation = evaluationOf(arguments);
  auto expected = ir::interpretWithBounds(function, arguments, evaluation);
  INFO(evaluation.error);
  REQUIRE(succeeded(expected));
  onEachMachine(arguments, Edge::End, [&](const HostTensor &actual) {
    CHECK(ir::findMismatch(actual, expected->front()).value_or("") == "");
  });
}

void CompiledOp::checkFails(const std::vector<HostTensor> &arguments, const std::string &message) {
  for (auto &[machine, runner] : runners) {
    INFO(machine);
    CHECK(!runner->run(arguments));
    CHECK_THAT(runner->error, Catch::Contains(message));
  }
}
