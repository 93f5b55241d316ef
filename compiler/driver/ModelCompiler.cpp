#include "compiler/driver/ModelCompiler.h"

#include "codegen/Target.h"
#include "codegen/cpu/MachineTarget.h"
#include "codegen/llvm/StageClock.h"
#include "compiler/artifact/ModelData.h"
#include "compiler/artifact/ModelInterface.h"
#include "compiler/artifact/ModelMetadata.h"
#include "compiler/artifact/Names.h"
#include "compiler/driver/Attempt.h"
#include "compiler/driver/FunctionCompiler.h"
#include "compiler/driver/Version.h"
#include "runtime/core/Descriptor.h"

#include "llvm/ADT/StringExtras.h"

using namespace keratin;
using namespace keratin::compiler;
using namespace mlir;

static bool isOfBfloat16(ir::DotGeneralOp dot) { return getElementTypeOrSelf(dot.getA()).isBF16(); }
// Those of shorter integers are found in simplification only.
static bool isOfInt32(ir::DotGeneralOp dot) {
  return getElementTypeOrSelf(dot.getY()).isInteger(32);
}

namespace {
// There is code for it where a model has such a product.
struct SpecialProcessor {
  const char *name;
  bool (*multiplies)(ir::DotGeneralOp);
};
} // namespace

// The first that a machine has counts.
static constexpr SpecialProcessor specialProcessors[] = {
    {"x86-64-v4+avx512bf16+amx-tile+amx-bf16", isOfBfloat16},
    {"x86-64-v4+avx512bf16", isOfBfloat16},
    {"x86-64-v4+avx512vnni+amx-tile+amx-int8", isOfInt32},
    {"x86-64-v4+avx512vnni", isOfInt32}};

std::vector<std::string> keratin::compiler::processorsNamed(const std::string &cpu) {
  if (cpu != "multi")
    return {cpu};
  std::vector<std::string> names;
  for (const SpecialProcessor &processor : specialProcessors)
    names.push_back(processor.name);
  names.insert(names.end(), {"x86-64-v4", "x86-64-v3", "x86-64"});
  return names;
}

static bool matters(const std::string &cpu, ModuleOp module) {
  for (const SpecialProcessor &processor : specialProcessors)
    if (cpu == processor.name) {
      auto interrupted = module.walk([&](ir::DotGeneralOp dot) {
        return processor.multiplies(dot) ? WalkResult::interrupt() : WalkResult::advance();
      });
      return interrupted.wasInterrupted();
    }
  return true;
}

codegen::TargetChoice keratin::compiler::portableChoice(const std::string &target,
                                                        const std::string &cpu,
                                                        const CompileOptions &options) {
  codegen::TargetChoice choice = codegen::targetChoice(target);
  choice.cpu = cpu;
  choice.isPortable = true;
  choice.float32Products = options.float32Products;
  return choice;
}

namespace {

class ModelCompiler {
public:
  ModelCompiler(Model model, const ModelOptions &options)
      : model(std::move(model)), options(options), cpus(options.cpus) {
    if (cpus.size() > 1)
      llvm::erase_if(
          cpus, [&](const std::string &cpu) { return !matters(cpu, *this->model.graph.module); });
  }

  absl::StatusOr<CompiledModel> run() {
    if (absl::Status status = checkNames(); !status.ok())
      return status;
    if (absl::Status status = findTargets(); !status.ok())
      return status;
    auto divided = divideVariables(model.graph, options.parts);
    if (!divided.ok())
      return divided.status();
    rankParts = *std::move(divided);
    code.resize(targets.size());
    generalCode.resize(targets.size());
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
    if (absl::Status status = checkModelName(model.name); !status.ok())
      return status;
    std::vector<std::string> names;
    for (const ir::SavedFunction &function : model.graph.functions)
      names.push_back(function.name);
    identifiers = FunctionIdentifiers(model.name, names).names();
    return absl::OkStatus();
  }

