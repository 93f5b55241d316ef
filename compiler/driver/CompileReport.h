// What a compilation cost and decided.
#ifndef KERATIN_COMPILER_DRIVER_COMPILEREPORT_H
#define KERATIN_COMPILER_DRIVER_COMPILEREPORT_H

#include "codegen/llvm/StageClock.h"

#include <cstdint>
#include <string>
#include <vector>

namespace keratin::compiler {

// What compiling cost and decided, for people and for tests.
struct CompileReport {
  // Where the code came from: it was made for this function, or was there already, for one that
  // equals it, in this process or in the cache folder. The rest then says what was decided when it
  // was made, but for the time.
  enum class Source { Compiler, Process, Disk } source = Source::Compiler;
  double milliseconds = 0;
  int64_t kernels = 0;       // launched by the entry function
  int64_t uniqueKernels = 0; // compiled, after equal ones were merged
  std::string memoryPlan;    // arena, buffers, lifetimes as text
  // Of the plan, with 32 for every size that is not known; 0 where they cannot be computed.
  int64_t arenaBytes = 0, maxLiveBytes = 0;
  // Processor time, all threads together, of what was made for this function; none of what was
  // there.
  struct Cost {
    std::string name;
    double milliseconds;
  };
  std::vector<codegen::StageClock::Stage> stages;
  std::vector<Cost> passes; // over the graph, in the order in which they ran first
  // Machine code of the kernels, by their names (ir/interfaces/KernelName.h), of the entry function
  // and of what kernels share. The first of a thread has what LLVM does once.
  std::vector<Cost> code;
};

// The bill, a line each: processor time of each stage, and what of the passes and of the code took
// most; of code that was there, where it came from.
std::string toString(const CompileReport &report);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_DRIVER_COMPILEREPORT_H
