// Saves what pendulum_object.c needs to swing up a pendulum on a cart and to hold it: a controller
// that plans ahead (model predictive control), and the cart itself, as functions for
// `keratin-compile --freestanding`.
//
// A call of the controller improves its plan of the next 1.2 seconds by three steps of Gauss and
// Newton, with a line search; the Jacobian of the states that a plan leads to is the tangent of a
// loop. It does the first 40 milliseconds of the plan, and begins with the rest of it when it is
// called again.
//
//   pendulum <pendulum.ktg>
#include <keratin/backend.h>

#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

namespace K = keratin::backend;

static constexpr int64_t horizon = 30;
static constexpr double interval = 0.04, strongest = 15; // seconds, newtons

// States after so many seconds, by a step of Euler's method whose places use the new speeds. A row
// is the place of the cart, the angle from the vertical, and the speeds of both.
static K::Tensor move(const K::Tensor &state, const K::Tensor &force, const K::Tensor &poleMass,
                      double seconds) {
  constexpr double cartMass = 1, length = 0.5, gravity = 9.81;
  std::vector<K::Tensor> parts = K::split(state, 4, 1);
  K::Tensor sine = K::sin(parts[1]), cosine = K::cos(parts[1]);
  K::Tensor pull = poleMass * sine * (length * K::square(parts[3]) - gravity * cosine);
  K::Tensor acceleration = (force + pull) / (cartMass + poleMass * K::square(sine));
  K::Tensor turn = (gravity * sine - acceleration * cosine) / length;
  K::Tensor speed = parts[2] + seconds * acceleration, spin = parts[3] + seconds * turn;
  return K::concatenate({parts[0] + seconds * speed, parts[1] + seconds * spin, speed, spin}, 1);
}

static K::Tensor forceOf(const K::Tensor &plan) { return strongest * K::tanh(plan); }

int main(int argc, char **argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: pendulum <pendulum.ktg>\n");
    return 2;
  }
  K::Tensor state = K::placeholder({4}, {.name = "start"});
  K::Tensor poleMass = K::placeholder(K::Shape{}, {.name = "pole_mass"});

  // What states and forces of some plans cost, as numbers whose squares are added up: a row for
  // each plan.
  const std::vector<double> weights = {1, 2, 0.1, 0.1};
  std::vector<double> perStep, atEnd;
  for (double weight : weights) {
    perStep.push_back(std::sqrt(weight * interval));
    atEnd.push_back(std::sqrt(20 * weight * interval));
  }
  auto residuals = [&](const K::Tensor &plans, int64_t count) {
    auto step = [&](const K::Tensor &planned, const K::Tensor &before) {
      K::Tensor after = move(before, forceOf(planned), poleMass, interval);
      return std::pair(after, after);
    };
    auto [last, all, states] =
        K::rnn(step, K::expand_dims(plans), {K::tile(K::expand_dims(state, 0), {count, 1})});
    return K::concatenate({K::reshape(all * K::constant(perStep), {count, 4 * horizon}),
                           last * K::constant(atEnd), std::sqrt(0.2 * interval) * plans},
                          1);
  };

  K::Tensor lengths = K::constant(std::vector<double>{1, 0.5, 0.25, 0.1, 0.03, 0});
  auto improve = [&](const K::Tensor &i, const K::Tensor &plan) {
    K::Tensor residual = K::flatten(residuals(K::expand_dims(plan, 0), 1));
    K::Tensor slopes = K::jacobian(residual, plan, "forward")[0];
    K::Tensor curvature = K::dot(K::transpose(slopes), slopes) + 0.01 * K::eye(horizon);
    K::Tensor direction = K::cholesky_solve(
        K::cholesky(curvature), K::dot(K::transpose(slopes), K::expand_dims(residual, 1)));
    // The best of some steps along the direction; the last one is none.
    K::Tensor plans = plan - K::expand_dims(lengths, 1) * K::transpose(direction);
    K::Tensor best = K::argmin(K::sum(K::square(residuals(plans, 6)), 1), 0);
    return std::pair(i + 1, K::gather(plans, best));
  };
  auto more = [](const K::Tensor &i, const K::Tensor &) { return i < 3; };
  K::Tensor before = K::variable(K::zeros({horizon}), {.name = "plan"});
  K::Tensor plan = K::while_loop(more, improve, {K::constant(0, "int32"), before}, 3)[1];
  K::Tensor rest = K::concatenate({plan[K::Slice(1)], plan[K::Slice(-1)]}, 0);
  K::Function control =
      K::function({state, poleMass}, {{"force", forceOf(plan[0])}}, {{before, rest}}, "control");

  // What stands in for the machine, in finer steps than those that are planned with.
  K::Tensor force = K::placeholder(K::Shape{}, {.name = "force"});
  constexpr int fine = 16;
  auto further = [&](const K::Tensor &i, const K::Tensor &now) {
    return std::pair(i + 1, move(now, force, poleMass, interval / fine));
  };
  auto notThere = [](const K::Tensor &i, const K::Tensor &) { return i < fine; };
  K::Tensor next = K::while_loop(notThere, further,
                                 {K::constant(0, "int32"), K::expand_dims(state, 0)}, fine)[1];
  K::Function cart =
      K::function({state, force, poleMass}, {{"next", K::flatten(next)}}, {}, "cart");
  K::save_functions({control, cart}, argv[1]);
} catch (const K::Error &error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
