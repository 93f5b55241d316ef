// Compiles a saved graph, or textual IR, ahead of time.
#include "codegen/cpu/MachineTarget.h"
#include "codegen/gpu/ptx/PtxText.h"
#include "compiler/arrays/Weights.h"
#include "compiler/artifact/Names.h"
#include "compiler/artifact/SharedObject.h"
#include "compiler/driver/FunctionCompiler.h"
#include "compiler/driver/ModelCompiler.h"
#include "compiler/driver/ModelFile.h"
#include "compiler/driver/PhaseDump.h"
#include "compiler/driver/SourcePaths.h"
#include "compiler/driver/Version.h"
#include "compiler/freestanding/FreestandingCompiler.h"
#include "compiler/pipelines/Pipelines.h"
#include "frontend/onnx/ExportedModel.h"
#include "runtime/abi/keratin_cuda_abi.h"
#include "tools/support/Compilation.h"
#include "tools/support/Models.h"
#include "tools/support/OutputFile.h"
#include "tools/support/Shards.h"
#include "tools/support/Sizes.h"
#include "tools/support/Tool.h"
#include "tools/support/Watchdog.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/raw_ostream.h"

using namespace keratin;
using namespace keratin::compiler;
using namespace keratin::tools;

namespace {

constexpr int64_t kDefaultOpset = 18;

// The command line.
std::vector<std::string> inputs;
std::string outputFile, headerFile, modelName, functionName, metadataFile,
    emitKind = "so", target, cpu = "native", float32Products = "float32", assumedSizes = "yes",
    preparesWeights = "yes", sysroot, weightsFile, dumpDirectory, timeTrace;
int64_t threads = 0, memoryBudget = 0, opset = kDefaultOpset;
std::chrono::nanoseconds timeout{0};
bool verifyEach = false, printAfterAll = false, timing = false, profile = false,
     checkNumbers = false, showsProgress = false, externalData = false, freestanding = false;
NamedNumbers sizes;
SourcePathOptions sourcePaths;
ShardOptions shards;

CommandLine commandLine() {
  CommandLine line("keratin-compile <model.ktg, .onnx, .h5 or .mlir> [options]",
                   "Compiles a model ahead of time: a shared object and its C header.");
  line.positional(inputs, 1, 1);
  line.text("-o", outputFile, "FILE",
            "output; default: lib<model>.so, <model>.cubin, <model>.onnx, or standard output for\n"
            "text");
  line.text("--header", headerFile, "FILE", "write the C header");
  line.text("--metadata", metadataFile, "FILE",
            "write what the model is: functions, tensors, variables, target, as JSON");
  line.text("--name", modelName, "NAME", "prefix of all symbols; default: the input's file name");
  line.text("--function", functionName, "NAME", "only this function of the model");
  std::vector<std::string> kinds = stageNames(Stage::Input, Stage::Ptx);
  kinds.insert(kinds.end(), {"cubin", "onnx", "c", "obj", "so"});
  line.choice("--emit", emitKind, kinds,
              "what to write: a stage (keratin-dump --help), of the plan its\nmemory; machine code "
              "of target cuda; a model of ONNX; C99 of what\n--freestanding says; a relocatable or "
              "(default) a shared object");
  line.number("--opset", opset, 14, "N", "of --emit=onnx: the version of ONNX's ops; default: 18");
  line.flag("--external-data", externalData,
            "of --emit=onnx: tensors of a KiB and more go to the output's name and .data,\nwithout "
            "which a model has less than 2 GiB");
  line.text("--weights", weightsFile, "FILE",
            "values of all variables, by name, from a .safetensors, .npz or .h5 file");
  line.text("--target", target, "TARGET",
            "cpu (default); cuda, or cuda:sm_90,... with machine code for these devices; or the\n"
            "triple of a CPU other than ours: x86_64-linux-gnu, aarch64-linux-gnu");
  line.text("--mcpu", cpu, "CPU",
            "native (default), x86-64-v3, ..., or multi: x86-64, -v3 and -v4 in one object, and\n"
            "-v4 with AVX512-BF16, and with AMX, if it multiplies bfloat16");
  line.choice("--float32-products", float32Products, {"float32", "tf32"},
              "tf32: contractions and convolutions of float32 may round their factors to 11\n"
              "significant bits, where tensor cores of target cuda then are faster");
  line.choice(
      "--assume-equal-sizes", assumedSizes, assumedSizesNames(),
      "yes (default): where unknown sizes meet, code for the case that they are equal, and\n"
      "code for other calls; only: other calls fail; no: one code for all");
  line.choice("--prepare-weights", preparesWeights, {"yes", "no"},
              "yes (default): what depends on variables that a function does not update is made\n"
              "once, and again when they are written; no: in each call");
  line.flag("--freestanding", freestanding,
            "an object that needs no C library, no memory but what calls are given, and no\n"
            "threads; its sizes are known (--emit=obj, c)");
  addSizeOption(line, sizes, "of --freestanding and --emit=c: what a size is, in every call");
  line.number("--threads", threads, 0, "N", "threads of a call; default: as many as processors");
  line.bytes("--memory-budget", memoryBudget, "BYTES",
             "temporaries of a call, as 64MiB: loops whose gradients keep more do steps again");
  addShardOptions(line, shards);
  line.text("--mesh", shards.mesh, "AXIS:RANKS,...",
            "for ranks in this mesh alone, as data:2,model:2: equal parts of variables have known\n"
            "sizes, as heads of attention need; default: for any number of ranks");
  line.text("--sysroot", sysroot, "FOLDER", "where the target's C library is");
  line.flag("--check-numbers", checkNumbers,
            "calls fail, naming the op and its line, where one makes NaN or\nan infinity");
  line.flag("--strip-locations", sourcePaths.strip,
            "source files and lines appear in no message and nowhere in the output");
  line.pairs("--file-prefix-map", sourcePaths.prefixMap, "OLD=NEW",
             "paths of source files that begin with OLD begin with NEW instead");
  line.flag("--profile", profile, "report each kernel to keratin-run --profile");
  line.flag("--verify", verifyEach, "verify the IR after each pass, and the memory plan");
  line.flag("--print-ir-after-all", printAfterAll, "IR after each pass, to standard error");
  line.text("--dump-dir", dumpDirectory, "FOLDER", "IR after each phase and the assembly");
  line.duration("--timeout", timeout, "TIME",
                "end with exit code 4 if not done after 10, 10s, 500ms or 2min");
  line.flag("--progress", showsProgress, "each stage, to standard error");
  line.flag("--timing", timing, "what each stage took, to standard error");
  line.text("--time-trace", timeTrace, "FILE", "the same in Chrome's trace format");
  return line;
}

bool isFreestanding() { return freestanding || emitKind == "c"; }

bool emitsObject() { return emitKind == "obj" || emitKind == "so"; }

// What needs a runtime, or several of what there is one of.
std::string freestandingConflict() {
  const bool isSource = emitKind == "c";
  if (!isSource && emitKind != "obj")
    return "--freestanding goes with --emit=obj and --emit=c";
  if (cpu == "multi")
    return "--freestanding is for one processor; --mcpu=multi names several";
  if (isSource && cpu != "native" && cpu != codegen::kScalarCpu)
    return "--mcpu does not go with --emit=c, which is for any processor";
  if (isSource && !target.empty() && target != "cpu")
    return "--target does not go with --emit=c, which is for any processor";
  const std::pair<bool, std::string> refused[] = {
      {!metadataFile.empty(), "--metadata"},     {threads > 0, "--threads"},
      {!shards.given().empty(), shards.given()}, {!shards.mesh.empty(), "--mesh"},
      {checkNumbers, "--check-numbers"},         {profile, "--profile"},
      {!sysroot.empty(), "--sysroot"},           {assumedSizes != "yes", "--assume-equal-sizes"}};
  for (const auto &[is, option] : refused)
    if (is)
      return option + " does not go with " + (isSource ? "--emit=c" : "--freestanding");
  return "";
}

// What is wrong with the command line, whatever the model is; "" if nothing is.
std::string conflict() {
  if (!headerFile.empty() && !emitsObject() && emitKind != "c")
    return "--header goes with --emit=obj, --emit=so and --emit=c";
  if (!metadataFile.empty() && !emitsObject())
    return "--metadata goes with --emit=obj and --emit=so";
  if (!isFreestanding() && !sizes.empty())
    return "--size goes with --freestanding and --emit=c";
  if (std::string problem = isFreestanding() ? freestandingConflict() : ""; !problem.empty())
    return problem;
  if (opset != kDefaultOpset && emitKind != "onnx")
    return "--opset goes with --emit=onnx";
  if (externalData && emitKind != "onnx")
    return "--external-data goes with --emit=onnx";
  if (externalData && outputFile == "-")
    return "--external-data needs a file for the model";
  if (std::string problem = meshProblem(shards); !problem.empty())
    return problem;
  absl::Status status = modelName.empty() ? absl::OkStatus() : checkModelName(modelName);
  if (status.ok() && !weightsFile.empty())
    status = checkWeightsPath(weightsFile, WeightsUse::Read);
  return std::string(status.message());
}

ModelOptions modelOptions(Watchdog &watchdog) {
  ModelOptions options;
  options.compile.progress = tellProgress(watchdog, showsProgress);
  if (!target.empty())
    options.target = target;
  options.threads = int32_t(threads);
  const std::vector<std::string> assumptions = assumedSizesNames();
  options.parts = partOptions(shards);
  options.assumedSizes = AssumedSizes(
      std::find(assumptions.begin(), assumptions.end(), assumedSizes) - assumptions.begin());
  // Text is that of the first code.
  options.compile.assumeEqualSizes = options.assumedSizes != AssumedSizes::None;
  options.compile.profile = profile;
  options.compile.memoryBudget = memoryBudget;
  options.compile.checkNumbers = checkNumbers;
  options.compile.prepareWeights = preparesWeights != "no";
  options.compile.sourcePaths = sourcePaths;
  options.compile.float32Products = *codegen::float32ProductsByName(float32Products);
  options.compile.verify = verifyEach;
  options.compile.printAfterAll = printAfterAll;
  options.compile.dumpDirectory = dumpDirectory;
  options.cpus = processorsNamed(cpu);
  return options;
}

void printTiming(const std::string &function, const CompileReport &report) {
  llvm::errs() << function << ": " << toString(report);
}

// Of what has been asked for and will not be there.
void warn(const std::string &text) {
  if (!text.empty())
    llvm::errs() << "keratin-compile: warning: " << text << "\n";
}

// The image of a function for its device, by the beginning of the image's kind: that of the
// architecture, if one is named and has its own. Nullopt for a function without one.
absl::StatusOr<std::optional<std::string>>
deviceImage(FunctionCompiler &compiler, const codegen::Target &target, const std::string &entryName,
            llvm::StringRef kind, llvm::StringRef architecture) {
  auto code = compiler.generate(target, entryName);
  if (!code.ok())
    return code.status();
  if (const keratin_device_code_t *device = code->description->descriptor.device_code)
    for (const std::string &wanted :
         {(kind + KERATIN_CUDA_IMAGE_OF + architecture).str(), kind.str()})
      for (int64_t i = 0; i < device->num_images; ++i)
        if (const keratin_image_t &image = device->images[i];
            llvm::StringRef(image.kind).starts_with(wanted))
          return std::string(static_cast<const char *>(image.data), size_t(image.bytes));
  return std::nullopt;
}

// Of all functions, as one file that an assembler or a driver takes.
absl::StatusOr<std::string> imageOfAll(const std::vector<std::string> &images) {
  if (images.empty())
    return absl::InvalidArgumentError(
        emitKind == "ptx"
            ? "--emit=ptx needs a function with kernels and --target=" KERATIN_CUDA_DEVICE
            : "--emit=cubin needs a function with kernels, ptxas and an architecture: "
              "--target=" KERATIN_CUDA_DEVICE ":sm_90");
  if (images.size() == 1)
    return images.front();
  std::string error;
  auto merged = codegen::mergePtx(images, &error);
  if (!merged)
    return absl::InternalError("--emit=ptx: " + error + "; --function=NAME writes one alone");
  return *std::move(merged);
}

// Of what has room for one alone.
absl::Status checkOneFunction(const ir::SavedGraph &graph, const char *otherwise) {
  if (graph.functions.size() == 1)
    return absl::OkStatus();
  std::string names;
  for (const ir::SavedFunction &function : graph.functions)
    names += (names.empty() ? "'" : ", '") + function.name + "'";
  return absl::InvalidArgumentError("--emit=" + emitKind + ": the model has " +
                                    std::to_string(graph.functions.size()) + " functions (" +
                                    names + "); choose one with --function=NAME" + otherwise);
}

// Machine code of several cannot be put together.
absl::Status checkCubin(const ir::SavedGraph &graph, const ModelOptions &options) {
  if (emitKind != "cubin")
    return absl::OkStatus();
  if (absl::Status status = checkOneFunction(graph, ", or take --emit=ptx"); !status.ok())
    return status;
  if (llvm::StringRef(options.target).contains(','))
    return absl::InvalidArgumentError("--emit=cubin writes the code for one architecture: "
                                      "--target=" KERATIN_CUDA_DEVICE ":sm_90");
  return absl::OkStatus();
}

// What is read by people: function by function; and device code.
absl::StatusOr<std::string> emitText(ir::SavedGraph graph, const ModelOptions &options,
                                     const std::string &name) {
  std::string error, text;
  std::shared_ptr<const codegen::Target> made = codegen::makeTarget(
      portableChoice(options.target, options.cpus.front(), options.compile), &error);
  if (!made)
    return absl::InvalidArgumentError(error);
  warn(made->warning());
  if (absl::Status status = divideVariables(graph, options.parts).status(); !status.ok())
    return status;
  if (absl::Status status = checkCubin(graph, options); !status.ok())
    return status;
  std::vector<std::string> images;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  flags.enableDebugInfo(true, /*prettyForm=*/false);
  std::vector<std::string> names;
  for (const ir::SavedFunction &saved : graph.functions)
    names.push_back(saved.name);
  FunctionIdentifiers identifiers(name, names);
  for (auto [op, saved, identifier] :
       llvm::zip(llvm::to_vector(graph.module->getOps<mlir::func::FuncOp>()), graph.functions,
                 identifiers.names())) {
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(op.getLoc());
    op->moveBefore(module->getBody(), module->getBody()->end());
    FunctionCompiler compiler(*module, made, options.compile);
    const Stage stage = stageByName(emitKind).value_or(Stage::Ptx); // a cubin is made of it
    if (stage == Stage::Input) {
      module->print(stream);
      continue;
    }
    if (absl::Status status =
            compiler.plan(stage < Stage::Plan ? phaseOf(stage) : PipelinePhase::Host);
        !status.ok())
      return status;
    if (stage == Stage::Plan) {
      stream << compiler.report().memoryPlan;
    } else if (stage <= Stage::Host) {
      module->print(stream);
    } else if (stage == Stage::Kernels) {
      auto schedules = compiler.schedules(*made);
      if (!schedules.ok())
        return schedules.status();
      stream << *schedules;
    } else if (stage == Stage::Ptx) {
      auto image =
          deviceImage(compiler, *made, "keratin." + identifier,
                      emitKind == "ptx" ? KERATIN_CUDA_IMAGE_PTX : KERATIN_CUDA_IMAGE_CUBIN,
                      llvm::StringRef(options.target).split(':').second);
      if (!image.ok())
        return image.status();
      if (*image) // text without the zero behind it
        images.push_back(emitKind == "ptx" ? std::string((*image)->c_str()) : **image);
    } else {
      auto code = compiler.generateText(*made, "keratin." + identifier,
                                        stage == Stage::Llvm ? codegen::CodeKind::LlvmIr
                                                             : codegen::CodeKind::Assembly);
      if (!code.ok())
        return code.status();
      stream << *code;
    }
    if (timing)
      printTiming(saved.name, compiler.report());
  }
  return stageByName(emitKind).value_or(Stage::Ptx) == Stage::Ptx ? imageOfAll(images) : text;
}

// Whether what is written to one path is in the way of the other: not in a device or a pipe.
bool areSameFile(const std::string &left, const std::string &right) {
  namespace fs = llvm::sys::fs;
  fs::file_status status;
  if (fs::status(left, status))
    return left == right && left != "-";
  return fs::is_regular_file(status) && fs::equivalent(left, right);
}

// No output may take the place of another one, nor of the model.
absl::Status checkPlaces(const std::string &output) {
  const std::pair<const char *, std::string> places[] = {
      {"the model", inputs.front()},
      {emitsObject() ? "the object" : "the output", output},
      {"the tensors", externalData ? output + ".data" : ""},
      {"the header", headerFile},
      {"the metadata", metadataFile},
      {"the trace", timeTrace}};
  for (size_t i = 0; i < std::size(places); ++i)
    for (size_t j = 0; j < i; ++j)
      if (!places[i].second.empty() && areSameFile(places[j].second, places[i].second))
        return absl::InvalidArgumentError("cannot write '" + places[i].second + "': it is " +
                                          places[j].first + " and would be " + places[i].first +
                                          ", too");
  return absl::OkStatus();
}

absl::Status emitObject(ir::SavedGraph graph, const ModelOptions &options, const std::string &name,
                        OutputFiles &outputs, Watchdog &watchdog) {
  bool isShared = emitKind == "so";
  std::string library = "lib" + name + ".so";
  std::string output = !outputFile.empty() ? outputFile : isShared ? library : name + ".o";
  if (absl::Status status = checkPlaces(output); !status.ok())
    return status;
  auto compiled = compileModel({name, std::move(graph)}, options);
  if (!compiled.ok())
    return compiled.status();
  warn(compiled->warning);
  if (timing)
    for (const auto &[function, report] : compiled->reports)
      printTiming(function, report);
  watchdog.enterWriting("linking and writing the output");
  LinkOptions link;
  link.triple = compiled->triple;
  link.sysroot = sysroot;
  link.name = output == "-" ? library : llvm::sys::path::filename(output).str();
  absl::Status status = (isShared ? linkSharedObject : linkRelocatable)(
      std::move(compiled->objects), isShared ? compiled->sharedExports : compiled->exports,
      outputs.add(output, isShared ? 0777 : 0666), link);
  if (status.ok() && !headerFile.empty())
    outputs.add(headerFile) << compiled->header;
  if (status.ok() && !metadataFile.empty())
    outputs.add(metadataFile) << compiled->metadata;
  return status;
}

absl::Status emitFreestanding(ir::SavedGraph graph, const ModelOptions &options,
                              const std::string &name, OutputFiles &outputs, Watchdog &watchdog) {
  const bool isSource = emitKind == "c";
  const std::string output = outputFile.empty() ? name + (isSource ? ".c" : ".o") : outputFile;
  if (absl::Status status = checkPlaces(output); !status.ok())
    return status;
  FreestandingOptions own;
  own.target = options.target;
  own.cpu = isSource ? codegen::kScalarCpu : cpu;
  own.kind = isSource ? FreestandingKind::Source : FreestandingKind::Object;
  own.sizes = sizes;
  own.compile = options.compile;
  auto compiled = compileFreestanding({name, std::move(graph)}, own);
  if (!compiled.ok())
    return compiled.status();
  if (timing)
    for (const auto &[function, report] : compiled->reports)
      printTiming(function, report);
  watchdog.enterWriting("writing the output");
  outputs.add(output) << compiled->code;
  if (!headerFile.empty())
    outputs.add(headerFile) << compiled->header;
  return absl::OkStatus();
}

absl::Status emitOnnx(const ir::SavedGraph &graph, const std::string &name, OutputFiles &outputs,
                      Watchdog &watchdog) {
  const std::string output = outputFile.empty() ? name + ".onnx" : outputFile;
  absl::Status status = checkOneFunction(graph, "");
  if (status.ok())
    status = checkPlaces(output);
  if (!status.ok())
    return status;
  mapSourcePaths(*graph.module, sourcePaths);
  frontend::onnx_models::ExportSettings settings;
  settings.opset = opset;
  if (externalData)
    settings.dataFile = llvm::sys::path::filename(output).str() + ".data";
  auto exported = frontend::onnx_models::exportModel(graph, settings);
  if (!exported.ok())
    return exported.status();
  watchdog.enterWriting("writing the output");
  if (!exported->data.empty()) {
    llvm::raw_ostream &data = outputs.add(output + ".data");
    exported->writeData([&](const void *bytes, size_t count) {
      data.write(static_cast<const char *>(bytes), count);
    });
  }
  outputs.add(output) << exported->model;
  return absl::OkStatus();
}

// The model's values give way to those of --weights; what random functions count their draws with
// goes on where it was.
absl::Status takeWeights(ir::SavedGraph &graph) {
  if (weightsFile.empty())
    return absl::OkStatus();
  std::vector<WeightSlot> slots;
  for (const ir::SavedVariable &variable : graph.variables)
    slots.push_back({variable.name, variable.dtype, variable.dims, variable.countsDraws});
  auto values = readWeights(weightsFile, slots);
  if (!values.ok())
    return inFile(weightsFile, values.status());
  for (auto [variable, value] : llvm::zip(graph.variables, *values))
    if (value.dtype != KERATIN_DTYPE_INVALID)
      variable.bytes.assign(value.data.begin(), value.data.end());
  return absl::OkStatus();
}

absl::Status run(OutputFiles &outputs, Watchdog &watchdog) {
  if (absl::Status status = checkDumpFolder(dumpDirectory); !status.ok())
    return status;
  const std::string &inputFile = inputs.front();
  watchdog.enter("reading the model");
  mlir::DialectRegistry registry;
  registerModelDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false); // nobody reads notes
  DiagnosticLines lines(context);
  auto graph = tools::readModel(inputFile, context, functionName);
  if (!graph.ok())
    return lines.orElse(inFile(inputFile, graph.status()));
  if (absl::Status status = takeWeights(*graph); !status.ok())
    return status;
  if (absl::Status status = shardSizes(*graph, shards); !status.ok())
    return status;
  std::string name = modelName;
  if (name.empty())
    name = inputFile == "-" ? "model" : compiler::modelName(llvm::sys::path::stem(inputFile));
  if (emitKind == "onnx")
    return emitOnnx(*graph, name, outputs, watchdog);
  ModelOptions options = modelOptions(watchdog);
  if (isFreestanding())
    return emitFreestanding(*std::move(graph), options, name, outputs, watchdog);
  if (emitsObject())
    return emitObject(*std::move(graph), options, name, outputs, watchdog);
  auto text = emitText(*std::move(graph), options, name);
  if (!text.ok())
    return text.status();
  watchdog.enterWriting("writing the output");
  std::string standard = emitKind == "cubin" ? name + ".cubin" : "-";
  outputs.add(outputFile.empty() ? standard : outputFile) << *text;
  return absl::OkStatus();
}

} // namespace

int main(int argc, char **argv) {
  const Tool tool("keratin-compile");
  CommandLine line = commandLine();
  if (auto done = tool.parse(line, argc, argv, conflict))
    return int(*done);
  if (!timeTrace.empty())
    llvm::timeTraceProfilerInitialize(/*TimeTraceGranularity=*/100, "keratin-compile");
  Watchdog watchdog(inputs.front(), timeout);
  OutputFiles outputs;
  absl::Status status = tool.attempt([&] { return run(outputs, watchdog); });
  if (!timeTrace.empty()) {
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream trace(bytes);
    llvm::timeTraceProfilerWrite(trace);
    llvm::timeTraceProfilerCleanup();
    if (status.ok())
      outputs.add(timeTrace) << trace.str();
  }
  return tool.finish(status.ok() ? outputs.commit() : status);
}
