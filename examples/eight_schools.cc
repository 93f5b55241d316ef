// A hierarchical model by Hamiltonian Monte Carlo: what coaching did for students of eight schools
// (Rubin, Estimation in parallel randomized experiments, Journal of Educational Statistics 6, 1981;
// Gelman et al., Bayesian Data Analysis, section 5.5), with the effects non-centred.
//
// Chains run side by side. A call does any number of transitions of all of them as one loop, in
// whose steps a loop follows the trajectory by gradients of the log density (Neal, MCMC using
// Hamiltonian dynamics, 2011); the step size follows the acceptance (Hoffman and Gelman, The
// No-U-Turn sampler, JMLR 15, 2014). Means are compared with those of a quadrature.
#include <keratin/backend.h>

#include <cmath>
#include <cstdio>
#include <tuple>
#include <utility>
#include <vector>

namespace K = keratin::backend;

static const std::vector<double> effects = {28, 8, -3, 7, -1, 1, 18, 12};
static const std::vector<double> errors = {15, 10, 16, 11, 9, 11, 10, 18};

// Of mu ~ N(0, 5), tau ~ HalfCauchy(0, 5), theta_j = mu + tau eta_j, eta_j ~ N(0, 1) and
// y_j ~ N(theta_j, sigma_j), up to a constant. A row is mu / 5, log(tau) and the eta_j of a chain.
static K::Tensor logDensity(const K::Tensor &rows) {
  K::Tensor mu = rows[{K::All, K::Slice(0, 1)}], logTau = rows[{K::All, K::Slice(1, 2)}];
  K::Tensor eta = rows[{K::All, K::Slice(2)}];
  K::Tensor theta = 5.0 * mu + K::exp(logTau) * eta;
  K::Tensor prior = logTau - K::log1p(K::square(K::exp(logTau) / 5.0)) - 0.5 * K::square(mu);
  return K::sum(prior, 1) - 0.5 * K::sum(K::square(eta), 1) -
         0.5 * K::sum(K::square((K::constant(effects) - theta) / K::constant(errors)), 1);
}

// E[mu] and E[tau]: given tau, everything else is normal, and atan(tau / 5) is uniform before the
// data are seen.
static std::pair<double, double> exactMeans() {
  constexpr int points = 20000;
  double total = 0, sumMu = 0, sumTau = 0;
  for (int i = 0; i < points; ++i) {
    double tau = 5.0 * std::tan(M_PI / 2 * (i + 0.5) / points);
    double precision = 1.0 / 25.0, weighted = 0, log = 0;
    for (size_t j = 0; j < effects.size(); ++j) {
      double variance = errors[j] * errors[j] + tau * tau;
      precision += 1.0 / variance;
      weighted += effects[j] / variance;
      log -= 0.5 * (std::log(variance) + effects[j] * effects[j] / variance);
    }
    log += 0.5 * (weighted * weighted / precision - std::log(precision));
    double weight = std::exp(log);
    total += weight;
    sumMu += weight * weighted / precision;
    sumTau += weight * tau;
  }
  return {sumMu / total, sumTau / total};
}

int main() try {
  K::set_floatx("float64");
  constexpr int64_t chains = 64, dimensions = 10, leapfrogs = 12;
  K::Tensor state = K::variable(
      K::eval(K::random_normal({chains, dimensions}, K::RandomNormalOptions{.seed = 1})));
  K::Tensor transitions = K::placeholder(K::Shape{}, {.dtype = "int32", .name = "transitions"});
  K::Tensor stepSize = K::placeholder(K::Shape{}, {.name = "step_size"});

  auto gradient = [](const K::Tensor &q) { return K::gradients(logDensity(q), q)[0].value(); };
  auto leapfrog = [&](const K::Tensor &i, const K::Tensor &q, const K::Tensor &p,
                      const K::Tensor &slope) {
    K::Tensor half = p + 0.5 * stepSize * slope;
    K::Tensor next = q + stepSize * half;
    K::Tensor nextSlope = gradient(next);
    return std::tuple(i + 1, next, half + 0.5 * stepSize * nextSlope, nextSlope);
  };
  auto more = [](const K::Tensor &i, const K::Tensor &, const K::Tensor &, const K::Tensor &) {
    return i < leapfrogs;
  };
  auto energy = [](const K::Tensor &q, const K::Tensor &p) {
    return 0.5 * K::sum(K::square(p), 1) - logDensity(q);
  };
  // One transition of all chains: what it draws is its input, what is looked at its output.
  auto transition = [&](const K::Tensor &draws, const K::Tensor &q) {
    K::Tensor p = draws[{K::All, K::Slice(0, dimensions)}];
    std::vector<K::Tensor> end =
        K::while_loop(more, leapfrog, {K::constant(0, "int32"), q, p, gradient(q)}, leapfrogs);
    K::Tensor gain = energy(q, p) - energy(end[1], end[2]);
    // Not of a trajectory that came to NaN.
    K::Tensor accepted = K::log(draws[{K::All, dimensions}]) < gain;
    K::Tensor next = K::where(K::expand_dims(accepted, 1), end[1], q);
    K::Tensor acceptance = K::where(gain > 0.0, 1.0, K::where(gain <= 0.0, K::exp(gain), 0.0));
    return std::pair(K::stack({5.0 * next[{K::All, 0}], K::exp(next[{K::All, 1}]), acceptance}, 1),
                     next);
  };
  K::Tensor draws = K::concatenate(
      {K::random_normal({transitions, chains, dimensions}, K::RandomNormalOptions{.seed = 2}),
       K::random_uniform({transitions, chains, 1}, K::RandomUniformOptions{.seed = 3})});
  auto [last, all, states] = K::rnn(transition, draws, {state}, {.time_major = true});
  K::Function sample = K::function({transitions, stepSize},
                                   {{"mu", K::mean(all[{K::All, K::All, 0}], 0)},
                                    {"tau", K::mean(all[{K::All, K::All, 1}], 0)},
                                    {"acceptance", K::mean(all[{K::All, K::All, 2}])}},
                                   {{state, states[0]}}, "sample");

  // Dual averaging of the logarithm of the step size, towards an acceptance of 0.8.
  constexpr int updates = 100;
  double size = 0.1, average = 0, missed = 0;
  const double centre = std::log(10 * size);
  for (int t = 1; t <= updates; ++t) {
    missed += 0.8 - sample({10, size})["acceptance"].item();
    double logarithm = centre - std::sqrt(t) / 0.05 * missed / (t + 10);
    average += std::pow(t, -0.75) * (logarithm - average);
    size = std::exp(t < updates ? logarithm : average);
  }
  keratin::Results found = sample({1000, size});
  std::printf("step size %.3f, acceptance %.3f\n", size, found["acceptance"].item());

  // Chains are independent, so their means say how wrong the mean of all is.
  auto [mu, tau] = exactMeans();
  bool isRight = true;
  for (auto [name, exact] : {std::pair("mu", mu), std::pair("tau", tau)}) {
    std::vector<double> means = found[name].toVector();
    double mean = 0, variance = 0;
    for (double value : means)
      mean += value / chains;
    for (double value : means)
      variance += (value - mean) * (value - mean) / (chains - 1);
    double error = std::sqrt(variance / chains);
    std::printf("%-3s  mean %.3f +- %.3f, by quadrature %.3f\n", name, mean, error, exact);
    isRight &= std::abs(mean - exact) < 4 * error && error < 0.1;
  }
  return isRight ? 0 : 1;
} catch (const K::Error &error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
