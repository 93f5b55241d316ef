// Kernels of windows, compiled for four machines, against the interpreter. Elements are small
// whole numbers, so that sums are exact and windows have several largest elements. Where
// KERATIN_TEST_EVERY says so, lists of windows, strides and paddings are sampled.
#include "ir/reference/HostConversions.h"
#include "tests/codegen/CompiledOp.h"
#include "tests/support/TestEnvironment.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>

using namespace keratin;
using namespace keratin::tests;
using ir::HostTensor;

namespace {

struct Windows {
  Dims x, window, strides, low, y, dilation;

  std::string str(const std::string &op) const {
    auto list = [](const Dims &values) {
      std::string text;
      for (int64_t value : values)
        text += (text.empty() ? "" : ", ") + std::to_string(value);
      return text;
    };
    std::string text = op + (op == "window_sum" || op == "window_max" ? " %0" : " %0, %1") +
                       " window = [" + list(window) + "] strides = [" + list(strides) +
                       "] low = <" + list(low) + ">";
    return op == "window_sum" ? text + " x_dilation = [" + list(dilation) + "]" : text;
  }
};

} // namespace

static constexpr const char *ops[] = {"window_sum", "window_max", "window_pick", "window_scatter"};
static constexpr keratin_dtype_t f32 = KERATIN_DTYPE_FLOAT32;

static HostTensor numbers(keratin_dtype_t dtype, const Dims &dims, uint64_t seed) {
  HostTensor result = *ir::makeHostTensor(dtype, dims);
  std::mt19937_64 random(seed);
  for (double &element : result.floats)
    element = int(random() % 9) - 4;
  for (int64_t &element : result.ints)
    element = random() % 5;
  return result;
}

static std::vector<HostTensor> argumentsOf(const std::string &op, const Windows &windows,
                                           HostTensor x, keratin_dtype_t dtype) {
  if (op == "window_pick")
    return {x, numbers(dtype, windows.x, 2)};
  if (op == "window_scatter")
    return {x, numbers(dtype, windows.y, 2)};
  return {x};
}

static void check(const std::string &op, const Windows &windows, HostTensor x,
                  keratin_dtype_t dtype) {
  bool scatters = op == "window_scatter";
  std::vector<std::string> types{typeOf(x.dtype, windows.x)};
  if (op == "window_pick" || scatters)
    types.push_back(typeOf(dtype, scatters ? windows.y : windows.x));
  CompiledOp compiled(windows.str(op), types, typeOf(dtype, scatters ? windows.x : windows.y));
  for (Edge edge : {Edge::End, Edge::Start})
    compiled.check(argumentsOf(op, windows, x, dtype), edge);
}

static void checkAll(const Windows &windows, keratin_dtype_t dtype = f32) {
  for (const char *op : ops) {
    bool dilated = std::count(windows.dilation.begin(), windows.dilation.end(), 1) !=
                   int64_t(windows.dilation.size());
    if (!dilated || op == std::string("window_sum"))
      check(op, windows, numbers(dtype, windows.x, 1), dtype);
  }
}

// Windows along the middle dimensions, or along the last.
static Windows pool(const Dims &x, int64_t window, int64_t stride, int64_t low, int64_t high,
                    bool channelsLast, int64_t dilation = 1) {
  Windows windows{x, Dims(x.size(), 1), Dims(x.size(), 1), Dims(x.size(), 0), x, Dims(x.size(), 1)};
  for (size_t i = channelsLast ? 1 : 2; i < x.size() - channelsLast; ++i) {
    windows.window[i] = window;
    windows.strides[i] = stride;
    windows.low[i] = low;
    windows.dilation[i] = dilation;
    int64_t places = (x[i] - 1) * dilation + 1 + low + high;
    windows.y[i] = places < window ? 0 : (places - window) / stride + 1;
  }
  return windows;
}

