// Trains a recurrent net on handwritten digits, which it reads row by row.
//
//   digits_lstm <digits.csv> [epochs] [model.ktg]
#include "common/Training.h"

namespace K = keratin::backend;

struct RowReader {
  layers::Lstm lstm{8, 64, 1};
  layers::Dense last{64, 10, 3};

  K::Tensor operator()(const K::Tensor &images, bool) const {
    return last(lstm(K::reshape(images, {-1, 8, 8})).first);
  }
  std::vector<K::Tensor> parameters() const { return layers::parametersOf(lstm, last); }
};

int main(int argc, char **argv) {
  return runExample(argc, argv, "digits_lstm", "model.ktg", 40, [](const Arguments &arguments) {
    RowReader model;
    trainClassifier(arguments, model, model.parameters(), /*rate=*/1e-2);
  });
}
