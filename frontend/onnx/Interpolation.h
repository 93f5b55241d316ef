// Weights of the neighbours of a place between elements.
// Source of the cubics: Keys (1981), "Cubic convolution interpolation for digital image
// processing".
#ifndef KERATIN_FRONTEND_ONNX_INTERPOLATION_H
#define KERATIN_FRONTEND_ONNX_INTERPOLATION_H

#include "frontend/onnx/ModelNode.h"

#include <cmath>
#include <initializer_list>

namespace keratin::frontend::onnx_models {

// Of an element so far away. `a` is the cubic's coefficient.
inline double cubicAt(double distance, double a) {
  const double d = std::abs(distance);
  if (d <= 1)
    return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

// The same of places that a call computes, t behind an element: of this one and the next.
inline std::vector<mlir::Value> linearWeights(Call &call, mlir::Value t) {
  return {call.g.sub(call.g.oneLike(t), t), t};
}

// Of the one before it, of both, and of the one behind the next.
inline std::vector<mlir::Value> cubicWeights(Call &call, mlir::Value t, double a) {
  auto &g = call.g;
  const mlir::Value one = g.oneLike(t), rest = g.sub(one, t);
  auto polynomial = [&](mlir::Value d, std::initializer_list<double> coefficients) {
    mlir::Value y;
    for (double c : coefficients)
      y = y ? g.add(g.mul(y, d), call.like(d, c)) : call.like(d, c);
    return y;
  };
  auto near = [&](mlir::Value d) { return polynomial(d, {a + 2, -(a + 3), 0, 1}); };
  auto far = [&](mlir::Value d) { return polynomial(d, {a, -5 * a, 8 * a, -4 * a}); };
  return {far(g.add(t, one)), near(t), near(rest), far(g.add(rest, one))};
}

} // namespace keratin::frontend::onnx_models

#endif // KERATIN_FRONTEND_ONNX_INTERPOLATION_H