TEST_CASE("pools with channels last", "[windows]") {
  Sample sample;
  for (int64_t channels : {3, 16, 40})
    for (auto [window, stride] : {std::pair(2, 2), {3, 1}, {3, 2}, {2, 3}, {5, 1}})
      for (int64_t pad : {0, 1})
        if (sample.takesNext())
          checkAll(pool({2, 13, 11, channels}, window, stride, pad, pad, true));
  checkAll(pool({1, 40, 70}, 12, 1, 0, 0, true));  // too long to be written out
  checkAll(pool({1, 40, 7}, 60, 1, 59, 59, true)); // larger than the tensor
  checkAll(pool({3, 600, 5}, 2, 2, 0, 0, true));   // several units along the windows
  checkAll(pool({2, 6, 5, 4, 9}, 2, 2, 1, 1, true));
  checkAll(pool({2, 4, 4, 8}, 3, 7, 5, 9, true)); // windows outside
}

TEST_CASE("pools with channels first", "[windows]") {
  Sample sample;
  for (int64_t width : {7, 37})
    for (auto [window, stride] :
         {std::pair(2, 2), {3, 1}, {3, 2}, {1, 3}, {2, 4}, {5, 3}, {2, 5}, {9, 1}})
      for (int64_t pad : {0, 2})
        if (sample.takesNext())
          checkAll(pool({2, 3, 9, width}, window, stride, pad, pad, false));
  checkAll(pool({1, 1, 3000}, 3, 1, 1, 1, false));
  checkAll(pool({1, 2, 5, 9}, 30, 1, 29, 29, false));
  for (int64_t width : {1, 5, 16, 37}) // one window
    checkAll(pool({2, 3, width, width}, width, 1, 0, 0, false));
  checkAll(pool({3, 2, 20}, 9, 40, -3, 0, false));
  checkAll(pool({3, 2, 20}, 30, 60, 5, 5, false, 2));
}

TEST_CASE("sums over dilated tensors", "[windows]") {
  Sample sample;
  for (bool channelsLast : {true, false})
    for (int64_t dilation : {2, 3, 20})
      for (auto [window, stride] : {std::pair(2, 1), {3, 1}, {1, 1}, {4, 2}, {12, 1}, {3, 5}})
        for (int64_t pad : {0, 4})
          if (sample.takesNext())
            checkAll(pool({2, 7, 6, 19}, window, stride, pad, pad, channelsLast, dilation));
}

TEST_CASE("windows of every dtype", "[windows]") {
  for (int dtype = KERATIN_DTYPE_INT8; dtype <= KERATIN_DTYPE_FLOAT64; ++dtype) {
    INFO(nameOf(keratin_dtype_t(dtype)));
    checkAll(pool({2, 9, 9, 37}, 3, 2, 1, 1, true), keratin_dtype_t(dtype));
    checkAll(pool({2, 3, 9, 37}, 3, 1, 1, 1, false), keratin_dtype_t(dtype));
  }
}

TEST_CASE("places are chosen by one dtype for another", "[windows]") {
  for (bool channelsLast : {true, false})
    for (auto [of, by] : {std::pair(KERATIN_DTYPE_FLOAT64, f32),
                          {f32, KERATIN_DTYPE_FLOAT64},
                          {KERATIN_DTYPE_INT64, KERATIN_DTYPE_UINT8},
                          {KERATIN_DTYPE_FLOAT16, KERATIN_DTYPE_INT64}}) {
      Windows windows = pool({2, 8, 8, 20}, 3, 2, 1, 1, channelsLast);
      check("window_pick", windows, numbers(by, windows.x, 1), of);
      check("window_scatter", windows, numbers(by, windows.x, 1), of);
    }
}

TEST_CASE("windows of infinities and NaN", "[windows]") {
  Sample sample;
  static const double some[] = {-std::numeric_limits<double>::infinity(), std::nan(""), 0, 1, -0.0};
  for (bool channelsLast : {true, false})
    for (int kinds : {1, 2, 5})
      for (auto [window, stride] : {std::pair(2, 2), {3, 1}, {12, 5}}) {
        if (!sample.takesNext())
          continue;
        Windows windows = pool({2, 9, 9, 17}, window, stride, 2, 2, channelsLast);
        HostTensor x = *ir::makeHostTensor(f32, windows.x);
        std::mt19937_64 random(3);
        for (double &element : x.floats)
          element = some[random() % kinds];
        for (const char *op : {"window_max", "window_pick", "window_scatter"})
          check(op, windows, x, f32);
      }
}

