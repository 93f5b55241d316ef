// What who runs the tests says of them in the environment.
#ifndef KERATIN_TESTS_SUPPORT_TESTENVIRONMENT_H
#define KERATIN_TESTS_SUPPORT_TESTENVIRONMENT_H

#include <chrono>
#include <cstdint>
#include <cstdlib>

namespace keratin::tests {

inline int64_t fromEnvironment(const char *name, int64_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::atoll(text) : otherwise;
}

// A seed that changes from day to day, apart from those of other days: KERATIN_TEST_SEED if it is
// given.
inline int64_t dailySeed() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const int64_t day = std::chrono::duration_cast<std::chrono::hours>(now).count() / 24;
  return fromEnvironment("KERATIN_TEST_SEED", day * 100000);
}

} // namespace keratin::tests

#endif // KERATIN_TESTS_SUPPORT_TESTENVIRONMENT_H
