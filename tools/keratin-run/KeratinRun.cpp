// Runs a model on arrays from files: prints or writes what comes out, checks it against the
// reference interpreter, measures it.
#include "compiler/arrays/Npy.h"
#include "compiler/arrays/Npz.h"
#include "compiler/arrays/Weights.h"
#include "compiler/artifact/Names.h"
#include "compiler/driver/ModelFile.h"
#include "compiler/driver/PhaseDump.h"
#include "ir/dialect/Signature.h"
#include "ir/reference/HostConversions.h"
#include "runtime/core/DType.h"
#include "tools/keratin-run/Check.h"
#include "tools/keratin-run/DeviceChoice.h"
#include "tools/keratin-run/Feeds.h"
#include "tools/keratin-run/ProfileTrace.h"
#include "tools/keratin-run/Ranks.h"
#include "tools/keratin-run/Weights.h"
#include "tools/support/Compilation.h"
#include "tools/support/Models.h"
#include "tools/support/OutputFile.h"
#include "tools/support/Shards.h"
#include "tools/support/Sizes.h"
#include "tools/support/Tool.h"
#include "tools/support/Watchdog.h"

#include "mlir/IR/MLIRContext.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace keratin;
using namespace keratin::tools;

namespace {

// The command line.
std::vector<std::string> models;
std::string target, device, functionName, modelFile, stateFile, saveStateFile, weightsFile,
    saveWeightsFile, outputDirectory, outputFile, profileFile, float32Products, assumesSizes;
std::vector<std::string> inputFiles;
tools::ShardOptions shards;
NamedNumbers sizes;
std::optional<uint64_t> seed;
int64_t repeat = 1, threads = 0, memoryBudget = 0;
std::chrono::nanoseconds timeout{0};
bool check = false, timing = false, quiet = false, checkNumbers = false;

// Where what is printed goes: of several ranks rank 0 alone prints.
llvm::raw_ostream *output = &llvm::outs();

CommandLine commandLine() {
  CommandLine line(
      "keratin-run <model.ktg, .onnx, .h5, .mlir or .so> [options]",
      "Calls a function of a model and prints what it gives.\n\n"
      "A shared object is loaded into this process: that runs whatever code it holds.");
  line.positional(models, 1, 1);
  line.text("--function", functionName, "NAME", "the function; default: the only one");
  line.texts("--input", inputFiles, "NAME=FILE.npy",
             "an input; or FILE.npz, whose members are named as inputs");
  line.optionalNumber("--random", seed, 0, "SEED",
                      "random values for all inputs that are not given: floats\n"
                      "from -1 to 1, integers 0 or 1");
  addSizeOption(line, sizes,
                "an unknown size by its name: d0, d1, ..., INPUT_dimAXIS,\n"
                "or that of a saved graph; default: 4");
  addShardOptions(line, shards);
  line.text("--mesh", shards.mesh, "AXIS:RANKS,...",
            "the ranks as a mesh, as data:2,model:2, for messages and parts along its axes");
  line.number("--repeat", repeat, 0, "N",
              "so many calls; variables keep their values between; 0: none,\n"
              "for weights and states alone");
  line.text("--state", stateFile, "FILE", "load the values of variables first");
  line.text("--save-state", saveStateFile, "FILE", "save them after the last call");
  line.text("--weights", weightsFile, "FILE",
            "set variables by name from a .safetensors, .npz or .h5 file");
  line.text("--save-weights", saveWeightsFile, "FILE", "write such a file after the last call");
  line.text("--output-dir", outputDirectory, "FOLDER",
            "write the outputs of the last call as NAME.npy");
  line.text("--output", outputFile, "FILE.npz", "write them as one file");
  line.flag("--quiet", quiet, "print no outputs");
  line.flag("--check", check,
            "compare each call with the reference interpreter; exit\n"
            "code 5 where they differ by more than rounding explains");
  line.text("--model", modelFile, "FILE", "the model behind a shared object, for --check");
  line.flag("--time", timing, "measure calls on a copy of the variables");
  line.text("--profile", profileFile, "FILE",
            "write when each kernel ran, in Chrome's trace format; an\n"
            "object must have been compiled with --profile");
  line.text("--target", target, "TARGET", "cpu (default), or the name of another target");
  line.text("--device", device, "DEVICE",
            "cpu (default), cuda, cuda:1, or emulated: cuda without a GPU");
  line.bytes("--memory-budget", memoryBudget, "BYTES",
             "temporaries of a call, as 64MiB (keratin-compile --help)");
  line.choice("--float32-products", float32Products, {"float32", "tf32"},
              "how products of float32 may be computed (keratin-compile --help); --check allows\n"
              "for it");
  line.choice(
      "--assume-equal-sizes", assumesSizes, {"yes", "no"},
      "whether there is code for equal sizes beside that for all (keratin-compile --help);\n"
      "default: yes");
  line.duration("--timeout", timeout, "TIME",
                "end with exit code 4 if not done after 10, 10s, 500ms or 2min");
  line.flag("--check-numbers", checkNumbers,
            "calls fail where an op makes NaN or an infinity\n(keratin-compile --help)");
  line.number("--threads", threads, 1, "N", "threads of a call; default: as many as processors");
  return line;
}

codegen::Float32Products products() {
  return codegen::float32ProductsByName(float32Products)
      .value_or(codegen::Float32Products::Float32);
}

// The function to call, and what is known of it.
struct Loaded {
  std::unique_ptr<Program> program;
  ir::SavedGraph graph; // empty for a shared object without --model
  size_t function = 0;

