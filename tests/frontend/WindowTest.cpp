// Convolutions, pooling and resizing: the numbers of spec 9, 11 and 12, every form against plain
// loops, gradients, unknown sizes, and what is refused.
#include "tests/frontend/GradientCheck.h"

using keratin::DataFormat;
using keratin::Shape;
using keratin::ValueError;

using Numbers = std::vector<double>;
using Ints = std::vector<int64_t>;

static Array column(const Numbers &numbers, const Ints &dims) {
  return Array(numbers, dims).astype(DType::Float32);
}

// Different everywhere, and exact in float32 however they are added up.
static Array counted(const Ints &dims, int64_t period = 17) {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  Numbers numbers;
  for (int64_t i = 0; i < count; ++i)
    numbers.push_back(double(i * 7 % period) - 5);
  return column(numbers, dims);
}

//===-- Numbers of the specification ----------------------------------------------------------===//

static const Array sixSteps = column({1, 2, 3, 4, 5, 6}, {1, 6, 1});
static const Array fourTaps = column({1, 10, 100, 1000}, {4, 1, 1});

static void checkConv1d(const Numbers &expected, int64_t stride, const std::string &padding,
                        int64_t dilation) {
  Array result = column(expected, {1, int64_t(expected.size()), 1});
  for (const Shape &shape : {Shape{1, 6, 1}, Shape{None, None, 1}}) {
    Tensor x = K::placeholder(shape);
    Tensor y = K::conv1d(x, K::variable(fourTaps), stride, padding, "channels_last", dilation);
    checkArray(K::function({x}, {y})({sixSteps})[0], result);
  }
}

TEST_CASE("conv1d computes the numbers of the specification", "[windows]") {
  checkConv1d({3210, 4321, 5432, 6543, 654, 65}, 1, "same", 1);
  checkConv1d({3210, 5432, 654}, 2, "same", 1);
  checkConv1d({4200, 5310, 6420, 531, 642, 53}, 1, "same", 2);
  checkConv1d({4321, 6543}, 2, "valid", 1);
  checkConv1d({1000, 2000, 3100, 4200, 5310, 6420}, 1, "causal", 2);
}

TEST_CASE("conv2d_transpose computes the numbers of the specification", "[windows]") {
  Array x = column({1, 2, 3}, {1, 1, 3, 1}), kernel = column({1, 10, 100}, {1, 3, 1, 1});
  auto check = [&](const char *padding, const Numbers &expected) {
    int64_t width = int64_t(expected.size());
    Array result = column(expected, {1, 1, width, 1});
    Tensor fixed = K::placeholder({1, 1, 3, 1}), open = K::placeholder({None, None, None, 1});
    Tensor size = K::placeholder(Shape{}, None, "int32");
    Tensor shape = K::placeholder({4}, None, "int32");
    Tensor a =
        K::conv2d_transpose(fixed, kernel, {1, 1, width, 1}, {1, 2}, padding, "channels_last");
    CHECK(a.shape() == StaticShape{1, 1, width, 1});
    checkArray(K::function({fixed}, {a})({x})[0], result);
    Tensor b =
        K::conv2d_transpose(open, kernel, {None, 1, size, 1}, {1, 2}, padding, "channels_last");
    CHECK(b.shape() == StaticShape{None, 1, None, 1});
    checkArray(K::function({open, size}, {b})({x, Array(int32_t(width))})[0], result);
    Tensor c = K::conv2d_transpose(K::permute_dimensions(open, {0, 3, 1, 2}), kernel,
                                   {None, 1, 1, width}, {1, 2}, padding, "channels_first");
    checkArray(K::function({open}, {c})({x})[0], result.reshape({1, 1, 1, width}));
  };
  check("valid", {1, 10, 102, 20, 203, 30, 300});
  check("valid", {1, 10, 102, 20, 203, 30, 300, 0});
  check("same", {1, 10, 102, 20, 203, 30});
  check("same", {10, 102, 20, 203, 30});
}

TEST_CASE("pool2d computes the numbers of the specification", "[windows]") {
  Array x = column({1, 2, 3, 4, 5}, {1, 1, 5, 1});
  auto check = [&](int64_t window, const char *mode, const Numbers &expected) {
    for (const Shape &shape : {Shape{1, 1, 5, 1}, Shape{None, None, None, 1}}) {
      Tensor in = K::placeholder(shape);
      Tensor y = K::pool2d(in, {1, window}, {1, 2}, "same", "channels_last", mode);
      checkArray(K::function({in}, {y})({x})[0], column(expected, {1, 1, 3, 1}));
    }
  };
  check(3, "avg", {1.5, 3, 4.5});
  check(3, "max", {2, 4, 5});
  check(2, "avg", {1.5, 3.5, 5});
}

