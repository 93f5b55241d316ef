// keratin-bench: how fast compiled functions are, against what this machine can do.
#include "benchmarks/keratin-bench/Bench.h"
#include "benchmarks/keratin-bench/DeviceBench.h"
#include "benchmarks/keratin-bench/DeviceModels.h"
#include "benchmarks/keratin-bench/DeviceTimes.h"
#include "compiler/driver/Version.h"

#include <keratin/runtime.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string_view>

using namespace keratin::bench;

namespace {

struct Family {
  const char *name;
  void (*run)(Bench &bench);
};

// compile comes first: one of its cases is the first function of the process.
constexpr Family kFamilies[] = {{"compile", runCompile},
                                {"eval_shapes", runEvalShapes},
                                {"equal_functions", runEqualFunctions},
                                {"from_disk", runFromDisk},
                                {"dag", runDag},
                                {"repeated_blocks", runDeepResnet},
                                {"repeated_blocks", runDeepEncoder},
                                {"ew_chain", runEwChain},
                                {"gemm", runGemm},
                                {"mlp", runMlp},
                                {"embedding", runEmbedding},
                                {"small", runSmall},
                                {"small", runSmallScan},
                                {"dynbatch", runDynBatch},
                                {"two_sizes", runTwoSizes},
                                {"reduce", runReduce},
                                {"batchnorm", runBatchNorm},
                                {"softmax", runSoftmaxes},
                                {"layernorm", runLayerNorms},
                                {"attention", runAttention},
                                {"xformer", runTransformer},
                                {"sepconv", runSepConv},
                                {"cnn_cifar", runCnnCifar},
                                {"resnet20", runResnet20},
                                {"resnet50", runResnet50},
                                {"rnn", runRnn},
                                {"ctc", runCtc},
                                {"check_numbers", runCheckNumbers},
                                {"two_threads", runTwoThreads}};

constexpr const char *kUsage =
    R"(usage: keratin-bench [names] [options]

names: compile eval_shapes equal_functions from_disk dag repeated_blocks ew_chain gemm mlp
       embedding small dynbatch two_sizes reduce batchnorm softmax layernorm attention xformer
       sepconv cnn_cifar resnet20 resnet50 rnn ctc check_numbers two_threads; all without any.
       With --device, those that its table has

  --device=emulated
                 what kernels for CUDA devices do in a call, counted by an emulator: bytes,
                 sectors, wavefronts, instructions, registers, and an estimate for an H100
  --device=cuda  times on the GPU that NVIDIA's driver has (cuda:1 is the second), of larger
                 functions: of calls whose inputs and outputs lie there, and of their kernels
  --target=NAME  with --device=cuda: what is compiled for (cuda; cuda:sm_90a)
  --seconds=N    with --device=cuda: of calls that are timed, a case (0.3)
  --scale=N      with --device=cuda: sizes are divided by N, for a try on the emulator
  --limit=N      with --device=cuda: seconds after which a case is given up (120)
  --float32-products=tf32
                 with --device: products of float32 in tf32 (docs/gpu.md)
  --save-models=FOLDER
                 writes the functions of that table as FOLDER/<name>.ktg, and does nothing else
  --save-functions=FOLDER
                 writes the functions of rows as FOLDER/<row>_<case>.ktg, too: keratin-run
                 --profile says what their kernels take (docs/tools.md)
  --json         one JSON object a line: the machine, the ceilings, the rows
  --check-only   compares all results with the reference and times nothing
  --large        cases larger than the caches, ResNet-50, and graphs of 100,000 ops, too
  --threads=N    threads of a call and of the ceilings (1)
  --case=TEXT    times only cases whose names have the text in them
  --batches=N    readings a case, each of at least 4 ms (40)
  --clock=cpu    counts the time of this process, not the time that passes (one thread only)
  --peers=FILE   what other libraries took, as benchmarks/libraries/measure.py writes it

ratio is the minimum over the ceiling: 1 is the best this machine allows. The ceiling of
check_numbers is the same function without the checks, that of two_threads half of what one
thread takes.
)";

bool readNumber(std::string_view text, int &number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number > 0;
}

// Of --device and --save-models.
struct DeviceOptions {
  bool isEmulated = false;
  DeviceTimesOptions times; // its device is "" unless times are asked for
  std::optional<keratin::codegen::Float32Products> float32Products;
  std::string modelFolder; // not empty: only writes the models there
};

