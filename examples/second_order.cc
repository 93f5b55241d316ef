// Fits a regression with Newton's method: the curvature is never written down, only its product
// with a vector, as the gradient of a gradient.
//
// Each step solves H s = g by conjugate gradients (Martens, Deep learning via Hessian-free
// optimization, ICML 2010).
#include <keratin/backend.h>

#include <cmath>
#include <cstdio>
#include <vector>

namespace K = keratin::backend;

static double dot(const std::vector<double> &a, const std::vector<double> &b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += a[i] * b[i];
  return sum;
}

int main() try {
  K::set_floatx("float64");
  // y = a * tanh(b * x) + c with a = 2, b = 1.5, c = -0.5.
  constexpr int64_t count = 64;
  std::vector<double> xs, ys;
  for (int64_t i = 0; i < count; ++i) {
    double x = -2.0 + 4.0 * double(i) / double(count - 1);
    xs.push_back(x);
    ys.push_back(2.0 * std::tanh(1.5 * x) - 0.5);
  }

  K::Tensor x = K::placeholder({K::None}), y = K::placeholder({K::None});
  K::Tensor theta = K::variable(std::vector<double>{1.0, 1.0, 0.0});
  K::Tensor fit = theta[0] * K::tanh(theta[1] * x) + theta[2];
  K::Tensor loss = K::mean(K::square(fit - y));
  K::Tensor gradient = K::gradients(loss, theta)[0];
  K::Tensor direction = K::placeholder({3});
  K::Tensor curvature = K::gradients(K::sum(gradient * K::stop_gradient(direction)), theta)[0];

  K::Function evaluate =
      K::function({x, y}, {{"loss", loss}, {"gradient", gradient}}, {}, "gradient");
  K::Function times = K::function({x, y, direction}, {curvature}, {}, "hessian_vector_product");
  K::Array feedX(xs), feedY(ys);

  double value = 0;
  for (int iteration = 0; iteration < 20; ++iteration) {
    auto result = evaluate({feedX, feedY});
    value = result["loss"].item();
    std::vector<double> g = result["gradient"].toVector();
    std::printf("step %2d  loss %.3e  |gradient| %.3e\n", iteration, value, std::sqrt(dot(g, g)));
    if (dot(g, g) < 1e-20)
      break;
    // Conjugate gradients; where the curvature is not positive, the direction so far is good
    // enough.
    std::vector<double> s(3, 0.0), r(g), p(g);
    for (int inner = 0; inner < 3 && dot(r, r) > 1e-24; ++inner) {
      std::vector<double> hp = times({feedX, feedY, K::Array(p)})[0].toVector();
      double curved = dot(p, hp);
      if (curved <= 0) {
        if (inner == 0)
          s = g;
        break;
      }
      double alpha = dot(r, r) / curved, before = dot(r, r);
      for (int i = 0; i < 3; ++i) {
        s[i] += alpha * p[i];
        r[i] -= alpha * hp[i];
      }
      for (int i = 0; i < 3; ++i)
        p[i] = r[i] + dot(r, r) / before * p[i];
    }
    std::vector<double> current = K::get_value(theta).toVector();
    for (int i = 0; i < 3; ++i)
      current[i] -= s[i];
    K::set_value(theta, K::Array(current));
  }
  std::vector<double> found = K::get_value(theta).toVector();
  std::printf("found a = %.6f, b = %.6f, c = %.6f (true: 2, 1.5, -0.5)\n", found[0], found[1],
              found[2]);
  return value < 1e-12 ? 0 : 1;
} catch (const K::Error &error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
