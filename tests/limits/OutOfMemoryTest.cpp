// A call whose memory cannot be had fails alone: no update is applied, and the function stays
// usable. In a child whose address space is bounded, so that asking too much really fails.
#include "tests/frontend/FrontendTest.h"
#include "tests/support/NoExit.h"

#include <fstream>
#include <functional>
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

// Runs the work in this process with so many bytes more than it has mapped; whether it succeeded.
bool runsWithin(size_t bytes, const std::function<void()> &work) {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = mappedBytes() + bytes;
  if (setrlimit(RLIMIT_AS, &limit) != 0)
    return false;
  bool done = true;
  try {
    work();
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    done = false;
  }
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(RLIMIT_AS, &limit) == 0 && done;
}

// 0, or the number of what took more than its elements.
int createOfSmallElements() {
  const size_t beside = size_t(64) << 20; // code, the graph, what the library keeps
  const int64_t n = int64_t(80) << 20;    // once more is too much
  const Array given = Array::zeros(DType::UInt8, {n});
  const std::pair<size_t, std::function<void()>> all[] = {
      {n, [&] { K::zeros({n}, "int8"); }},
      {n, [&] { K::ones({n}, "bool"); }},
      {2 * n, [&] { K::ones({n / 2}, "float16"), K::zeros({n / 2}, "int16"); }},
      // An argument is a copy.
      {2 * n, [&] { K::variable(given, "uint8"); }},
      {3 * n, [&] { K::variable(given, "int8"); }},
      {2 * n, [&] { K::eye({n >> 14, int64_t(1) << 14}, "uint8"); }},
      {n, [&] { K::constant(7, "int8", {n}); }},
      {2 * n, [&] { K::constant(given, "int8"); }}};
  int number = 0;
  for (const auto &[bytes, create] : all) {
    ++number;
    if (!runsWithin(bytes + beside, create))
      return number;
  }
  return 0;
}

// What the function returns in a process of its own; 100 if it throws.
int inChild(int (*function)()) {
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    int result = 100;
    try {
      result = function();
    } catch (const std::exception &error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    keratin::tests::endProcess(result);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

} // namespace

TEST_CASE("A call without memory fails alone", "[memory]") {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return; // they map terabytes themselves
#endif
  CHECK(inChild(callWithLittleMemory) == 0);
}

TEST_CASE("Values of small dtypes take no more memory than they have bytes", "[memory]") {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return;
#endif
  CHECK(inChild(createOfSmallElements) == 0);
}
