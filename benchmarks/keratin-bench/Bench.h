// What the rows share: options, checked results, timed cases.
#ifndef KERATIN_BENCHMARKS_BENCH_H
#define KERATIN_BENCHMARKS_BENCH_H

#include "benchmarks/keratin-bench/Report.h"

#include <keratin/backend.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace keratin::bench {

struct Options {
  std::vector<std::string> names; // of rows; empty: all
  bool json = false;
  bool checkOnly = false;
  bool large = false;
  int threads = 1;
  int batches = 40;
  std::string cases; // part of the names of those that are timed
  std::string peers; // a file
  // Where the functions that are timed are saved, if anywhere.
  std::string functionFolder;
};

// Plain numbers of the reference, which computes in double precision.
using Doubles = std::vector<double>;

class Bench {
public:
  explicit Bench(const Options &options);

  bool checkOnly() const { return options.checkOnly; }
  bool large() const { return options.large; }
  int threads() const { return options.threads; }
  int batches() const { return options.batches; }
  // Whether the case is wanted: the others need not be made.
  bool wants(const std::string &caseName) const {
    return caseName.find(options.cases) != std::string::npos;
  }

  // Every result is checked before it is timed. Throws std::runtime_error naming the first element
  // off by more than absolute + relative * |expected|.
  static void expectNear(const std::string &what, const Array &actual, const double *expected,
                         double absolute, double relative);
  static void expectNear(const std::string &what, const Doubles &actual, const Doubles &expected,
                         double absolute, double relative);

  // Times body, whose results have been checked, against the ceiling of row.work; with --check-only
  // only says that it is right.
  void time(Row row, const std::function<void()> &body);
  // Times body and what it is compared with in turns, so that both meet with the same machine; the
  // row's ceiling is the time of the other, or a share of it.
  void timeAgainst(Row row, const std::function<void()> &body, const std::function<void()> &other,
                   double share = 1);
  // The same for what was timed already; ceilingMs as the row has it.
  void report(const Row &row);

private:
  void save(const Row &row) const;

  const Options &options;
  Report output;
  std::optional<Ceilings> ceilings; // none with --check-only
};

// Uniform from low to high; equal seeds give equal numbers.
Array randomArray(std::vector<int64_t> dims, double low, double high, uint64_t seed);
Doubles toDoubles(const Array &array);

//===-- Rows, each in its file
//--------------------------------------------------------------------//
void runCompile(Bench &bench);
void runEvalShapes(Bench &bench);
void runEqualFunctions(Bench &bench);
void runFromDisk(Bench &bench);
void runDag(Bench &bench);
void runDeepResnet(Bench &bench);
void runDeepEncoder(Bench &bench);
void runEwChain(Bench &bench);
void runGemm(Bench &bench);
void runMlp(Bench &bench);
void runEmbedding(Bench &bench);
void runSmall(Bench &bench);
void runSmallScan(Bench &bench);
void runDynBatch(Bench &bench);
void runTwoSizes(Bench &bench);
void runReduce(Bench &bench);
void runBatchNorm(Bench &bench);
void runSoftmaxes(Bench &bench);
void runLayerNorms(Bench &bench);
void runAttention(Bench &bench);
void runTransformer(Bench &bench);
void runSepConv(Bench &bench);
void runCnnCifar(Bench &bench);
void runResnet20(Bench &bench);
void runResnet50(Bench &bench);
void runRnn(Bench &bench);
void runCtc(Bench &bench);
void runCheckNumbers(Bench &bench);
void runTwoThreads(Bench &bench);

} // namespace keratin::bench

#endif // KERATIN_BENCHMARKS_BENCH_H
