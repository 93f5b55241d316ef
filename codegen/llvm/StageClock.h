// What each stage of a compilation costs.
#ifndef KERATIN_CODEGEN_LLVM_STAGECLOCK_H
#define KERATIN_CODEGEN_LLVM_STAGECLOCK_H

#include <algorithm>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace keratin::codegen {

// Processor time of the thread at hand, which a busy machine disturbs less than the time of day.
class StageClock {
public:
  struct Stage {
    const char *name; // a literal
    double milliseconds;
  };

  struct Part {
    std::string name;
    double milliseconds;
  };

  StageClock() : last(now()) {}

  // The time since the last call, or since construction, belongs to `stage`.
  void finish(const char *stage) {
    double time = now();
    add(stage, time - last);
    last = time;
  }
  // The time since the last call is counted elsewhere.
  void restart() { last = now(); }
  // The time since the last part, or since the last call, belongs to a part of the current stage.
  void finishPart(std::string name) {
    double time = now();
    entriesOfParts.push_back({std::move(name), time - std::max(last, lastPart)});
    lastPart = time;
  }
  // Takes over what another clock, perhaps of another thread, has counted.
  void add(const StageClock &other) {
    for (const Stage &stage : other.entries)
      add(stage.name, stage.milliseconds);
    entriesOfParts.insert(entriesOfParts.end(), other.entriesOfParts.begin(),
                          other.entriesOfParts.end());
  }
  // In the order in which they were finished first.
  const std::vector<Stage> &stages() const { return entries; }
  // In the order in which they were finished.
  const std::vector<Part> &parts() const { return entriesOfParts; }

private:
  static double now() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1e3 + time.tv_nsec * 1e-6;
  }
  void add(const char *name, double milliseconds) {
    for (Stage &stage : entries)
      if (std::string_view(stage.name) == name) {
        stage.milliseconds += milliseconds;
        return;
      }
    entries.push_back({name, milliseconds});
  }

  double last, lastPart = 0;
  std::vector<Stage> entries;
  std::vector<Part> entriesOfParts;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LLVM_STAGECLOCK_H
