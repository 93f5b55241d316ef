#include "benchmarks/keratin-bench/Report.h"

#include "benchmarks/keratin-bench/JsonLines.h"
#include "benchmarks/keratin-bench/MachineLoops.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

using namespace keratin::bench;

void Row::describe(const Function &timed) {
  function = timed;
  arenaBytes = function.arenaBytes();
  maxLiveBytes = function.maxLiveBytes();
  compileMs = function.compileMilliseconds();
}

Peers::Peers(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    throw std::runtime_error(path + ": cannot be read");
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty())
      continue;
    try {
      Json entry = parseLine(line);
      std::pair<std::string, std::string> key(entry.at("name"), entry.at("case"));
      milliseconds[key][entry.at("peer")] = entry.at("min_ms");
    } catch (const Json::exception &error) {
      throw std::runtime_error(path + ":" + std::to_string(number) + ": " + error.what());
    }
  }
}

const std::map<std::string, double> &Peers::of(const Row &row) const {
  static const std::map<std::string, double> none;
  auto found = milliseconds.find({row.name, row.peerCase.empty() ? row.caseName : row.peerCase});
  return found == milliseconds.end() ? none : found->second;
}

static std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0)
      return line.substr(line.find(':') + 2);
  return "unknown";
}

void Report::printMachine(int threads) const {
  double load = 0;
  getloadavg(&load, 1);
  bool wall = clockInUse() == CLOCK_MONOTONIC;
  if (json)
    return printLine({{"name", "machine"},
                      {"case", processorName()},
                      {"isa", machineLoops().isa},
                      {"threads", threads},
                      {"load", load},
                      {"clock", wall ? "wall" : "cpu"}});
  std::printf("%s, %s, %d thread%s, load %.2f, %s time\n\n", processorName().c_str(),
              machineLoops().isa, threads, threads == 1 ? "" : "s", load, wall ? "wall" : "CPU");
}

void Report::printCeilings(const Ceilings &ceilings) const {
  if (json) {
    auto line = [](const std::string &what, double value, const char *unit) {
      printLine({{"name", "ceiling"}, {"case", what}, {"value", value}, {"unit", unit}});
    };
    for (Arithmetic arithmetic : kArithmetics)
      if (ceilings.peak(arithmetic) > 0)
        line(nameOf(arithmetic), ceilings.peak(arithmetic) / 1e9, "GFLOP/s");
    for (Level level : kLevels) {
      line(std::string("read ") + nameOf(level), ceilings.at(level).read / 1e9, "GB/s");
      line(std::string("copy ") + nameOf(level), ceilings.at(level).copy / 1e9, "GB/s");
    }
    return;
  }
  for (Arithmetic arithmetic : kArithmetics)
    if (ceilings.peak(arithmetic) > 0)
      std::printf("%s%s %.1f", arithmetic == kArithmetics[0] ? "" : ", ", nameOf(arithmetic),
                  ceilings.peak(arithmetic) / 1e9);
  std::printf(" GFLOP/s\n");
  for (Level level : kLevels)
    std::printf("%-6s read %8.1f GB/s, copy %8.1f GB/s (read and written)\n", nameOf(level),
                ceilings.at(level).read / 1e9, ceilings.at(level).copy / 1e9);
  std::printf("\n%-10s %-28s %10s %10s %10s %7s %14s %11s %11s %9s  %s\n", "name", "case", "min",
              "median", "ceiling", "ratio", "rate", "arena", "live", "compile",
              "peers, times this minimum");
}

// "1.234 ms", "12.3 us", "45.6 ns"
static std::string timeText(double milliseconds) {
  const char *unit = "ms";
  if (milliseconds < 1e-3)
    milliseconds *= 1e6, unit = "ns";
  else if (milliseconds < 1)
    milliseconds *= 1e3, unit = "us";
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g %s", milliseconds, unit);
  return text;
}

static std::string rateText(const Row &row) {
  char text[32];
  double bytes = row.work.readBytes + row.work.movedBytes;
  if (row.work.flops > 0)
    std::snprintf(text, sizeof(text), "%.1f GFLOP/s", row.work.flops / row.timing.minMs / 1e6);
  else if (bytes > 0)
    std::snprintf(text, sizeof(text), "%.1f GB/s", bytes / row.timing.minMs / 1e6);
  else
    return "";
  return text;
}

void Report::print(const Row &row) const {
  double minimum = row.timing.minMs;
  std::optional<double> ratio;
  if (row.ceilingMs)
    ratio = minimum / *row.ceilingMs;
  if (json) {
    Json compared = Json::object();
    for (const auto &[peer, milliseconds] : peers.of(row))
      compared[peer] = {{"min_ms", milliseconds}, {"ratio", milliseconds / minimum}};
    return printLine({{"name", row.name},
                      {"case", row.caseName},
                      {"peer_case", row.peerCase.empty() ? row.caseName : row.peerCase},
                      {"min_ms", minimum},
                      {"median_ms", row.timing.medianMs},
                      {"readings_ms", row.timing.readings},
                      {"ceiling_ms", row.ceilingMs ? Json(*row.ceilingMs) : Json()},
                      {"ratio", ratio ? Json(*ratio) : Json()},
                      {"arena_bytes", row.arenaBytes},
                      {"max_live_bytes", row.maxLiveBytes},
                      {"compile_ms", row.compileMs},
                      {"peers", compared}});
  }
  std::printf("%-10s %-28s %10s %10s %10s ", row.name.c_str(), row.caseName.c_str(),
              timeText(minimum).c_str(), timeText(row.timing.medianMs).c_str(),
              row.ceilingMs ? timeText(*row.ceilingMs).c_str() : "");
  if (ratio)
    std::printf("%7.2f", *ratio);
  else
    std::printf("%7s", "");
  std::printf(" %14s %11lld %11lld %9s ", rateText(row).c_str(), (long long)row.arenaBytes,
              (long long)row.maxLiveBytes, timeText(row.compileMs).c_str());
  for (const auto &[peer, milliseconds] : peers.of(row))
    std::printf(" %s %.2f", peer.c_str(), milliseconds / minimum);
  std::printf("\n");
  std::fflush(stdout);
}

void Report::printChecked(const std::string &name, const std::string &caseName) const {
  if (json)
    return printLine({{"name", name}, {"case", caseName}, {"checked", true}});
  std::printf("%-10s %-28s right\n", name.c_str(), caseName.c_str());
  std::fflush(stdout);
}