TEST_CASE("resize_images computes the numbers of the specification", "[windows]") {
  Array x = column({1, 2, 4}, {1, 3, 1, 1});
  auto check = [&](int64_t factor, const char *interpolation, const Numbers &expected) {
    for (const Shape &shape : {Shape{1, 3, 1, 1}, Shape{None, None, None, None}}) {
      Tensor in = K::placeholder(shape);
      Tensor y = K::resize_images(in, factor, 1, "channels_last", interpolation);
      checkArray(K::function({in}, {y})({x})[0],
                 column(expected, {1, int64_t(expected.size()), 1, 1}), 2 * float32Ulp);
      Tensor row = K::permute_dimensions(in, {0, 3, 2, 1});
      Tensor z = K::resize_images(row, 1, factor, "channels_first", interpolation);
      checkArray(K::function({in}, {z})({x})[0],
                 column(expected, {1, 1, 1, int64_t(expected.size())}), 2 * float32Ulp);
    }
  };
  check(2, "nearest", {1, 1, 2, 2, 4, 4});
  check(2, "bilinear", {1, 1.5, 2, 3, 4, 4});
  check(3, "bilinear", {1, 4. / 3, 5. / 3, 2, 8. / 3, 10. / 3, 4, 4, 4});
}

//===-- Plain loops ---------------------------------------------------------------------------===//

namespace {
struct Image {
  Array array;
  bool channelsFirst;

  int64_t size(int axis) const { return array.shape()[channelsFirst ? axis + 2 : axis + 1]; }
  int64_t channels() const { return array.shape()[channelsFirst ? 1 : 3]; }
  int64_t place(int64_t b, int64_t i, int64_t j, int64_t c) const {
    return channelsFirst ? ((b * channels() + c) * size(0) + i) * size(1) + j
                         : ((b * size(0) + i) * size(1) + j) * channels() + c;
  }
  float &at(int64_t b, int64_t i, int64_t j, int64_t c) {
    return array.data<float>()[place(b, i, j, c)];
  }
  bool inside(int64_t i, int64_t j) const { return i >= 0 && j >= 0 && i < size(0) && j < size(1); }
};

// Windows of a 2-d image.
struct Windows {
  Ints window, strides, dilation;
  const char *padding;

  int64_t covered(int axis) const { return (window[axis] - 1) * dilation[axis] + 1; }
  int64_t count(const Image &x, int axis) const {
    int64_t room = std::string(padding) == "same" ? x.size(axis) : x.size(axis) - covered(axis) + 1;
    return (room + strides[axis] - 1) / strides[axis];
  }
  int64_t low(const Image &x, int axis) const {
    if (std::string(padding) != "same")
      return 0;
    int64_t reach = (count(x, axis) - 1) * strides[axis] + covered(axis);
    return std::max<int64_t>(reach - x.size(axis), 0) / 2;
  }
  Image result(const Image &x, int64_t channels) const {
    Ints dims = {x.array.shape()[0], count(x, 0), count(x, 1), channels};
    if (x.channelsFirst)
      dims = {dims[0], channels, dims[1], dims[2]};
    return {Array::zeros(DType::Float32, dims), x.channelsFirst};
  }
  // Calls visit(b, oi, oj, place in the window, i, j) for all that lies inside x.
  template <class Visit> void forEach(const Image &x, const Visit &visit) const {
    for (int64_t b = 0; b < x.array.shape()[0]; ++b)
      for (int64_t oi = 0; oi < count(x, 0); ++oi)
        for (int64_t oj = 0; oj < count(x, 1); ++oj)
          for (int64_t tap = 0; tap < window[0] * window[1]; ++tap) {
            int64_t i = oi * strides[0] - low(x, 0) + tap / window[1] * dilation[0];
            int64_t j = oj * strides[1] - low(x, 1) + tap % window[1] * dilation[1];
            if (x.inside(i, j))
              visit(b, oi, oj, tap, i, j);
          }
  }
};
} // namespace

static Image convolve(Image x, const Array &kernel, const Windows &windows) {
  int64_t in = kernel.shape()[2], out = kernel.shape()[3];
  Image y = windows.result(x, out);
  windows.forEach(x, [&](int64_t b, int64_t oi, int64_t oj, int64_t tap, int64_t i, int64_t j) {
    for (int64_t c = 0; c < in; ++c)
      for (int64_t f = 0; f < out; ++f)
        y.at(b, oi, oj, f) += x.at(b, i, j, c) * kernel.data<float>()[(tap * in + c) * out + f];
  });
  return y;
}

