// Reads strings of three to six digits, side by side, with a recurrent net over columns and
// connectionist temporal classification (Graves et al., ICML 2006): where a digit stands in the
// picture is never told.
//
//   digits_strings <digits.csv> [steps] [model.ktg]
#include "common/Training.h"

#include <random>

namespace {

constexpr int64_t kMostDigits = 6, kMostColumns = 8 * kMostDigits, kClasses = 11; // the last: blank

// Pictures as columns of eight pixels from left to right, zero behind the last.
struct Strings {
  K::Array columns, widths, labels, lengths;

  std::vector<K::Array> feeds() const { return {columns, widths, labels, lengths}; }
};

Strings makeStrings(const Digits &digits, size_t count, std::mt19937 &random) {
  const int64_t n = int64_t(count);
  Strings strings{K::Array::zeros(K::DType::Float32, {n, kMostColumns, 8}),
                  K::Array::zeros(K::DType::Int32, {n, 1}),
                  K::Array::zeros(K::DType::Int32, {n, kMostDigits}),
                  K::Array::zeros(K::DType::Int32, {n, 1})};
  for (size_t i = 0; i < count; ++i) {
    int32_t length = int32_t(3 + random() % 4);
    strings.lengths.data<int32_t>()[i] = length;
    strings.widths.data<int32_t>()[i] = 8 * length;
    for (int32_t d = 0; d < kMostDigits; ++d) {
      int32_t &label = strings.labels.data<int32_t>()[i * kMostDigits + size_t(d)];
      label = -1;
      if (d >= length)
        continue;
      size_t row = random() % digits.size();
      label = digits.label(row);
      float *to = strings.columns.data<float>() + (i * kMostColumns + size_t(8 * d)) * 8;
      for (size_t x = 0; x < 8; ++x)
        for (size_t y = 0; y < 8; ++y)
          to[x * 8 + y] = digits.image(row)[y * 8 + x];
    }
  }
  return strings;
}

struct StringReader : layers::Layer {
  layers::LSTM forwards = add(layers::LSTM(8, 96, {.return_sequences = true, .seed = 1}));
  layers::LSTM backwards =
      add(layers::LSTM(8, 96, {.return_sequences = true, .go_backwards = true, .seed = 3}));
  layers::Dense last = add(layers::Dense(192, kClasses, {.activation = "softmax", .seed = 5}));

  // Probabilities of the classes at each column.
  K::Tensor operator()(const K::Tensor &columns) const {
    return last(K::concatenate({forwards(columns), K::reverse(backwards(columns), 1)}));
  }
};

// How many decoded rows are exactly the labels.
int64_t countRight(const K::Array &decoded, const Strings &strings) {
  int64_t right = 0, rows = decoded.shape()[0], width = decoded.shape()[1];
  for (int64_t i = 0; i < rows; ++i) {
    bool equal = true;
    for (int64_t d = 0; d < std::max(width, kMostDigits); ++d) {
      int64_t read = d < width ? decoded.item<int64_t>(i * width + d) : -1;
      int64_t label = d < kMostDigits ? strings.labels.item<int64_t>(i * kMostDigits + d) : -1;
      equal &= read == label;
    }
    right += equal;
  }
  return right;
}

} // namespace

int main(int argc, char **argv) {
  auto program = [](const Arguments &arguments) {
    K::Tensor columns = K::placeholder({"batch", K::None, 8}, {.name = "columns"});
    K::Tensor widths = K::placeholder({"batch", 1}, {.dtype = "int32", .name = "widths"});
    K::Tensor labels = K::placeholder({"batch", K::None}, {.dtype = "int32", .name = "labels"});
    K::Tensor lengths = K::placeholder({"batch", 1}, {.dtype = "int32", .name = "lengths"});
    StringReader model;
    K::Tensor probabilities = model(columns);
    K::Tensor loss = K::mean(K::ctc_batch_cost(labels, probabilities, widths, lengths));
    optimizers::Adam adam(3e-3);
    K::Function step = K::function({columns, widths, labels, lengths}, {{"loss", loss}},
                                   adam.minimize(loss, model), "train_step");
    auto [paths, scores] = K::ctc_decode(probabilities, K::flatten(widths), /*greedy=*/false, 10);
    K::Function read = K::function({columns, widths}, {paths[0]}, {}, "read");
    if (!arguments.output.empty()) {
      K::save_functions({step, read}, arguments.output);
      std::printf("saved train_step and read to %s\n", arguments.output.c_str());
    }
    describe(step, read);

    // New strings for every step; a hundred steps are an epoch.
    std::mt19937 random(7);
    training::Dataset strings(3200, [&](const std::vector<int64_t> &rows) {
      return makeStrings(arguments.digits.train, rows.size(), random).feeds();
    });
    printStepTime(training::fit(step, strings, {.epochs = (arguments.epochs + 99) / 100}));

    std::mt19937 held(11);
    Strings test = makeStrings(arguments.digits.test, 500, held);
    int64_t right = countRight(read({test.columns, test.widths})[0], test);
    std::printf("%lld of 500 strings of held-out images exactly right\n", (long long)right);
  };
  return runExample(argc, argv, "digits_strings", "model.ktg", 1500, program);
}
