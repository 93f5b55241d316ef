#include "benchmarks/keratin-bench/TimedCall.h"

#include "benchmarks/keratin-bench/Bench.h"
#include "runtime/core/DType.h"

#include <keratin/device.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

using namespace keratin;
using namespace keratin::bench;

//===-- Memory -----------------------------------------------------------------------------------//

static void check(keratin_status_code_t code, const keratin_status_t &status) {
  if (code != KERATIN_OK)
    throw std::runtime_error(status.message);
}

DeviceMemory::DeviceMemory(const keratin_device_t &device, size_t bytes)
    : device(device), bytes(bytes),
      memory(device.allocate(device.user, std::max<size_t>(bytes, 1), kAlignment)) {
  if (!memory)
    throw std::runtime_error("the device has no memory for " + std::to_string(bytes) + " bytes");
}

DeviceMemory::~DeviceMemory() {
  if (memory)
    device.release(device.user, memory, std::max<size_t>(bytes, 1), kAlignment);
}

DeviceMemory::DeviceMemory(DeviceMemory &&other) noexcept
    : device(other.device), bytes(other.bytes), memory(std::exchange(other.memory, nullptr)) {}

void DeviceMemory::write(const void *from) {
  keratin_status_t status;
  ::check(device.copy_in(device.user, nullptr, 0, memory, from, bytes, &status), status);
}

void DeviceMemory::read(void *to) const {
  keratin_status_t status;
  ::check(device.copy_out(device.user, nullptr, 0, to, memory, bytes, &status), status);
}

void DeviceMemory::copyFrom(const DeviceMemory &other) {
  keratin_status_t status;
  ::check(device.copy_within(device.user, nullptr, 0, memory, other.memory, bytes, &status),
          status);
}

//===-- Inputs -----------------------------------------------------------------------------------//

static size_t bytesOf(const keratin_tensor_desc_t &tensor) {
  int64_t bytes = 0;
  if (!runtime::tensorBytes(tensor.dtype, tensor.rank, tensor.dims, bytes))
    throw std::runtime_error("a tensor that no memory holds");
  return size_t(bytes);
}

// So many numbers, again and again: to draw millions would take longer than all else. A prime, so
// that rows differ.
static constexpr int64_t kDrawn = 65521;

static tools::Array inputOf(const keratin_tensor_desc_t &tensor, const DeviceCase &which,
                            uint64_t seed) {
  const auto dtype = DType(tensor.dtype);
  const bool isFloat = dtype >= DType::Float16;
  // Beneath `integers` when cut off, however they were rounded.
  const Array drawn = randomArray({kDrawn}, isFloat ? which.low : 0,
                                  isFloat ? which.high : double(which.integers) - 0.01, seed)
                          .astype(dtype);
  tools::Array array{keratin_dtype_t(tensor.dtype),
                     {tensor.dims, tensor.dims + tensor.rank},
                     std::vector<char>(bytesOf(tensor))};
  for (size_t at = 0; at < array.data.size(); at += drawn.bytes())
    std::memcpy(&array.data[at], drawn.rawData(), std::min(drawn.bytes(), array.data.size() - at));
  return array;
}

//===-- The call ---------------------------------------------------------------------------------//

TimedCall::TimedCall(const DeviceCase &which, const ModelFolder &folder,
                     compiler::CompileOptions options, const std::string &device)
    : which(which), folder(folder) {
  options.profile = true;
  const Function function = which.make(which.rows);
  const double start = seconds();
  program = folder.compile(function, options, device);
  compiling = seconds() - start;

  const keratin_function_desc_t &signature = program->signature();
  for (int32_t i = 0; i < signature.num_inputs; ++i)
    inputs.push_back(inputOf(signature.inputs[i], which, uint64_t(i + 1)));
  outputs = checked(program->makeOutputs(inputs));
  auto place = [&](std::vector<tools::Array> &arrays, std::vector<keratin_tensor_t> &views) {
    for (tools::Array &array : arrays) {
      memory.emplace_back(program->device(), array.data.size());
      memory.back().write(array.data.data());
      keratin_tensor_t view = tools::viewOf(array);
      view.data = memory.back().data();
      view.device = &program->device();
      views.push_back(view);
    }
  };
  place(inputs, inputViews);
  place(outputs, outputViews);
}

double TimedCall::leastBytes() const {
  const keratin_function_desc_t &signature = program->signature();
  double bytes = 0;
  for (const tools::Array &array : inputs)
    bytes += double(array.data.size());
  for (const tools::Array &array : outputs)
    bytes += double(array.data.size());
  for (int32_t i = 0; i < signature.num_variables; ++i)
    bytes += double(bytesOf(signature.variables[i]));
  for (int32_t i = 0; i < signature.num_updates; ++i)
    bytes += double(bytesOf(signature.variables[signature.updates[i].variable]));
  return bytes;
}

void TimedCall::call() { keratin::bench::check(program->call(inputViews, outputViews)); }

//===-- Against the CPU --------------------------------------------------------------------------//

// Relative to the element and to the root of the mean square of all: sums are in another order, and
// what a dtype has of bits is rounded in more than one place.
static double boundOf(Numbers numbers) {
  return std::array{1e-4, 4e-3, 8e-3, 4e-2, 1e-11}[size_t(numbers)];
}

