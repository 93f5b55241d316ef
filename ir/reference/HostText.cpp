#include "ir/reference/HostText.h"

#include "ir/dialect/TensorShape.h"
#include "ir/reference/HostConversions.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <functional>

using namespace keratin::ir;

// Nested brackets around the texts of the elements. `separator` stands between neighbours of a
// dimension, given how many dimensions lie inside it.
static std::string nest(const HostTensor &tensor, const std::vector<std::string> &texts,
                        const std::function<std::string(size_t)> &separator) {
  int64_t next = 0;
  std::function<std::string(size_t)> text = [&](size_t dim) -> std::string {
    if (dim == tensor.dims.size())
      return texts[next++];
    std::string list = "[";
    for (int64_t i = 0; i < tensor.dims[dim]; ++i)
      list += (i ? separator(tensor.dims.size() - dim - 1) : "") + text(dim + 1);
    return list + "]";
  };
  // Nothing but brackets would be left of a tensor without elements, perhaps very many.
  return texts.empty() ? "[]" : text(0);
}

static std::string integerText(const HostTensor &tensor, int64_t value) {
  return tensor.dtype == KERATIN_DTYPE_UINT64 ? std::to_string(uint64_t(value))
                                              : std::to_string(value);
}

//===-- NumPy's way ---------------------------------------------------------------------------===//

// The shortest digits that read back as the same number of the dtype, and always a point.
static std::string shortestText(keratin_dtype_t dtype, double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[64];
  std::to_chars_result end =
      dtype == KERATIN_DTYPE_FLOAT64
          ? std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general)
          : std::to_chars(buffer, buffer + sizeof buffer, float(value), std::chars_format::general);
  std::string text(buffer, end.ptr);
  size_t exponent = text.find('e');
  if (text.find('.') == std::string::npos)
    text.insert(std::min(exponent, text.size()), ".");
  return text;
}

static std::string numpyElement(const HostTensor &tensor, int64_t i) {
  if (tensor.isFloat())
    return shortestText(tensor.dtype, roundToFloat(tensor.dtype, tensor.floats[i]));
  if (tensor.dtype == KERATIN_DTYPE_BOOL)
    return tensor.ints[i] ? "True" : "False";
  return integerText(tensor, tensor.ints[i]);
}

std::string keratin::ir::numpyText(const HostTensor &tensor) {
  std::vector<std::string> texts;
  size_t before = 0, after = 0; // widths left of the point, and from it on
  for (int64_t i = 0; i < tensor.size(); ++i) {
    texts.push_back(numpyElement(tensor, i));
    size_t point = texts.back().find('.');
    if (point == std::string::npos)
      continue;
    before = std::max(before, point);
    after = std::max(after, texts.back().size() - point);
  }
  if (tensor.dims.empty())
    return texts[0].ends_with('.') ? texts[0] + "0" : texts[0];
  // Without a point (integers, but also inf and nan) a number stands at the right end.
  for (const std::string &text : texts)
    if (text.find('.') == std::string::npos && text.size() > after)
      before = std::max(before, text.size() - after);
  for (std::string &text : texts) {
    size_t point = text.find('.');
    size_t left = point == std::string::npos ? before + after - text.size() : before - point;
    text = std::string(left, ' ') + text;
    text.resize(before + after, ' ');
  }
  size_t rank = tensor.dims.size();
  return nest(tensor, texts, [&](size_t inside) {
    // Rows start on new lines, under the bracket that they belong to.
    return inside ? std::string(inside, '\n') + std::string(rank - inside, ' ') : std::string(" ");
  });
}

//===-- For tests -----------------------------------------------------------------------------===//

static const char *elementName(keratin_dtype_t dtype) {
  static const char *const names[] = {"?",   "i1",   "i8",           "i16",         "i32", "i64",
                                      "ui8", "ui16", "ui32",         "ui64",        "f16", "bf16",
                                      "f32", "f64",  "complex<f32>", "complex<f64>"};
  return names[dtype];
}

static std::string sixDigits(double value) {
  if (std::isnan(value))
    return "nan"; // without the sign that some print
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.6g", value == 0 ? 0.0 : value);
  return buffer;
}

std::string keratin::ir::stableText(const HostTensor &tensor) {
  std::string type = "tensor<";
  for (int64_t dim : tensor.dims)
    type += std::to_string(dim) + "x";
  type += elementName(tensor.dtype);
  std::vector<std::string> texts;
  for (int64_t i = 0; i < tensor.size(); ++i)
    texts.push_back(tensor.isFloat() ? sixDigits(tensor.floats[i])
                                     : integerText(tensor, tensor.ints[i]));
  if (numbersPerElement(tensor.dtype) == 2)
    for (size_t i = 0; i < tensor.floats.size(); i += 2)
      texts.push_back("(" + sixDigits(tensor.floats[i]) + ", " + sixDigits(tensor.floats[i + 1]) +
                      ")");
  return type + "> " + nest(tensor, texts, [](size_t) { return std::string(", "); });
}
