// K functions: gradients of the caller's own, gradients that keep less, solutions of equations.
//
// Functions given to these are called once, while the graph is made, as those of control.h are.
#ifndef KERATIN_DERIVATIVES_H
#define KERATIN_DERIVATIVES_H

#include "keratin/control.h"

#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

namespace keratin {

// The gradient that K::custom_gradient is given: a function of the inputs, the outputs and the
// outputs' cotangents, three vectors, or three tensors where there is one of each. It returns the
// gradient of each input, a vector, or a tensor where there is one; an empty tensor stands for
// zeros.
class GradientFunction {
public:
  template <typename F,
            typename = std::enable_if_t<!std::is_same_v<std::decay_t<F>, GradientFunction>>>
  GradientFunction(F vjp) {
    using List = const std::vector<Tensor> &;
    using One = const Tensor &;
    detail::checkFunction(vjp, "custom_gradient: the gradient");
    if constexpr (std::is_invocable_v<F &, List, List, List>) {
      function = [vjp](List inputs, List outputs, List cotangents) mutable {
        return listOf(vjp(inputs, outputs, cotangents));
      };
    } else {
      static_assert(std::is_invocable_v<F &, One, One, One>,
                    "a gradient takes inputs, outputs and cotangents, vectors or tensors");
      takesOne = true;
      function = [vjp](List inputs, List outputs, List cotangents) mutable {
        return listOf(vjp(inputs.front(), outputs.front(), cotangents.front()));
      };
    }
  }

  std::vector<Tensor> operator()(const std::vector<Tensor> &inputs,
                                 const std::vector<Tensor> &outputs,
                                 const std::vector<Tensor> &cotangents) const {
    return function(inputs, outputs, cotangents);
  }
  // Whether it is for one input and one output.
  bool isOfOne() const { return takesOne; }

private:
  static std::vector<Tensor> listOf(Tensor tensor) { return {std::move(tensor)}; }
  static std::vector<Tensor> listOf(std::vector<Tensor> tensors) { return tensors; }

  std::function<std::vector<Tensor>(const std::vector<Tensor> &, const std::vector<Tensor> &,
                                    const std::vector<Tensor> &)>
      function;
  bool takesOne = false;
};

// The tangents that K::custom_jvp is given: a function of the inputs and of their tangents, two
// vectors, or two tensors where there is one input. It returns the tangent of each output, a
// vector, or a tensor where there is one; an empty tensor stands for zeros.
class TangentFunction {
public:
  template <typename F,
            typename = std::enable_if_t<!std::is_same_v<std::decay_t<F>, TangentFunction>>>
  TangentFunction(F jvp) {
    using List = const std::vector<Tensor> &;
    using One = const Tensor &;
    detail::checkFunction(jvp, "custom_jvp: the function of tangents");
    if constexpr (std::is_invocable_v<F &, List, List>) {
      function = [jvp](List inputs, List tangents) mutable {
        return listOf(jvp(inputs, tangents));
      };
    } else {
      static_assert(std::is_invocable_v<F &, One, One>,
                    "a function of tangents takes inputs and tangents, vectors or tensors");
      takesOne = true;
      function = [jvp](List inputs, List tangents) mutable {
        return listOf(jvp(inputs.front(), tangents.front()));
      };
    }
  }

  std::vector<Tensor> operator()(const std::vector<Tensor> &inputs,
                                 const std::vector<Tensor> &tangents) const {
    return function(inputs, tangents);
  }
  // Whether it is for one input.
  bool isOfOne() const { return takesOne; }

private:
  static std::vector<Tensor> listOf(Tensor tensor) { return {std::move(tensor)}; }
  static std::vector<Tensor> listOf(std::vector<Tensor> tensors) { return tensors; }

