// A transformer encoder for batches and words of any size: it learns to say for each letter whether
// its word has the next letter of the alphabet, too. Started again it goes on where it ended.
//
//   transformer [epochs] [checkpoint.safetensors]
#include <keratin/layers.h>
#include <keratin/optimizers.h>
#include <keratin/training.h>

#include <cstdio>
#include <cstdlib>

using namespace keratin;
namespace K = keratin::backend;

constexpr int64_t letters = 10, width = 32;

struct Encoder : layers::Layer {
  layers::Embedding embedding = add(layers::Embedding(letters, width, {.seed = 1}));
  layers::MultiHeadAttention attention = add(layers::MultiHeadAttention(width, 4, {.seed = 2}));
  layers::LayerNorm inner = add(layers::LayerNorm(width)), outer = add(layers::LayerNorm(width));
  layers::Sequential dense = add(
      layers::Sequential{layers::Dense(width, 64, {.activation = "gelu_tanh", .seed = 6}),
                         layers::Dropout(0.1, {.seed = 7}), layers::Dense(64, width, {.seed = 8})});
  layers::Dense classes = add(layers::Dense(width, 2, {.seed = 9, .name = "classes"}));

  K::Tensor operator()(const K::Tensor &words, bool training) const {
    K::Tensor x = embedding(words);
    x = inner(x + attention(x));
    return classes(outer(x + dense(x, training)));
  }
};

// Words of one length, and for each letter whether its word has the next one.
static training::Dataset wordsOf(int64_t count, int64_t length, int64_t seed) {
  K::Array words = K::eval(K::random_uniform({count, length}, 0, letters, "int32", seed));
  K::Tensor letter = K::constant(words, "int32");
  K::Tensor has = K::max(K::one_hot(letter, letters), 1, /*keepdims=*/true);
  K::Tensor found = K::sum(has * K::one_hot((letter + 1) % letters, letters), -1);
  return {words, K::eval(K::cast(found, "int32"))};
}

int main(int argc, char **argv) {
  K::Tensor words = K::placeholder({K::None, K::None}, {.dtype = "int32", .name = "words"});
  K::Tensor answers = K::placeholder({K::None, K::None}, {.dtype = "int32", .name = "answers"});
  Encoder model;
  K::Tensor loss = K::mean(K::sparse_categorical_crossentropy(answers, model(words, true), true));
  K::Tensor guess = K::cast(K::argmax(model(words, false)), "int32");
  optimizers::Adam adam(optimizers::CosineDecay(3e-3, 1000, {.warmup_steps = 50}));
  K::Function step = K::function({words, answers}, {{"loss", loss}}, adam.minimize(loss, model));
  K::Tensor accuracy = K::mean(K::cast(K::equal(guess, answers), "float32"));
  K::Function test = K::function({words, answers}, {{"accuracy", accuracy}});
  training::fit(step, wordsOf(4000, 8, 1),
                {.epochs = argc > 1 ? std::atoi(argv[1]) : 6,
                 .validate = test,
                 .validation = wordsOf(500, 6, 2), // of another length
                 .checkpoint = argc > 2 ? argv[2] : "",
                 .resume = argc > 2});
  std::printf("test accuracy %.4f\n", training::evaluate(test, wordsOf(500, 12, 3))["accuracy"]);
}