static Image convolveDepthwise(Image x, const Array &kernel, const Windows &windows) {
  int64_t channels = kernel.shape()[2], each = kernel.shape()[3];
  Image y = windows.result(x, channels * each);
  windows.forEach(x, [&](int64_t b, int64_t oi, int64_t oj, int64_t tap, int64_t i, int64_t j) {
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t m = 0; m < each; ++m)
        y.at(b, oi, oj, c * each + m) +=
            x.at(b, i, j, c) * kernel.data<float>()[(tap * channels + c) * each + m];
  });
  return y;
}

static Image pool(Image x, const Windows &windows, bool largest) {
  Image y = windows.result(x, x.channels()), counts = windows.result(x, x.channels());
  windows.forEach(x, [&](int64_t b, int64_t oi, int64_t oj, int64_t, int64_t i, int64_t j) {
    for (int64_t c = 0; c < x.channels(); ++c) {
      float &old = y.at(b, oi, oj, c), element = x.at(b, i, j, c);
      float &count = counts.at(b, oi, oj, c);
      old = !largest ? old + element : count == 0 ? element : std::max(old, element);
      ++count;
    }
  });
  for (int64_t i = 0; !largest && i < y.array.size(); ++i)
    y.array.data<float>()[i] /= counts.array.data<float>()[i];
  return y;
}

// Calls check(images, placeholder that takes them, windows) for images in both layouts and for
// windows of many forms, with known and with unknown sizes; no image is smaller than its windows.
template <class Check> static void forEachForm(bool mayDilate, const Check &check) {
  for (bool channelsFirst : {false, true})
    for (const char *padding : {"valid", "same"})
      for (const Ints &window : {Ints{3, 2}, Ints{1, 1}, Ints{4, 3}})
        for (const Ints &strides : {Ints{1, 1}, Ints{2, 2}, Ints{1, 3}})
          for (const Ints &dilation : {Ints{1, 1}, Ints{2, 1}}) {
            if (!mayDilate && dilation[0] != 1)
              continue;
            Windows windows = {window, strides, dilation, padding};
            auto image = [&](int64_t batch, int64_t rows) {
              Ints dims = {batch, rows, 7, 3};
              if (channelsFirst)
                dims = {batch, 3, rows, 7};
              return Image{counted(dims), channelsFirst};
            };
            INFO((channelsFirst ? "channels first, " : "channels last, ")
                 << padding << ", window " << window[0] << " x " << window[1] << ", strides "
                 << strides[0] << " x " << strides[1] << ", dilation " << dilation[0]);
            StaticShape known = {2, 8, 7, 3}, unknown = {None, None, None, 3};
            if (channelsFirst) {
              known = {2, 3, 8, 7};
              unknown = {None, 3, None, None};
            }
            check({image(2, 8)}, K::placeholder(known), windows);
            check({image(2, 8), image(0, 8), image(1, 9)}, K::placeholder(unknown), windows);
          }
}

using Images = std::vector<Image>;

static DataFormat formatOf(const Image &x) {
  return x.channelsFirst ? "channels_first" : "channels_last";
}

TEST_CASE("conv2d and depthwise_conv2d of every form", "[windows]") {
  forEachForm(true, [](const Images &images, const Tensor &x, const Windows &windows) {
    DataFormat format = formatOf(images[0]);
    Array kernel = counted({windows.window[0], windows.window[1], 3, 4}, 11);
    Array each = counted({windows.window[0], windows.window[1], 3, 2}, 7);
    Tensor y = K::conv2d(x, kernel, windows.strides, windows.padding, format, windows.dilation);
    Tensor z =
        K::depthwise_conv2d(x, each, windows.strides, windows.padding, format, windows.dilation);
    auto f = K::function({x}, {y, z});
    for (const Image &image : images) {
      auto results = f({image.array});
      checkArray(results[0], convolve(image, kernel, windows).array, 0);
      checkArray(results[1], convolveDepthwise(image, each, windows).array, 0);
    }
  });
}

TEST_CASE("pool2d of every form", "[windows]") {
  forEachForm(false, [](const Images &images, const Tensor &x, const Windows &windows) {
    DataFormat format = formatOf(images[0]);
    Tensor largest = K::pool2d(x, windows.window, windows.strides, windows.padding, format, "max");
    Tensor average = K::pool2d(x, windows.window, windows.strides, windows.padding, format, "avg");
    auto f = K::function({x}, {largest, average});
    for (const Image &image : images) {
      auto results = f({image.array});
      checkArray(results[0], pool(image, windows, true).array, 0);
      checkArray(results[1], pool(image, windows, false).array, 1e-6);
    }
  });
}

