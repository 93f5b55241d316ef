// A block of a transformer, as a graph. Before each part its input is normalised (Xiong et al.: On
// layer normalization in the transformer architecture; ICML 2020).
#ifndef KERATIN_BENCHMARKS_TRANSFORMERBLOCK_H
#define KERATIN_BENCHMARKS_TRANSFORMERBLOCK_H

#include <keratin/layers.h>

#include <cstdint>

namespace keratin::bench {

struct TransformerBlock : layers::Layer {
  static constexpr int64_t kWidth = 512, kHeads = 8, kWide = 2048;
  static constexpr double kEpsilon = 1e-3;

  layers::LayerNorm first = add(layers::LayerNorm(kWidth, {.epsilon = kEpsilon}));
  layers::MultiHeadAttention attention =
      add(layers::MultiHeadAttention(kWidth, kHeads, {.seed = 1}));
  layers::LayerNorm second = add(layers::LayerNorm(kWidth, {.epsilon = kEpsilon}));
  layers::Dense wide = add(layers::Dense(kWidth, kWide, {.activation = "gelu", .seed = 11})),
                narrow = add(layers::Dense(kWide, kWidth, {.seed = 12}));

  Tensor operator()(const Tensor &input) const {
    Tensor x = input + attention(first(input));
    return x + narrow(wide(second(x)));
  }

  // Of the forward pass, of one row of the batch.
  static double flops(int64_t time) {
    return 2.0 * double(time) *
           double(4 * kWidth * kWidth + 2 * kWidth * kWide + 2 * time * kWidth);
  }
};

} // namespace keratin::bench

#endif // KERATIN_BENCHMARKS_TRANSFORMERBLOCK_H
