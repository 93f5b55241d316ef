// Random values for the other files of the backend.
#ifndef KERATIN_FRONTEND_BACKEND_RANDOM_H
#define KERATIN_FRONTEND_BACKEND_RANDOM_H

#include "frontend/graph/Call.h"

#include <optional>

namespace keratin::frontend {

// One random node: a stream of draws that a seed fixes. Evaluations count draws in a hidden
// variable, whose start is made of the seed. The key of the generator is only the number of a
// word: functions that differ in their seeds are the same code. In the body of a loop every step
// draws anew.
class RandomStream {
public:
  RandomStream(Call &call, std::optional<int64_t> seed);

  // 32 new bits an element (uint32), at each evaluation.
  Value bits(const ir::Shape &shape);
  // In [0, 1), of a floating dtype; every multiple of its spacing below 1 is equally likely.
  Value uniform(const ir::Shape &shape, DType dtype);

private:
  Value draw();

  Call &call;
  Tensor counter;
  Value number;      // of the draw, when first asked for
  int64_t words = 0; // words an element used so far
};

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_RANDOM_H
