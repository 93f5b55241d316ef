// The one Catch2 main: its header is slow to compile, so it is compiled once.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include "tests/support/TestEnvironment.h"

#include <cstdio>

using namespace keratin::tests;

int main(int argc, char **argv) {
  // Before anything fails, perhaps with the process: how to have the same part of a sweep again.
  if (const int64_t every = fromEnvironment("KERATIN_TEST_EVERY", 1); every > 1)
    std::fprintf(stderr, "KERATIN_TEST_EVERY=%lld KERATIN_TEST_SEED=%lld\n", (long long)every,
                 (long long)dailySeed());
  return Catch::Session().run(argc, argv);
}
