#include "tests/frontend/InterpretedProgram.h"

#include "compiler/pipelines/Pipelines.h"
#include "ir/reference/HostConversions.h"
#include "ir/reference/Interpreter.h"
#include "keratin/error.h"

#include "keratin/runtime.h"

#include <cstring>

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

using namespace keratin;
using namespace keratin::frontend;

static std::string printed;

std::string test::takePrinted() { return std::exchange(printed, {}); }

namespace {

class InterpretedProgram : public Program {
public:
  explicit InterpretedProgram(FunctionModule compiled) : module(std::move(compiled)) {
    std::string error;
    mlir::ScopedDiagnosticHandler handler(module.context.get(), [&](mlir::Diagnostic &diagnostic) {
      error += diagnostic.str() + "\n";
    });
    if (failed(mlir::verify(*module.module)))
      throw RuntimeError("the frontend made invalid IR: " + error);
    // Gradients are for the interpreter to run, not to find.
    mlir::PassManager manager(module.context.get());
    compiler::buildPhase(manager.nest<mlir::func::FuncOp>(), compiler::PipelinePhase::Gradient);
    if (failed(manager.run(*module.module)))
      throw RuntimeError(error);
  }

  void run(const std::string &name, const std::vector<keratin_variable_t *> &variables,
           const Array *const *inputs, size_t numInputs,
           std::vector<Array> &outputs) const override {
    auto function = *module.module->getOps<mlir::func::FuncOp>().begin();
    std::vector<ir::HostTensor> arguments;
    for (size_t i = 0; i < numInputs; ++i)
      arguments.push_back(host(*inputs[i]));
    for (keratin_variable_t *variable : variables) {
      Array value =
          Array::empty(DType(keratin_variable_dtype(variable)),
                       {keratin_variable_dims(variable),
                        keratin_variable_dims(variable) + keratin_variable_rank(variable)});
      keratin_variable_read(variable, value.rawData(), value.bytes(), nullptr);
      arguments.push_back(host(value));
    }
    ir::EvaluationContext context;
    auto results = ir::interpret(function, arguments, context);
    printed += context.output;
    if (failed(results))
      throw ValueError(name + ": " + context.error);
    for (unsigned i = 0; i < results->size(); ++i) {
      Array value = array((*results)[i]);
      auto variable = function.getResultAttrOfType<mlir::IntegerAttr>(i, "keratin.variable");
      if (!variable) {
        std::memcpy(outputMemory(name, outputs[i], value.dtype(), value.shape()), value.rawData(),
                    value.bytes());
        continue;
      }
      keratin_tensor_t view = {value.rawData(),
                               int32_t(value.dtype()),
                               int32_t(value.ndim()),
                               value.shape().data(),
                               nullptr,
                               nullptr};
      keratin_status_t status = {};
      keratin_variable_write(variables[size_t(variable.getInt())], &view, &status);
      if (status.code)
        throw RuntimeError(status.message);
    }
  }

  double milliseconds() const override { return 0; }
  int64_t kernels() const override { return 0; }
  std::string memoryPlan() const override { return "interpreted"; }
  std::string compileReport() const override { return "interpreted"; }

private:
  static ir::HostTensor host(const Array &array) {
    const Array packed = array;
    return *ir::fromBytes(keratin_dtype_t(array.dtype()), array.shape(), packed.rawData());
  }
  static Array array(const ir::HostTensor &tensor) {
    std::vector<char> bytes = ir::toBytes(tensor);
    return Array::copyOf(DType(tensor.dtype), tensor.dims, bytes.data());
  }

  mutable FunctionModule module; // OwningOpRef gives nothing away that is const
};

} // namespace

std::shared_ptr<const Program> test::interpretedProgram(FunctionModule module) {
  return std::make_shared<InterpretedProgram>(std::move(module));
}