  std::function<std::vector<Tensor>(const std::vector<Tensor> &, const std::vector<Tensor> &)>
      function;
  bool takesOne = false;
};

// When K::fixed_point and K::root end.
struct SolverOptions {
  // By how much an iteration may change elements, times the larger of 1 and the largest of them.
  // None: three quarters of the dtype's digits.
  std::optional<double> tolerance = std::nullopt;
  // None: 1,000 of fixed_point, and 50 of Newton's steps.
  Size maximumIterations = None;
  // The call fails where so many do not suffice, for gradients as well. Otherwise the result is
  // what they have reached.
  bool check = true;
};

// How exact K::odeint is.
struct OdeOptions {
  // An error of a step that is allowed: rtol times the element, and atol.
  double rtol = 1e-5, atol = 1e-7;
  // From one time to the next.
  Size maximumSteps = 10000;
};

namespace detail {

std::vector<Tensor> customGradient(const LoopBody &f, const GradientFunction &vjp,
                                   const std::vector<Operand> &inputs, SourceLocation location);
std::vector<Tensor> customJvp(const LoopBody &f, const TangentFunction &jvp,
                              const std::vector<Operand> &inputs, SourceLocation location);
std::vector<Tensor> checkpoint(const LoopBody &f, const std::vector<Operand> &inputs,
                               SourceLocation location);
std::vector<Tensor> fixedPoint(const LoopBody &f, const std::vector<Operand> &x0,
                               const SolverOptions &options, SourceLocation location);
Tensor root(const LoopBody &f, const Operand &x0, const SolverOptions &options,
            SourceLocation location);
std::vector<Tensor> odeint(const LoopBody &f, const std::vector<Operand> &y0, const Operand &t,
                           const OdeOptions &options, SourceLocation location);

} // namespace detail

namespace backend {

// The function of tensors that computes f and has `vjp` for its gradient. Inputs and outputs are
// floats. What f takes from outside is a constant to the gradient; what is to have one is an input.
// A gradient of the gradient differentiates vjp, whose outputs have this gradient too. In forward
// mode vjp is transposed, which needs that it is linear in the cotangents. Not a function of Keras;
// as tf.custom_gradient and jax.custom_vjp.
template <typename F>
auto custom_gradient(F f, GradientFunction vjp,
                     SourceLocation location = SourceLocation::current()) {
  constexpr bool isOne = detail::returnsTensor<F>();
  return [f = LoopBody(std::move(f), "custom_gradient: the function"), vjp = std::move(vjp),
          location](const auto &...inputs) {
    std::vector<Tensor> results =
        detail::customGradient(f, vjp, {Operand(inputs, location)...}, location);
    if constexpr (isOne)
      return results.front();
    else
      return results;
  };
}

// The function of tensors that computes f and has `jvp` for its tangents. Inputs and outputs are
// floats. What f takes from outside is a constant to them; what is to have a tangent is an input.
// The gradient is jvp transposed: it is to be linear in the tangents, and where it is not, the
// gradient is that of its derivative at tangents of zero. Not a function of Keras; as
// jax.custom_jvp.
template <typename F>
auto custom_jvp(F f, TangentFunction jvp, SourceLocation location = SourceLocation::current()) {
  constexpr bool isOne = detail::returnsTensor<F>();
  return [f = LoopBody(std::move(f), "custom_jvp: the function"), jvp = std::move(jvp),
          location](const auto &...inputs) {
    std::vector<Tensor> results =
        detail::customJvp(f, jvp, {Operand(inputs, location)...}, location);
    if constexpr (isOne)
      return results.front();
    else
      return results;
  };
}

// The function of tensors that computes f, and whose gradient computes it once more, when it needs
// what is computed on the way, instead of keeping that until then. Values and gradients are those
// of f; random numbers are the same both times. Not a function of Keras; as jax.checkpoint.
template <typename F> auto checkpoint(F f, SourceLocation location = SourceLocation::current()) {
  constexpr bool isOne = detail::returnsTensor<F>();
  return [f = LoopBody(std::move(f), "checkpoint: the function"), location](const auto &...inputs) {
    std::vector<Tensor> results = detail::checkpoint(f, {Operand(inputs, location)...}, location);
    if constexpr (isOne)
      return results.front();
    else
      return results;
  };
}

// The x = f(x) that x0, f(x0), f(f(x0)), … lead to: until an iteration changes no element by more
// than tolerance * max(1, |x|), or after so many; None for a tolerance that fits the dtype. The
// gradient flows to what f takes from outside, by the implicit function theorem: nothing is kept of
// the iterations, and x0 has none.
template <typename F>
Tensor fixed_point(F f, const Operand &x0, const SolverOptions &options = {},
                   SourceLocation location = SourceLocation::current()) {
  return detail::fixedPoint(LoopBody(std::move(f), "fixed_point: the function"), {x0}, options,
                            location)
      .front();
}
template <typename F>
std::vector<Tensor> fixed_point(F f, const std::vector<Tensor> &x0,
                                const SolverOptions &options = {},
                                SourceLocation location = SourceLocation::current()) {
  return detail::fixedPoint(LoopBody(std::move(f), "fixed_point: the function"),
                            std::vector<Operand>(x0.begin(), x0.end()), options, location);
}

// The x with f(x) = 0, which has x's shape, that Newton's method finds from x0: until a step
// changes no element by more than tolerance * max(1, |x|), or after so many. All elements are one
// system, whose matrix of derivatives is formed; K::vmap makes one of each element. The gradient
// flows to what f takes from outside, by the implicit function theorem.
template <typename F>
Tensor root(F f, const Operand &x0, const SolverOptions &options = {},
            SourceLocation location = SourceLocation::current()) {
  return detail::root(LoopBody(std::move(f), "root: the function"), x0, options, location);
}

// The y with dy/dt = f(y, t) and y0 at the first of the times t, at each of these, along axis 0: by
// the pair of orders 5 and 4 of Dormand and Prince, whose steps follow the error. Times may go up
// or down. NaN from where the steps are too many or too short. Several tensors of y0 are one
// system: f(y1, y2, …, t). The gradient integrates the adjoint equation back in time, and keeps y
// at the times t alone; forward mode takes the steps that y takes. As jax.experimental.ode.odeint.
template <typename F>
Tensor odeint(F f, const Operand &y0, const Operand &t, const OdeOptions &options = {},
              SourceLocation location = SourceLocation::current()) {
  return detail::odeint(LoopBody(std::move(f), "odeint: the function"), {y0}, t, options, location)
      .front();
}
template <typename F>
std::vector<Tensor> odeint(F f, const std::vector<Tensor> &y0, const Operand &t,
                           const OdeOptions &options = {},
                           SourceLocation location = SourceLocation::current()) {
  return detail::odeint(LoopBody(std::move(f), "odeint: the function"),
                        std::vector<Operand>(y0.begin(), y0.end()), t, options, location);
}

} // namespace backend
} // namespace keratin

#endif // KERATIN_DERIVATIVES_H
