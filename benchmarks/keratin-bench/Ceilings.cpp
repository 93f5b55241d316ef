#include "benchmarks/keratin-bench/Ceilings.h"

#include "benchmarks/keratin-bench/MachineLoops.h"
#include "benchmarks/keratin-bench/Timing.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace keratin::bench;

// One reading: long enough for the timer, short enough to fall between two interruptions.
static constexpr double kSeconds = 0.001;
// The best of so many readings counts, as a ceiling is what was possible; of fewer where one takes
// long.
static constexpr int kMostReadings = 40, kFewestReadings = 5;
static constexpr double kAllSeconds = 0.2;

const char *keratin::bench::nameOf(Level level) {
  static const char *const names[] = {"L1", "L2", "L3", "memory"};
  return names[size_t(level)];
}

// What the first processor may use of it, as the kernel says; 0 if it does not.
static int64_t cacheBytesByKernel(int level) {
  for (int index = 0; index < 8; ++index) {
    const std::string folder =
        "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    auto read = [&](const char *name) {
      std::ifstream file(folder + name);
      std::string text;
      file >> text;
      return text;
    };
    const std::string size = read("size"); // "1024K"
    if (read("level") == std::to_string(level) && read("type") != "Instruction" &&
        size.ends_with("K"))
      return std::strtoll(size.c_str(), nullptr, 10) << 10;
  }
  return 0;
}

static int64_t cacheBytes(Level level) {
  // The C library knows the whole processor's third level where virtual machines have a part of it.
  if (int64_t bytes = cacheBytesByKernel(int(level) + 1))
    return bytes;
  // Hypervisors may hide the sizes.
  auto ask = [](int name, int64_t otherwise) {
    long bytes = sysconf(name);
    return bytes > 0 ? int64_t(bytes) : otherwise;
  };
  switch (level) {
  case Level::L1:
    return ask(_SC_LEVEL1_DCACHE_SIZE, 32 << 10);
  case Level::L2:
    return ask(_SC_LEVEL2_CACHE_SIZE, 1 << 20);
  default:
    return ask(_SC_LEVEL3_CACHE_SIZE, 32 << 20);
  }
}

// Bytes of one of a copy's two buffers.
static int64_t bufferBytes(Level level) {
  constexpr int64_t mebibyte = 1 << 20;
  int64_t bytes = 0;
  switch (level) {
  case Level::L1:
  case Level::L2:
    bytes = cacheBytes(level) / 4;
    break;
  case Level::L3:
    // Clear of the L2, and no more of what other cores share than a row uses.
    bytes = std::max(3 * cacheBytes(Level::L2), std::min(cacheBytes(level) / 8, 6 * mebibyte));
    break;
  case Level::Memory:
    bytes = std::clamp(2 * cacheBytes(Level::L3), 64 * mebibyte, 256 * mebibyte);
    break;
  }
  return bytes / 512 * 512;
}

namespace {

// Floats in huge pages where the system gives them, touched.
class Buffer {
public:
  explicit Buffer(int64_t bytes) : bytes((bytes + kPage - 1) / kPage * kPage) {
    data = static_cast<float *>(std::aligned_alloc(kPage, size_t(this->bytes)));
    if (!data)
      throw std::bad_alloc();
    madvise(data, size_t(this->bytes), MADV_HUGEPAGE);
    std::memset(data, 1, size_t(this->bytes));
  }
  ~Buffer() { std::free(data); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  float *get() const { return data; }

private:
  static constexpr int64_t kPage = 2 << 20;
  int64_t bytes;
  float *data;
};

} // namespace

// Runs work(thread) on so many threads at once.
static void onThreads(int threads, const std::function<void(int)> &work) {
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread)
    others.emplace_back(work, thread);
  work(0);
  for (std::thread &other : others)
    other.join();
}