TEST_CASE("other ranks are that of images with axes of size one", "[windows]") {
  Array kernel = counted({3, 2, 4}, 11), x = counted({2, 9, 2});
  for (const char *padding : {"valid", "same"}) {
    Array expected = K::conv2d(x.reshape({2, 9, 1, 2}), kernel.reshape({3, 1, 2, 4}), {2, 1},
                               padding, "channels_last")
                         .eval();
    int64_t steps = expected.shape()[1];
    checkValue(K::conv1d(x, kernel, 2, padding, "channels_last"), expected.reshape({2, steps, 4}));
    checkValue(K::conv3d(x.reshape({2, 1, 9, 1, 2}), kernel.reshape({1, 3, 1, 2, 4}), {1, 2, 1},
                         padding, "channels_last"),
               expected.reshape({2, 1, steps, 1, 4}));
    Array flat = x.reshape({2, 9, 1, 2}), deep = x.reshape({2, 1, 9, 1, 2});
    for (const char *mode : {"max", "avg"})
      checkValue(K::pool3d(deep, {1, 3, 1}, {1, 2, 1}, padding, "channels_last", mode),
                 K::pool2d(flat, {3, 1}, {2, 1}, padding, "channels_last", mode)
                     .eval()
                     .reshape({2, 1, steps, 1, 2}));
  }
}

TEST_CASE("separable convolutions are two convolutions", "[windows]") {
  Array x = counted({2, 6, 5, 3}), depthwise = counted({3, 2, 3, 2}, 7);
  Array pointwise = counted({1, 1, 6, 4}, 5);
  for (const char *padding : {"valid", "same"}) {
    Tensor between = K::depthwise_conv2d(x, depthwise, {2, 1}, padding, "channels_last");
    checkValue(K::separable_conv2d(x, depthwise, pointwise, {2, 1}, padding, "channels_last"),
               K::conv2d(between, pointwise, {1, 1}, "valid", "channels_last").eval(), 0);
  }
  Array line = counted({2, 9, 3}), taps = counted({3, 3, 2}, 7), points = counted({1, 6, 4}, 5);
  checkValue(K::separable_conv1d(line, taps, points, 2, "same", "channels_last", 2),
             K::separable_conv2d(line.reshape({2, 9, 1, 3}), taps.reshape({3, 1, 3, 2}),
                                 points.reshape({1, 1, 6, 4}), {2, 1}, "same", "channels_last",
                                 {2, 1})
                 .eval()
                 .reshape({2, 5, 4}),
             0);
  // As (batch, channels, steps).
  Tensor first = K::placeholder({None, 3, None});
  Tensor y = K::separable_conv1d(first, taps, points, 1, "valid", "channels_first");
  CHECK(y.shape() == StaticShape{None, 4, None});
  Array expected =
      K::permute_dimensions(K::separable_conv1d(line, taps, points, 1, "valid", "channels_last"),
                            {0, 2, 1})
          .eval();
  Array turned = K::permute_dimensions(line, {0, 2, 1}).eval();
  checkArray(K::function({first}, {y})({turned})[0], expected, 0);
}

TEST_CASE("a transposed convolution is the gradient of a convolution", "[windows]") {
  for (const char *format : {"channels_last", "channels_first"})
    for (const char *padding : {"valid", "same"})
      for (const Ints &dilation : {Ints{1, 1}, Ints{1, 2}}) {
        bool first = std::string(format) == "channels_first";
        Ints dims = first ? Ints{2, 3, 8, 7} : Ints{2, 8, 7, 3};
        Array kernel = counted({3, 2, 3, 4}, 11);
        Tensor image = K::placeholder(dims);
        Tensor forward = K::conv2d(image, kernel, {2, 1}, padding, format, dilation);
        auto sizes = forward.shape();
        Array dy = counted(Ints{*sizes[0], *sizes[1], *sizes[2], *sizes[3]}, 13);
        Tensor gradient = *K::gradients(K::sum(forward * dy), {image})[0];
        Array expected = K::function({image}, {gradient})({Array::zeros(DType::Float32, dims)})[0];
        checkValue(K::conv2d_transpose(dy, kernel, dims, {2, 1}, padding, format, dilation),
                   expected, 0);
      }
  Array x = counted({1, 2, 3, 3, 4}), kernel = counted({2, 3, 2, 2, 4}, 5);
  Tensor y = K::conv3d_transpose(x, kernel, {1, 4, 3, 5, 2}, {2, 1, 2}, "same", "channels_last");
  Tensor volume = K::placeholder({1, 4, 3, 5, 2});
  Tensor forward = K::conv3d(volume, kernel, {2, 1, 2}, "same", "channels_last");
  Tensor gradient = *K::gradients(K::sum(forward * x), {volume})[0];
  checkValue(
      y, K::function({volume}, {gradient})({Array::zeros(DType::Float32, {1, 4, 3, 5, 2})})[0], 0);
}

