#include "frontend/graph/Program.h"

#include "frontend/graph/FunctionContext.h"
#include "frontend/graph/GeneralCode.h"
#include "frontend/graph/Job.h"
#include "frontend/graph/ProgressSteps.h"
#include "frontend/graph/RuntimeStatus.h"
#include "frontend/graph/RuntimeView.h"

#include "compiler/driver/Attempt.h"
#include "compiler/driver/Compiler.h"
#include "runtime/abi/keratin_abi.h"
#include "runtime/include/keratin/comm.h"

#include "llvm/ADT/SmallVector.h"

#include <exception>

using namespace keratin;
using namespace keratin::frontend;

static ProgramFactory substitute = nullptr;

void frontend::setProgramFactory(ProgramFactory factory) { substitute = factory; }

void *frontend::outputMemory(const std::string &function, Array &array, DType dtype,
                             std::vector<int64_t> dims) {
  if (array.isView()) {
    std::string needed = std::string(dtypeName(dtype)) + " of shape " + toString(dims);
    if (array.dtype() != dtype || array.shape() != dims)
      throw ValueError(function + ": an output is " + needed + "; the view given for it is " +
                       dtypeName(array.dtype()) + " of shape " + toString(array.shape()));
    if (array.isReadOnly() || !array.isRowMajor())
      throw ValueError(function + ": the view given for an output, " + needed + ", is " +
                       (array.isReadOnly() ? "only read" : "not row-major") +
                       "; needed row-major memory that may be written");
  }
  array.reset(dtype, std::move(dims));
  return array.rawData();
}

// What there is no room for is an output of this function, not just any array.
static Array emptyOutput(const std::string &function, const keratin_device_t &device, DType dtype,
                         const std::vector<int64_t> &dims) {
  try {
    return Array::emptyOn(device, dtype, dims);
  } catch (const MemoryError &) {
    throw MemoryError(function + ": no memory on device '" + device.name +
                      "' for an output of shape " + toString(dims));
  }
}

namespace {

class CompiledProgram : public Program {
public:
  // `otherCode` is for calls that the compiled function does not serve; null if it serves all.
  CompiledProgram(std::shared_ptr<const compiler::CompiledFunction> compiledFunction,
                  std::unique_ptr<GeneralCode> otherCode, const Placement &placement)
      : code(std::move(compiledFunction)), general(std::move(otherCode)) {
    keratin_status_t status = {};
    keratin_executable_create_on(&code->descriptor(), placement.device, &executable, &status);
    throwIfFailed(code->descriptor().name, status, placement.location);
    if (callWithJob(executable, &status) != KERATIN_OK) {
      keratin_executable_destroy(executable);
      throwFailure(code->descriptor().name, status, placement.location);
    }
    if (placement.options.keepOnDevice &&
        keratin_executable_device(executable) != keratin_cpu_device())
      keptOn = keratin_executable_device(executable);
  }
  ~CompiledProgram() override { keratin_executable_destroy(executable); }

  void run(const std::string &function, const std::vector<keratin_variable_t *> &variables,
           const Array *const *inputs, size_t numInputs,
           std::vector<Array> &outputs) const override {
    llvm::SmallVector<keratin_tensor_t, 8> views;
    views.resize_for_overwrite(numInputs);
    for (size_t i = 0; i < numInputs; ++i)
      views[i] = viewOf(*inputs[i]);
    keratin_status_t status; // a kilobyte, so not cleared first
    status.code = KERATIN_OK;
    for (bool isOver = false; !isOver;) {
      if (keptOn)
        runAndKeep(function, variables, views, outputs, status);
      else
        runOnHost(function, variables, views, outputs, status);
      isOver = status.code != KERATIN_SIZES_DIFFER || !general;
      if (!isOver)
        general->giveTo(executable);
    }
    throwIfFailed(function, status);
  }

  void refuse(const char *message) const override {
    keratin_executable_refuse(executable, message);
  }

  double milliseconds() const override { return code->report().milliseconds; }
  std::string compileReport() const override { return compiler::toString(code->report()); }
  int64_t kernels() const override { return code->report().kernels; }
  std::string memoryPlan() const override { return code->report().memoryPlan; }
  int64_t arenaBytes() const override { return code->report().arenaBytes; }
  int64_t maxLiveBytes() const override { return code->report().maxLiveBytes; }

private:
  void runOnHost(const std::string &function, const std::vector<keratin_variable_t *> &variables,
                 llvm::ArrayRef<keratin_tensor_t> inputs, std::vector<Array> &outputs,
                 keratin_status_t &status) const {
    Allocation allocation{function, outputs, nullptr};
    keratin_invoke_allocating(executable, variables.data(), int32_t(variables.size()),
                              inputs.data(), int32_t(inputs.size()), allocate, resize, &allocation,
                              &status);
    if (allocation.failure)
      std::rethrow_exception(allocation.failure);
  }