  absl::Status findTargets() {
    for (const std::string &cpu : cpus) {
      codegen::TargetChoice choice = portableChoice(options.target, cpu, options.compile);
      std::string error;
      std::shared_ptr<const codegen::Target> target = codegen::makeTarget(choice, &error);
      if (!target)
        return StringRef(error).starts_with("not implemented") ? absl::UnimplementedError(error)
                                                               : absl::InvalidArgumentError(error);
      targets.push_back(std::move(target));
    }
    result.triple = targets.front()->host().triple;
    result.warning = targets.front()->warning();
    for (const auto &[target, cpu] : llvm::zip(targets, cpus))
      processors.push_back(cpu == "native" ? target->host().tune : cpu);
    return absl::OkStatus();
  }

  std::string entryName(size_t target, size_t function) {
    std::string name = "keratin." + identifiers[function];
    return targets.size() == 1 ? name : name + "." + cpus[target];
  }

  absl::Status compileFunction(func::FuncOp function, const ir::SavedFunction &saved) {
    const size_t number = code.front().size();
    const bool assumes = options.assumedSizes != AssumedSizes::None;
    if (absl::Status status = compileFor(
            function, saved, assumes, [&](size_t target) { return entryName(target, number); },
            code);
        !status.ok())
      return status;
    if (options.assumedSizes != AssumedSizes::Equal ||
        !runtime::assumesSizes(code.front()[number].description->descriptor))
      return absl::OkStatus();
    if (absl::Status status = compileFor(
            function, saved, /*assumes=*/false,
            [&](size_t target) { return entryName(target, number) + kGeneralSuffix; }, generalCode);
        !status.ok())
      return status;
    for (size_t i = 0; i < targets.size(); ++i)
      code[i][number].description->descriptor.general =
          &generalCode[i].back().description->descriptor;
    return absl::OkStatus();
  }

  // The function for all targets, at the end of the lists in `into`.
  absl::Status compileFor(func::FuncOp function, const ir::SavedFunction &saved, bool assumes,
                          llvm::function_ref<std::string(size_t target)> nameOf,
                          std::vector<std::vector<FunctionCode>> &into) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
    func::FuncOp copy = function.clone();
    copy.setName(saved.name); // as messages call it
    module->push_back(copy);
    CompileOptions compile = options.compile;
    compile.assumeEqualSizes = assumes;
    const bool isGeneral = &into == &generalCode;
    compile.isGeneral = isGeneral;
    FunctionCompiler compiler(*module, targets.front(), compile);
    if (absl::Status status = compiler.plan(); !status.ok())
      return status;
    for (size_t i = 0; i < targets.size(); ++i) {
      auto generated =
          compiler.generate(*targets[i], nameOf(i), targets.size() == 1 ? "" : cpus[i]);
      if (!generated.ok())
        return generated.status();
      for (auto &object : generated->objects)
        result.objects.push_back(std::move(object));
      generated->objects.clear();
      into[i].push_back(*std::move(generated));
    }
    CompileReport report = compiler.report();
    report.kernels = into.front().back().kernels;
    report.uniqueKernels = into.front().back().uniqueKernels;
    result.reports.emplace_back(isGeneral ? saved.name + " (sizes that differ)" : saved.name,
                                std::move(report));
    return absl::OkStatus();
  }

  // What runs the kernels, of all functions the same; null: the CPU.
  const char *device() const {
    const keratin_device_code_t *found =
        code[0].empty() ? nullptr : code[0][0].description->descriptor.device_code;
    return found ? found->device : nullptr;
  }

