// The handwritten digits of examples/data.
#ifndef KERATIN_EXAMPLES_COMMON_DIGITS_H
#define KERATIN_EXAMPLES_COMMON_DIGITS_H

#include <keratin/array.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

struct Digits {
  keratin::Array images; // (n, 64) float32: row by row, 0 to 1
  keratin::Array labels; // (n) int32

  size_t size() const { return size_t(labels.size()); }
  const float *image(size_t row) const { return images.data<float>() + row * 64; }
  int32_t label(size_t row) const { return labels.data<int32_t>()[row]; }
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
  std::vector<float> pixels[2];
  std::vector<int32_t> labels[2];
  for (size_t row = 0; std::getline(file, line); ++row) {
    const bool isHeldOut = row % 5 == 0;
    const char *at = line.c_str();
    char *end;
    for (int i = 0; i < 64; ++i) {
      pixels[isHeldOut].push_back(std::strtof(at, &end) / 16.0f);
      if (end == at || *end != ',')
        throw bad("not a file of digits: needs 64 pixels and a label a line");
      at = end + 1;
    }
    long label = std::strtol(at, &end, 10);
    if (end == at || label < 0 || label > 9)
      throw bad("not a file of digits: needs a label from 0 to 9 behind the pixels");
    labels[isHeldOut].push_back(int32_t(label));
  }
  if (labels[0].empty() || labels[1].empty())
    throw bad("needs at least two digits");
  auto digits = [&](bool isHeldOut) {
    const auto count = int64_t(labels[isHeldOut].size());
    return Digits{keratin::Array(pixels[isHeldOut], {count, 64}),
                  keratin::Array(labels[isHeldOut])};
  };
  return {digits(false), digits(true)};
}

#endif // KERATIN_EXAMPLES_COMMON_DIGITS_H
