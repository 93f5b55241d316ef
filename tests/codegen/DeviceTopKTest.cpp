// top_k on the device "cuda": the places that the interpreter has, whichever threads find them.
#include "tests/codegen/LaunchedKernel.h"
#include "tests/codegen/OnDevice.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

using namespace keratin;
using namespace keratin::tests;
using ir::HostTensor;

namespace {

std::string tensor(const std::string &dims, const std::string &type) {
  return "tensor<" + dims + "x" + type + ">";
}

// x, of a type, to where the k largest are of each line.
std::string topK(const std::string &type, const std::string &lines, int64_t k,
                 const std::string &dims = "") {
  std::string result = "tensor<" + lines + "x" + std::to_string(k) + "xi64" + dims + ">";
  return result + " {\n  %y = keratin.top_k %x : (" + type + ") -> " + result +
         "\n  return %y : " + result + "\n}\n";
}

void check(int64_t lines, int64_t length, int64_t k, const std::string &element = "f32",
           keratin_dtype_t dtype = KERATIN_DTYPE_FLOAT32) {
  std::string type = tensor(std::to_string(lines) + "x" + std::to_string(length), element);
  INFO(type << ", k " << k);
  OnDevice(type, topK(type, std::to_string(lines), k)).check(random({lines, length}, dtype));
}

constexpr double notANumber = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();

} // namespace

TEST_CASE("the largest of short lines, by parts of warps", "[device]") {
  check(5, 1, 1);
  check(33, 2, 1);
  check(9, 10, 3);
  check(3, 32, 32);
  check(7, 17, 16, "i8", KERATIN_DTYPE_INT8);
}

TEST_CASE("all of a line in order, in shared memory", "[device]") {
  check(2, 33, 33);
  check(40, 100, 70, "f16", KERATIN_DTYPE_FLOAT16);
  check(1, 1500, 1500, "i64", KERATIN_DTYPE_INT64);
}

TEST_CASE("the largest of long lines, which wait until they are many", "[device]") {
  check(3, 33, 1);
  check(50, 300, 7);
  check(2, 5000, 5);
  check(1, 9000, 300, "f64", KERATIN_DTYPE_FLOAT64);
  check(2, 2000, 40, "ui8", KERATIN_DTYPE_UINT8);
  check(4, 700, 1, "i1", KERATIN_DTYPE_BOOL);
}

TEST_CASE("the largest of lines of any length", "[device]") {
  OnDevice lines("tensor<?x?xf32, #keratin.dims<d0, d1>>",
                 topK("tensor<?x?xf32, #keratin.dims<d0, d1>>", "?", 3, ", #keratin.dims<d0, 3>"));
  for (const Dims &dims : {Dims{3, 3}, Dims{2, 127}, Dims{40, 129}, Dims{2, 1000}, Dims{0, 5}})
    lines.check(random(dims), dims);
}

// Rising lines, of which each element is the best so far, falling ones, equal ones, and what is
// equal though its bits are not, or no number.
TEST_CASE("the largest in lines whose order is hard", "[device]") {
  constexpr int64_t length = 1100;
  HostTensor x = random({6, length});
  for (int64_t i = 0; i < length; ++i) {
    x.floats[i] = double(i);
    x.floats[length + i] = double(-i);
    x.floats[2 * length + i] = 1;
    x.floats[3 * length + i] = i % 3 ? -0.0 : 0.0;
    x.floats[4 * length + i] =
        i % 100 == 99 ? (i % 200 == 99 ? notANumber : -notANumber) : double(i % 7);
    x.floats[5 * length + i] = i % 2 ? -infinity : -1e30 * double(i);
  }
  std::string type = tensor("6x1100", "f32");
  for (int64_t k : {1, 30, 600, 1100})
    OnDevice(type, topK(type, "6", k)).check(x);
}

namespace {

using Places = std::vector<int64_t>;

// Of a kernel of so many lines: in any order what it should be, and no barrier can be left out but
// for so many.
void needsEachBarrier(int64_t lines, int64_t length, int64_t k, size_t barriers,
                      size_t mostUnnoticed = 0) {
  std::string x = tensor(std::to_string(lines) + "x" + std::to_string(length), "f32"),
              y = tensor(std::to_string(lines) + "x" + std::to_string(k), "i64");
  LaunchedKernel kernel("func.func @main(%x: " + x +
                            R"( {keratin.kind = "input", keratin.name = "x"}) -> ()" + y +
                            R"( {keratin.kind = "output", keratin.name = "y"}) {
           %0 = keratin.top_k %x : ()" +
                            x + ") -> " + y + "\n return %0 : " + y + "\n}",
                        size_t(lines * length), std::function([=](const float *x) {
                          Places all;
                          for (int64_t line = 0; line < lines; ++line) {
                            Places places(static_cast<size_t>(length));
                            std::iota(places.begin(), places.end(), 0);
                            const float *own = x + line * length;
                            std::sort(places.begin(), places.end(), [&](int64_t a, int64_t b) {
                              return own[a] > own[b] || (own[a] == own[b] && a < b);
                            });
                            all.insert(all.end(), places.begin(), places.begin() + k);
                          }
                          return all;
                        }),
                        uint32_t(lines), /*blocks=*/2);
  for (ptx::Order order : {ptx::Order::Fixed, ptx::Order::Reversed, ptx::Order::Seeded})
    CHECK(kernel.problem(kernel.ptx, order) == "");
  CHECK(kernel.mutants().size() == barriers);
  std::vector<std::string> unnoticed = kernel.unnoticed();
  CAPTURE(unnoticed);
  CHECK(unnoticed.size() <= mostUnnoticed);
}

} // namespace

TEST_CASE("threads that sort a line need each of their barriers", "[device]") {
  needsEachBarrier(4, 500, 400, 2);
}

TEST_CASE("threads that keep the best of a line need each of their barriers", "[device]") {
  // The one before a line stands behind a read of the line before, which LLVM has left out here: in
  // a loop of the device it is there (tests/tools/cuda-loops.mlir).
  needsEachBarrier(4, 5000, 250, 11, 1);
}
