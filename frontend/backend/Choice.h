// Choice by a condition, for K::switch and K::in_train_phase.
#ifndef KERATIN_FRONTEND_BACKEND_CHOICE_H
#define KERATIN_FRONTEND_BACKEND_CHOICE_H

#include "frontend/graph/Call.h"

#include <functional>
#include <vector>

namespace keratin::frontend {

// x where the condition is nonzero, y elsewhere. By a scalar condition one of the two is evaluated
// when the graph runs; what functions make belongs to it. Otherwise the axes of the condition are
// the first of x.
Tensor choose(Call &call, Value condition, const Branch &x, const Branch &y);

// The same of several values by one bool scalar. Each callable is called once; both give as many.
using Branches = std::function<std::vector<Operand>()>;
std::vector<Tensor> choose(Call &call, Value condition, const Branches &x, const Branches &y);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_CHOICE_H
