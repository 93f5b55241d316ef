// repeated_blocks: what compiling the training step of a transformer takes, of one block and of
// many that are alike.
#include "benchmarks/keratin-bench/Bench.h"

#include <keratin/layers.h>
#include <keratin/optimizers.h>

#include <vector>

using namespace keratin;
using namespace keratin::bench;
namespace K = keratin::backend;

namespace {

constexpr int64_t kBatch = 2, kLength = 8, kWidth = 32;

// Before each part its input is normalised (Xiong et al.: On layer normalization in the transformer
// architecture; ICML 2020).
struct Block : layers::Layer {
  layers::LayerNorm first = add(layers::LayerNorm(kWidth)), second = add(layers::LayerNorm(kWidth));
  layers::MultiHeadAttention attention = add(layers::MultiHeadAttention(kWidth, 4));
  layers::Dense wide = add(layers::Dense(kWidth, 4 * kWidth, {.activation = "gelu"})),
                narrow = add(layers::Dense(4 * kWidth, kWidth));

  K::Tensor operator()(const K::Tensor &input) const {
    K::Tensor x = input + attention(first(input));
    return x + narrow(wide(second(x)));
  }
};

struct Encoder : layers::Layer {
  std::vector<Block> blocks;

  explicit Encoder(int count) {
    for (int i = 0; i < count; ++i)
      blocks.push_back(add(Block()));
  }
  K::Tensor operator()(K::Tensor x) const {
    for (const Block &block : blocks)
      x = block(x);
    return x;
  }
};

// The mean of squares of what the encoder makes of x, block by block.
double lossOf(const Encoder &encoder, Array x) {
  for (const Block &block : encoder.blocks) {
    K::Tensor input = K::placeholder({kBatch, kLength, kWidth});
    x = K::function({input}, {block(input)})({x})[0];
  }
  double sum = 0;
  const Doubles values = toDoubles(x);
  for (double value : values)
    sum += value * value;
  return sum / double(values.size());
}

void compileEncoder(Bench &bench, const char *caseName, int blocks) {
  const Encoder encoder(blocks);
  double start = seconds();
  K::Tensor x = K::placeholder({K::None, K::None, kWidth});
  K::Tensor loss = K::mean(K::square(encoder(x)));
  K::Function step = K::function({x}, {loss}, optimizers::Adam(1e-3).minimize(loss, encoder));
  Row row;
  row.name = "repeated_blocks";
  row.caseName = caseName;
  row.timing = summarize({(seconds() - start) * 1e3});
  row.describe(step);
  const Array input = randomArray({kBatch, kLength, kWidth}, -1, 1, 3);
  double expected = lossOf(encoder, input);
  std::vector<Array> outputs;
  step.call(&input, 1, outputs);
  Bench::expectNear(caseName, outputs[0], &expected, 1e-4, 1e-4);
  bench.report(row);
}

} // namespace

void keratin::bench::runDeepEncoder(Bench &bench) {
  compileEncoder(bench, "encoder of 1 block, step", 1);
  compileEncoder(bench, "encoder of 24 blocks, step", 24);
}
