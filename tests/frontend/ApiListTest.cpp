// Every function that the API table calls implemented must link; every other one must say so.
#include "tests/frontend/FrontendTest.h"

namespace {

struct Entry {
  const char *name;
  bool implemented;
  bool linked;
};

template <typename F> bool hasAddress(F *function) {
  volatile auto address = function;
  return address != nullptr;
}

} // namespace

TEST_CASE("the functions of the API table exist") {
  const Entry entries[] = {
#define KERATIN_FUNCTION(name, implemented) {#name, implemented, hasAddress(&K::name)},
#include "frontend/generated/ApiList.inc"
  };
  int implemented = 0;
  for (const Entry &entry : entries) {
    INFO(entry.name);
    CHECK(entry.linked);
    implemented += entry.implemented;
  }
  CHECK(implemented >= 125);
}
