// Work in a process of its own that may take so many seconds of processor time, and two gigabytes:
// what is asked of anything that compiles a graph.
#ifndef KERATIN_TESTS_SUPPORT_LIMITEDPROCESS_H
#define KERATIN_TESTS_SUPPORT_LIMITEDPROCESS_H

#include <functional>
#include <string>

namespace keratin::tests {

struct LimitedRun {
  bool ended = false; // by itself, not for exceeding a limit
  int code = -1;      // what the work returned
  double seconds = 0; // of processor time
  long mebibytes = 0; // at most
  std::string text() const;
};

// Where a sanitizer slows things down and reserves terabytes: ten times the time, and no limit of
// memory.
LimitedRun runLimited(const std::function<int()> &work, double seconds = 10);

} // namespace keratin::tests

#endif // KERATIN_TESTS_SUPPORT_LIMITEDPROCESS_H
