// Random values for the other files of the backend.
#ifndef KERATIN_FRONTEND_BACKEND_RANDOM_H
#define KERATIN_FRONTEND_BACKEND_RANDOM_H

#include "frontend/graph/Call.h"

#include "llvm/ADT/STLFunctionalExtras.h"

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
  int64_t words = 0; // words an element used so far
};

// In (0, 1): the middles of uniform()'s steps.
Value inner(Call &call, RandomStream &stream, const ir::Shape &shape, DType dtype);
// Box and Muller's transformation of two uniform numbers, the first in (0, 1].
Value standardNormal(Call &call, RandomStream &stream, const ir::Shape &shape, DType dtype);

//===-- Arguments of distributions ------------------------------------------------------------===//

// A parameter of the distribution, repeated to the result's shape.
Value parameter(Call &call, const Operand &operand, DType dtype, const ir::Shape &shape,
                const char *name);
// Numbers for a parameter must be as `holds` says; a tensor's are not known yet.
void requireNumbers(Call &call, const Operand &operand, const char *name,
                    llvm::function_ref<bool(double)> holds, const char *needed);
// floatx for None; TypeError for one that is no float.
DType floatDtype(Call &call, DTypeArgument dtype);
// TypeError for bool and complex numbers.
void requireRealDtype(Call &call, DType dtype);
// The half-width types are computed in float32.
DType workDtype(DType dtype);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_RANDOM_H