TEST_CASE("unshared convolutions have a kernel for each place", "[windows]") {
  Array x = counted({2, 7, 3}), kernel = counted({3, 6, 4}, 11);
  Array expected = Array::zeros(DType::Float32, {2, 3, 4});
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t o = 0; o < 3; ++o)
      for (int64_t e = 0; e < 6; ++e)
        for (int64_t f = 0; f < 4; ++f)
          expected.data<float>()[(b * 3 + o) * 4 + f] +=
              x.data<float>()[(b * 7 + o * 2) * 3 + e] * kernel.data<float>()[(o * 6 + e) * 4 + f];
  checkValue(K::local_conv1d(x, kernel, 2, 2), expected, 0);
  checkValue(K::local_conv1d(x, kernel, {2}, {2}, "channels_first"), expected, 0);
  Tensor open = K::placeholder({None, None, 3});
  Tensor y = K::local_conv1d(open, kernel, 2, 2);
  CHECK(y.shape() == StaticShape{None, 3, 4});
  checkArray(K::function({open}, {y})({x})[0], expected, 0);

  // Rows 0 to 2 of 3, columns of 2, strides (1, 2).
  for (bool channelsFirst : {false, true}) {
    Image image = {counted(channelsFirst ? Ints{2, 3, 4, 5} : Ints{2, 4, 5, 3}), channelsFirst};
    Array kernels = counted({2 * 2, 3 * 2 * 3, 4}, 11);
    Windows windows = {{3, 2}, {1, 2}, {1, 1}, "valid"};
    Image result = windows.result(image, 4);
    windows.forEach(image, [&](int64_t b, int64_t oi, int64_t oj, int64_t tap, int64_t i,
                               int64_t j) {
      for (int64_t c = 0; c < 3; ++c)
        for (int64_t f = 0; f < 4; ++f) {
          int64_t element = channelsFirst ? c * 6 + tap : tap * 3 + c;
          result.at(b, oi, oj, f) +=
              image.at(b, i, j, c) * kernels.data<float>()[((oi * 2 + oj) * 18 + element) * 4 + f];
        }
    });
    checkValue(K::local_conv2d(image.array, kernels, {3, 2}, {1, 2}, {2, 2}, formatOf(image)),
               result.array, 0);
  }
}

TEST_CASE("resizing repeats or interpolates along every axis", "[windows]") {
  Array x = counted({2, 3, 2, 2});
  Array nearest = K::repeat_elements(K::repeat_elements(x, 2, 1), 3, 2).eval();
  checkValue(K::resize_images(x, 2, 3, "channels_last"), nearest, 0);
  Array turned = K::permute_dimensions(x, {0, 3, 1, 2}).eval();
  checkValue(K::resize_images(turned, 2, 3, "channels_first"),
             K::permute_dimensions(nearest, {0, 3, 1, 2}).eval(), 0);
  Array both = K::resize_images(x, 2, 3, "channels_last", "bilinear").eval();
  checkValue(K::resize_images(K::resize_images(x, 1, 3, "channels_last", "bilinear"), 2, 1,
                              "channels_last", "bilinear"),
             both);
  Array volume = counted({1, 2, 3, 2, 2});
  Tensor wide =
      K::repeat_elements(K::repeat_elements(K::repeat_elements(volume, 2, 1), 3, 2), 2, 3);
  checkValue(K::resize_volumes(volume, 2, 3, 2, "channels_last"), wide.eval(), 0);
  CHECK(
      K::resize_volumes(K::placeholder({None, 2, None, 3, 4}), 2, 3, 4, "channels_first").shape() ==
      StaticShape{None, 2, None, 9, 16});
  // Whole numbers stay what they are, or become floats where something lies between them.
  CHECK(K::resize_images(K::placeholder({1, 2, 2, 1}, None, "int32"), 2, 2, "channels_last")
            .dtype() == DType::Int32);
  Tensor empty = K::placeholder({None, None, 2, 1});
  Tensor y = K::resize_images(empty, 2, 2, "channels_last", "bilinear");
  checkArray(K::function({empty}, {y})({Array::zeros(DType::Float32, {1, 0, 2, 1})})[0],
             Array::zeros(DType::Float32, {1, 0, 4, 1}));
}

//===-- Dtypes and shapes ---------------------------------------------------------------------===//

