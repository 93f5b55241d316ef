// Fits a Kalman filter: how much a moving thing is pushed, and how wrong two sensors are that say
// where it is, from what they said. The log likelihood is one loop over time (Schweppe, Evaluation
// of likelihood functions for Gaussian signals, IEEE Transactions on Information Theory 11, 1965),
// gradient and Hessian are derivatives of that loop, and the inverse Hessian says how far from the
// truth the fit may be.
#include <keratin/backend.h>

#include <cmath>
#include <cstdio>
#include <tuple>
#include <utility>
#include <vector>

namespace K = keratin::backend;

int main() try {
  K::set_floatx("float64");
  constexpr int64_t series = 16, times = 200;
  constexpr double dt = 0.5;
  const std::vector<double> truth = {0.3, 1.0, 2.5}; // acceleration, first sensor, second sensor
  const char *const names[] = {"acceleration", "sensor 1", "sensor 2"};

  // Place and speed a step later, and the covariance that pushes of variance 1 add to them.
  K::Tensor motion = K::constant(K::Array{{1.0, dt}, {0.0, 1.0}});
  K::Tensor push = K::constant(K::Array{{dt * dt * dt / 3, dt * dt / 2}, {dt * dt / 2, dt}});
  K::Tensor sees = K::constant(K::Array{{1.0, 0.0}, {1.0, 0.0}}); // both sensors, the place

  // Data of the truth: series of things that start at rest.
  K::Tensor pushes = K::dot(K::random_normal({series, times, 2}, {.stddev = truth[0], .seed = 1}),
                            K::transpose(K::cholesky(push)));
  auto moved = [&](const K::Tensor &pushed, const K::Tensor &state) {
    K::Tensor next = K::dot(state, K::transpose(motion)) + pushed;
    return std::pair(next, next);
  };
  K::Tensor path = std::get<1>(K::rnn(moved, pushes, {K::zeros({series, 2})}));
  K::Tensor noise = K::random_normal({series, times, 2}, K::RandomNormalOptions{.seed = 2});
  K::Array data = K::eval(K::dot(path, K::transpose(sees)) +
                          noise * K::constant(std::vector<double>{truth[1], truth[2]}));

  // Minus the log likelihood. Parameters are logarithms of standard deviations.
  K::Tensor observed = K::placeholder({K::None, K::None, 2}, {.name = "observed"});
  K::Tensor theta = K::placeholder({3}, {.name = "theta"});
  K::Tensor variances = K::exp(2.0 * theta);
  auto filter = [&](const K::Tensor &seen, const K::Tensor &mean, const K::Tensor &covariance) {
    K::Tensor ahead = K::dot(mean, K::transpose(motion));
    K::Tensor spread =
        K::dot(K::dot(motion, covariance), K::transpose(motion)) + variances[0] * push;
    K::Tensor error = seen - K::dot(ahead, K::transpose(sees));
    K::Tensor cross = K::dot(sees, spread);
    K::Tensor l = K::cholesky(K::dot(cross, K::transpose(sees)) + K::diag(variances[K::Slice(1)]));
    K::Tensor gain = K::cholesky_solve(l, cross); // transposed
    K::Tensor whitened = K::triangular_solve(l, K::transpose(error));
    K::Tensor loss =
        0.5 * K::sum(K::square(whitened), 0) + K::sum(K::log(K::diag(l))) + std::log(2 * M_PI);
    return std::tuple(loss, ahead + K::dot(error, gain),
                      spread - K::dot(K::transpose(cross), gain));
  };
  K::Tensor atRest = K::zeros_like(observed[{K::All, 0}]);
  K::Tensor losses = std::get<1>(K::rnn(filter, observed, {atRest, K::zeros({2, 2})}));
  K::Tensor loss = K::sum(losses);

  // A step of Newton's method, downhill also where the curvature is negative, and no longer than 1
  // (Dauphin et al., Identifying and attacking the saddle point problem, NeurIPS 2014).
  K::Tensor gradient = K::gradients(loss, theta)[0];
  K::Tensor hessian = K::hessian(loss, theta);
  auto [curvatures, directions] = K::eigh(hessian);
  K::Tensor step =
      K::dot(directions, K::dot(K::transpose(directions), gradient) / K::abs(curvatures));
  K::Tensor next = theta - step / K::maximum(1.0, K::norm(step));
  K::Function newton = K::function({observed, theta},
                                   {{"loss", loss},
                                    {"gradient", K::norm(gradient)},
                                    {"next", next},
                                    {"errors", K::sqrt(K::diag(K::inv(hessian)))}},
                                   {}, "newton");

  K::Array at = std::vector<double>{0.0, 0.0, 0.0};
  keratin::Results found;
  for (int i = 0; i < 30; ++i) {
    found = newton({data, at});
    std::printf("step %2d  loss %.6f  |gradient| %.1e\n", i, found["loss"].item(),
                found["gradient"].item());
    if (found["gradient"].item() < 1e-8)
      break;
    at = found["next"];
  }
  bool isRight = found["gradient"].item() < 1e-8;
  for (int i = 0; i < 3; ++i) {
    double value = at.item(i), error = found["errors"].item(i), exact = std::log(truth[i]);
    std::printf("%-12s  %.4f, from %.4f to %.4f, true %.4f\n", names[i], std::exp(value),
                std::exp(value - error), std::exp(value + error), truth[i]);
    isRight &= error < 0.1 && std::abs(value - exact) < 4 * error;
  }
  return isRight ? 0 : 1;
} catch (const K::Error &error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
