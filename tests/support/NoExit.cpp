// The library must not end the process of its host. A test that passes over such a call would end
// early, and with a good status: here the process says so and fails. Ends of tests themselves come
// by other ways: main returns, and children use endProcess().
#include "tests/support/NoExit.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sys/syscall.h>
#include <unistd.h>

void keratin::tests::endProcess(int status) {
  for (;;)
    syscall(SYS_exit_group, status);
}

#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

// Defined in the program, they stand before those of the C library for every shared library too.
#define KERATIN_INTERPOSED extern "C" __attribute__((visibility("default"), noreturn)) void

static void report(const char *function) {
  const char *parts[] = {"the process was to be ended by ", function, "\n"};
  for (const char *part : parts)
    if (write(STDERR_FILENO, part, std::strlen(part)) < 0)
      break;
}

KERATIN_INTERPOSED exit(int) noexcept {
  report("exit");
  keratin::tests::endProcess(99);
}
KERATIN_INTERPOSED _exit(int) {
  report("_exit");
  keratin::tests::endProcess(99);
}
KERATIN_INTERPOSED quick_exit(int) noexcept {
  report("quick_exit");
  keratin::tests::endProcess(99);
}
KERATIN_INTERPOSED abort() noexcept {
  report("abort");
  // As a signal, so that the test framework names the test.
  signal(SIGABRT, SIG_DFL);
  raise(SIGABRT);
  keratin::tests::endProcess(99);
}

#endif
