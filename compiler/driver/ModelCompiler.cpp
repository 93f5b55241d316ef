#include "compiler/driver/ModelCompiler.h"

#include "codegen/llvm/StageClock.h"
#include "compiler/artifact/ModelInterface.h"
#include "compiler/artifact/Names.h"
#include "compiler/driver/Attempt.h"
#include "compiler/driver/FunctionCompiler.h"
#include "compiler/driver/Version.h"

#include "llvm/ADT/StringExtras.h"

using namespace keratin;
using namespace keratin::compiler;
using namespace mlir;

namespace {

class ModelCompiler {
public:
  ModelCompiler(Model model, const ModelOptions &options)
      : model(std::move(model)), options(options) {}

  absl::StatusOr<CompiledModel> run() {
    if (absl::Status status = checkNames(); !status.ok())
      return status;
    if (absl::Status status = findMachines(); !status.ok())
      return status;
    code.resize(machines.size());
    auto functions = model.graph.module->getOps<func::FuncOp>();
    for (auto [function, saved] : llvm::zip(functions, model.graph.functions))
      if (absl::Status status = compileFunction(function, saved); !status.ok())
        return status;
    if (absl::Status status = finish(); !status.ok())
      return status;
    return std::move(result);
  }

private:
  absl::Status checkNames() {
    if (!isModelName(model.name))
      return absl::InvalidArgumentError(
          "the model's name '" + model.name +
          "' cannot begin names in C; needed letters, digits and single _ between them, a letter "
          "first, and not keratin");
    std::vector<std::string> names;
    for (const ir::SavedFunction &function : model.graph.functions)
      names.push_back(function.name);
    identifiers = FunctionIdentifiers(model.name, names).names();
    return absl::OkStatus();
  }

  absl::Status findMachines() {
    for (const std::string &cpu : options.cpus) {
      std::string error;
      auto machine = codegen::portableMachine(options.triple, cpu, &error);
      if (!machine)
        return StringRef(error).starts_with("not implemented") ? absl::UnimplementedError(error)
                                                               : absl::InvalidArgumentError(error);
      machines.push_back(std::move(*machine));
    }
    result.triple = machines.front().target.triple;
    return absl::OkStatus();
  }

  std::string entryName(size_t machine, size_t function) {
    std::string name = "keratin." + identifiers[function];
    return machines.size() == 1 ? name : name + "." + options.cpus[machine];
  }

  absl::Status compileFunction(func::FuncOp function, const ir::SavedFunction &saved) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
    func::FuncOp copy = function.clone();
    copy.setName(saved.name); // as messages call it
    module->push_back(copy);
    FunctionCompiler compiler(*module, options.compile);
    if (absl::Status status = compiler.plan(); !status.ok())
      return status;
    size_t number = code.front().size();
    for (size_t i = 0; i < machines.size(); ++i) {
      auto generated = compiler.generate(machines[i].target, entryName(i, number),
                                         machines.size() == 1 ? "" : options.cpus[i]);
      if (!generated.ok())
        return generated.status();
      for (auto &object : generated->objects)
        result.objects.push_back(std::move(object));
      generated->objects.clear();
      code[i].push_back(*std::move(generated));
    }
    CompileReport report = compiler.report();
    report.kernels = code.front().back().kernels;
    report.uniqueKernels = code.front().back().uniqueKernels;
    result.reports.emplace_back(saved.name, std::move(report));
    return absl::OkStatus();
  }

  // The descriptor, which makes one object more.
  absl::Status finish() {
    std::vector<keratin_object_variable_t> variables;
    for (const ir::SavedVariable &variable : model.graph.variables) {
      // Zeros, say the moments of an optimiser, take no room.
      bool isZero = llvm::all_of(variable.bytes, [](char byte) { return byte == 0; });
      variables.push_back({{variable.name.c_str(),
                            variable.dtype,
                            int32_t(variable.dims.size()),
                            variable.dims.data(),
                            "",
                            nullptr,
                            {}},
                           isZero ? nullptr : variable.bytes.data(),
                           {}});
    }
    const std::vector<ir::SavedFunction> &saved = model.graph.functions;
    std::vector<std::vector<int32_t>> used;
    for (size_t f = 0; f < saved.size(); ++f) {
      used.emplace_back(saved[f].variables.begin(), saved[f].variables.end());
      if (size_t(code[0][f].description->descriptor.num_variables) != used[f].size())
        return absl::InvalidArgumentError("function '" + saved[f].name +
                                          "' is given another number of variables than it has");
    }
    std::vector<std::vector<keratin_object_function_t>> functions(machines.size());
    std::vector<std::vector<std::string>> entryNames(machines.size());
    std::vector<keratin_object_variant_t> variants;
    for (size_t i = 0; i < machines.size(); ++i) {
      for (size_t f = 0; f < saved.size(); ++f) {
        functions[i].push_back({&code[i][f].description->descriptor, used[f].data()});
        entryNames[i].push_back(entryName(i, f));
      }
      variants.push_back({options.cpus[i].c_str(),
                          {machines[i].required[0], machines[i].required[1]},
                          functions[i].data()});
    }
    keratin_object_desc_t object = {KERATIN_OBJECT_MAGIC,
                                    KERATIN_OBJECT_ABI_VERSION,
                                    model.name.c_str(),
                                    producer,
                                    int32_t(saved.size()),
                                    int32_t(variables.size()),
                                    int32_t(variants.size()),
                                    options.threads,
                                    variables.data(),
                                    variants.data(),
                                    {}};
    ModelInterface interface =
        makeModelInterface(object, result.triple + " (" + llvm::join(options.cpus, ", ") + ")");
    // Descriptor and forwarders must run before the processor is known: for the plainest one.
    std::string error;
    auto plain = codegen::portableMachine(
        options.triple, StringRef(result.triple).starts_with("x86_64") ? "x86-64" : "generic",
        &error);
    if (!plain)
      return absl::InternalError(error);
    codegen::LlvmCode data =
        makeModelData(object, entryNames, interface.queryName, interface.forwarders, plain->target);
    codegen::StageClock clock;
    auto bytes = codegen::generate(data, plain->target, codegen::CodeKind::Object, clock, &error);
    if (!bytes)
      return absl::InternalError(error);
    result.objects.push_back(std::move(bytes));
    result.exports.push_back(interface.queryName);
    for (const Forwarder &forwarder : interface.forwarders)
      result.exports.push_back(forwarder.name);
    result.header = std::move(interface.header);
    return absl::OkStatus();
  }

  Model model;
  const ModelOptions &options;
  std::vector<std::string> identifiers; // of the functions
  std::vector<codegen::PortableMachine> machines;
  std::vector<std::vector<FunctionCode>> code; // of each machine, each function
  CompiledModel result;
};

} // namespace

absl::StatusOr<CompiledModel> keratin::compiler::compileModel(Model model,
                                                              const ModelOptions &options) {
  absl::StatusOr<CompiledModel> result = absl::UnknownError("");
  const std::string what = "compiling model '" + model.name + "'";
  absl::Status status =
      attempt(what, [&] { result = ModelCompiler(std::move(model), options).run(); });
  if (status.ok())
    return result;
  passOn(status);
  return status;
}
