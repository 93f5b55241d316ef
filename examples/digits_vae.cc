// Learns to draw digits: a variational autoencoder (Kingma and Welling, ICLR 2014). Writes a
// picture of samples.
//
//   digits_vae <digits.csv> [epochs] [samples.pgm] [model.ktg]
#include "common/Training.h"

struct Autoencoder : layers::Layer {
  static constexpr int64_t latent = 8;
  layers::Dense encoder = add(layers::Dense(64, 128, {.activation = "relu", .seed = 1}));
  layers::Dense mean = add(layers::Dense(128, latent, {.seed = 2, .name = "mean"}));
  layers::Dense logVariance = add(layers::Dense(128, latent, {.seed = 3, .name = "log_variance"}));
  layers::Dense decoder = add(layers::Dense(latent, 128, {.activation = "relu", .seed = 4}));
  layers::Dense pixels = add(layers::Dense(128, 64, {.seed = 5, .name = "pixels"}));

  // Logits of pixels.
  K::Tensor decode(const K::Tensor &code) const { return pixels(decoder(code)); }

  // The mean over the batch of -log p(x | code) + KL(q(code | x) || normal), a bound on -log p(x).
  K::Tensor loss(const K::Tensor &images) const {
    K::Tensor hidden = encoder(images);
    K::Tensor mu = mean(hidden), logVar = logVariance(hidden);
    K::Tensor noise =
        K::random_normal({K::shape(mu)[0], latent}, K::RandomNormalOptions{.seed = 21});
    K::Tensor logits = decode(mu + K::exp(0.5 * logVar) * noise);
    K::Tensor reconstruction = K::sum(K::binary_crossentropy(images, logits, true), 1);
    K::Tensor divergence = -0.5 * K::sum(1.0 + logVar - K::square(mu) - K::exp(logVar), 1);
    return K::mean(reconstruction + divergence);
  }
};

// Rows of eight images with a margin, each pixel four by four, as a portable graymap. Written as
// any program writes its files: Keratin's own writer is not part of what it offers.
static void writeSamples(const std::string &path, const K::Array &images) {
  const size_t perRow = 8, scale = 4, cell = 8 * scale + scale;
  const size_t rows = size_t(images.shape()[0]) / perRow;
  std::ofstream file(path, std::ios::binary);
  file << "P5\n" << perRow * cell << ' ' << rows * cell << "\n255\n";
  const float *pixels = images.data<float>();
  for (size_t y = 0; y < rows * cell; ++y)
    for (size_t x = 0; x < perRow * cell; ++x) {
      size_t image = y / cell * perRow + x / cell, row = y % cell / scale,
             column = x % cell / scale;
      float value = row < 8 && column < 8 ? pixels[image * 64 + row * 8 + column] : 0.0f;
      file.put(char(int(value * 255.0f + 0.5f)));
    }
  file.close();
  if (!file)
    throw std::runtime_error(path + ": cannot be written");
  std::printf("wrote %zu samples to %s\n", size_t(images.shape()[0]), path.c_str());
}

int main(int argc, char **argv) {
  auto program = [&](const Arguments &arguments) {
    K::Tensor images = K::placeholder({"batch", 64}, {.name = "images"});
    K::Tensor codes = K::placeholder({K::None, Autoencoder::latent}, {.name = "codes"});
    Autoencoder model;
    K::Tensor loss = model.loss(images);
    optimizers::Adam adam(2e-3);
    K::Function step =
        K::function(images, {{"loss", loss}}, adam.minimize(loss, model), "train_step");
    K::Function evaluate = K::function(images, {{"loss", loss}}, {}, "evaluate");
    K::Function draw = K::function(codes, K::sigmoid(model.decode(codes)), {}, "draw");
    if (argc > 4) {
      K::save_functions({step, draw}, argv[4]);
      std::printf("saved train_step and draw to %s\n", argv[4]);
    }
    describe(step, evaluate);

    const training::Dataset train(arguments.digits.train.images),
        test(arguments.digits.test.images);
    printStepTime(training::fit(
        step, train,
        {.epochs = arguments.epochs, .seed = 7, .validate = evaluate, .validation = test}));
    std::printf("bound on held-out images %.3f nats\n",
                training::evaluate(evaluate, test, test.size())["loss"]);

    K::Array normal =
        K::eval(K::random_normal({64, Autoencoder::latent}, K::RandomNormalOptions{.seed = 5}));
    writeSamples(arguments.output.empty() ? "digits_vae.pgm" : arguments.output, draw({normal})[0]);
  };
  return runExample(argc, argv, "digits_vae", "samples.pgm", 60, program);
}
