// Host arrays and element types.
#include "tests/frontend/FrontendTest.h"

#include <limits>

using keratin::dtypeFromName;
using keratin::dtypeName;

TEST_CASE("scalars have the dtype of their C++ type") {
  CHECK(Array(1.5f).dtype() == DType::Float32);
  CHECK(Array(1.5).dtype() == DType::Float64);
  CHECK(Array(3).dtype() == DType::Int32);
  CHECK(Array(true).dtype() == DType::Bool);
  CHECK(Array(uint8_t(3)).item<int>() == 3);
  CHECK(Array(3).shape().empty());
}

TEST_CASE("nested lists stack and widen") {
  Array a{{1, 2, 3}, {4, 5, 6}};
  CHECK(a.shape() == std::vector<int64_t>{2, 3});
  CHECK(a.dtype() == DType::Int32);
  CHECK(a.toVector<int>() == std::vector<int>{1, 2, 3, 4, 5, 6});
  CHECK(Array{1, 2.5}.dtype() == DType::Float64);
  CHECK_THROWS_AS((Array{{1, 2}, {3}}), keratin::ValueError);
}

TEST_CASE("dims must hold as many elements as there are") {
  CHECK_THROWS_AS(Array(std::vector<float>{1, 2, 3}, {2, 2}), keratin::ValueError);
  CHECK_THROWS_AS(Array::zeros(DType::Float64, {int64_t(1) << 62, 4}), keratin::ValueError);
  CHECK_THROWS_AS(Array::zeros(DType::Float64, {-1}), keratin::ValueError);
  CHECK(Array::zeros(DType::Float64, {0, 5}).size() == 0);
}

TEST_CASE("typed access checks the type and the place") {
  Array a{1.0f, 2.0f};
  CHECK(a.data<float>()[1] == 2.0f);
  CHECK_THROWS_AS(a.data<double>(), keratin::TypeError);
  CHECK_THROWS_AS(a.item(), keratin::ValueError);
  CHECK_THROWS_AS(a.item(2), keratin::ValueError);
}

TEST_CASE("copies are deep, moves leave nothing") {
  Array a{1, 2, 3, 4, 5, 6, 7, 8, 9};
  Array b = a;
  b.data<int>()[0] = 100;
  CHECK(a.item<int>(0) == 1);
  Array c = std::move(a);
  CHECK(c.item<int>(8) == 9);
  CHECK(a.isNone());
}

TEST_CASE("conversion saturates, and NaN becomes 0") {
  double nan = std::numeric_limits<double>::quiet_NaN();
  Array a{nan, 1e30, -1e30, 2.9, -2.9};
  CHECK(a.astype(DType::Int8).toVector<int>() == std::vector<int>{0, 127, -128, 2, -2});
  CHECK(a.astype(DType::UInt16).toVector<int>() == std::vector<int>{0, 65535, 0, 2, 0});
  CHECK(a.astype(DType::Int64).item<int64_t>(1) == std::numeric_limits<int64_t>::max());
  CHECK(Array{0.0, 0.5, nan}.astype(DType::Bool).toVector<int>() == std::vector<int>{0, 1, 1});
  CHECK(Array{300, -1}.astype(DType::UInt8).toVector<int>() == std::vector<int>{44, 255});
}

TEST_CASE("half-width floats round to nearest even") {
  Array a{1.0, 65504.0, 65520.0, 1e-8, 1.0 + 0x1p-11, 1.0 + 0x3p-11};
  CHECK(a.astype(DType::Float16).toVector<double>() ==
        std::vector<double>{1.0, 65504.0, INFINITY, 0.0, 1.0, 1.0 + 0x1p-9});
  Array b{1.0 + 0x1p-8, 1.0 + 0x3p-8, 1.0 + 0x1p-8 + 0x1p-40};
  CHECK(b.astype(DType::BFloat16).toVector<double>() ==
        std::vector<double>{1.0, 1.0 + 0x1p-6, 1.0 + 0x1p-7});
}

TEST_CASE("reset keeps memory that is large enough") {
  Array a = Array::zeros(DType::Float32, {100});
  void *before = a.rawData();
  a.reset(DType::Float32, {10, 5});
  CHECK(a.rawData() == before);
  CHECK(a.shape() == std::vector<int64_t>{10, 5});
}

TEST_CASE("dtype names") {
  CHECK(dtypeFromName("bfloat16") == DType::BFloat16);
  CHECK(std::string(dtypeName(DType::UInt64)) == "uint64");
  CHECK_THROWS_AS(dtypeFromName("string"), keratin::TypeError);
}

TEST_CASE("complex numbers are not taken for real ones") {
  Array z = Array::zeros(DType::Complex64, {2});
  CHECK_THROWS_WITH(
      z.item<double>(0),
      "Array: item() of complex64 as float64; needed real elements, such as K::real makes");
  CHECK_THROWS_WITH(
      z.astype(DType::Float32),
      "Array: elements of complex64 are no float32; needed real ones, such as K::real makes");
  CHECK(z.astype(DType::Complex128).bytes() == 32);
}