TEST_CASE("windows of other dtypes", "[windows]") {
  Tensor whole = K::placeholder({1, 4, 4, 1}, None, "int32");
  Tensor flags = K::placeholder({1, 4, 4, 1}, None, "bool");
  Tensor half = K::placeholder({1, 4, 4, 1}, None, "float16");
  CHECK(K::conv2d(whole, K::placeholder({2, 2, 1, 1}, None, "int32")).dtype() == DType::Int32);
  CHECK(K::conv2d(whole, K::placeholder({2, 2, 1, 1})).dtype() == DType::Float32);
  CHECK(K::pool2d(whole, {2, 2}).dtype() == DType::Int32);
  CHECK(K::pool2d(whole, {2, 2}, {1, 1}, "valid", None, "avg").dtype() == DType::Float32);
  Tensor any = K::pool2d(flags, {2, 2}, {2, 2});
  CHECK(any.dtype() == DType::Bool);
  Array dots = Array::zeros(DType::Bool, {1, 4, 4, 1});
  dots.data<bool>()[3] = true;
  checkArray(K::function({flags}, {any})({dots})[0],
             Array({0, 1, 0, 0}).astype(DType::Bool).reshape({1, 2, 2, 1}));
  // The sum of four would be infinite in float16.
  Tensor mean = K::pool2d(half, {2, 2}, {2, 2}, "same", None, "avg");
  Array large = column(Numbers(16, 60000), {1, 4, 4, 1}).astype(DType::Float16);
  checkArray(K::function({half}, {mean})({large})[0],
             column(Numbers(4, 60000), {1, 2, 2, 1}).astype(DType::Float16));
}

TEST_CASE("sizes of windows, known and unknown", "[windows]") {
  Tensor x = K::placeholder({None, 28, None, 3}), kernel = K::placeholder({3, 3, 3, 8});
  CHECK(K::conv2d(x, kernel, {2, 1}, "same", "channels_last").shape() ==
        StaticShape{None, 14, None, 8});
  CHECK(K::conv2d(x, kernel, {1, 1}, "valid", "channels_last").shape() ==
        StaticShape{None, 26, None, 8});
  Tensor first = K::placeholder({None, 3, None, 9});
  CHECK(K::conv2d(first, kernel, {2, 2}, "valid", "channels_first").shape() ==
        StaticShape{None, 8, None, 4});
  CHECK(K::pool2d(first, {2, 2}, {2, 2}, "same", "channels_first").shape() ==
        StaticShape{None, 3, None, 5});
  CHECK(K::depthwise_conv2d(x, K::placeholder({3, 3, 3, 2})).shape() ==
        StaticShape{None, 26, None, 6});
  Tensor y = K::placeholder({None, 5, 5, 8});
  CHECK(K::conv2d_transpose(y, kernel, {None, 7, 7, 3}).shape() == StaticShape{None, 7, 7, 3});
  // An unknown kernel.
  CHECK(K::conv2d(x, K::placeholder({None, 1, None, None})).shape() ==
        StaticShape{None, None, None, None});
}

TEST_CASE("a bias tells the channels of images of unknown size", "[windows]") {
  Tensor x = K::placeholder({None, None, None, None}), bias = K::variable(counted({3}));
  for (const char *format : {"channels_last", "channels_first"}) {
    bool first = std::string(format) == "channels_first";
    Tensor y = K::bias_add(x, bias, format);
    CHECK(y.shape() ==
          (first ? StaticShape{None, 3, None, None} : StaticShape{None, None, None, 3}));
    Ints dims = first ? Ints{2, 3, 4, 1} : Ints{2, 4, 1, 3};
    Tensor fixed = K::placeholder(dims);
    Array image = counted(dims, 13);
    auto f = K::function({x}, {y});
    checkArray(f({image})[0], K::function({fixed}, {K::bias_add(fixed, bias, format)})({image})[0]);
    CHECK_THROWS_AS(f({counted({2, 4, 4, 4})}), ValueError);
  }
}

TEST_CASE("one function serves images of every size", "[windows]") {
  Tensor x = K::placeholder({None, None, None, 2}), kernel = K::variable(counted({3, 3, 2, 2}, 5));
  Tensor y = K::conv2d(x, kernel, {2, 2}, "same", "channels_last");
  Tensor z = K::pool2d(y, {2, 2}, {2, 2}, "same", "channels_last", "avg");
  Tensor gradient = *K::gradients(K::sum(K::square(z)), {x})[0];
  auto f = K::function({x}, {z, gradient});
  for (const Ints &dims :
       {Ints{1, 8, 8, 2}, Ints{2, 5, 7, 2}, Ints{0, 5, 7, 2}, Ints{1, 1, 2, 2}}) {
    Tensor fixed = K::placeholder(dims);
    Tensor same = K::pool2d(K::conv2d(fixed, kernel, {2, 2}, "same", "channels_last"), {2, 2},
                            {2, 2}, "same", "channels_last", "avg");
    Tensor there = *K::gradients(K::sum(K::square(same)), {fixed})[0];
    Array image = counted(dims);
    auto found = f({image}), expected = K::function({fixed}, {same, there})({image});
    checkArray(found[0], expected[0]);
    checkArray(found[1], expected[1]);
  }
  // A size that no window fits into is known at the call only.
  auto valid = K::function({x}, {K::conv2d(x, kernel, {1, 1}, "valid", "channels_last")});
  CHECK_THROWS_AS(valid({counted({1, 2, 5, 2})}), ValueError);
  CHECK(valid({counted({1, 3, 3, 2})})[0].shape() == Ints{1, 1, 1, 2});
}

