// compile: from nothing to a function that can be called, graph building included. Nothing is on
// the disk; warm is a function that equals one of the process. equal_functions: fifty that equal
// one of the process, and fifty that are equal but for a scalar. from_disk: one that another
// process has compiled.
#include "benchmarks/keratin-bench/Bench.h"
#include "compiler/store/FunctionStore.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>

using namespace keratin::bench;
namespace K = keratin::backend;

namespace {

// Three ops on a vector of n, and a fourth with a factor: each n is another function.
struct Compiled {
  K::Function function;
  double milliseconds;
};

Compiled compileThreeOps(int64_t n, std::optional<double> factor = std::nullopt) {
  double start = seconds();
  K::Tensor x = K::placeholder({n}), y = K::placeholder({n}), z = K::tanh(x * y);
  K::Function f = K::function({x, y}, {(factor ? z * *factor : z) + x});
  return {f, (seconds() - start) * 1e3};
}

void check(const K::Function &f, int64_t n, double factor = 1) {
  const K::Array inputs[] = {randomArray({n}, -2, 2, 1), randomArray({n}, -2, 2, 2)};
  std::vector<K::Array> outputs;
  f.call(inputs, 2, outputs);
  Doubles expected = toDoubles(inputs[0]);
  for (int64_t i = 0; i < n; ++i)
    expected[size_t(i)] += factor * std::tanh(expected[size_t(i)] * inputs[1].data<float>()[i]);
  Bench::expectNear("n=" + std::to_string(n), outputs[0], expected.data(), 1e-6, 1e-6);
}

} // namespace

static void report(Bench &bench, const char *name, const char *caseName,
                   const std::vector<double> &readings, const K::Function &f) {
  Row row;
  row.name = name;
  row.caseName = caseName;
  row.describe(f);
  row.timing = summarize(readings);
  bench.report(row);
}

void keratin::bench::runCompile(Bench &bench) {
  int64_t n = 1000;
  auto report = [&](const char *name, const std::vector<double> &readings, const K::Function &f) {
    ::report(bench, "compile", name, readings, f);
  };
  Compiled first = compileThreeOps(n);
  check(first.function, n);
  report("3 ops, first of the process", {first.milliseconds}, first.function);

  // One compilation is a batch of its own.
  const int times = bench.checkOnly() ? 2 : bench.batches();
  std::vector<double> cold, warm;
  K::Function last;
  for (int i = 0; i < times; ++i) {
    Compiled compiled = compileThreeOps(++n);
    cold.push_back(compiled.milliseconds);
    last = compiled.function;
    check(last, n);
  }
  report("3 ops, cold", cold, last);
  for (int i = 0; i < times; ++i) {
    Compiled compiled = compileThreeOps(n);
    warm.push_back(compiled.milliseconds);
    last = compiled.function;
    check(last, n);
  }
  report("3 ops, warm", warm, last);
}

void keratin::bench::runEqualFunctions(Bench &bench) {
  constexpr int64_t n = 900;
  const int times = bench.checkOnly() ? 2 : bench.batches();
  Compiled first = compileThreeOps(n);
  std::vector<double> readings;
  for (int i = 0; i < times; ++i) {
    std::vector<K::Function> functions;
    double start = seconds();
    for (int each = 0; each < 50; ++each)
      functions.push_back(compileThreeOps(n).function);
    readings.push_back((seconds() - start) * 1e3);
    check(functions.back(), n);
  }
  report(bench, "equal_functions", "50 of 3 ops", readings, first.function);

  // The first of them, too: nobody has any of their code.
  readings.clear();
  for (int i = 0; i < times; ++i) {
    keratin::compiler::FunctionStore::ofProcess().clear();
    std::vector<K::Function> functions;
    double start = seconds();
    for (int each = 1; each <= 50; ++each)
      functions.push_back(compileThreeOps(n, 0.3 * each).function);
    readings.push_back((seconds() - start) * 1e3);
    check(functions.back(), n, 0.3 * 50);
    first.function = functions.back();
  }
  report(bench, "equal_functions", "50 of 4 ops, each another scalar", readings, first.function);
}

void keratin::bench::runFromDisk(Bench &bench) {
  constexpr int64_t n = 800;
  std::string folder = (std::filesystem::temp_directory_path() / "keratin-bench-XXXXXX").string();
  if (!mkdtemp(folder.data()))
    throw std::runtime_error("no folder for temporary files");
  setenv("KERATIN_CACHE", folder.c_str(), 1);
  // As another process would: nobody in this one has the code.
  auto forget = [] { keratin::compiler::FunctionStore::ofProcess().clear(); };
  compileThreeOps(n);
  const int times = bench.checkOnly() ? 2 : bench.batches();
  std::vector<double> readings;
  K::Function last;
  for (int i = 0; i < times; ++i) {
    last = K::Function();
    forget();
    Compiled compiled = compileThreeOps(n);
    readings.push_back(compiled.milliseconds);
    last = compiled.function;
    check(last, n);
  }
  setenv("KERATIN_CACHE", "off", 1);
  std::filesystem::remove_all(folder);
  report(bench, "from_disk", "3 ops", readings, last);
}
