#include "frontend/python/native/Parameters.h"

#include <map>
#include <string_view>
#include <vector>

std::string keratin::python::parameterName(const char *function, size_t index) {
  static const auto *names = new std::map<std::string_view, std::vector<const char *>>{
#define KERATIN_PARAMETERS(name, ...) {name, {__VA_ARGS__}},
#include "frontend/generated/ApiParameters.inc"
#undef KERATIN_PARAMETERS
      // Operators, and what is no K function.
      {"add", {"x", "y"}},
      {"subtract", {"x", "y"}},
      {"multiply", {"x", "y"}},
      {"divide", {"x", "y"}},
      {"remainder", {"x", "y"}},
      {"logical_and", {"x", "y"}},
      {"logical_or", {"x", "y"}},
      {"logical_not", {"x"}},
      {"negative", {"x"}},
      {"getitem", {"x", "key"}},
      {"Session.run", {"fetches", "feed_dict"}},
  };
  auto found = names->find(function);
  if (found == names->end() || index >= found->second.size())
    return "argument " + std::to_string(index + 1);
  return found->second[index];
}
