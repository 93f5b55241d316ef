#include "tests/cuda/emulator/Counters.h"

#include <cstdio>

namespace keratin::ptx {

namespace {
constexpr const char *kindNames[] = {
    "integer",  "logic",     "compare",   "move",  "convert",   "half",      "float",
    "ffma",     "double",    "function",  "mma",   "ldmatrix",  "ld.global", "st.global",
    "cp.async", "ld.shared", "st.shared", "local", "parameter", "atomic",    "exchange",
    "barrier",  "fence",     "branch",    "call",  "other"};
static_assert(std::size(kindNames) == size_t(Kind::Count));

std::string format(const char *pattern, auto... values) {
  char buffer[256];
  std::snprintf(buffer, sizeof buffer, pattern, values...);
  return buffer;
}

std::string trafficRow(const char *what, const char *units, const Traffic &traffic) {
  if (!traffic.accesses)
    return {};
  return format("%-8s %12llu read %12llu written %10llu %s, ideal %llu (%.3f), %llu of %llu "
                "accesses of 16 bytes\n",
                what, (unsigned long long)traffic.bytesRead,
                (unsigned long long)traffic.bytesWritten, (unsigned long long)traffic.units, units,
                (unsigned long long)traffic.idealUnits, traffic.overIdeal(),
                (unsigned long long)traffic.wideAccesses, (unsigned long long)traffic.accesses);
}

std::string trafficJson(const Traffic &traffic) {
  return format(
      "{\"bytes_read\": %llu, \"bytes_written\": %llu, \"units\": %llu, \"ideal_units\": %llu, "
      "\"once_units\": %llu, \"accesses\": %llu, \"wide_accesses\": %llu}",
      (unsigned long long)traffic.bytesRead, (unsigned long long)traffic.bytesWritten,
      (unsigned long long)traffic.units, (unsigned long long)traffic.idealUnits,
      (unsigned long long)traffic.onceUnits, (unsigned long long)traffic.accesses,
      (unsigned long long)traffic.wideAccesses);
}

std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result + '"';
}
} // namespace

const char *name(Kind kind) { return kindNames[size_t(kind)]; }

Traffic &Traffic::operator+=(const Traffic &other) {
  bytesRead += other.bytesRead;
  bytesWritten += other.bytesWritten;
  units += other.units;
  idealUnits += other.idealUnits;
  onceUnits += other.onceUnits;
  accesses += other.accesses;
  wideAccesses += other.wideAccesses;
  return *this;
}

Counters &Counters::operator+=(const Counters &other) {
  launches += other.launches;
  blocks += other.blocks;
  instructions += other.instructions;
  threadInstructions += other.threadInstructions;
  for (size_t i = 0; i < byKind.size(); ++i)
    byKind[i] += other.byKind[i];
  global += other.global;
  shared += other.shared;
  local += other.local;
  barriers += other.barriers;
  atomics += other.atomics;
  divergentBranches += other.divergentBranches;
  for (const auto &[line, counts] : other.lines) {
    LineCounters &mine = lines[line];
    mine.instructions += counts.instructions;
    mine.units += counts.units;
    mine.idealUnits += counts.idealUnits;
    mine.text = counts.text;
  }
  return *this;
}

std::string Counters::table() const {
  std::string result = format(
      "launches %llu, blocks %llu, warp instructions %llu, lanes on %.1f %%\n",
      (unsigned long long)launches, (unsigned long long)blocks, (unsigned long long)instructions,
      instructions ? double(threadInstructions) / (0.32 * double(instructions)) : 100.0);
  for (size_t i = 0; i < byKind.size(); ++i)
    if (byKind[i])
      result += format("  %-10s %12llu %6.2f %%\n", kindNames[i], (unsigned long long)byKind[i],
                       100 * share(Kind(i)));
  result += trafficRow("global", "sectors", global) + trafficRow("shared", "wavefronts", shared) +
            trafficRow("local", "sectors", local);
  result +=
      format("barriers %llu, atomics %llu, divergent branches %llu\n", (unsigned long long)barriers,
             (unsigned long long)atomics, (unsigned long long)divergentBranches);
  for (const auto &[line, counts] : lines)
    result += format("%6d %12llu %10llu/%-10llu ", line, (unsigned long long)counts.instructions,
                     (unsigned long long)counts.units, (unsigned long long)counts.idealUnits) +
              counts.text + "\n";
  return result;
}

std::string Counters::json() const {
  std::string result =
      format("{\"launches\": %llu, \"blocks\": %llu, \"instructions\": %llu, "
             "\"thread_instructions\": %llu, \"by_kind\": {",
             (unsigned long long)launches, (unsigned long long)blocks,
             (unsigned long long)instructions, (unsigned long long)threadInstructions);
  const char *separator = "";
  for (size_t i = 0; i < byKind.size(); ++i) {
    if (!byKind[i])
      continue;
    result += format("%s\"%s\": %llu", separator, kindNames[i], (unsigned long long)byKind[i]);
    separator = ", ";
  }
  result += "}, \"global\": " + trafficJson(global) + ", \"shared\": " + trafficJson(shared) +
            ", \"local\": " + trafficJson(local);
  result +=
      format(", \"barriers\": %llu, \"atomics\": %llu, \"divergent_branches\": %llu, \"lines\": [",
             (unsigned long long)barriers, (unsigned long long)atomics,
             (unsigned long long)divergentBranches);
  separator = "";
  for (const auto &[line, counts] : lines) {
    result += format("%s{\"line\": %d, \"instructions\": %llu, \"units\": %llu, \"ideal_units\": "
                     "%llu, \"text\": ",
                     separator, line, (unsigned long long)counts.instructions,
                     (unsigned long long)counts.units, (unsigned long long)counts.idealUnits) +
              quoted(counts.text) + "}";
    separator = ", ";
  }
  return result + "]}";
}

} // namespace keratin::ptx
