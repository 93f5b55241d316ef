// array[key] means what NumPy's does, and is a copy.
#include "tests/frontend/FrontendTest.h"

#include <limits>

using K::Slice;

static const Array matrix = {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}};

TEST_CASE("an index drops its axis and a slice keeps it", "[array]") {
  checkArray(matrix[1], Array{4, 5, 6, 7});
  checkArray(matrix[-1], Array{8, 9, 10, 11});
  checkArray(matrix[{2, -3}], Array(9));
  checkArray(matrix[Slice(1, 3)], Array{{4, 5, 6, 7}, {8, 9, 10, 11}});
  checkArray(matrix[{K::All, 1}], Array{1, 5, 9});
  checkArray(matrix[{K::Ellipsis, Slice(0, 2)}], Array{{0, 1}, {4, 5}, {8, 9}});
  checkArray(matrix[{None, 0}], Array{{0, 1, 2, 3}});
  checkArray(Array(7)[K::Ellipsis], Array(7));
  checkArray(Array{true, false}[1], Array(false));
}

TEST_CASE("slices of arrays follow Python's rule", "[array]") {
  const Array row = {0, 1, 2, 3, 4};
  checkArray(row[Slice(None, None, 2)], Array{0, 2, 4});
  checkArray(row[Slice(None, None, -1)], Array{4, 3, 2, 1, 0});
  checkArray(row[Slice(-2, None)], Array{3, 4});
  checkArray(row[Slice(3, 0, -2)], Array{3, 1});
  checkArray(row[Slice(-100, 100)], row);
  checkArray(row[Slice(100, -100, -3)], Array{4, 1});
  CHECK(row[Slice(3, 3)].shape() == std::vector<int64_t>{0});
  CHECK(row[Slice(5, None)].shape() == std::vector<int64_t>{0});
  const int64_t most = std::numeric_limits<int64_t>::max();
  checkArray(row[Slice(1, most, most)], Array{1});
  checkArray(row[Slice(1, None, std::numeric_limits<int64_t>::min())], Array{1});
  CHECK(Array::zeros(DType::Float32, {0, 3})[{K::All, 1}].shape() == std::vector<int64_t>{0});
}

TEST_CASE("what an index picks is a copy", "[array]") {
  Array array = {{1, 2}, {3, 4}};
  Array row = array[0];
  CHECK_FALSE(row.isView());
  row.data<int>()[0] = 9;
  checkArray(array, Array{{1, 2}, {3, 4}});
  // Of a view with strides too.
  std::vector<int> memory = {0, 1, 2, 3, 4, 5};
  const Array transposed = Array::view(memory.data(), DType::Int32, {3, 2}, {1, 3});
  checkArray(transposed[1], Array{1, 4});
  checkArray(transposed[{Slice(None, None, -1), 0}], Array{2, 1, 0});
}

TEST_CASE("a key that does not fit an array is refused", "[array]") {
  CHECK(errorOf<K::ValueError>([] { matrix[3]; }).find("index 3 is outside axis 0 of size 3") !=
        std::string::npos);
  CHECK_THROWS_AS((matrix[{0, -5}]), K::ValueError);
  CHECK_THROWS_AS((matrix[{0, 0, 0}]), K::ValueError);
  CHECK_THROWS_AS((matrix[{K::Ellipsis, K::Ellipsis}]), K::ValueError);
  CHECK_THROWS_AS(matrix[Slice(0, 2, 0)], K::ValueError);
  CHECK_THROWS_AS(matrix[K::constant(1, "int32")], K::ValueError);
  CHECK_THROWS_AS(Array()[0], K::ValueError);
}