bool readOption(std::string_view argument, Options &options, DeviceOptions &device) {
  auto value = [&](std::string_view name) {
    return argument.starts_with(name) ? argument.substr(name.size()) : std::string_view();
  };
  if (argument == "--json")
    return options.json = true;
  if (argument == "--check-only")
    return options.checkOnly = true;
  if (argument == "--large")
    return options.large = true;
  if (argument == "--clock=wall")
    return true;
  if (argument == "--clock=cpu") {
    clockInUse() = CLOCK_PROCESS_CPUTIME_ID;
    return true;
  }
  if (auto text = value("--threads="); !text.empty())
    return readNumber(text, options.threads);
  if (auto text = value("--batches="); !text.empty())
    return readNumber(text, options.batches) && readNumber(text, device.times.batches);
  if (auto text = value("--case="); !text.empty()) {
    options.cases = text;
    return true;
  }
  if (auto text = value("--peers="); !text.empty()) {
    options.peers = text;
    return true;
  }
  if (argument == "--device=emulated")
    return device.isEmulated = true;
  if (auto text = value("--device="); text == "cuda" || text.starts_with("cuda:")) {
    device.times.device = text;
    return true;
  }
  if (auto text = value("--target="); !text.empty()) {
    device.times.target = text;
    return true;
  }
  if (auto text = value("--seconds="); !text.empty()) {
    auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), device.times.seconds);
    return error == std::errc() && end == text.data() + text.size() && device.times.seconds > 0;
  }
  if (int scale = 0; !value("--scale=").empty()) {
    bool isRead = readNumber(value("--scale="), scale);
    device.times.scale = scale;
    return isRead;
  }
  if (auto text = value("--limit="); !text.empty())
    return readNumber(text, device.times.limitSeconds);
  if (auto text = value("--float32-products="); !text.empty()) {
    device.float32Products = keratin::codegen::float32ProductsByName(text);
    return device.float32Products.has_value();
  }
  if (auto text = value("--save-functions="); !text.empty()) {
    options.functionFolder = text;
    return true;
  }
  if (auto text = value("--save-models="); !text.empty()) {
    device.modelFolder = text;
    return true;
  }
  options.names.emplace_back(argument);
  return !argument.starts_with("-");
}

// The first of the names that is no row's; "" if there is none.
std::string unknownName(const Options &options, const DeviceOptions &device) {
  for (const std::string &name : options.names) {
    auto isAmong = [&](const auto &rows) {
      return std::any_of(std::begin(rows), std::end(rows),
                         [&](const auto &row) { return row.name == name; });
    };
    bool known = device.isEmulated              ? isAmong(deviceModels())
                 : !device.times.device.empty() ? isAmong(deviceCases(1))
                                                : isAmong(kFamilies);
    if (!known)
      return name;
  }
  return "";
}

int runFamilies(const Options &options) {
  int failures = 0;
  Bench bench(options);
  for (const Family &family : kFamilies) {
    if (!options.names.empty() &&
        std::count(options.names.begin(), options.names.end(), std::string(family.name)) == 0)
      continue;
    // A row that fails does not hide the others.
    try {
      family.run(bench);
    } catch (const std::exception &error) {
      std::fflush(stdout);
      std::fprintf(stderr, "keratin-bench: error: %s: %s\n", family.name, error.what());
      ++failures;
    }
  }
  return failures;
}

int runTimes(const Options &options, DeviceOptions &device) {
  device.times.names = options.names;
  device.times.cases = options.cases;
  device.times.json = options.json;
  device.times.float32Products = device.float32Products;
  return runDeviceTimes(device.times);
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  DeviceOptions device;
  auto refuse = [](const std::string &argument) {
    std::fprintf(stderr, "keratin-bench: unknown or bad argument '%s'\n\n%s", argument.c_str(),
                 kUsage);
    return 2;
  };
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--help")) {
      std::fputs(kUsage, stdout);
      return 0;
    }
    if (!std::strcmp(argv[i], "--version")) {
      std::printf("keratin-bench %s\n", keratin::compiler::versionText);
      return 0;
    }
    if (!readOption(argv[i], options, device))
      return refuse(argv[i]);
  }
  if (std::string name = unknownName(options, device); !name.empty())
    return refuse(name);
  if (options.threads > 1 && clockInUse() != CLOCK_MONOTONIC) {
    std::fprintf(stderr, "keratin-bench: --clock=cpu adds up the time of all threads; it needs "
                         "--threads=1\n");
    return 2;
  }
  const bool isTimed = !device.times.device.empty();
  if (device.float32Products && !device.isEmulated && !isTimed) {
    std::fprintf(stderr, "keratin-bench: --float32-products goes with --device\n");
    return 2;
  }
  // Only from_disk has a cache folder, of its own.
  setenv("KERATIN_CACHE", "off", 1);
  // The CPU only checks what a device did, with what it has.
  if (!isTimed)
    keratin_set_num_threads(options.threads);
  int failures = 0;
  try {
    if (!device.modelFolder.empty())
      saveDeviceModels(device.modelFolder);
    else if (isTimed)
      failures = runTimes(options, device);
    else
      failures = device.isEmulated ? runDeviceRows(options.names, options.json,
                                                   device.float32Products.value_or(
                                                       keratin::codegen::Float32Products::Float32))
                                   : runFamilies(options);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "keratin-bench: error: %s\n", error.what());
    return 1;
  }
  return failures ? 1 : 0;
}