// Units of work a second of all threads, where work(thread, rounds) does `units` of it a round.
static double bestRate(int threads, double units,
                       const std::function<void(int, int64_t rounds)> &work) {
  auto run = [&](int64_t rounds) {
    double start = seconds();
    onThreads(threads, [&](int thread) { work(thread, rounds); });
    return seconds() - start;
  };
  int64_t rounds = 1;
  double elapsed;
  while ((elapsed = run(rounds)) < kSeconds)
    rounds = std::max(2 * rounds, int64_t(double(rounds) * kSeconds / std::max(elapsed, 1e-9)));
  int readings = std::clamp(int(kAllSeconds / elapsed), kFewestReadings, kMostReadings);
  for (int i = 0; i < readings; ++i)
    elapsed = std::min(elapsed, run(rounds));
  return units * double(rounds) * threads / elapsed;
}

const char *keratin::bench::nameOf(Arithmetic arithmetic) {
  static const char *const names[] = {"fma f32", "fma f64", "fma bf16", "fma f16", "amx bf16"};
  return names[size_t(arithmetic)];
}

double keratin::bench::measurePeak(int threads, Arithmetic arithmetic) {
  const MachineLoops &loops = machineLoops();
  void (*run)(int64_t) = loops.multiplyAdd;
  double flops = double(loops.flopsPerStep);
  auto useIfThere = [&](void (*other)(int64_t), double factor) {
    if (!other)
      return;
    run = other;
    flops *= factor;
  };
  if (arithmetic == Arithmetic::Float64)
    useIfThere(loops.multiplyAddDouble, 0.5);
  else if (arithmetic == Arithmetic::BFloat16)
    useIfThere(loops.multiplyAddBFloat16, 2);
  else if (arithmetic == Arithmetic::Float16)
    useIfThere(loops.multiplyAddFloat16, 2);
  else if (arithmetic == Arithmetic::BFloat16Tiles && !loops.multiplyTiles)
    return 0;
  else if (arithmetic == Arithmetic::BFloat16Tiles)
    useIfThere(loops.multiplyTiles, double(kTileFlopsPerStep) / double(loops.flopsPerStep));
  constexpr int64_t steps = 1000;
  return bestRate(threads, double(steps) * flops,
                  [&](int, int64_t rounds) { run(steps * rounds); });
}

Bandwidth keratin::bench::measureBandwidth(Level level, int threads) {
  const MachineLoops &loops = machineLoops();
  int64_t bytes = bufferBytes(level), count = bytes / int64_t(sizeof(float));
  std::vector<std::unique_ptr<Buffer>> from, to;
  for (int thread = 0; thread < threads; ++thread) {
    from.push_back(std::make_unique<Buffer>(bytes));
    to.push_back(std::make_unique<Buffer>(bytes));
  }
  auto copyRate = [&](auto copy) {
    return bestRate(threads, 2.0 * double(bytes), [&, copy](int thread, int64_t rounds) {
      for (int64_t i = 0; i < rounds; ++i)
        copy(to[size_t(thread)]->get(), from[size_t(thread)]->get(), count);
    });
  };
  Bandwidth bandwidth;
  bandwidth.copy = copyRate(loops.copy);
  if (level == Level::Memory)
    bandwidth.copy = std::max(bandwidth.copy, copyRate(loops.streamCopy));
  bandwidth.read = bestRate(threads, double(bytes), [&](int thread, int64_t rounds) {
    for (int64_t i = 0; i < rounds; ++i)
      loops.read(from[size_t(thread)]->get(), count);
  });
  return bandwidth;
}

Ceilings::Ceilings(int threads) : threads(threads) {
  for (Arithmetic arithmetic : kArithmetics)
    peaks[size_t(arithmetic)] = measurePeak(threads, arithmetic);
  for (Level level : kLevels)
    bandwidths[size_t(level)] = measureBandwidth(level, threads);
}

Arithmetic Ceilings::fastest(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::BFloat16 && machineLoops().multiplyTiles
             ? Arithmetic::BFloat16Tiles
             : arithmetic;
}

Level Ceilings::levelOf(double bytes) {
  for (Level level : {Level::L1, Level::L2, Level::L3})
    if (bytes <= double(cacheBytes(level)))
      return level;
  return Level::Memory;
}

double Ceilings::milliseconds(const Work &work) const {
  const Bandwidth &bandwidth = at(levelOf(work.readBytes + work.movedBytes));
  return 1e3 * std::max({work.flops / peak(fastest(work.arithmetic)),
                         work.readBytes / bandwidth.read, work.movedBytes / bandwidth.copy});
}
