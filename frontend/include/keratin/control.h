// K functions: loops over the elements of tensors, whose bodies are functions of the caller's, and
// loops that end when a condition says so.
//
// A function given to these is called once, while the node is made, with tensors that stand for the
// values in any one step. It may use tensors from outside, call any K function, also these, and
// draw random numbers, new ones in each step. It may not update variables, and what it makes is of
// use only inside, except for what it returns. Gradients flow through loops as through everything
// else, to what comes from outside too.
#ifndef KERATIN_CONTROL_H
#define KERATIN_CONTROL_H

#include "keratin/arguments.h"

#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace keratin {

namespace detail {

// A function of several tensors, given them as a vector.
template <size_t Count> struct Spread {
  template <size_t> using Argument = const Tensor &;
  template <typename F, size_t... I> static constexpr bool isInvocable(std::index_sequence<I...>) {
    return std::is_invocable_v<F &, Argument<I>...>;
  }
  template <typename F, size_t... I>
  static auto call(F &function, const std::vector<Tensor> &tensors, std::index_sequence<I...>) {
    return function(tensors.at(I)...);
  }
};

// ValueError for a pointer or a std::function that holds no function.
template <typename F> void checkFunction(const F &function, const char *what) {
  if constexpr (std::is_pointer_v<F> || std::is_constructible_v<F, std::nullptr_t>)
    if (!function)
      throw ValueError(std::string(what) + " is empty");
}

// How many tensors F takes, from `Count` to 6; 0 for none of these numbers.
template <typename F, size_t Count> constexpr size_t arity() {
  if constexpr (Count > 6)
    return 0;
  else if constexpr (Spread<Count>::template isInvocable<F>(std::make_index_sequence<Count>()))
    return Count;
  else
    return arity<F, Count + 1>();
}

} // namespace detail

// What a step of K::rnn returns: {output, {new states}}.
struct RnnStepResult {
  RnnStepResult(Tensor value, std::vector<Tensor> next = {})
      : output(std::move(value)), states(std::move(next)) {}
  RnnStepResult(std::pair<Tensor, std::vector<Tensor>> result)
      : output(std::move(result.first)), states(std::move(result.second)) {}
  template <typename... States>
  RnnStepResult(const std::tuple<Tensor, States...> &result)
      : output(std::get<0>(result)),
        states(std::apply(
            [](const Tensor &, const States &...all) { return std::vector<Tensor>{all...}; },
            result)) {}
  RnnStepResult(const std::pair<Tensor, Tensor> &result)
      : output(result.first), states{result.second} {}

  Tensor output;
  std::vector<Tensor> states;
};

// A step of K::rnn. Parameters: (input, states) with the states, followed by the constants, as a
// vector, or each a tensor of its own: (input, h, c). Result: an RnnStepResult or what makes one:
// {output, {h, c}}, a pair, a tuple of output and states, the output alone without states.
class RnnStep {
public:
  template <typename F, typename = std::enable_if_t<!std::is_same_v<std::decay_t<F>, RnnStep>>>
  RnnStep(F step) {
    detail::checkFunction(step, "rnn: the step function");
    if constexpr (std::is_invocable_v<F &, const Tensor &, const std::vector<Tensor> &>) {
      function = std::move(step);
    } else {
      constexpr size_t count = detail::arity<F, 1>();
      static_assert(count > 0, "a step takes (input, vector of states) or tensors");
      states = count - 1;
      function = [step](const Tensor &input, const std::vector<Tensor> &all) mutable {
        std::vector<Tensor> tensors = {input};
        tensors.insert(tensors.end(), all.begin(), all.end());
        return RnnStepResult(
            detail::Spread<count>::call(step, tensors, std::make_index_sequence<count>()));
      };
    }
  }

  RnnStepResult operator()(const Tensor &input, const std::vector<Tensor> &all) const {
    return function(input, all);
  }
  // How many states and constants the step has parameters for; None if it takes a vector.
  std::optional<size_t> stateCount() const { return states; }

private:
  std::function<RnnStepResult(const Tensor &, const std::vector<Tensor> &)> function;
  std::optional<size_t> states;
};