  // The descriptor, which makes one object more.
  absl::Status finish() {
    std::vector<keratin_object_variable_t> variables;
    for (auto [number, variable] : llvm::enumerate(model.graph.variables)) {
      // Zeros, say the moments of an optimiser, take no room.
      bool isZero = llvm::all_of(variable.bytes, [](char byte) { return byte == 0; });
      variables.push_back({.tensor = {.name = variable.name.c_str(),
                                      .dtype = variable.dtype,
                                      .rank = int32_t(variable.dims.size()),
                                      .dims = variable.dims.data(),
                                      .location = "",
                                      .capacity = nullptr,
                                      .part = 0},
                           .initial = isZero ? nullptr : variable.bytes.data(),
                           .part = rankParts.partOf(number),
                           .reserved = {}});
    }
    const std::vector<ir::SavedFunction> &saved = model.graph.functions;
    std::vector<std::vector<int32_t>> used;
    for (size_t f = 0; f < saved.size(); ++f) {
      used.emplace_back(saved[f].variables.begin(), saved[f].variables.end());
      if (size_t(code[0][f].description->descriptor.num_variables) != used[f].size())
        return absl::InvalidArgumentError("function '" + saved[f].name +
                                          "' is given another number of variables than it has");
    }
    std::vector<std::vector<keratin_object_function_t>> functions(targets.size());
    std::vector<std::vector<std::string>> entryNames(targets.size());
    std::vector<keratin_object_variant_t> variants;
    for (size_t i = 0; i < targets.size(); ++i) {
      for (size_t f = 0; f < saved.size(); ++f) {
        functions[i].push_back({.descriptor = &code[i][f].description->descriptor,
                                .variables = used[f].data(),
                                .part_axes = code[i][f].description->partAxes(),
                                .reserved = {}});
        entryNames[i].push_back(entryName(i, f));
      }
      auto [low, high] = targets[i]->requiredFeatures();
      variants.push_back({.cpu = processors[i].c_str(),
                          .features = {low, high},
                          .functions = functions[i].data(),
                          .reserved = {}});
    }
    keratin_object_desc_t object = {.magic = KERATIN_OBJECT_MAGIC,
                                    .abi_version = KERATIN_OBJECT_ABI_VERSION,
                                    .name = model.name.c_str(),
                                    .producer = producer,
                                    .num_functions = int32_t(saved.size()),
                                    .num_variables = int32_t(variables.size()),
                                    .num_variants = int32_t(variants.size()),
                                    .threads = options.threads,
                                    .variables = variables.data(),
                                    .variants = variants.data(),
                                    .device = device(),
                                    .rank_numbers = rankParts.numbers(),
                                    .reserved = {}};
    ModelInterface interface =
        makeModelInterface(object, KnownOutputs(model.graph),
                           result.triple + " (" + llvm::join(processors, ", ") + ")");
    result.metadata = makeModelMetadata(object, result.triple, processors);
    // Descriptor and forwarders must run before the processor is known: for the plainest one.
    std::string error;
    auto plain = codegen::portableMachine(
        result.triple, StringRef(result.triple).starts_with("x86_64") ? "x86-64" : "generic",
        &error);
    if (!plain)
      return absl::InternalError(error);
    codegen::LlvmCode data =
        makeModelData(object, entryNames, interface.queryName, interface.forwarders,
                      {{result.metadata, {interface.metadataName, kModelMetadata}}}, plain->target);
    codegen::StageClock clock;
    auto bytes = codegen::generate(data, plain->target, codegen::CodeKind::Object, clock, &error);
    if (!bytes)
      return absl::InternalError(error);
    result.objects.push_back(std::move(bytes));
    result.exports = {interface.queryName, interface.metadataName};
    for (const Forwarder &forwarder : interface.forwarders)
      result.exports.push_back(forwarder.name);
    result.sharedExports = result.exports;
    result.sharedExports.push_back(kModelMetadata);
    result.header = std::move(interface.header);
    return absl::OkStatus();
  }

  Model model;
  const ModelOptions &options;
  std::vector<std::string> cpus; // those there is code for
  RankParts rankParts;
  std::vector<std::string> identifiers;                        // of the functions
  std::vector<std::shared_ptr<const codegen::Target>> targets; // one for each of them
  std::vector<std::string> processors;                         // their names, ours for "native"
  std::vector<std::vector<FunctionCode>> code;                 // of each target, each function
  std::vector<std::vector<FunctionCode>> generalCode;          // of those whose code assumes sizes
  CompiledModel result;
};

} // namespace

absl::Status keratin::compiler::checkModelName(const std::string &name) {
  if (isModelName(name))
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      "the model's name '" + name +
      "' cannot begin names in C; needed letters, digits and single _ between them, a letter "
      "first, and not keratin");
}

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
