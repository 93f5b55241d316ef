#include "tests/frontend/InterpretedProgram.h"

#include "compiler/pipelines/Pipelines.h"
#include "frontend/onnx/ExportedModel.h"
#include "ir/reference/HostConversions.h"
#include "ir/reference/Interpreter.h"
#include "keratin/error.h"

#include "keratin/runtime.h"

#include "third_party/onnx/onnx.pb.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

using namespace keratin;
using namespace keratin::frontend;

static std::string printed;

std::string test::takePrinted() { return std::exchange(printed, {}); }

namespace fs = std::filesystem;
namespace onnx_models = frontend::onnx_models;

namespace {

// With KERATIN_TEST_EXPORTS=FOLDER each function is a model of ONNX in a folder of its own there,
// with the inputs and results of its first calls, as ONNX's own tests have them: for
// onnx_backend_tests and tests/onnx/peers.py. What is refused is a line in FOLDER/refused.txt.
class ExportedTest {
public:
  // Before gradients are expanded and behind it.
  void tryWriting(mlir::ModuleOp module, const std::vector<ModuleVariable> &given) {
    const char *where = std::getenv("KERATIN_TEST_EXPORTS");
    if (!where || !folder.empty())
      return;
    auto function = *module.getOps<mlir::func::FuncOp>().begin();
    ir::SavedFunction saved{"function", {}, {}};
    std::vector<ir::SavedVariable> variables;
    for (const ModuleVariable &variable : given) {
      saved.variables.push_back(variables.size());
      std::string bytes(variable.storage->bytes(), '\0');
      VariableStorage::read({{variable.storage, bytes.data()}});
      variables.push_back({variable.name, keratin_dtype_t(variable.storage->dtype()),
                           variable.storage->shape(), std::move(bytes)});
    }
    const auto exported =
        onnx_models::exportModel(function, saved, variables, {.keepsPlaces = true});
    if (!exported.ok()) {
      refusal = std::string(exported.status().message());
      return;
    }
    model.ParseFromString(exported->model);
    static int count = 0;
    folder = fs::path(where) / ("function_" + std::to_string(++count));
  }

  void addCall(llvm::ArrayRef<ir::HostTensor> inputs, llvm::ArrayRef<ir::HostTensor> variables,
               llvm::ArrayRef<ir::HostTensor> results) {
    const char *where = std::getenv("KERATIN_TEST_EXPORTS");
    if (where && folder.empty() && !refusal.empty()) {
      std::ofstream(fs::path(where) / "refused.txt", std::ios::app) << refusal << "\n";
      refusal.clear();
    }
    // Variables have other values in later calls.
    if (folder.empty() || calls > 0)
      return;
    for (size_t i = 0; i < variables.size(); ++i) {
      const std::vector<char> bytes = ir::toBytes(variables[i]);
      model.mutable_graph()->mutable_initializer(int(i))->set_raw_data(bytes.data(), bytes.size());
    }
    write(folder / "model.onnx", model.SerializeAsString());
    const fs::path set = folder / ("test_data_set_" + std::to_string(calls++));
    for (const auto &[what, tensors] : {std::pair("input_", inputs), std::pair("output_", results)})
      for (size_t i = 0; i < tensors.size(); ++i) {
        onnx::TensorProto tensor;
        tensor.set_data_type(typeOf(tensors[i].dtype));
        for (int64_t size : tensors[i].dims)
          tensor.add_dims(size);
        const std::vector<char> bytes = ir::toBytes(tensors[i]);
        tensor.set_raw_data(bytes.data(), bytes.size());
        write(set / (what + std::to_string(i) + ".pb"), tensor.SerializeAsString());
      }
  }

private:
  static int typeOf(keratin_dtype_t dtype) {
    mlir::MLIRContext context;
    return onnx_models::elementTypeOf(ir::elementTypeOf(dtype, &context));
  }
  static void write(const fs::path &path, const std::string &bytes) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
  }

  fs::path folder;
  onnx::ModelProto model; // the first initializers are the variables
  std::string refusal;
  int calls = 0;
};

class InterpretedProgram : public Program {
public:
  explicit InterpretedProgram(FunctionModule compiled) : module(std::move(compiled)) {
    std::string error;
    mlir::ScopedDiagnosticHandler handler(module.context.get(), [&](mlir::Diagnostic &diagnostic) {
      error += diagnostic.str() + "\n";
    });
    if (failed(mlir::verify(*module.module)))
      throw RuntimeError("the frontend made invalid IR: " + error);
    exported.tryWriting(*module.module, module.variables);
    // Gradients are for the interpreter to run, not to find.
    mlir::PassManager manager(module.context.get());
    compiler::buildPhase(manager.nest<mlir::func::FuncOp>(), compiler::PipelinePhase::Gradient);
    if (failed(manager.run(*module.module)))
      throw RuntimeError(error);
    exported.tryWriting(*module.module, module.variables);
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
    const llvm::ArrayRef<ir::HostTensor> all(arguments);
    exported.addCall(all.take_front(numInputs), all.drop_front(numInputs), *results);
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

  mutable ExportedTest exported;
  mutable FunctionModule module; // OwningOpRef gives nothing away that is const
};

} // namespace

std::shared_ptr<const Program> test::interpretedProgram(FunctionModule module) {
  return std::make_shared<InterpretedProgram>(std::move(module));
}
