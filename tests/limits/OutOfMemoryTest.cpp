// A call whose memory cannot be had fails alone: no update is applied, and the function stays
// usable. In a child whose address space is bounded, so that asking too much really fails.
#include "tests/frontend/FrontendTest.h"
#include "tests/support/NoExit.h"

#include <fstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

size_t mappedBytes() {
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * size_t(sysconf(_SC_PAGESIZE));
}

// 0, or which of the expectations below was not met.
int callWithLittleMemory() {
  Tensor x = K::placeholder({None, 1});
  Tensor calls = K::variable(1.0f);
  // Twice the product is needed, so it must be in memory; a reduction of each comes out.
  Tensor product = K::dot(x, K::transpose(x));
  Tensor y = K::sum(K::dot(product, product));
  keratin::Function f = K::function({x}, {y}, {K::update_add(calls, 1.0f)});
  auto ones = [](int64_t n) { return Array(std::vector<float>(size_t(n), 1.0f), {n, 1}); };
  if (f({ones(10)})[0].item<float>(0) != 1000.0f)
    return 1;
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = mappedBytes() + (size_t(64) << 20);
  if (setrlimit(RLIMIT_AS, &limit) != 0)
    return 2;
  for (int64_t n : {10'000, 100'000, 3'000'000}) {
    try {
      f({ones(n)}); // 400 MB, 40 GB, 36 TB for the product alone
      return 3;
    } catch (const keratin::Error &error) {
      if (std::string(error.what()).empty())
        return 4;
    }
    if (K::get_value(calls).item<float>(0) != 2.0f)
      return 5;
  }
  for (int round = 0; round < 3; ++round)
    if (f({ones(20)})[0].item<float>(0) != 8000.0f)
      return 6;
  return K::get_value(calls).item<float>(0) == 5.0f ? 0 : 7;
}

} // namespace

TEST_CASE("A call without memory fails alone", "[memory]") {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return; // they map terabytes themselves
#endif
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    int result = 100;
    try {
      result = callWithLittleMemory();
    } catch (const std::exception &error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    keratin::tests::endProcess(result);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}