TEST_CASE("windows of many forms", "[windows]") {
  std::mt19937_64 random(1);
  auto below = [&](int64_t bound) { return int64_t(random() % bound); };
  for (int i = 0; i < 60; ++i) {
    Windows windows;
    size_t rank = below(6);
    for (size_t d = 0; d < rank; ++d) {
      bool slides = below(2);
      windows.x.push_back(below(12) ? 1 + below(d + 1 == rank ? 40 : 6) : 0);
      windows.window.push_back(slides ? 1 + below(below(4) ? 4 : 12) : 1);
      windows.strides.push_back(slides ? 1 + below(4) : 1);
      windows.low.push_back(slides ? below(7) - 3 : 0);
      windows.dilation.push_back(slides && !below(4) ? 1 + below(4) : 1);
      windows.y.push_back(slides ? below(12) : windows.x.back());
    }
    INFO("case " << i);
    if (isInSample(i))
      checkAll(windows);
  }
}

//===-- Sizes known at the call ---------------------------------------------------------------===//

TEST_CASE("windows over sizes known at the call", "[windows]") {
  // Same padding: as many windows as strides, and half of what they lack in front.
  struct Form {
    int64_t window, stride;
    bool channelsLast;
  };
  for (Form form : {Form{2, 2, true},
                    {3, 1, true},
                    {3, 2, true},
                    {12, 3, true},
                    {2, 2, false},
                    {3, 1, false},
                    {3, 2, false}}) {
    size_t first = form.channelsLast ? 1 : 2;
    std::string k = std::to_string(form.window), s = std::to_string(form.stride);
    std::string sizes, low, window, strides, ones;
    for (size_t i = 0; i < 4; ++i) {
      std::string d = "d" + std::to_string(i), comma = i ? ", " : "";
      bool slides = i == first || i == first + 1;
      std::string count = "ceildiv(" + d + ", " + s + ")";
      sizes += comma + (slides ? count : d);
      low += comma +
             (slides ? "floordiv(max(" + s + " * " + count + " + " +
                           std::to_string(form.window - form.stride) + " + -1 * " + d + ", 0), 2)"
                     : "0");
      window += comma + (slides ? k : "1");
      strides += comma + (slides ? s : "1");
      ones += comma + "1";
    }
    std::string x = typeOf(f32, {0, 0, 0, 0}, 0);
    std::string y = "tensor<?x?x?x?xf32, #keratin.dims<" + sizes + ">>";
    for (const std::string op : ops) {
      bool two = op == "window_pick" || op == "window_scatter";
      bool scatters = op == "window_scatter";
      std::vector<std::string> types{x};
      if (two)
        types.push_back(scatters ? y : x);
      std::string text = op + (two ? " %0, %1" : " %0") + " window = [" + window + "] strides = [" +
                         strides + "] low = <" + low + ">" +
                         (op == "window_sum" ? " x_dilation = [" + ones + "]" : "");
      CompiledOp compiled(text, types, scatters ? x : y);
      for (const Dims &dims :
           {Dims{1, 1, 1, 1}, Dims{2, 9, 10, 3}, Dims{1, 4, 33, 70}, Dims{0, 4, 4, 4},
            Dims{2, 0, 5, 3}, Dims{2, 5, 3, 0}, Dims{3, 8, 16, 32}}) {
        Windows windows{dims, {}, {}, {}, dims, {}};
        for (size_t i : {first, first + 1})
          windows.y[i] = (dims[i] + form.stride - 1) / form.stride;
        INFO(text << " " << dims[0] << " " << dims[1] << " " << dims[2] << " " << dims[3]);
        compiled.check(argumentsOf(op, windows, numbers(f32, dims, 1), f32));
      }
    }
  }
}
