// Every function of the API table must link, and the table must have all of them.
#include "tests/frontend/FrontendTest.h"

template <typename F> static bool hasAddress(F *function) {
  volatile auto address = function;
  return address != nullptr;
}

TEST_CASE("the functions of the API table exist") {
  int names = 0, extensions = 0;
#define KERATIN_FUNCTION(name)                                                                     \
  {                                                                                                \
    INFO(#name);                                                                                   \
    CHECK(hasAddress(&K::name));                                                                   \
    ++names;                                                                                       \
  }
  // Classes, templates, and what is overloaded: named where there is no address.
#define KERATIN_NAME(name)                                                                         \
  {                                                                                                \
    using K::name;                                                                                 \
    ++names;                                                                                       \
  }
#define KERATIN_EXTENSION() ++extensions;
#include "frontend/generated/ApiList.inc"
  // The documents' 161, and control_dependencies, normalize_data_format, slice and
  // get_variable_shape, which Keras uses.
  CHECK(names - extensions == 161 + 4);
}
