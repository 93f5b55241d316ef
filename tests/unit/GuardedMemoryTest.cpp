// That the pages around a guarded buffer do end a process which touches them.
#include "tests/support/GuardedMemory.h"
#include "tests/support/NoExit.h"

#include <catch2/catch.hpp>

#include <csignal>
#include <cstdint>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

using keratin::tests::Edge;
using keratin::tests::GuardedBuffer;

// Whether a process of its own dies when it reads, or writes, there.
static bool isForbidden(const char *address, bool writes) {
  pid_t child = fork();
  if (child == 0) {
    signal(SIGSEGV, SIG_DFL); // not the sanitizer's, nor Catch's
    auto *place = const_cast<volatile char *>(address);
    if (writes)
      *place = 1;
    else
      (void)*place;
    keratin::tests::endProcess(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

TEST_CASE("memory past the end, or before the start, is out of reach") {
  for (size_t bytes : {0, 1, 4, 4095, 4096, 4097, 100000})
    for (bool writes : {false, true}) {
      INFO(bytes << " bytes");
      GuardedBuffer end(bytes, Edge::End), start(bytes, Edge::Start);
      REQUIRE((end.data() && start.data()));
      const char *e = static_cast<char *>(end.data()), *s = static_cast<char *>(start.data());
      CHECK(isForbidden(e + bytes, writes));
      CHECK(isForbidden(s - 1, writes));
      if (bytes) {
        CHECK_FALSE(isForbidden(e, writes));
        CHECK_FALSE(isForbidden(e + bytes - 1, writes));
        CHECK_FALSE(isForbidden(s + bytes - 1, writes));
      }
    }
}

TEST_CASE("aligned memory ends as near to the guard page as it can") {
  for (size_t bytes : {1, 20, 64, 65, 4096}) {
    GuardedBuffer buffer(bytes, Edge::End, 64);
    const char *data = static_cast<char *>(buffer.data());
    CHECK(uintptr_t(data) % 64 == 0);
    CHECK(isForbidden(data + (bytes + 63) / 64 * 64, false));
  }
}

TEST_CASE("a write beside the buffer on its own page shows") {
  for (Edge edge : {Edge::End, Edge::Start}) {
    GuardedBuffer buffer(100, edge);
    char *data = static_cast<char *>(buffer.data());
    data[0] = data[99] = 1;
    CHECK(buffer.isIntact());
    char *beside = edge == Edge::End ? data - 1 : data + 100;
    char before = std::exchange(*beside, 1);
    CHECK_FALSE(buffer.isIntact());
    *beside = before;
    GuardedBuffer moved = std::move(buffer);
    CHECK(moved.isIntact());
    CHECK(moved.data() == data);
  }
}