// Biases begin with zeros, and some have a gradient of nothing but rounding (those of keys, which
// add the same to all that a softmax is taken of).
static constexpr double kLeastVariable = 1e-3;

// So many elements are compared.
static constexpr int64_t kCompared = 1 << 20;

// Every stride-th of the first `count` elements.
static Doubles someOf(const tools::Array &array, int64_t count, int64_t stride) {
  const size_t size = runtime::dtypeSize(array.dtype);
  const int64_t some = (count + stride - 1) / stride;
  Array picked = Array::empty(DType(array.dtype), {some});
  auto *to = static_cast<char *>(picked.rawData());
  for (int64_t i = 0; i < some; ++i)
    std::memcpy(to + size_t(i) * size, &array.data[size_t(i * stride) * size], size);
  return toDoubles(picked.dtype() >= DType::Float16 ? picked : picked.astype(DType::Float64));
}

double TimedCall::errorOf(const tools::Array &expected, const tools::Array &found,
                          double least) const {
  const auto count = int64_t(expected.data.size() / runtime::dtypeSize(expected.dtype));
  if (count == 0)
    return 0;
  const int64_t stride = std::max<int64_t>(count / kCompared, 1) | 1;
  const Doubles right = someOf(expected, count, stride), ours = someOf(found, count, stride);
  double squares = 0, worst = 0;
  for (double value : right)
    squares += value * value / double(right.size());
  for (size_t i = 0; i < right.size(); ++i) {
    const double allowed =
        boundOf(which.numbers) * (std::abs(right[i]) + std::max(std::sqrt(squares), least));
    const double error = std::abs(ours[i] - right[i]);
    // Written so that NaN is wrong.
    if (!(error <= worst * allowed))
      worst = allowed > 0 ? error / allowed : INFINITY;
    if (std::isnan(worst))
      return INFINITY;
  }
  return worst;
}

double TimedCall::firstError() {
  call();
  for (size_t i = 0; i < outputs.size(); ++i)
    memory[inputs.size() + i].read(outputs[i].data.data());

  auto reference = folder.compile(which.make(which.checkedRows), compiler::CompileOptions(), "");
  std::vector<tools::Array> some;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const keratin_tensor_desc_t &tensor = reference->signature().inputs[i];
    const auto data = inputs[i].data.begin();
    some.push_back({inputs[i].dtype,
                    {tensor.dims, tensor.dims + tensor.rank},
                    {data, data + ptrdiff_t(bytesOf(tensor))}});
  }
  std::vector<tools::Array> expected = checked(reference->makeOutputs(some));
  keratin::bench::check(reference->call(some, expected));
  double worst = 0;
  for (size_t i = 0; i < expected.size(); ++i)
    worst = std::max(worst, errorOf(expected[i], outputs[i], 0));
  if (which.checkedRows == which.rows)
    for (int32_t i = 0; i < program->signature().num_variables; ++i)
      worst = std::max(worst, errorOf(checked(reference->ownVariable(i)),
                                      checked(program->ownVariable(i)), kLeastVariable));
  // The host's copies are not needed any more.
  for (tools::Array &array : inputs)
    std::vector<char>().swap(array.data);
  return worst;
}

//===-- Times ------------------------------------------------------------------------------------//

// The second call with a key makes a graph, and updates that exchange buffers have two keys.
static constexpr int kWarmUp = 6;
static constexpr int kLeastReadings = 3, kMostReadings = 2000;

Timing TimedCall::time(double budget, int batches) {
  for (int i = 0; i < kWarmUp; ++i)
    call();
  std::vector<double> readings;
  const double begin = seconds();
  const int most = batches > 0 ? batches : kMostReadings;
  const int least = std::min(kLeastReadings, most);
  while (int(readings.size()) < most &&
         (int(readings.size()) < least || seconds() - begin < budget)) {
    const double start = seconds();
    call();
    readings.push_back((seconds() - start) * 1e3);
  }
  return summarize(readings);
}

std::vector<TimedKernel> TimedCall::profile() {
  constexpr int64_t capacity = 1 << 16;
  constexpr int calls = 4;
  std::vector<keratin_profile_event_t> events(capacity);
  std::vector<TimedKernel> best;
  double least = INFINITY;
  for (int i = 0; i < calls; ++i) {
    keratin_status_t status;
    ::check(keratin_profile_start(events.data(), capacity, &status), status);
    try {
      call();
    } catch (...) {
      keratin_profile_stop(nullptr);
      throw;
    }
    const int64_t count = keratin_profile_stop(nullptr);
    std::map<int32_t, TimedKernel> kernels;
    double all = 0;
    for (const keratin_profile_event_t &event :
         std::vector(events.begin(), events.begin() + count)) {
      if (event.kernel < 0 || event.begin_unit >= 0)
        continue;
      TimedKernel &kernel = kernels[event.kernel];
      if (event.kernel < event.function->num_kernels)
        kernel.name = event.function->kernels[event.kernel].name;
      ++kernel.launches;
      kernel.ms += double(event.end - event.begin) * 1e-6;
      all += double(event.end - event.begin);
    }
    if (all >= least)
      continue;
    least = all;
    best.clear();
    for (auto &[number, kernel] : kernels)
      best.push_back(std::move(kernel));
  }
  return best;
}