  mlir::func::FuncOp op() const {
    return *std::next(graph.module.get().getOps<mlir::func::FuncOp>().begin(), ptrdiff_t(function));
  }
};

absl::Status readGraph(const std::string &file, mlir::MLIRContext &context, Loaded &loaded,
                       const std::string &name) {
  DiagnosticLines lines(context);
  auto graph = tools::readModel(file, context);
  if (!graph.ok())
    return lines.orElse(inFile(file, graph.status()));
  std::vector<std::string> names;
  for (const ir::SavedFunction &function : graph->functions)
    names.push_back(function.name);
  auto picked = pickFunction(names, name);
  if (!picked.ok())
    return inFile(file, picked.status());
  loaded.graph = *std::move(graph);
  loaded.function = *picked;
  return absl::OkStatus();
}

absl::Status load(mlir::MLIRContext &context, Loaded &loaded, Watchdog &watchdog) {
  watchdog.enter("reading the model");
  const std::string &file = models.front();
  if (!isObjectFile(file)) {
    if (!modelFile.empty())
      return absl::InvalidArgumentError("--model goes with a shared object");
    if (absl::Status status = compiler::checkDumpFolder(""); !status.ok())
      return status;
    if (absl::Status status = readGraph(file, context, loaded, functionName); !status.ok())
      return status;
    if (absl::Status status = tools::shardSizes(loaded.graph, shards); !status.ok())
      return status;
    compiler::CompileOptions options;
    options.profile = !profileFile.empty();
    options.memoryBudget = memoryBudget;
    auto choice = chooseDevice(device, target);
    if (!choice.ok())
      return choice.status();
    if (!choice->target.empty())
      options.target = choice->target;
    options.progress = tellProgress(watchdog);
    options.checkNumbers = checkNumbers;
    options.float32Products = products();
    options.assumeEqualSizes = assumesSizes != "no";
    compiler::PartOptions parts = partOptions(shards);
    parts.variables = !shards.mesh.empty(); // says of how many ranks they are parts
    auto program = Program::compile(loaded.graph, loaded.function, options, parts, choice->device);
    if (!program.ok())
      return program.status();
    loaded.program = *std::move(program);
    return absl::OkStatus();
  }
  if (!target.empty())
    return absl::InvalidArgumentError("--target goes with a model, not a shared object");
  if (!device.empty())
    return absl::InvalidArgumentError("--device goes with a model, not a shared object");
  if (std::string given = shards.given(); !given.empty())
    return absl::InvalidArgumentError(given +
                                      " goes with a model, not a shared object: "
                                      "keratin-compile " +
                                      given);
  if (memoryBudget > 0)
    return absl::InvalidArgumentError("--memory-budget goes with a model, not a shared object");
  if (checkNumbers)
    return absl::InvalidArgumentError("--check-numbers goes with a model, not a shared object: "
                                      "keratin-compile --check-numbers");
  if (!assumesSizes.empty())
    return absl::InvalidArgumentError(
        "--assume-equal-sizes goes with a model, not a shared object: "
        "keratin-compile --assume-equal-sizes");
  if (!float32Products.empty() && modelFile.empty())
    return absl::InvalidArgumentError("--float32-products goes with a model, or with --model for "
                                      "--check: keratin-compile --float32-products");
  auto program = Program::load(file, functionName);
  if (!program.ok())
    return inFile(file, program.status());
  loaded.program = *std::move(program);
  if (!modelFile.empty())
    return readGraph(modelFile, context, loaded, loaded.program->signature().name);
  if (check)
    return absl::InvalidArgumentError("--check needs the model behind the object: --model=FILE");
  return absl::OkStatus();
}

FeedOptions feedOptions(const Loaded &loaded) {
  FeedOptions options;
  options.files = inputFiles;
  options.sizes = sizes;
  options.seed = seed;
  if (!loaded.graph.module)
    return options;
  options.symbols = loaded.graph.functions[loaded.function].symbols;
  mlir::func::FuncOp function = loaded.op();
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    mlir::DenseElementsAttr value = ir::Signature(function).defaultValue(i);
    mlir::StringAttr name = ir::Signature(function).argumentName(i);
    auto tensor = value && name ? ir::fromElements(value) : std::nullopt;
    if (tensor)
      options.defaults[name.str()] = {tensor->dtype, tensor->dims, ir::toBytes(*tensor)};
  }
  return options;
}