TEST_CASE("images without elements", "[windows]") {
  Tensor kernel = K::variable(counted({3, 3, 2, 4}, 5));
  // No rows, no columns, known and unknown.
  for (const Shape &shape : {Shape{2, 0, 5, 2}, Shape{None, None, None, 2}}) {
    Tensor x = K::placeholder(shape);
    Tensor y = K::conv2d(x, kernel, {2, 1}, "same", "channels_last");
    Tensor largest = K::pool2d(x, {2, 2}, {2, 2}, "same", "channels_last");
    Tensor average = K::pool2d(x, {2, 2}, {2, 2}, "same", "channels_last", "avg");
    Tensor sum = K::sum(y) + K::sum(largest) + K::sum(average);
    auto gradients = K::gradients(sum, {x, kernel});
    auto results = K::function({x}, {y, largest, average, sum, *gradients[0], *gradients[1]})(
        {Array::zeros(DType::Float32, {2, 0, 5, 2})});
    CHECK(results[0].shape() == Ints{2, 0, 5, 4});
    CHECK(results[1].shape() == Ints{2, 0, 3, 2});
    CHECK(results[2].shape() == Ints{2, 0, 3, 2});
    CHECK(results[3].item() == 0);
    CHECK(results[4].shape() == Ints{2, 0, 5, 2});
    checkArray(results[5], Array::zeros(DType::Float32, {3, 3, 2, 4}));
  }
  // No channels in: sums of nothing. No channels out: nothing.
  Array none = Array::zeros(DType::Float32, {1, 4, 4, 0});
  checkValue(
      K::conv2d(none, Array::zeros(DType::Float32, {2, 2, 0, 3}), 1, "valid", "channels_last"),
      Array::zeros(DType::Float32, {1, 3, 3, 3}));
  CHECK(K::conv2d(counted({1, 4, 4, 2}), Array::zeros(DType::Float32, {2, 2, 2, 0}), 1, "valid",
                  "channels_last")
            .eval()
            .shape() == Ints{1, 3, 3, 0});
  CHECK(K::depthwise_conv2d(none, Array::zeros(DType::Float32, {2, 2, 0, 3}), 1, "valid",
                            "channels_last")
            .eval()
            .shape() == Ints{1, 3, 3, 0});
}

//===-- Gradients -----------------------------------------------------------------------------===//

// As an image whose elements are all different, so that no two are equally large.
static Array numbers(const Ints &dims) {
  Array array = counted(dims, 1009).astype(DType::Float64);
  for (int64_t i = 0; i < array.size(); ++i)
    array.data<double>()[i] =
        std::sin(array.data<double>()[i] * 1.3 + double(i)) + 0.01 * double(i);
  return array;
}

static Tensor constant(const Ints &dims) { return K::constant(numbers(dims), "float64"); }

