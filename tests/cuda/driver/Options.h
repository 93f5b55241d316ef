// What the environment's KERATIN_EMULATOR says, for example
// `devices=1,seed=7,fail=cuMemAlloc:3`.
#ifndef KERATIN_TESTS_CUDA_DRIVER_OPTIONS_H
#define KERATIN_TESTS_CUDA_DRIVER_OPTIONS_H

#include "runtime/cuda/Driver.h"
#include "tests/cuda/emulator/Emulator.h"

#include <map>
#include <string>
#include <string_view>

namespace keratin::emulator {

// When work in streams is done.
enum class Schedule {
  Lazy,  // when somebody waits for it, and nothing else then
  Eager, // at once
  Seeded // some of it at each call of the driver, in a random order that dependencies allow
};

// The nth call of a function, counted from 1, does nothing but fail.
struct Injection {
  int64_t nth = 0;
  cuda::CUresult result = 0; // 0: what the function would say that has no room or is at a loss
};

struct Options {
  int devices = 2;
  uint64_t memory = uint64_t(1) << 30; // bytes of each device
  int capability = 80;                 // 80: sm_80
  int multiprocessors = 8;
  int version = 12040;
  Schedule schedule = Schedule::Lazy;
  uint64_t seed = 0;
  ptx::LaunchOptions launch;
  std::map<std::string, Injection> failures; // by function, without _v2
  std::string counters;                      // the file that they go into at exit
  bool reportsLeaks = false;                 // at exit
  bool isQuiet = false;                      // faults are not printed

  // Changes what the text names, leaves the rest. False, with the reason, where it says nothing
  // that is known.
  bool set(std::string_view text, std::string &error);
};

} // namespace keratin::emulator

#endif // KERATIN_TESTS_CUDA_DRIVER_OPTIONS_H