std::vector<std::string> outputNames(const keratin_function_desc_t &signature) {
  std::vector<std::string> names;
  for (int32_t i = 0; i < signature.num_outputs; ++i)
    names.push_back(signature.outputs[i].name);
  return compiler::distinctNames(std::move(names));
}

absl::Status printOutputs(const std::vector<std::string> &names, std::vector<Array> &outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    keratin_tensor_t view = viewOf(outputs[i]);
    keratin_status_t status;
    size_t length = 0;
    if (keratin_format(&view, nullptr, 0, &length, &status) != KERATIN_OK)
      return statusOf(status);
    std::string text(length + 1, '\0');
    keratin_format(&view, text.data(), text.size(), &length, &status);
    text.resize(length);
    std::string shape;
    for (int64_t dim : outputs[i].dims)
      shape += (shape.empty() ? "" : ", ") + std::to_string(dim);
    *output << names[i] << ": " << runtime::dtypeName(outputs[i].dtype) << " (" << shape
            << (outputs[i].dims.size() == 1 ? ",)" : ")") << "\n"
            << text << "\n";
  }
  return absl::OkStatus();
}

absl::Status writeOutputs(const std::vector<std::string> &names,
                          const std::vector<Array> &outputs) {
  if (!outputDirectory.empty()) {
    if (std::error_code error = llvm::sys::fs::create_directories(outputDirectory))
      return absl::InvalidArgumentError(outputDirectory + ": error: " + error.message());
    for (size_t i = 0; i < outputs.size(); ++i) {
      std::string path = outputDirectory + "/" + compiler::fileName(names[i]) + ".npy";
      if (absl::Status status = writeOutput(path, compiler::formatNpy(outputs[i])); !status.ok())
        return status;
    }
  }
  if (outputFile.empty())
    return absl::OkStatus();
  std::vector<compiler::NamedView> named;
  for (size_t i = 0; i < outputs.size(); ++i)
    named.push_back({compiler::memberName(names[i]), outputs[i]});
  OutputFile file(outputFile);
  absl::Status status =
      compiler::writeNpz(named, [&](std::string_view bytes) { file.stream() << bytes; });
  return status.ok() ? file.commit() : status;
}

