#include "tests/support/LimitedProcess.h"

#include "tests/support/NoExit.h"

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace keratin::tests;

namespace {

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool isSanitized = true;
#else
constexpr bool isSanitized = false;
#endif

constexpr double kSlowdown = isSanitized ? 10 : 1;
constexpr rlim_t kBytes = rlim_t(2) << 30;

} // namespace

LimitedRun keratin::tests::runLimited(const std::function<int()> &work, double most) {
  std::fflush(nullptr);
  pid_t child = fork();
  if (child < 0)
    throw std::runtime_error("no process for a limited run");
  if (child == 0) {
    const auto whole = rlim_t(std::ceil(most * kSlowdown));
    rlimit seconds{whole, whole + 1}, bytes{kBytes, kBytes}, core{0, 0};
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_CORE, &core);
    if (!isSanitized)
      setrlimit(RLIMIT_AS, &bytes);
    endProcess(work());
  }
  int status = 0;
  rusage used{};
  if (wait4(child, &status, 0, &used) != child)
    throw std::runtime_error("a limited run was lost");
  LimitedRun run;
  run.ended = WIFEXITED(status);
  run.code = run.ended ? WEXITSTATUS(status) : -1;
  run.seconds = double(used.ru_utime.tv_sec) + double(used.ru_utime.tv_usec) / 1e6;
  run.mebibytes = used.ru_maxrss / 1024;
  return run;
}

std::string LimitedRun::text() const {
  char text[100];
  std::snprintf(text, sizeof text, "%s %d, %.2f s, %ld MiB", ended ? "exit" : "killed", code,
                seconds, mebibytes);
  return text;
}
