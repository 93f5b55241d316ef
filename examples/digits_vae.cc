// Learns to draw digits: a variational autoencoder (Kingma and Welling, ICLR 2014). Writes a
// picture of samples.
//
//   digits_vae <digits.csv> [epochs] [samples.pgm] [model.ktg]
#include "common/Training.h"

namespace K = keratin::backend;

struct Autoencoder {
  static constexpr int64_t latent = 8;
  layers::Dense encoder{64, 128, 1}, mean{128, latent, 2}, logVariance{128, latent, 3};
  layers::Dense decoder{latent, 128, 4}, pixels{128, 64, 5};

  // Logits of pixels.
  K::Tensor decode(const K::Tensor &code) const { return pixels(K::relu(decoder(code))); }

  // The mean over the batch of -log p(x | code) + KL(q(code | x) || normal), a bound on -log p(x).
  K::Tensor loss(const K::Tensor &images) const {
    K::Tensor hidden = K::relu(encoder(images));
    K::Tensor mu = mean(hidden), logVar = logVariance(hidden);
    K::Tensor noise =
        K::random_normal({K::shape(mu)[0], latent}, K::RandomNormalOptions{.seed = 21});
    K::Tensor logits = decode(mu + K::exp(0.5 * logVar) * noise);
    K::Tensor reconstruction = K::sum(K::binary_crossentropy(images, logits, true), 1);
    K::Tensor divergence = -0.5 * K::sum(1.0 + logVar - K::square(mu) - K::exp(logVar), 1);
    return K::mean(reconstruction + divergence);
  }
  std::vector<K::Tensor> parameters() const {
    return layers::parametersOf(encoder, mean, logVariance, decoder, pixels);
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
    const Digits &train = arguments.digits.train, &test = arguments.digits.test;
    K::Tensor images = K::placeholder({K::None, 64}, {.name = "images"});
    K::Tensor codes = K::placeholder({K::None, Autoencoder::latent}, {.name = "codes"});
    Autoencoder model;
    K::Tensor loss = model.loss(images);
    K::Function step =
        K::function({images}, {loss}, layers::adam(loss, model.parameters(), 2e-3), "train_step");
    K::Function evaluate = K::function({images}, {loss}, {}, "evaluate");
    K::Function draw = K::function({codes}, {K::sigmoid(model.decode(codes))}, {}, "draw");
    if (argc > 4) {
      K::save_functions({step, draw}, argv[4]);
      std::printf("saved train_step and draw to %s\n", argv[4]);
    }
    describe(step, evaluate);

    std::vector<size_t> heldOut = allRows(test);
    K::Array testImages = imagesOf(test, heldOut.data(), heldOut.size());
    Epochs epochs(train);
    for (int epoch = 1; epoch <= arguments.epochs; ++epoch) {
      std::vector<double> means = epochs.run(step, [&](const size_t *rows, size_t count) {
        return std::vector<K::Array>{imagesOf(train, rows, count)};
      });
      std::printf("epoch %2d  loss %.3f  held out %.3f\n", epoch, means[0],
                  evaluate({testImages})[0].item());
      std::fflush(stdout);
    }
    std::printf("%.1f us a step\n", epochs.microsecondsPerStep());
    std::printf("bound on held-out images %.3f nats\n", evaluate({testImages})[0].item());

    K::Array normal =
        K::eval(K::random_normal({64, Autoencoder::latent}, K::RandomNormalOptions{.seed = 5}));
    writeSamples(arguments.output.empty() ? "digits_vae.pgm" : arguments.output, draw({normal})[0]);
  };
  return runExample(argc, argv, "digits_vae", "samples.pgm", 60, program);
}