// Batches of calls: each long enough for the clock, all together a second or so; of all ranks as
// many, by the time of the slowest.
absl::Status measure(const Program &program, std::vector<Array> &inputs,
                     std::vector<Array> &outputs) {
  using Clock = std::chrono::steady_clock;
  using Milliseconds = std::chrono::duration<double, std::milli>;
  auto batch = [&](int64_t calls, double &milliseconds) {
    auto start = Clock::now();
    for (int64_t i = 0; i < calls; ++i)
      if (absl::Status status = program.call(inputs, outputs); !status.ok())
        return status;
    milliseconds = Milliseconds(Clock::now() - start).count();
    return takeLargest(program, milliseconds);
  };
  int64_t calls = 1;
  double milliseconds = 0;
  // The first call asks for memory.
  absl::Status status = batch(1, milliseconds);
  while (status.ok()) {
    status = batch(calls, milliseconds);
    if (milliseconds >= 10 || calls >= int64_t(1) << 40)
      break;
    calls *= milliseconds > 1 ? int64_t(10 / milliseconds) + 1 : 10;
  }
  std::vector<double> each;
  for (double total = 0; status.ok() && (each.size() < 5 || (total < 1000 && each.size() < 101));) {
    status = batch(calls, milliseconds);
    total += milliseconds;
    each.push_back(milliseconds / double(calls));
  }
  if (!status.ok())
    return status;
  llvm::sort(each);
  *output << "time: " << llvm::format("%.6f", each.front()) << " ms least, "
          << llvm::format("%.6f", each[each.size() / 2]) << " ms median of " << each.size()
          << " batches of " << calls << " calls, " << keratin_num_threads() << " threads\n";
  return absl::OkStatus();
}

// Records while it lives, unless there is no file to write.
class Profile {
public:
  explicit Profile(const Program &program) : program(program) {
    if (profileFile.empty())
      return;
    if (program.signature().num_kernels == 0)
      llvm::errs() << "keratin-run: warning: the function was not compiled with --profile: only "
                      "whole calls are recorded\n";
    events.reset(new keratin_profile_event_t[capacity]);
    keratin_profile_start(events.get(), capacity, nullptr);
  }
  ~Profile() { keratin_profile_stop(nullptr); }

  absl::Status write() {
    if (!events)
      return absl::OkStatus();
    int64_t dropped = 0, count = keratin_profile_stop(&dropped);
    if (dropped)
      llvm::errs() << "keratin-run: warning: the profile lacks " << dropped << " events beyond "
                   << capacity << "; use fewer calls\n";
    return writeOutput(fileOfRank(profileFile, program),
                       profileTrace({events.get(), events.get() + count}, program));
  }

private:
  static constexpr int64_t capacity = 1 << 20;
  const Program &program;
  std::unique_ptr<keratin_profile_event_t[]> events;
};

// The arrays of calls.
struct Arrays {
  std::vector<Array> inputs;  // of this rank
  std::vector<Array> whole;   // those of all ranks together, if there are several
  std::vector<Array> outputs; // what a call of this rank gives, or all calls together

  const std::vector<Array> &allInputs() const { return whole.empty() ? inputs : whole; }
};

absl::Status callAll(Program &program, std::optional<Check> &reference, Arrays &arrays,
                     Watchdog &watchdog) {
  Profile profile(program);
  for (int64_t i = 0; i < repeat; ++i) {
    watchdog.enter("running call " + std::to_string(i + 1));
    if (reference)
      if (absl::Status status = reference->expect(program, arrays.allInputs()); !status.ok())
        return status;
    if (absl::Status status = program.call(arrays.inputs, arrays.outputs); !status.ok())
      return status;
    if (reference || i + 1 == repeat)
      if (absl::Status status = gatherOutputs(program, arrays.outputs); !status.ok())
        return status;
    if (!reference)
      continue;
    if (absl::Status status = reference->compare(program, arrays.outputs); !status.ok())
      return absl::Status(status.code(),
                          (repeat > 1 ? "call " + std::to_string(i + 1) + ": " : "") +
                              std::string(status.message()));
  }
  watchdog.enterWriting("writing the profile");
  return profile.write();
}

// What is given to calls, and room for what they give.
absl::Status makeArrays(const Loaded &loaded, Arrays &arrays) {
  const Program &program = *loaded.program;
  auto feeds = makeFeeds(program, feedOptions(loaded));
  if (!feeds.ok())
    return feeds.status();
  arrays.inputs = *std::move(feeds);
  if (program.ranks() > 1) {
    arrays.whole = std::move(arrays.inputs);
    arrays.inputs = ownInputs(program, arrays.whole);
  }
  auto made = program.makeOutputs(arrays.inputs);
  if (made.ok())
    arrays.outputs = *std::move(made);
  return made.status();
}

