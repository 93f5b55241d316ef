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

inline constexpr int64_t kSeedsOfDay = 100000;

// A seed that changes from day to day, apart from those of other days: KERATIN_TEST_SEED if it is
// given.
inline int64_t dailySeed() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const int64_t day = std::chrono::duration_cast<std::chrono::hours>(now).count() / 24;
  return fromEnvironment("KERATIN_TEST_SEED", day * kSeedsOfDay);
}

// Whether the number-th of many is run: the first always, of all others every n-th, where
// KERATIN_TEST_EVERY is n, which are others on the next day and for other machines
// and targets (KERATIN_TEST_CPU, KERATIN_TEST_TARGET). In n days all of them are.
inline bool isInSample(uint64_t number) {
  const int64_t every = fromEnvironment("KERATIN_TEST_EVERY", 1);
  if (number == 0 || every < 2)
    return true;
  number += uint64_t(dailySeed() / kSeedsOfDay);
  for (const char *name : {"KERATIN_TEST_CPU", "KERATIN_TEST_TARGET"})
    if (const char *text = std::getenv(name))
      for (; *text; ++text)
        number += uint64_t(*text);
  return number % uint64_t(every) == 0;
}

// For one loop over many: whether the next is run.
class Sample {
public:
  bool takesNext() { return isInSample(next++); }

private:
  uint64_t next = 0;
};

} // namespace keratin::tests

#endif // KERATIN_TESTS_SUPPORT_TESTENVIRONMENT_H
