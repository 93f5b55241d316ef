// How many warp instructions a second the emulator executes: ptx_benchmark [checks=off] [plain]
// [kernel].
#include "tests/cuda/Launcher.h"
#include "tests/cuda/emulator/Lanes.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string_view>

using namespace keratin::ptx;

namespace {

struct Run {
  const char *file, *kernel;
  Dim3 grid, block;
  uint32_t shared;
  Arguments (*arguments)(Launcher &);
};

constexpr int elements = 1 << 22, side = 256;

Arguments productArguments(Launcher &launcher) {
  std::vector<float> zeros(side * side, 1.0f);
  return Arguments()
      .add(launcher.upload(zeros))
      .add(launcher.upload(zeros))
      .add(launcher.upload(zeros))
      .add(side);
}
Arguments sumArguments(Launcher &launcher) {
  return Arguments()
      .add(launcher.upload(std::vector<float>(elements / 256)))
      .add(launcher.upload(std::vector<float>(elements, 1.0f)))
      .add(elements);
}
Arguments saxpyArguments(Launcher &launcher) {
  std::vector<float> ones(elements, 1.0f);
  return Arguments().add(launcher.upload(ones)).add(launcher.upload(ones)).add(2.0f).add(elements);
}
Arguments tensorArguments(Launcher &launcher) {
  std::vector<uint16_t> halves(side * side, 0x3c00);
  return Arguments()
      .add(launcher.upload(std::vector<float>(side * side)))
      .add(launcher.upload(halves))
      .add(launcher.upload(halves))
      .add(side)
      .add(side);
}

constexpr Run runs[] = {
    {"simple.nvcc.ptx", "product", {side / 64, side / 64}, {256}, 0, productArguments},
    {"simple.nvcc.ptx", "sum", {elements / 256}, {256}, 0, sumArguments},
    {"simple.nvcc.ptx", "saxpy", {elements / 256}, {256}, 0, saxpyArguments},
    {"tensor.nvcc.ptx", "productF16", {side / 64, side / 64}, {128}, 0, tensorArguments},
};

void measure(const Run &run, bool checks) {
  Launcher launcher = Launcher::fromFile(run.file);
  launcher.options.checks = checks;
  Arguments arguments = run.arguments(launcher);
  double best = 0;
  for (int repeat = 0; repeat < 5; ++repeat) {
    launcher.counters = Counters();
    // Of the processor, not of the clock: other programs may be running.
    std::clock_t begin = std::clock();
    if (auto fault = launcher.run(run.kernel, run.grid, run.block, arguments, run.shared)) {
      std::printf("%s\n", fault->message.c_str());
      return;
    }
    double seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
    best = std::max(best, double(launcher.counters.instructions) / seconds);
  }
  std::printf("%-12s %8.1f million warp instructions a second\n", run.kernel, best / 1e6);
}

} // namespace

int main(int count, char **words) {
  bool checks = true;
  std::string_view only;
  for (int i = 1; i < count; ++i) {
    checks &= std::string_view(words[i]) != "checks=off";
    if (std::string_view(words[i]) == "plain")
      useWideLanes(false);
    for (const Run &run : runs)
      if (words[i] == std::string_view(run.kernel))
        only = run.kernel;
  }
  for (const Run &run : runs)
    if (only.empty() || only == run.kernel)
      measure(run, checks);
}
