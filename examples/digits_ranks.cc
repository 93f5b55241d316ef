// Trains the perceptron of digits.cc by several processes: each computes its part of every batch,
// and the weights stay the same on all. Started again, with as many or fewer of them, it goes on
// where it ended.
//
//   mpirun -n 4 digits_ranks <digits.csv> [epochs] [checkpoint.safetensors.index.json]
#include "common/Training.h"

#include <keratin/distributed.h>

int main(int argc, char **argv) try {
  if (argc < 2) {
    std::fprintf(stderr, "usage: digits_ranks <digits.csv> [epochs] [checkpoint]\n");
    return 2;
  }
  K::distributed::init(); // as mpirun, srun or torchrun says
  const DigitsData digits = readDigits(argv[1]);
  const layers::Sequential model{layers::Dense(64, 256, {.activation = "relu", .seed = 1}),
                                 layers::Dropout(0.2, {.seed = 11}),
                                 layers::Dense(256, 128, {.activation = "relu", .seed = 2}),
                                 layers::Dense(128, 10, {.seed = 3})};
  K::Tensor images = K::placeholder({"batch", 64}, {.name = "images"});
  K::Tensor labels = K::placeholder({"batch"}, {.dtype = "int32", .name = "labels"});
  K::Tensor loss = K::mean(K::sparse_categorical_crossentropy(
      labels, model(images, /*training=*/true), {.from_logits = true}));
  K::Tensor guess = K::argmax(model(images, /*training=*/false));
  K::Tensor accuracy =
      K::mean(K::cast(K::equal(guess, K::cast(labels, K::DType::Int64)), K::DType::Float32));

  // Of "batch" each rank has a part.
  optimizers::Adam adam(1e-3);
  K::Function step = K::function({images, labels}, {{"loss", loss}}, adam.minimize(loss, model),
                                 {.name = "train_step", .shard = {{"batch"}}});
  K::Function test = K::function({images, labels}, {{"accuracy", accuracy}}, {},
                                 {.name = "test", .shard = {{"batch"}}});
  training::fit(step, {digits.train.images, digits.train.labels},
                {.epochs = argc > 2 ? std::atoi(argv[2]) : 30,
                 .seed = 7,
                 .validate = test,
                 .validation = {digits.test.images, digits.test.labels},
                 .checkpoint = argc > 3 ? argv[3] : "",
                 .resume = argc > 3});
  return 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
