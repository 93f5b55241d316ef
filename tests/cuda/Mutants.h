// Wrong versions of a module: each barrier, each wait for asynchronous copies and products, each
// fence of products and of the asynchronous proxy, and each guard of bounds left out in turn.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace keratin::ptx {

struct Mutant {
  enum Kind { Barrier, Wait, Fence, Guard } kind;
  int line;         // of the statement that is gone
  std::string what; // the statement
  std::string text; // of the whole module without it; all other lines keep their numbers
};

// A guard of bounds is what goes by a comparison of integers by size: a branch forwards over
// something, or the predicate of a single access. Left out, nothing is skipped.
std::vector<Mutant> mutants(std::string_view ptx);

} // namespace keratin::ptx