// A function of one element; or, where elements are tuples, of a vector of tensors or of so many
// tensors.
class ElementFunction {
public:
  template <typename F,
            typename = std::enable_if_t<!std::is_same_v<std::decay_t<F>, ElementFunction>>>
  ElementFunction(F element) {
    detail::checkFunction(element, "map_fn, while_loop: a function of elements");
    if constexpr (std::is_invocable_v<F &, const Tensor &>) {
      count = 1;
      function = [element](const std::vector<Tensor> &tensors) mutable {
        return element(tensors.front());
      };
    } else if constexpr (std::is_invocable_v<F &, const std::vector<Tensor> &>) {
      function = std::move(element);
    } else {
      constexpr size_t number = detail::arity<F, 2>();
      static_assert(number > 0, "a function of an element takes tensors or a vector of them");
      count = number;
      function = [element](const std::vector<Tensor> &tensors) mutable {
        return detail::Spread<number>::call(element, tensors, std::make_index_sequence<number>());
      };
    }
  }

  Tensor operator()(const std::vector<Tensor> &element) const { return function(element); }
  // How many tensors it takes; None if it takes a vector.
  std::optional<size_t> tensorCount() const { return count; }

private:
  std::function<Tensor(const std::vector<Tensor> &)> function;
  std::optional<size_t> count;
};

// The body of K::while_loop: a function of the loop variables, as a vector or each a tensor of its
// own, that returns them anew: as a vector, a pair, a tuple, or a tensor if there is one. The
// function of K::vectorized_map has the same forms.
class LoopBody {
public:
  template <typename F, typename = std::enable_if_t<!std::is_same_v<std::decay_t<F>, LoopBody>>>
  LoopBody(F body, const char *what = "while_loop: the body") {
    detail::checkFunction(body, what);
    if constexpr (std::is_invocable_v<F &, const Tensor &>) {
      count = 1;
      function = [body](const std::vector<Tensor> &vars) mutable {
        return listOf(body(vars.front()));
      };
    } else if constexpr (std::is_invocable_v<F &, const std::vector<Tensor> &>) {
      function = [body](const std::vector<Tensor> &vars) mutable { return listOf(body(vars)); };
    } else {
      constexpr size_t number = detail::arity<F, 2>();
      static_assert(number > 0, "the body of a loop takes tensors or a vector of them");
      count = number;
      function = [body](const std::vector<Tensor> &vars) mutable {
        return listOf(detail::Spread<number>::call(body, vars, std::make_index_sequence<number>()));
      };
    }
  }

  std::vector<Tensor> operator()(const std::vector<Tensor> &vars) const { return function(vars); }
  // How many tensors it takes; None if it takes a vector.
  std::optional<size_t> tensorCount() const { return count; }

private:
  static std::vector<Tensor> listOf(Tensor tensor) { return {std::move(tensor)}; }
  static std::vector<Tensor> listOf(std::vector<Tensor> tensors) { return tensors; }
  static std::vector<Tensor> listOf(const std::pair<Tensor, Tensor> &pair) {
    return {pair.first, pair.second};
  }
  template <typename... Tensors>
  static std::vector<Tensor> listOf(const std::tuple<Tensors...> &tuple) {
    return std::apply([](const Tensors &...all) { return std::vector<Tensor>{all...}; }, tuple);
  }

  std::function<std::vector<Tensor>(const std::vector<Tensor> &)> function;
  std::optional<size_t> count;
};

// What K::map_fn goes through: a tensor, or several, whose elements make tuples.
class Elements {
public:
  template <typename T, typename = std::enable_if_t<std::is_constructible_v<Operand, const T &>>>
  Elements(const T &tensor, SourceLocation location = SourceLocation::current())
      : operands{Operand(tensor, location)} {}
  Elements(const Operand &tensor) : operands{tensor} {}
  Elements(const std::vector<Tensor> &tensors) : operands(tensors.begin(), tensors.end()) {}
  Elements(std::initializer_list<Tensor> tensors) : operands(tensors.begin(), tensors.end()) {}

  const std::vector<Operand> &list() const { return operands; }

private:
  std::vector<Operand> operands;
};

namespace detail {

// Whether a function of one tensor or more returns one, and not several.
template <typename F> constexpr bool returnsTensor() {
  const auto isTensor = [](auto type) {
    return std::is_convertible_v<typename decltype(type)::type, Tensor>;
  };
  if constexpr (std::is_invocable_v<F &, const Tensor &>) {
    return isTensor(std::common_type<std::invoke_result_t<F &, const Tensor &>>());
  } else if constexpr (std::is_invocable_v<F &, const std::vector<Tensor> &>) {
    return isTensor(std::common_type<std::invoke_result_t<F &, const std::vector<Tensor> &>>());
  } else {
    constexpr size_t number = arity<F, 2>();
    static_assert(number > 0, "a function of an element takes tensors or a vector of them");
    return isTensor(std::common_type<decltype(Spread<number>::call(
                        std::declval<F &>(), std::declval<const std::vector<Tensor> &>(),
                        std::make_index_sequence<number>()))>());
  }
}

std::vector<Tensor> vectorizedMap(const LoopBody &fn, const Elements &elems,
                                  SourceLocation location);
std::vector<Tensor> mapAlong(const LoopBody &fn, const std::vector<Operand> &arguments,
                             const std::vector<std::optional<int64_t>> &inAxes, int64_t outAxes,
                             SourceLocation location);

} // namespace detail

