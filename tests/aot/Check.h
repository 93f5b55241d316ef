// Checks in programs that use compiled models.
#ifndef KERATIN_TESTS_AOT_CHECK_H
#define KERATIN_TESTS_AOT_CHECK_H

#include <stdio.h>
#include <stdlib.h>

static int failures;

// Says what does not hold, and goes on: whether it does.
#define CHECK(condition) check(!!(condition), #condition, __FILE__, __LINE__)
// For what the rest of the program needs.
#define REQUIRE(condition)                                                                         \
  do {                                                                                             \
    if (!CHECK(condition))                                                                         \
      exit(1);                                                                                     \
  } while (0)

#define REQUIRE_OK(call, status)                                                                   \
  do {                                                                                             \
    if (!CHECK((call) == KERATIN_OK)) {                                                            \
      fprintf(stderr, "%s\n", (status).message);                                                   \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

static inline int check(int holds, const char *condition, const char *file, int line) {
  if (!holds) {
    fprintf(stderr, "%s:%d: %s\n", file, line, condition);
    ++failures;
  }
  return holds;
}

// The exit code.
static inline int finish(void) {
  if (!failures)
    puts("all passed");
  return failures != 0;
}

#endif // KERATIN_TESTS_AOT_CHECK_H
