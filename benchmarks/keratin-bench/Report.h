// What is measured, as a table for people or as one JSON object a line.
#ifndef KERATIN_BENCHMARKS_REPORT_H
#define KERATIN_BENCHMARKS_REPORT_H

#include "benchmarks/keratin-bench/Ceilings.h"
#include "benchmarks/keratin-bench/Timing.h"

#include <keratin/function.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace keratin::bench {

struct Row {
  std::string name, caseName;
  Timing timing;
  std::optional<double> ceilingMs; // none where no machine limit means anything
  Ceilings::Work work;             // of one call, for GFLOP/s and GB/s
  // Of the function that was timed.
  int64_t arenaBytes = 0, maxLiveBytes = 0;
  double compileMs = 0;
  Function function; // empty where several are timed
  // The case of the peers that this one is compared with; caseName if empty.
  std::string peerCase;

  void describe(const Function &timed);
};

// What other libraries took on the same machine. A file of them has one object a line, with peer,
// name, case and min_ms; benchmarks/libraries writes it.
class Peers {
public:
  Peers() = default;
  // Throws std::runtime_error for a file that cannot be read.
  explicit Peers(const std::string &path);
  // Minimum milliseconds by peer.
  const std::map<std::string, double> &of(const Row &row) const;

private:
  std::map<std::pair<std::string, std::string>, std::map<std::string, double>> milliseconds;
};

class Report {
public:
  Report(bool json, Peers peers) : json(json), peers(std::move(peers)) {}

  void printMachine(int threads) const;
  void printCeilings(const Ceilings &ceilings) const;
  void print(const Row &row) const;
  // A row whose results are right and which was not timed.
  void printChecked(const std::string &name, const std::string &caseName) const;

private:
  bool json;
  Peers peers;
};

} // namespace keratin::bench

#endif // KERATIN_BENCHMARKS_REPORT_H
