#include <keratin/backend.h>

#include <cstdio>

namespace K = keratin::backend;

int main(int argc, char **argv) try {
  K::Tensor x = K::placeholder({K::None}, K::None, K::None, false, "x");
  K::Function f = K::function({x}, {x * 2.0}, {}, "double_it");
  if (f({K::Array{1.0, 2.0}})[0].item<float>(1) != 4.0f)
    return 1;
  K::save_function(f, argv[argc - 1]);
  try {
    K::conv2d(x, x);
    return 1;
  } catch (const keratin::ValueError &) { // an exception of the library's, by its own type
    return 0;
  }
} catch (const keratin::Error &error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
