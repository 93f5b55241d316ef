// Expected texts are those of NumPy 2.2.
#include "runtime/core/Half.h"
#include "runtime/include/keratin/runtime.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

std::string format(const keratin_tensor_t &tensor) {
  size_t length = 0;
  REQUIRE(keratin_format(&tensor, nullptr, 0, &length, nullptr) == KERATIN_OK);
  std::string text(length + 1, '?');
  REQUIRE(keratin_format(&tensor, text.data(), text.size(), &length, nullptr) == KERATIN_OK);
  CHECK(text[length] == '\0');
  text.resize(length);
  return text;
}

template <typename T>
std::string format(int32_t dtype, std::vector<int64_t> dims, std::vector<T> values) {
  return format({values.data(), dtype, int32_t(dims.size()), dims.data(), nullptr, nullptr});
}

std::string floats(std::vector<int64_t> dims, std::vector<float> values) {
  return format(KERATIN_DTYPE_FLOAT32, std::move(dims), std::move(values));
}

std::string doubles(std::vector<int64_t> dims, std::vector<double> values) {
  return format(KERATIN_DTYPE_FLOAT64, std::move(dims), std::move(values));
}

} // namespace

TEST_CASE("floats line up at the point, without trailing zeros") {
  CHECK(floats({1, 1}, {1}) == "[[1.]]");
  CHECK(floats({3}, {1, 2.5f, -3.25f}) == "[ 1.    2.5  -3.25]");
  CHECK(floats({2, 2}, {0.1f, 100, 3, 0.125f}) == "[[  0.1   100.   ]\n [  3.      0.125]]");
  CHECK(doubles({2}, {1.0 / 3, 2.0 / 3}) == "[0.33333333 0.66666667]");
  CHECK(floats({2}, {1.0f / 3, 2.0f / 3}) == "[0.33333334 0.6666667 ]");
  CHECK(floats({2}, {-0.0f, 0.0f}) == "[-0.  0.]");
}

TEST_CASE("wide ranges use exponents") {
  CHECK(doubles({2}, {1e-5, 1}) == "[1.e-05 1.e+00]");
  CHECK(doubles({3}, {1.5, 123456789, -1e100}) ==
        "[ 1.50000000e+000  1.23456789e+008 -1.00000000e+100]");
  CHECK(doubles({2}, {1, 1000.5}) == "[1.0000e+00 1.0005e+03]");
  CHECK(doubles({2}, {1, 1000}) == "[   1. 1000.]");
  CHECK(doubles({1}, {99999999.0}) == "[99999999.]");
  CHECK(doubles({1}, {1e8}) == "[1.e+08]");
  // The shortest digits of the first are fewer than the second's; the zeros' place is taken by
  // exact ones.
  CHECK(floats({2}, {-7.1594200e36f, 1.2583345e-02f}) == "[-7.1594199e+36  1.2583345e-02]");
}

TEST_CASE("nan and inf take their place") {
  CHECK(floats({3}, {NAN, 1, INFINITY}) == "[nan  1. inf]");
  CHECK(floats({2}, {-INFINITY, 1.5f}) == "[-inf  1.5]");
  CHECK(floats({2}, {NAN, NAN}) == "[nan nan]");
  CHECK(floats({2}, {NAN, -INFINITY}) == "[ nan -inf]");
  CHECK(doubles({2}, {NAN, 1e10}) == "[   nan 1.e+10]");
}

TEST_CASE("integers and bools line up") {
  CHECK(format<int32_t>(KERATIN_DTYPE_INT32, {2, 2}, {1, -200, 30, 4}) ==
        "[[   1 -200]\n [  30    4]]");
  CHECK(format<int64_t>(KERATIN_DTYPE_INT64, {2}, {INT64_MIN, INT64_MAX}) ==
        "[-9223372036854775808  9223372036854775807]");
  CHECK(format<uint64_t>(KERATIN_DTYPE_UINT64, {1}, {UINT64_MAX}) == "[18446744073709551615]");
  CHECK(format<int8_t>(KERATIN_DTYPE_INT8, {2}, {-128, 127}) == "[-128  127]");
  CHECK(format<uint8_t>(KERATIN_DTYPE_BOOL, {2}, {1, 0}) == "[ True False]");
  CHECK(format<uint8_t>(KERATIN_DTYPE_BOOL, {2}, {1, 1}) == "[ True  True]");
}

TEST_CASE("scalars are written as NumPy scalars") {
  CHECK(floats({}, {1}) == "1.0");
  CHECK(floats({}, {0.1f}) == "0.1");
  CHECK(floats({}, {1e-5f}) == "1e-05");
  CHECK(floats({}, {-2.5e-7f}) == "-2.5e-07");
  CHECK(doubles({}, {1e16}) == "1e+16");
  CHECK(doubles({}, {123456789012345.0}) == "123456789012345.0");
  CHECK(doubles({}, {1.0 / 3}) == "0.3333333333333333");
  CHECK(doubles({}, {5e-324}) == "5e-324");
  CHECK(doubles({}, {NAN}) == "nan");
  CHECK(format<uint8_t>(KERATIN_DTYPE_BOOL, {}, {1}) == "True");
  CHECK(format<int16_t>(KERATIN_DTYPE_INT16, {}, {-7}) == "-7");
}