  // Outputs on the device, but for those that are views of the host's memory. Their dims are asked
  // for first: memory for them is no callback's to give.
  void runAndKeep(const std::string &function, const std::vector<keratin_variable_t *> &variables,
                  llvm::ArrayRef<keratin_tensor_t> inputs, std::vector<Array> &outputs,
                  keratin_status_t &status) const {
    const keratin_function_desc_t &signature = code->descriptor();
    const auto numVariables = int32_t(variables.size()), numInputs = int32_t(inputs.size());
    std::vector<std::vector<int64_t>> dims(size_t(signature.num_outputs));
    std::vector<keratin_tensor_t> views;
    for (int32_t i = 0; i < signature.num_outputs; ++i) {
      dims[size_t(i)].resize(size_t(signature.outputs[i].rank));
      keratin_executable_output_dims(executable, variables.data(), numVariables, inputs.data(),
                                     numInputs, i, dims[size_t(i)].data(), &status);
      if (status.code != KERATIN_OK)
        return;
      auto dtype = DType(signature.outputs[i].dtype);
      Array &array = outputs[size_t(i)];
      bool isHere = !array.isNone() && array.place() == keptOn && array.dtype() == dtype &&
                    array.shape() == dims[size_t(i)] && array.isRowMajor();
      if (!array.isNone() && array.isView() && !array.place())
        outputMemory(function, array, dtype, dims[size_t(i)]);
      else if (!isHere)
        array = emptyOutput(function, *keptOn, dtype, dims[size_t(i)]);
      views.push_back(viewOf(array));
      views.back().dims = dims[size_t(i)].data(); // where the call says what it computes
    }
    keratin_invoke(executable, variables.data(), numVariables, inputs.data(), numInputs,
                   views.data(), int32_t(views.size()), &status);
    for (size_t i = 0; status.code == KERATIN_OK && i < views.size(); ++i)
      if (signature.outputs[i].capacity)
        outputs[i].shrink(dims[i].data());
  }

  struct Allocation {
    const std::string &function;
    std::vector<Array> &outputs;
    std::exception_ptr failure;
  };

  // No exception may pass through the runtime.
  static void *allocate(void *user, int32_t output, int32_t dtype, int32_t rank,
                        const int64_t *dims, size_t) noexcept {
    auto &allocation = *static_cast<Allocation *>(user);
    try {
      Array &array = allocation.outputs[output];
      if (array.place()) // of an earlier call of another function
        array = Array();
      bool same = !array.isNone() && !array.isView() && array.dtype() == DType(dtype) &&
                  array.ndim() == rank && std::equal(dims, dims + rank, array.shape().begin());
      return same ? array.rawData()
                  : outputMemory(allocation.function, array, DType(dtype), {dims, dims + rank});
    } catch (...) {
      allocation.failure = std::current_exception();
      return nullptr;
    }
  }

  static void resize(void *user, int32_t output, int32_t, const int64_t *dims) noexcept {
    static_cast<Allocation *>(user)->outputs[size_t(output)].shrink(dims);
  }

  // Both outlive the executable.
  std::shared_ptr<const compiler::CompiledFunction> code;
  std::unique_ptr<GeneralCode> general;
  keratin_executable_t *executable = nullptr;
  const keratin_device_t *keptOn = nullptr; // where outputs stay; null: on the host
};

} // namespace

static std::shared_ptr<const Program>
compileModule(FunctionModule &module, const Placement &placement, codegen::Effort effort) {
  const FunctionOptions &options = placement.options;
  compiler::CompileOptions compileOptions;
  compileOptions.target = options.target;
  compileOptions.device = placement.device;
  compileOptions.effort = effort;
  compileOptions.writeReproducer = !placement.isAttempt;
  compileOptions.memoryBudget = options.memoryBudget;
  compileOptions.checkNumbers = options.checkNumbers;
  compileOptions.prepareWeights = options.prepareWeights;
  compileOptions.float32Products = *codegen::float32ProductsByName(options.float32Products);
  // A century is as good as any time.
  compileOptions.timeLimit =
      std::chrono::nanoseconds(int64_t(std::min(options.timeLimit, 3e9) * 1e9));
  ProgressSteps progress(options.progress);
  compileOptions.progress = progress.teller();
  compiler::KeptModule kept;
  auto keep = [&] { kept = compiler::KeptModule(*module.module); };
  if (options.assumeEqualSizes && GeneralCode::mayBeNeeded(*module.module)) {
    compileOptions.assumeEqualSizes = true;
    compileOptions.beforeWork = keep;
  }
  auto compiled = compiler::compile(*module.module, compileOptions);
  if (compiled.ok()) {
    std::unique_ptr<GeneralCode> general;
    if ((*compiled)->assumesSizes()) {
      compileOptions.assumeEqualSizes = false;
      compileOptions.isGeneral = true;
      compileOptions.progress = nullptr; // it is told of what K::function does
      compileOptions.beforeWork = nullptr;
      if (kept.empty())
        if (absl::Status status = compiler::attempt("keeping a graph", keep); !status.ok())
          throwStatus(status.code(), std::string(status.message()));
      general = std::make_unique<GeneralCode>(std::move(kept), compileOptions);
    }
    if ((*compiled)->report().source != compiler::CompileReport::Source::Compiler)
      module.recycle();
    return std::make_shared<CompiledProgram>(*std::move(compiled), std::move(general), placement);
  }
  if (compiler::isAbandoned(compiled.status()))
    module.abandon();
  progress.rethrow();
  throwStatus(compiled.status().code(), std::string(compiled.status().message()));
}

std::shared_ptr<const Program> Program::compile(FunctionModule module, const Placement &placement,
                                                codegen::Effort effort) {
  std::shared_ptr<const Program> program;
  withThreadObjects([&] {
    FunctionModule own = std::move(module); // which ends with the work
    program = substitute ? substitute(std::move(own)) : compileModule(own, placement, effort);
  });
  return program;
}