namespace backend {

// Runs the step over the time of inputs, (samples, time, …) or with time_major (time, samples, …).
// The result: the output of the last step, all outputs with time where inputs have it, and the last
// states. go_backwards goes from the last time to the first and stacks outputs in that order.
//
// Where the mask, (samples, time) or (samples, time, 1), is 0, states stay as they are and the
// output is the previous one, zeros before the first, or with zero_output_for_mask zeros. A vector
// of lengths as input_length works as a mask too. unroll makes the steps one by one, for a known
// time; input_length may be that time.
std::tuple<Tensor, Tensor, std::vector<Tensor>>
rnn(const RnnStep &step_function, const Operand &inputs, const TensorList &initial_states,
    bool go_backwards = false, const Operand &mask = None, const TensorList &constants = {},
    bool unroll = false, const Operand &input_length = None, bool time_major = false,
    bool zero_output_for_mask = false, SourceLocation location = SourceLocation::current());

// fn(elems[0]), fn(elems[1]), … as one tensor; of this dtype, or for None of what fn returns.
Tensor map_fn(const ElementFunction &fn, const Elements &elems, const std::string &name = "",
              DTypeArgument dtype = None, SourceLocation location = SourceLocation::current());

// fn(elems[0]), fn(elems[1]), … as one tensor, or several if fn returns a vector, a pair or a
// tuple; computed by operations on all elements at once instead of a loop over them. What that is
// not possible for stays a loop, by itself. Results are those of map_fn, but that sums may be added
// up in another order, and that each print of fn prints for all elements in turn. Not a function of
// Keras; as tf.vectorized_map.
template <typename F>
auto vectorized_map(F fn, const Elements &elems,
                    SourceLocation location = SourceLocation::current()) {
  constexpr bool isOne = detail::returnsTensor<F>();
  std::vector<Tensor> results = detail::vectorizedMap(
      LoopBody(std::move(fn), "vectorized_map: a function of elements"), elems, location);
  if constexpr (isOne)
    return results.front();
  else
    return results;
}

// A function of tensors that is fn for each element along an axis of these, by vectorized_map:
// along an axis for each of fn's parameters, where None is a tensor that is the same for all
// elements, or along the first of all. Elements of what it returns are along out_axes. Not a
// function of Keras; as jax.vmap.
template <typename F>
auto vmap(F fn, std::vector<std::optional<int64_t>> in_axes = {}, int64_t out_axes = 0,
          SourceLocation location = SourceLocation::current()) {
  constexpr bool isOne = detail::returnsTensor<F>();
  return [fn = LoopBody(std::move(fn), "vmap: a function of elements"),
          in_axes = std::move(in_axes), out_axes, location](const auto &...arguments) {
    std::vector<Tensor> results =
        detail::mapAlong(fn, {Operand(arguments, location)...}, in_axes, out_axes, location);
    if constexpr (isOne)
      return results.front();
    else
      return results;
  };
}

// fn(accumulator, element) from the first element to the last, or from the last to the first. The
// accumulator starts as the initializer, or for None as the first element met.
Tensor foldl(const std::function<Tensor(const Tensor &, const Tensor &)> &fn, const Operand &elems,
             const Operand &initializer = None, const std::string &name = "",
             SourceLocation location = SourceLocation::current());
Tensor foldr(const std::function<Tensor(const Tensor &, const Tensor &)> &fn, const Operand &elems,
             const Operand &initializer = None, const std::string &name = "",
             SourceLocation location = SourceLocation::current());

// body(loop variables) as long as cond(loop variables), a bool scalar, is true; but never more than
// maximum_iterations times. Returns the last loop variables, which have the dtypes and shapes of
// the first ones. cond is called twice: for the first loop variables, and inside for those that the
// body made. Not a function of Keras; as tf.while_loop.
//
// The gradient keeps values of each iteration. It works with any number of them; of a loop inside
// another one, or inside a branch, only with maximum_iterations, and then takes as many.
std::vector<Tensor> while_loop(const ElementFunction &cond, const LoopBody &body,
                               const TensorList &loop_vars, const Size &maximum_iterations = None,
                               SourceLocation location = SourceLocation::current());

} // namespace backend
} // namespace keratin

#endif // KERATIN_CONTROL_H