TEST_CASE("halves are as long as they need to be") {
  using namespace keratin::runtime;
  CHECK(format<uint16_t>(KERATIN_DTYPE_FLOAT16, {3},
                         {float16FromDouble(0.1), float16FromDouble(65504),
                          float16FromDouble(1)}) == "[1.00e-01 6.55e+04 1.00e+00]");
  CHECK(format<uint16_t>(KERATIN_DTYPE_FLOAT16, {2},
                         {float16FromDouble(1.0 / 3), float16FromDouble(2)}) == "[0.3333 2.    ]");
  CHECK(format<uint16_t>(KERATIN_DTYPE_FLOAT16, {}, {float16FromDouble(1.0 / 64)}) == "0.01563");
  CHECK(format<uint16_t>(KERATIN_DTYPE_FLOAT16, {1}, {float16FromDouble(17136)}) == "[17136.]");
  CHECK(format<uint16_t>(KERATIN_DTYPE_FLOAT16, {}, {float16FromDouble(17136)}) == "17140.0");
  CHECK(format<uint16_t>(KERATIN_DTYPE_BFLOAT16, {2},
                         {bfloat16FromDouble(0.1), bfloat16FromDouble(2)}) == "[0.1 2. ]");
}

TEST_CASE("empty tensors are brackets") {
  CHECK(floats({0}, {}) == "[]");
  CHECK(floats({3, 0, 2}, {}) == "[]");
}

TEST_CASE("three dimensions are parted by blank lines") {
  CHECK(format<int32_t>(KERATIN_DTYPE_INT32, {2, 2, 1}, {1, 2, 3, 4}) ==
        "[[[1]\n  [2]]\n\n [[3]\n  [4]]]");
}

TEST_CASE("long rows wrap at 75 columns") {
  std::vector<int32_t> values(30);
  std::iota(values.begin(), values.end(), 0);
  CHECK(format(KERATIN_DTYPE_INT32, {30}, values) ==
        "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n"
        " 24 25 26 27 28 29]");
}

TEST_CASE("more than 1000 elements are summarised") {
  std::vector<int32_t> values(1001);
  std::iota(values.begin(), values.end(), 0);
  CHECK(format(KERATIN_DTYPE_INT32, {1001}, values) == "[   0    1    2 ...  998  999 1000]");
  values.resize(10 * 200);
  std::iota(values.begin(), values.end(), 0);
  CHECK(format(KERATIN_DTYPE_INT32, {10, 200}, values) == "[[   0    1    2 ...  197  198  199]\n"
                                                          " [ 200  201  202 ...  397  398  399]\n"
                                                          " [ 400  401  402 ...  597  598  599]\n"
                                                          " ...\n"
                                                          " [1400 1401 1402 ... 1597 1598 1599]\n"
                                                          " [1600 1601 1602 ... 1797 1798 1799]\n"
                                                          " [1800 1801 1802 ... 1997 1998 1999]]");
}

TEST_CASE("strided views are printed as what they show") {
  std::vector<float> values = {1, 2, 3, 4, 5, 6};
  int64_t dims[] = {3, 2}, strides[] = {1, 3};
  CHECK(format({values.data(), KERATIN_DTYPE_FLOAT32, 2, dims, strides, nullptr}) ==
        "[[1. 4.]\n [2. 5.]\n [3. 6.]]");
}

TEST_CASE("text that does not fit is cut and terminated") {
  float value = 2.5f;
  keratin_tensor_t tensor = {&value, KERATIN_DTYPE_FLOAT32, 0, nullptr, nullptr, nullptr};
  char text[3] = {};
  size_t length = 0;
  CHECK(keratin_format(&tensor, text, sizeof(text), &length, nullptr) == KERATIN_OK);
  CHECK(std::string(text) == "2.");
  CHECK(length == 3);
}

TEST_CASE("what is no tensor is not printed") {
  keratin_status_t status;
  int64_t dims[] = {2}, negative[] = {-2};
  keratin_tensor_t tensor = {nullptr, KERATIN_DTYPE_FLOAT32, 1, dims, nullptr, nullptr};
  CHECK(keratin_print("x", &tensor, &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message) == "print: the tensor has no data");
  tensor.dims = negative;
  CHECK(keratin_print("x", &tensor, &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message) == "print: the tensor has a bad shape");
  tensor.dtype = 77;
  CHECK(keratin_print("x", &tensor, &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message) == "print: 77 is no dtype");
}

TEST_CASE("printing goes where the host wants it") {
  std::string printed;
  keratin_printer_t printer = {[](void *user, const char *text, size_t length) {
                                 static_cast<std::string *>(user)->append(text, length);
                               },
                               &printed};
  keratin_set_printer(&printer);
  float value = 1;
  keratin_tensor_t tensor = {&value, KERATIN_DTYPE_FLOAT32, 0, nullptr, nullptr, nullptr};
  CHECK(keratin_print("msg", &tensor, nullptr) == KERATIN_OK);
  keratin_set_printer(nullptr);
  CHECK(printed == "msg 1.0\n");
}

TEST_CASE("printing goes to stdout, message first") {
  fflush(stdout);
  int saved = dup(1);
  FILE *file = tmpfile();
  REQUIRE(file);
  dup2(fileno(file), 1);
  float value = 1;
  int64_t dims[] = {1, 1};
  keratin_tensor_t tensor = {&value, KERATIN_DTYPE_FLOAT32, 2, dims, nullptr, nullptr};
  keratin_status_code_t code = keratin_print("msg", &tensor, nullptr);
  fflush(stdout);
  dup2(saved, 1);
  close(saved);
  char text[64] = {};
  rewind(file);
  size_t length = fread(text, 1, sizeof(text) - 1, file);
  fclose(file);
  CHECK(code == KERATIN_OK);
  CHECK(std::string(text, length) == "msg [[1.]]\n");
}
