// The handwritten digits of examples/data, in batches.
#ifndef KERATIN_EXAMPLES_COMMON_DIGITS_H
#define KERATIN_EXAMPLES_COMMON_DIGITS_H

#include <keratin/array.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

struct Digits {
  std::vector<float> pixels; // 64 an image, row by row, 0 to 1
  std::vector<int32_t> labels;

  size_t size() const { return labels.size(); }
  const float *image(size_t row) const { return pixels.data() + row * 64; }
  void add(const float *image, int32_t label) {
    pixels.insert(pixels.end(), image, image + 64);
    labels.push_back(label);
  }
};

struct DigitsData {
  Digits train, test;
};

// Every fifth row is held out: the rows are ordered by writer, so a tail would not be a fair
// sample.
inline DigitsData readDigits(const std::string &path) {
  auto bad = [&](const char *what) { return std::runtime_error(path + ": " + what); };
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) // the header
    throw bad("cannot be read");
  DigitsData data;
  for (size_t row = 0; std::getline(file, line); ++row) {
    float image[64];
    const char *at = line.c_str();
    char *end;
    for (float &pixel : image) {
      pixel = std::strtof(at, &end) / 16.0f;
      if (end == at || *end != ',')
        throw bad("not a file of digits: needs 64 pixels and a label a line");
      at = end + 1;
    }
    long label = std::strtol(at, &end, 10);
    if (end == at || label < 0 || label > 9)
      throw bad("not a file of digits: needs a label from 0 to 9 behind the pixels");
    (row % 5 == 0 ? data.test : data.train).add(image, int32_t(label));
  }
  if (data.train.size() == 0 || data.test.size() == 0)
    throw bad("needs at least two digits");
  return data;
}

inline std::vector<size_t> allRows(const Digits &digits) {
  std::vector<size_t> rows(digits.size());
  std::iota(rows.begin(), rows.end(), size_t(0));
  return rows;
}

inline keratin::Array imagesOf(const Digits &digits, const size_t *rows, size_t count) {
  auto batch = keratin::Array::empty(keratin::DType::Float32, {int64_t(count), 64});
  float *to = batch.data<float>();
  for (size_t i = 0; i < count; ++i)
    std::copy_n(digits.image(rows[i]), 64, to + i * 64);
  return batch;
}

inline keratin::Array labelsOf(const Digits &digits, const size_t *rows, size_t count) {
  auto batch = keratin::Array::empty(keratin::DType::Int32, {int64_t(count)});
  int32_t *to = batch.data<int32_t>();
  for (size_t i = 0; i < count; ++i)
    to[i] = digits.labels[rows[i]];
  return batch;
}

#endif // KERATIN_EXAMPLES_COMMON_DIGITS_H
