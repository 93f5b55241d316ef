#include "benchmarks/keratin-bench/DeviceBench.h"

#include "benchmarks/keratin-bench/DeviceModels.h"
#include "benchmarks/keratin-bench/DeviceReport.h"
#include "benchmarks/keratin-bench/JsonLines.h"
#include "benchmarks/keratin-bench/ModelFolder.h"
#include "benchmarks/keratin-bench/Occupancy.h"
#include "codegen/gpu/ptx/Ptxas.h"
#include "codegen/gpu/ptx/Sass.h"
#include "runtime/abi/keratin_cuda_abi.h"
#include "runtime/core/DType.h"
#include "tools/keratin-run/DeviceChoice.h"
#include "tools/keratin-run/Feeds.h"

#include <keratin/saving.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <sstream>
#include <stdexcept>

using namespace keratin;
using namespace keratin::bench;

// What registers and machine code are shown for: the H100 of the roofline.
static constexpr const char *kArchitecture = "sm_90";

//===-- The emulator
//------------------------------------------------------------------------------//

// What was done since the last call: a line of JSON for the driver's calls, then one for each
// kernel.
static std::vector<Json> emulatorReport() {
  void *library = dlopen(std::getenv("KERATIN_CUDA_DRIVER"), RTLD_NOW | RTLD_LOCAL);
  auto *report =
      library ? reinterpret_cast<const char *(*)()>(dlsym(library, "keratin_emulator_report"))
              : nullptr;
  if (!report)
    throw std::runtime_error("the emulator does not tell what it did");
  std::vector<Json> lines;
  std::stringstream stream(report());
  for (std::string line; std::getline(stream, line);)
    lines.push_back(parseLine(line));
  dlclose(library);
  return lines;
}

static MemoryTraffic trafficOf(const Json &traffic) {
  return {traffic.at("units"), traffic.at("ideal_units"), traffic.at("once_units")};
}

static DeviceKernelRow kernelOf(const Json &line) {
  const Json &counters = line.at("counters"), &kinds = counters.at("by_kind");
  DeviceKernelRow kernel;
  kernel.name = line.at("kernel");
  kernel.launches = counters.at("launches");
  kernel.blocks = counters.at("blocks");
  kernel.warpInstructions = counters.at("instructions");
  kernel.threadInstructions = counters.at("thread_instructions");
  kernel.floatProducts = kinds.value("ffma", 0.0);
  kernel.matrixProducts = kinds.value("mma", 0.0);
  kernel.global = trafficOf(counters.at("global"));
  kernel.shared = trafficOf(counters.at("shared"));
  return kernel;
}

//===-- The code
//----------------------------------------------------------------------------------//

namespace {
// Of the kernels of a function, by their names.
struct KernelCode {
  std::map<std::string, keratin_cuda_kernel_t> launches;
  std::map<std::string, InnerLoop> ptxLoops, sassLoops;
  std::map<std::string, codegen::KernelResources> resources;

  void describe(DeviceKernelRow &kernel) const;
};
} // namespace

static KernelCode codeOf(const keratin_device_code_t &device) {
  KernelCode code;
  std::string ptx, error;
  for (int64_t i = 0; i < device.num_images; ++i) {
    const keratin_image_t &image = device.images[i];
    auto *data = static_cast<const char *>(image.data);
    if (!std::strcmp(image.kind, KERATIN_CUDA_IMAGE_PTX))
      ptx = data;
    else if (!std::strcmp(image.kind, KERATIN_CUDA_IMAGE_KERNELS))
      for (int64_t k = 0; k < device.num_kernels; ++k)
        std::memcpy(&code.launches[device.kernels[k]],
                    data + size_t(k) * sizeof(keratin_cuda_kernel_t),
                    sizeof(keratin_cuda_kernel_t));
  }
  code.ptxLoops = innerLoopsOfPtx(ptx);
  auto assembler = codegen::Ptxas::find(&error);
  if (!assembler)
    return code;
  auto assembled = assembler->assemble(ptx, kArchitecture, &error);
  if (!assembled)
    throw std::runtime_error(error);
  for (const codegen::KernelResources &kernel : assembled->kernels)
    code.resources[kernel.kernel] = kernel;
  if (auto sass = codegen::disassembleCubin(assembled->cubin, &error))
    code.sassLoops = innerLoopsOfSass(*sass);
  return code;
}

