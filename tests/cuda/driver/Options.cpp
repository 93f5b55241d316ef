#include "tests/cuda/driver/Options.h"

#include <charconv>

using namespace keratin;
using namespace keratin::emulator;

static bool readNumber(std::string_view text, uint64_t &number) {
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc() && end == text.data() + text.size();
}

static bool setOrder(Options &options, std::string_view value) {
  ptx::Order order = value == "reversed" ? ptx::Order::Reversed
                     : value == "seeded" ? ptx::Order::Seeded
                                         : ptx::Order::Fixed;
  options.launch.blocks = options.launch.warps = order;
  return value == "fixed" || value == "reversed" || value == "seeded";
}

static bool setSchedule(Options &options, std::string_view value) {
  options.schedule = value == "eager"    ? Schedule::Eager
                     : value == "seeded" ? Schedule::Seeded
                                         : Schedule::Lazy;
  return value == "lazy" || value == "eager" || value == "seeded";
}

// "cuMemAlloc:3", "cuLaunchKernel:1:719", "none".
static bool setFailure(Options &options, std::string_view value) {
  if (value == "none") {
    options.failures.clear();
    return true;
  }
  size_t colon = value.find(':');
  if (colon == 0 || colon == std::string_view::npos)
    return false;
  std::string_view rest = value.substr(colon + 1);
  size_t second = rest.find(':');
  uint64_t nth = 0, result = 0;
  if (!readNumber(rest.substr(0, second), nth) || nth == 0 ||
      (second != std::string_view::npos && !readNumber(rest.substr(second + 1), result)))
    return false;
  options.failures[std::string(value.substr(0, colon))] = {int64_t(nth), cuda::CUresult(result)};
  return true;
}

static bool setNumber(Options &options, std::string_view name, uint64_t number) {
  if (name == "devices" && number <= 16)
    options.devices = int(number);
  else if (name == "memory")
    options.memory = number;
  else if (name == "sm" && number >= 50 && number <= 999)
    options.capability = int(number);
  else if (name == "multiprocessors" && number >= 1 && number <= 1024)
    options.multiprocessors = int(number);
  else if (name == "version" && number <= 99999)
    options.version = int(number);
  else
    return false;
  return true;
}

static void setSeed(Options &options, uint64_t seed) {
  options.seed = options.launch.seed = seed;
  options.launch.blocks = options.launch.warps = ptx::Order::Seeded;
  options.schedule = Schedule::Seeded;
}

static bool setOne(Options &options, std::string_view name, std::string_view value) {
  uint64_t number = 0;
  if (name == "order")
    return setOrder(options, value);
  if (name == "schedule")
    return setSchedule(options, value);
  if (name == "fail")
    return setFailure(options, value);
  if (name == "counters") {
    options.counters = value;
    return true;
  }
  if (name == "checks") {
    options.launch.checks = value == "on";
    return value == "on" || value == "off";
  }
  if (name == "leaks") {
    options.reportsLeaks = value == "on";
    return value == "on" || value == "off";
  }
  if (name == "quiet") {
    options.isQuiet = value == "on";
    return value == "on" || value == "off";
  }
  if (!readNumber(value, number))
    return false;
  if (name == "seed") {
    setSeed(options, number);
    return true;
  }
  return setNumber(options, name, number);
}

bool Options::set(std::string_view text, std::string &error) {
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    size_t equals = word.find('=');
    if (word.empty())
      continue;
    if (equals == std::string_view::npos ||
        !setOne(*this, word.substr(0, equals), word.substr(equals + 1))) {
      error = "'" + std::string(word) +
              "' is none of devices=N, memory=BYTES, sm=N, multiprocessors=N, version=N, "
              "order=fixed|reversed|seeded, schedule=lazy|eager|seeded, seed=N, checks=on|off, "
              "fail=FUNCTION:NTH[:RESULT], fail=none, counters=FILE, leaks=on|off, quiet=on|off";
      return false;
    }
  }
  return true;
}
