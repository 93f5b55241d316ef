#include "benchmarks/keratin-bench/ImageTraining.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace keratin;
using namespace keratin::bench;

std::vector<Array> ImageTask::inputsOf(int64_t batch) const {
  std::mt19937_64 generator(5);
  std::vector<int32_t> labels(static_cast<size_t>(batch));
  for (int32_t &label : labels)
    label = int32_t(generator() % uint64_t(classes));
  // Where an activation is 0 but for its rounding, either slope is right: with these images none
  // is.
  return {randomArray({batch, side, side, channels}, -1, 1, 7), Array(labels)};
}

DoubleImage ImageTask::imageOf(const Array &images) const {
  return {images.size() / (side * side * channels), side, side, channels, toDoubles(images)};
}

double ImageTask::loss(const DoubleImage &logits, const Array &labels) const {
  double sum = 0;
  for (int64_t row = 0; row < labels.size(); ++row) {
    const double *from = &logits.data[size_t(row * classes)];
    double most = *std::max_element(from, from + classes), exponentials = 0;
    for (int64_t i = 0; i < classes; ++i)
      exponentials += std::exp(from[i] - most);
    sum += most + std::log(exponentials) - from[labels.data<int32_t>()[row]];
  }
  return sum / double(labels.size());
}

std::vector<Doubles> keratin::bench::valuesOf(const GraphLayers &layers) {
  std::vector<Doubles> values;
  for (const Tensor &parameter : layers.parameters)
    values.push_back(toDoubles(backend::get_value(parameter)));
  return values;
}