void KernelCode::describe(DeviceKernelRow &kernel) const {
  const keratin_cuda_kernel_t &launch = launches.at(kernel.name);
  kernel.blockThreads = launch.block_threads;
  kernel.sharedBytes = launch.shared_bytes;
  kernel.ptxLoop = ptxLoops.at(kernel.name);
  if (auto found = sassLoops.find(kernel.name); found != sassLoops.end())
    kernel.sassLoop = found->second;
  if (auto found = resources.find(kernel.name); found != resources.end()) {
    kernel.sharedBytes += found->second.sharedBytes;
    kernel.registers = found->second.registers;
    kernel.spillBytes = found->second.spillStores + found->second.spillLoads;
    kernel.occupancy = occupancy(kernel.blockThreads, *kernel.registers, kernel.sharedBytes);
  }
}

//===-- Rows
//--------------------------------------------------------------------------------------//

static void countTensors(DeviceRow &row, const keratin_function_desc_t &signature,
                         const std::vector<tools::Array> &inputs,
                         const std::vector<tools::Array> &outputs) {
  double bytes = 0, elements[2] = {0, 0}; // read, written
  auto count = [&](double size, int32_t dtype, bool isWritten) {
    bytes += size;
    elements[isWritten] += size / double(runtime::dtypeSize(dtype));
  };
  auto countVariable = [&](int32_t number, bool isWritten) {
    const keratin_tensor_desc_t &variable = signature.variables[number];
    int64_t size = 0;
    runtime::tensorBytes(variable.dtype, variable.rank, variable.dims, size);
    count(double(size), variable.dtype, isWritten);
  };
  for (const tools::Array &input : inputs)
    count(double(input.data.size()), input.dtype, false);
  for (const tools::Array &output : outputs)
    count(double(output.data.size()), output.dtype, true);
  for (int32_t i = 0; i < signature.num_variables; ++i)
    countVariable(i, false);
  for (int32_t i = 0; i < signature.num_updates; ++i)
    countVariable(signature.updates[i].variable, true);
  row.leastBytes = bytes;
  row.elements = std::max(elements[0], elements[1]);
}

static DeviceRow measure(const DeviceModel &model, const ModelFolder &folder,
                         codegen::Float32Products float32Products) {
  compiler::CompileOptions options;
  options.target = KERATIN_CUDA_DEVICE;
  options.float32Products = float32Products;
  auto program = folder.compile(model.make(), options, KERATIN_CUDA_DEVICE);
  tools::FeedOptions feeds;
  feeds.seed = 1;
  std::vector<tools::Array> inputs = checked(tools::makeFeeds(*program, feeds));
  std::vector<tools::Array> outputs = checked(program->makeOutputs(inputs));
  check(program->call(inputs, outputs)); // what a first call alone does
  emulatorReport();
  check(program->call(inputs, outputs));

  DeviceRow row;
  row.name = model.name;
  row.caseName = model.caseName;
  const keratin_function_desc_t &signature = program->signature();
  countTensors(row, signature, inputs, outputs);
  const KernelCode code = codeOf(*signature.device_code);
  std::vector<Json> lines = emulatorReport();
  row.launches = lines.front().at("launches");
  row.copiesIn = lines.front().at("copies_in");
  row.copiesOut = lines.front().at("copies_out");
  for (size_t i = 1; i < lines.size(); ++i) {
    row.kernels.push_back(kernelOf(lines[i]));
    code.describe(row.kernels.back());
  }
  if (row.kernels.empty())
    throw std::runtime_error("no kernel was launched");
  return row;
}

void keratin::bench::saveDeviceModels(const std::string &folder) {
  for (const DeviceModel &model : deviceModels())
    backend::save_function(model.make(), folder + "/" + model.name + ".ktg");
}

int keratin::bench::runDeviceRows(const std::vector<std::string> &names, bool json,
                                  codegen::Float32Products float32Products) {
  auto choice = checked(tools::chooseDevice("emulated", ""));
  const ModelFolder folder;
  const DeviceReport report(json);
  report.printBeginning(kArchitecture);
  int failures = 0;
  for (const DeviceModel &model : deviceModels()) {
    bool isWanted = names.empty() || std::count(names.begin(), names.end(), model.name);
    if (!isWanted)
      continue;
    // A row that fails does not hide the others.
    try {
      report.print(measure(model, folder, float32Products));
    } catch (const std::exception &error) {
      std::fflush(stdout);
      std::fprintf(stderr, "keratin-bench: error: %s: %s\n", model.name.c_str(), error.what());
      ++failures;
    }
  }
  return failures;
}
