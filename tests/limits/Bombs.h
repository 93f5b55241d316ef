// Small graphs that could cost a compiler, or who calls it, any amount of time or memory.
#ifndef KERATIN_TESTS_LIMITS_BOMBS_H
#define KERATIN_TESTS_LIMITS_BOMBS_H

#include <string>
#include <vector>

namespace keratin::tests {

struct Bomb {
  const char *name;
  std::string text; // a module with one function
};

std::vector<Bomb> bombs();

} // namespace keratin::tests

#endif // KERATIN_TESTS_LIMITS_BOMBS_H
