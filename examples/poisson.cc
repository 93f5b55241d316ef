// Poisson's equation u_xx + u_yy = f on the unit square, u = 0 on its edge, solved by a network:
// its second derivatives are part of the loss (Raissi, Perdikaris and Karniadakis, Physics-informed
// neural networks, Journal of Computational Physics 378, 2019).
//
//   poisson [epochs]
#include <keratin/layers.h>
#include <keratin/optimizers.h>
#include <keratin/training.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace keratin;
namespace K = keratin::backend;

int main(int argc, char **argv) {
  const layers::Sequential net{layers::Dense(2, 32, {.activation = "tanh", .seed = 1}),
                               layers::Dense(32, 32, {.activation = "tanh", .seed = 2}),
                               layers::Dense(32, 1, {.seed = 3})};
  K::Tensor points = K::placeholder({K::None, 2}, {.name = "points"});
  K::Tensor x = points[{K::All, 0}], y = points[{K::All, 1}];
  // The factor makes it 0 on the edge, whatever the network gives.
  K::Tensor u = x * (1.0 - x) * y * (1.0 - y) * K::flatten(net(K::stack({x, y}, 1)));
  K::Tensor ux = K::gradients(u, x)[0], uy = K::gradients(u, y)[0];
  K::Tensor laplacian = K::gradients(ux, x)[0].value() + K::gradients(uy, y)[0].value();

  // f is such that the solution is sin(pi x) sin(pi y).
  K::Tensor exact = K::sin(M_PI * x) * K::sin(M_PI * y);
  K::Tensor loss = K::mean(K::square(laplacian + 2 * M_PI * M_PI * exact));
  const int epochs = argc > 1 ? std::atoi(argv[1]) : 60;
  optimizers::Adam adam(optimizers::CosineDecay(1e-2, epochs * 32));
  K::Function step = K::function(points, {{"residual", loss}}, adam.minimize(loss, net), "step");

  // New points in each step, none of which needs to be stored.
  training::Dataset random(32 * 256, [](const std::vector<int64_t> &rows) {
    return std::vector<K::Array>{K::eval(K::random_uniform({int64_t(rows.size()), 2}))};
  });
  K::set_random_seed(1);
  training::fit(step, random, {.epochs = epochs, .batch_size = 256});

  K::Function error = K::function(
      points, {{"square", K::mean(K::square(u - exact))}, {"exact", K::mean(K::square(exact))}});
  K::Array grid = K::eval(K::random_uniform({4096, 2}, 0.0, 1.0, "float32", 9));
  training::Epoch found = training::evaluate(error, grid, 4096);
  std::printf("relative error %.2e\n", std::sqrt(found["square"] / found["exact"]));
}
