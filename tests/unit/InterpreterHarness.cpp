#include "tests/unit/InterpreterHarness.h"

#include "ir/dialect/Keratin.h"
#include "ir/reference/HostText.h"
#include "ir/reference/Interpreter.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

using namespace keratin::ir;

HostTensor keratin::tests::floats(std::vector<double> elements, std::vector<int64_t> dims,
                                  keratin_dtype_t dtype) {
  if (dims == std::vector<int64_t>{-1})
    dims = {int64_t(elements.size())};
  return HostTensor{dtype, std::move(dims), std::move(elements), {}};
}

HostTensor keratin::tests::ints(keratin_dtype_t dtype, std::vector<int64_t> elements,
                                std::vector<int64_t> dims) {
  if (dims == std::vector<int64_t>{-1})
    dims = {int64_t(elements.size())};
  return HostTensor{dtype, std::move(dims), {}, std::move(elements)};
}

HostTensor keratin::tests::bools(std::vector<int64_t> elements) {
  return ints(KERATIN_DTYPE_BOOL, std::move(elements));
}

std::string keratin::tests::runModule(const std::string &text,
                                      const std::vector<HostTensor> &arguments,
                                      EvaluationContext &context) {
  mlir::DialectRegistry registry;
  registry.insert<KeratinDialect, mlir::func::FuncDialect>();
  mlir::MLIRContext mlirContext(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &mlirContext);
  if (!module)
    return "invalid IR";
  auto results = interpret(module->lookupSymbol<mlir::func::FuncOp>("main"), arguments, context);
  if (failed(results))
    return "error: " + context.error.substr(0, context.error.find("; at "));
  std::string lines;
  for (const HostTensor &result : *results)
    lines += (lines.empty() ? "" : "\n") + stableText(result);
  return lines;
}

std::string keratin::tests::runModule(const std::string &text,
                                      const std::vector<HostTensor> &arguments) {
  EvaluationContext context;
  return runModule(text, arguments, context);
}

static std::string typeOf(const HostTensor &tensor) {
  std::string text = stableText(tensor);
  return text.substr(0, text.find('>') + 1);
}

std::string keratin::tests::runOp(const std::string &op, const std::vector<HostTensor> &arguments) {
  std::string parameters;
  for (size_t i = 0; i < arguments.size(); ++i)
    parameters += (i ? ", %" : "%") + std::to_string(i) + ": " + typeOf(arguments[i]);
  size_t arrow = op.rfind("-> ");
  std::string type =
      arrow != std::string::npos ? op.substr(arrow + 3) : op.substr(op.rfind(" : ") + 3);
  return runModule("func.func @main(" + parameters + ") -> " + type + " {\n  %y = " + op +
                       "\n  return %y : " + type + "\n}\n",
                   arguments);
}

std::string keratin::tests::runUniform(const std::string &name,
                                       const std::vector<HostTensor> &arguments,
                                       const std::string &attributes) {
  std::string type = typeOf(arguments[0]), operands, types;
  for (size_t i = 0; i < arguments.size(); ++i) {
    operands += (i ? ", %" : "%") + std::to_string(i);
    types += (i ? ", " : "") + type;
  }
  return runOp("keratin." + name + " " + operands + " " + attributes + " : (" + types + ") -> " +
                   type,
               arguments);
}