TEST_CASE("gradients of windows", "[windows]") {
  const char *last = "channels_last", *first = "channels_first";
  Ints image = {2, 4, 3, 2};
  for (const GradientCase &test : std::vector<GradientCase>{
           {"conv1d",
            [&](auto &x) { return K::conv1d(x, constant({3, 2, 2}), 2, "same", last, 1); },
            numbers({2, 5, 2})},
           {"conv1d, causal",
            [&](auto &x) { return K::conv1d(x, constant({3, 2, 2}), 1, "causal", last, 2); },
            numbers({1, 5, 2})},
           {"conv2d",
            [&](auto &x) {
              return K::square(K::conv2d(x, constant({2, 2, 2, 3}), {2, 1}, "same", last));
            },
            numbers(image)},
           {"conv2d, channels first",
            [&](auto &x) {
              return K::square(K::conv2d(x, constant({2, 2, 4, 3}), 1, "valid", first));
            },
            numbers({1, 4, 3, 3})},
           {"conv2d, kernel",
            [&](auto &k) {
              Tensor kernel = K::reshape(k, {2, 2, 2, 3});
              return K::square(K::conv2d(constant(image), kernel, {1, 2}, "same", last, {2, 1}));
            },
            numbers({4, 6})},
           {"conv2d, both",
            [&](auto &x) {
              Tensor kernel = K::reshape(x, {2, 2, 3, 2});
              Tensor in = K::reshape(x, {1, 2, 4, 3});
              return K::conv2d(in, kernel, 1, "same", last);
            },
            numbers({1, 24})},
           {"conv3d",
            [&](auto &x) {
              return K::square(K::conv3d(x, constant({2, 1, 2, 2, 2}), 1, "valid", last));
            },
            numbers({1, 2, 2, 3, 2})},
           {"conv2d_transpose",
            [&](auto &x) {
              return K::square(K::conv2d_transpose(x, constant({3, 2, 2, 2}), {2, 7, 3, 2}, {2, 1},
                                                   "same", last));
            },
            numbers(image)},
           {"conv2d_transpose, kernel",
            [&](auto &k) {
              return K::square(K::conv2d_transpose(constant(image), K::reshape(k, {3, 2, 1, 2}),
                                                   {2, 9, 4, 1}, {2, 1}, "valid", last));
            },
            numbers({3, 4})},
           {"conv3d_transpose",
            [&](auto &x) {
              return K::square(K::conv3d_transpose(x, constant({2, 2, 1, 1, 2}), {1, 4, 3, 2, 1},
                                                   {2, 2, 1}, "same", last));
            },
            numbers({1, 2, 2, 2, 2})},
           {"depthwise_conv2d",
            [&](auto &x) {
              return K::square(K::depthwise_conv2d(x, constant({2, 2, 2, 2}), 1, "same", last));
            },
            numbers(image)},
           {"depthwise_conv2d, kernel",
            [&](auto &k) {
              return K::square(K::depthwise_conv2d(constant(image), K::reshape(k, {3, 1, 2, 2}),
                                                   {1, 2}, "same", last));
            },
            numbers({3, 4})},
           {"separable_conv2d",
            [&](auto &x) {
              return K::square(K::separable_conv2d(x, constant({2, 2, 2, 2}),
                                                   constant({1, 1, 4, 3}), 1, "valid", last));
            },
            numbers(image)},
           {"separable_conv1d, both kernels",
            [&](auto &k) {
              Tensor flat = K::flatten(k);
              Tensor depthwise = K::reshape(K::slice(flat, {0}, {12}), {3, 2, 2});
              Tensor pointwise = K::reshape(K::slice(flat, {12}, {8}), {1, 4, 2});
              return K::separable_conv1d(constant({2, 5, 2}), depthwise, pointwise, 2, "same",
                                         last);
            },
            numbers({2, 10})},
           {"local_conv1d",
            [&](auto &x) { return K::square(K::local_conv1d(x, constant({2, 6, 2}), 3, 2)); },
            numbers({2, 5, 2})},
           {"local_conv2d, kernel",
            [&](auto &k) {
              return K::square(K::local_conv2d(constant(image),
                                               K::reshape(k, {3 * 2, 2 * 2 * 2, 1}), {2, 2}, {1, 1},
                                               {3, 2}, last));
            },
            numbers({6, 8})},
           {"local_conv2d, channels first",
            [&](auto &x) {
              return K::square(
                  K::local_conv2d(x, constant({2 * 1, 4 * 2 * 3, 2}), {2, 3}, 1, {2, 1}, first));
            },
            numbers({1, 4, 3, 3})},
           {"pool2d, max",
            [&](auto &x) { return K::square(K::pool2d(x, {2, 2}, 1, "same", last)); },
            numbers(image)},
           {"pool2d, average",
            [&](auto &x) { return K::square(K::pool2d(x, {3, 2}, {2, 1}, "same", last, "avg")); },
            numbers(image)},
           {"pool3d, max",
            [&](auto &x) { return K::square(K::pool3d(x, 2, {1, 2, 1}, "same", first)); },
            numbers({1, 2, 2, 3, 2})},
           {"pool3d, average",
            [&](auto &x) { return K::square(K::pool3d(x, 2, 2, "valid", last, "avg")); },
            numbers({1, 2, 3, 2, 2})},
           {"resize_images, nearest",
            [&](auto &x) { return K::square(K::resize_images(x, 2, 3, last)); }, numbers(image)},
           {"resize_images, bilinear",
            [&](auto &x) { return K::square(K::resize_images(x, 3, 2, first, "bilinear")); },
            numbers({1, 2, 3, 2})},
           {"resize_volumes",
            [&](auto &x) { return K::square(K::resize_volumes(x, 2, 1, 3, last)); },
            numbers({1, 2, 2, 2, 1})},
       })
    checkGradient(test);
}

TEST_CASE("the gradient of a largest element goes to the first of equal ones", "[windows]") {
  Tensor x = K::placeholder({1, 2, 2, 1});
  auto f = K::function({x}, {*K::gradients(K::sum(K::pool2d(x, {2, 2})), {x})[0]});
  checkArray(f({column({1, 3, 3, 3}, {1, 2, 2, 1})})[0], column({0, 1, 0, 0}, {1, 2, 2, 1}));
}