absl::Status callAndReport(Loaded &loaded, Arrays &arrays, Watchdog &watchdog) {
  std::optional<Check> reference;
  if (check) {
    auto made = Check::of(loaded.op(), products(), loaded.program->ranks());
    if (!made.ok())
      return made.status();
    reference = *std::move(made);
  }
  Program &program = *loaded.program;
  if (absl::Status status = callAll(program, reference, arrays, watchdog); !status.ok())
    return status;
  watchdog.enterWriting("writing the outputs");
  std::vector<std::string> names = outputNames(program.signature());
  if (!quiet)
    if (absl::Status status = printOutputs(names, arrays.outputs); !status.ok())
      return status;
  if (check)
    *output << "check: " << repeat << (repeat == 1 ? " call agrees" : " calls agree")
            << " with the reference interpreter\n";
  return writeOutputs(names, arrays.outputs);
}

// Of several ranks rank 0 alone prints and writes, but for profiles; all of them give it what they
// have of variables.
void leaveResultsToFirst() {
  output = &llvm::nulls();
  quiet = true;
  for (std::string *file : {&saveStateFile, &saveWeightsFile, &outputDirectory, &outputFile})
    file->clear();
}

absl::Status callAndSave(Loaded &loaded, Watchdog &watchdog, bool savesState, bool savesWeights) {
  Program &program = *loaded.program;
  watchdog.enter("reading the inputs");
  if (threads)
    keratin_set_num_threads(int32_t(std::min<int64_t>(threads, INT32_MAX)));
  if (!stateFile.empty())
    if (absl::Status status = program.loadState(stateFile); !status.ok())
      return status;
  if (!weightsFile.empty())
    if (absl::Status status = loadWeights(program, weightsFile); !status.ok())
      return status;
  Arrays arrays;
  if (repeat > 0 || timing)
    if (absl::Status status = makeArrays(loaded, arrays); !status.ok())
      return status;
  if (repeat > 0)
    if (absl::Status status = callAndReport(loaded, arrays, watchdog); !status.ok())
      return status;
  if (savesState && (program.rank() == 0 || program.isDivided()))
    if (absl::Status status = program.saveState(saveStateFile); !status.ok())
      return status;
  if (savesWeights && (program.rank() == 0 || program.isDivided()))
    if (absl::Status status = saveWeights(program, saveWeightsFile); !status.ok())
      return status;
  if (timing) {
    watchdog.enter("measuring");
    if (absl::Status status = measure(program, arrays.inputs, arrays.outputs); !status.ok())
      return status;
  }
  // What one has not been able to write, the others say as well.
  return meet(program);
}

absl::Status run(Watchdog &watchdog) {
  mlir::DialectRegistry registry;
  compiler::registerModelDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false); // nobody reads notes
  Loaded loaded;
  if (absl::Status status = load(context, loaded, watchdog); !status.ok())
    return status;
  Program &program = *loaded.program;
  const bool savesState = !saveStateFile.empty(), savesWeights = !saveWeightsFile.empty();
  if (!shards.sizes.empty() || !shards.mesh.empty() || program.isOfRanks()) {
    watchdog.enter("joining the other ranks");
    if (absl::Status status = program.join(shards.mesh); !status.ok())
      return status;
    if (program.rank() > 0)
      leaveResultsToFirst();
  }
  absl::Status status = callAndSave(loaded, watchdog, savesState, savesWeights);
  if (!status.ok())
    program.tellRanks(status);
  return status;
}

// What is wrong with the command line, whatever the model is; "" if nothing is.
std::string conflict() {
  for (const std::string &file : inputFiles)
    if (file.find('=') == std::string::npos && !llvm::StringRef(file).ends_with(".npz"))
      return "--input needs NAME=FILE.npy or FILE.npz, found '" + file + "'";
  for (const auto &[file, use] : {std::pair(weightsFile, compiler::WeightsUse::Read),
                                  std::pair(saveWeightsFile, compiler::WeightsUse::Write)})
    if (!file.empty())
      if (absl::Status status = compiler::checkWeightsPath(file, use); !status.ok())
        return std::string(status.message());
  return meshProblem(shards);
}

} // namespace

int main(int argc, char **argv) {
  const Tool tool("keratin-run");
  CommandLine line = commandLine();
  if (auto done = tool.parse(line, argc, argv, conflict))
    return int(*done);
  Watchdog watchdog(models.front(), timeout);
  return tool.finish(tool.attempt([&] { return run(watchdog); }));
}
