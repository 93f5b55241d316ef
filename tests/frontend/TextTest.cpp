// Arrays, tensors and functions as text.
#include "tests/frontend/FrontendTest.h"

#include <numeric>
#include <sstream>

using keratin::toString;

static Array numbered(std::vector<int64_t> dims, DType dtype = DType::Int32) {
  int64_t count = 1;
  for (int64_t size : dims)
    count *= size;
  std::vector<int> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return Array(values, std::move(dims)).astype(dtype);
}

// What Python's str says of numpy.arange(count).reshape(dims).
TEST_CASE("arrays print as NumPy prints them", "[text]") {
  CHECK(toString(Array()) == "None");
  CHECK(toString(Array(3)) == "3");
  CHECK(toString(Array{{1.0, 2.5}, {3.0, 4.0}}) == "[[1.  2.5]\n [3.  4. ]]");
  CHECK(toString(Array{true, false}) == "[ True False]");
  CHECK(toString(Array::zeros(DType::Float32, {2, 0})) == "[]");
  std::ostringstream out;
  out << Array{1, 2};
  CHECK(out.str() == "[1 2]");
}

TEST_CASE("large arrays are abbreviated", "[text]") {
  CHECK(toString(numbered({1001})) == "[   0    1    2 ...  998  999 1000]");
  CHECK(toString(numbered({1001}, DType::Float32)) == "[   0.    1.    2. ...  998.  999. 1000.]");
  CHECK(toString(numbered({1000})).find("...") == std::string::npos);
  CHECK(toString(numbered({2, 600})) == "[[   0    1    2 ...  597  598  599]\n"
                                        " [ 600  601  602 ... 1197 1198 1199]]");
  CHECK(toString(numbered({600, 2})) == "[[   0    1]\n [   2    3]\n [   4    5]\n ...\n"
                                        " [1194 1195]\n [1196 1197]\n [1198 1199]]");
  CHECK(toString(numbered({7, 1, 200})) == "[[[   0    1    2 ...  197  198  199]]\n\n"
                                           " [[ 200  201  202 ...  397  398  399]]\n\n"
                                           " [[ 400  401  402 ...  597  598  599]]\n\n ...\n\n"
                                           " [[ 800  801  802 ...  997  998  999]]\n\n"
                                           " [[1000 1001 1002 ... 1197 1198 1199]]\n\n"
                                           " [[1200 1201 1202 ... 1397 1398 1399]]]");
}

TEST_CASE("tensors and functions print what they are", "[text]") {
  Tensor x = K::placeholder({None, 3}, {.name = "text_x"});
  Tensor w = K::variable(Array::zeros(DType::Float32, {3, 1}), {.name = "text_w"});
  CHECK(toString(x) == "text_x:0: float32 (None, 3)");
  CHECK(toString(Tensor()) == "empty");
  Tensor loss = K::sum(K::dot(x, w));
  K::Function f =
      K::function(x, {{"loss", loss}}, K::update_add(w, K::ones({3, 1})), {.name = "train"});
  std::ostringstream out;
  out << f;
  CHECK(out.str() == "function train\n"
                     "  input  text_x: float32 (None, 3)\n"
                     "  output loss: float32 ()\n"
                     "  update text_w: float32 (3, 1)");
  CHECK(toString(K::Function()) == "empty");
}
