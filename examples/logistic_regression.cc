// Logistic regression by minibatches: which points of the plane lie on which side of a line.
//
//   logistic_regression [epochs]
#include <keratin/layers.h>
#include <keratin/optimizers.h>
#include <keratin/training.h>

#include <cstdio>
#include <cstdlib>

using namespace keratin;
namespace K = keratin::backend;

int main(int argc, char **argv) {
  // 2000 points, and whether 2 a - 3 b + 0.5 > 0.
  K::Array points = K::eval(K::random_uniform({2000, 2}, -1.0, 1.0, "float32", 1));
  K::Tensor side = 2.0 * K::constant(points)[{K::All, 0}] - 3.0 * K::constant(points)[{K::All, 1}];
  K::Array labels = K::eval(K::cast(side + 0.5 > 0.0, "float32"));

  K::Tensor x = K::placeholder({K::None, 2}, {.name = "x"});
  K::Tensor y = K::placeholder({K::None}, {.name = "y"});
  layers::Dense model(2, 1, {.kernel_initializer = "zeros"});
  K::Tensor logit = K::flatten(model(x));
  K::Tensor loss = K::mean(K::binary_crossentropy(y, logit, /*from_logits=*/true));
  K::Tensor accuracy = K::mean(K::cast(K::equal(logit > 0.0, y > 0.5), "float32"));

  optimizers::SGD sgd(0.5, {.momentum = 0.9});
  K::Function step = K::function({x, y}, {{"loss", loss}, {"accuracy", accuracy}},
                                 sgd.minimize(loss, model), "train_step");
  K::Function test = K::function({x, y}, {{"loss", loss}, {"accuracy", accuracy}});
  training::Dataset train(points[K::Slice(0, 1600)], labels[K::Slice(0, 1600)]);
  training::Dataset heldOut(points[K::Slice(1600)], labels[K::Slice(1600)]);
  training::fit(step, train,
                {.epochs = argc > 1 ? std::atoi(argv[1]) : 10,
                 .batch_size = 50,
                 .validate = test,
                 .validation = heldOut});

  K::Array w = K::get_value(model.variables()[0]), b = K::get_value(model.variables()[1]);
  std::printf("side of 2 a - 3 b + 0.5: learned %.2f a %+.2f b %+.2f\n", w.item(0), w.item(1),
              b.item(0));
  std::printf("test accuracy %.4f\n", training::evaluate(test, heldOut)["accuracy"]);
}
