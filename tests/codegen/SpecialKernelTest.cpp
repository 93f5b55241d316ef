// Kernels of ops that stand alone, compiled for four machines, against the interpreter.
#include "tests/codegen/CompiledOp.h"
#include "tests/support/RandomTensor.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace keratin;
using namespace keratin::tests;
using ir::HostTensor;
using Compiled = CompiledOp;

static constexpr double infinite = std::numeric_limits<double>::infinity();
static const double nan_ = std::nan("");

static HostTensor random(keratin_dtype_t dtype, const Dims &dims, uint64_t seed = 1) {
  return *randomTensor(dtype, dims, seed);
}

static HostTensor tensor(keratin_dtype_t dtype, std::vector<double> elements, Dims dims = {}) {
  HostTensor result;
  result.dtype = dtype;
  result.dims = dims.empty() ? Dims{int64_t(elements.size())} : dims;
  if (result.isFloat())
    result.floats = std::move(elements);
  else
    result.ints.assign(elements.begin(), elements.end());
  return result;
}

static Dims without(Dims dims, size_t axis) {
  dims.erase(dims.begin() + axis);
  return dims;
}

//===-- arg_max, arg_min ----------------------------------------------------------------------===//

static std::string argOp(bool largest, size_t axis) {
  return std::string(largest ? "arg_max" : "arg_min") + " %0 {axis = " + std::to_string(axis) +
         " : i64}";
}

static void checkArg(const HostTensor &x, size_t axis) {
  for (bool largest : {true, false})
    Compiled(argOp(largest, axis), {typeOf(x.dtype, x.dims)},
             typeOf(KERATIN_DTYPE_INT64, without(x.dims, axis)))
        .check({x});
}

TEST_CASE("arg_max and arg_min of every dtype, along lanes and across them", "[special]") {
  for (int dtype = KERATIN_DTYPE_BOOL; dtype <= KERATIN_DTYPE_FLOAT64; ++dtype) {
    INFO(nameOf(keratin_dtype_t(dtype)));
    HostTensor x = random(keratin_dtype_t(dtype), {3, 37, 21});
    checkArg(x, 2);
    checkArg(x, 1);
  }
}

TEST_CASE("arg_max sees the sign and the whole width of integers", "[special]") {
  checkArg(tensor(KERATIN_DTYPE_UINT8, {1, 200, 127, 255, 0}), 0);
  checkArg(tensor(KERATIN_DTYPE_INT8, {1, -56, 127, -1, -128}), 0);
  checkArg(tensor(KERATIN_DTYPE_UINT64, {1, -1, 5, -2}), 0); // as bits
  checkArg(tensor(KERATIN_DTYPE_INT64, {1, -1, 5, -2}), 0);
}

TEST_CASE("arg_max: the first of equals, and of NaN, wherever they lie", "[special]") {
  for (int64_t length : {1, 2, 15, 16, 17, 64, 200, 1000}) {
    Compiled along(argOp(true, 0), {typeOf(KERATIN_DTYPE_FLOAT32, {length})},
                   typeOf(KERATIN_DTYPE_INT64, {}));
    Compiled across(argOp(true, 0), {typeOf(KERATIN_DTYPE_FLOAT32, {length, 3})},
                    typeOf(KERATIN_DTYPE_INT64, {3}));
    for (double extreme : {2.0, infinite, nan_})
      for (int64_t first = 0; first < length; first += length / 7 + 1) {
        // From `first` on every third element is an extreme.
        HostTensor x = tensor(KERATIN_DTYPE_FLOAT32, std::vector<double>(length, -1.0));
        HostTensor rows = *ir::makeHostTensor(KERATIN_DTYPE_FLOAT32, {length, 3});
        for (int64_t i = first; i < length; i += 3)
          x.floats[i] = rows.floats[3 * i + 1] = extreme;
        along.check({x});
        across.check({rows});
      }
    along.check({tensor(KERATIN_DTYPE_FLOAT32, std::vector<double>(length, -infinite))});
    along.check({tensor(KERATIN_DTYPE_FLOAT32, std::vector<double>(length, nan_))});
  }
}

TEST_CASE("arg_max with sizes known at the call", "[special]") {
  for (size_t axis : {0, 1, 2}) {
    Dims any{0, 0, 0};
    std::string result = axis == 0   ? "tensor<?x?xi64, #keratin.dims<d1, d2>>"
                         : axis == 1 ? "tensor<?x?xi64, #keratin.dims<d0, d2>>"
                                     : "tensor<?x?xi64, #keratin.dims<d0, d1>>";
    Compiled compiled(argOp(true, axis), {typeOf(KERATIN_DTYPE_FLOAT32, any, 0)}, result);
    for (const Dims &dims : {Dims{1, 1, 1}, Dims{2, 3, 4}, Dims{5, 67, 33}, Dims{3, 16, 64},
                             Dims{2, 2, 1000}, Dims{40, 300, 70}}) {
      INFO(axis << ": " << dims[0] << " " << dims[1] << " " << dims[2]);
      compiled.check({random(KERATIN_DTYPE_FLOAT32, dims)});
    }
    // Nothing to do, and nothing to choose from.
    Dims empty{4, 4, 4}, none{4, 4, 4};
    empty[(axis + 1) % 3] = 0;
    compiled.check({random(KERATIN_DTYPE_FLOAT32, empty)});
    none[axis] = 0;
    compiled.checkFails({random(KERATIN_DTYPE_FLOAT32, none)},
                        "arg_max: the axis " + std::to_string(axis) + " is empty");
  }
}

//===-- Scans ---------------------------------------------------------------------------------===//

static std::string scanOp(const std::string &name, size_t axis, bool exclusive, bool reverse) {
  return name + (name == "linear_recurrence" ? " %0, %1" : " %0") +
         " {axis = " + std::to_string(axis) + " : i64" + (exclusive ? ", exclusive" : "") +
         (reverse ? ", reverse" : "") + "}";
}

// Where long products neither vanish nor overflow.
static HostTensor nearOne(keratin_dtype_t dtype, const Dims &dims, uint64_t seed = 1) {
  HostTensor x = random(dtype, dims, seed);
  for (double &element : x.floats)
    element = ir::roundToFloat(dtype, element < 0 ? -1 + element / 32 : 1 - element / 32);
  return x;
}

static void checkScan(const std::string &name, keratin_dtype_t dtype, const Dims &dims, size_t axis,
                      bool exclusive, bool reverse) {
  INFO(scanOp(name, axis, exclusive, reverse) << " of " << typeOf(dtype, dims));
  std::string type = typeOf(dtype, dims);
  bool isSum = name == "cumsum";
  std::vector<HostTensor> arguments{isSum ? random(dtype, dims) : nearOne(dtype, dims)};
  std::vector<std::string> types{type};
  if (name == "linear_recurrence") {
    arguments.push_back(random(dtype, dims, 2));
    types.push_back(type);
  }
  Compiled(scanOp(name, axis, exclusive, reverse), types, type).checkWithinBounds(arguments);
}

TEST_CASE("scans of every dtype", "[special]") {
  for (int dtype = KERATIN_DTYPE_INT8; dtype <= KERATIN_DTYPE_FLOAT64; ++dtype)
    for (const char *name : {"cumsum", "cumprod", "linear_recurrence"})
      for (size_t axis : {1, 2})
        checkScan(name, keratin_dtype_t(dtype), {2, 19, 37}, axis, false, dtype % 2);
}

TEST_CASE("scans in both directions, with and without the element itself", "[special]") {
  for (const char *name : {"cumsum", "cumprod", "linear_recurrence"})
    for (bool exclusive : {false, true})
      for (bool reverse : {false, true})
        for (const Dims &dims : {Dims{3, 16}, Dims{5, 33}, Dims{1, 1}, Dims{7, 64}, Dims{0, 3}})
          for (size_t axis : {0, 1})
            if (!exclusive || name != std::string("linear_recurrence"))
              for (keratin_dtype_t dtype : {KERATIN_DTYPE_FLOAT32, KERATIN_DTYPE_INT32})
                checkScan(name, dtype, dims, axis, exclusive, reverse);
}

TEST_CASE("scans with sizes known at the call", "[special]") {
  for (const char *name : {"cumsum", "cumprod", "linear_recurrence"})
    for (size_t axis : {0, 1, 2})
      for (bool reverse : {false, true}) {
        bool two = name == std::string("linear_recurrence");
        std::string type = typeOf(KERATIN_DTYPE_FLOAT32, {0, 0, 0}, 0);
        Compiled compiled(scanOp(name, axis, false, reverse),
                          std::vector<std::string>(two ? 2 : 1, type), type);
        for (const Dims &dims : {Dims{1, 1, 1}, Dims{3, 5, 7}, Dims{0, 5, 7}, Dims{3, 0, 7},
                                 Dims{3, 5, 0}, Dims{9, 80, 33}, Dims{2, 300, 1}}) {
          INFO(name << " " << axis << ": " << dims[0] << " " << dims[1] << " " << dims[2]);
          // The second operand's symbols repeat the first's.
          std::vector<HostTensor> arguments{nearOne(KERATIN_DTYPE_FLOAT32, dims)};
          if (two)
            arguments.push_back(random(KERATIN_DTYPE_FLOAT32, dims, 2));
          compiled.checkWithinBounds(arguments);
        }
      }
}

TEST_CASE("cumprod stays at zero, whatever follows", "[special]") {
  std::vector<double> elements(40, 1e20);
  elements[0] = 0;
  Compiled("cumprod %0 {axis = 0 : i64}", {"tensor<40xf32>"}, "tensor<40xf32>")
      .check({tensor(KERATIN_DTYPE_FLOAT32, elements)});
}

TEST_CASE("float16 sums are carried in float32", "[special]") {
  // In float16, 2048 + 1 is 2048.
  HostTensor ones = tensor(KERATIN_DTYPE_FLOAT16, std::vector<double>(4000, 1.0));
  Compiled("cumsum %0 {axis = 0 : i64}", {"tensor<4000xf16>"}, "tensor<4000xf16>")
      .checkWithinBounds({ones});
}

//===-- scatter_add ---------------------------------------------------------------------------===//

static HostTensor indicesBelow(keratin_dtype_t dtype, const Dims &dims, int64_t rows) {
  HostTensor result = random(dtype, dims, 3);
  for (int64_t &index : result.ints)
    index = ((index * 7) % rows + rows) % rows;
  return result;
}

static void checkScatter(keratin_dtype_t dtype, keratin_dtype_t indexType, const Dims &indexDims,
                         const Dims &resultDims) {
  Dims updateDims = indexDims;
  updateDims.insert(updateDims.end(), resultDims.begin() + 1, resultDims.end());
  std::string indices = typeOf(indexType, indexDims), updates = typeOf(dtype, updateDims);
  INFO(indices << " " << updates);
  Compiled("scatter_add %0, %1", {indices, updates}, typeOf(dtype, resultDims))
      .checkWithinBounds(
          {indicesBelow(indexType, indexDims, resultDims[0]), random(dtype, updateDims)});
}

TEST_CASE("scatter_add of every dtype", "[special]") {
  for (int dtype = KERATIN_DTYPE_INT8; dtype <= KERATIN_DTYPE_FLOAT64; ++dtype) {
    checkScatter(keratin_dtype_t(dtype), KERATIN_DTYPE_INT32, {40}, {7, 37});
    checkScatter(keratin_dtype_t(dtype), KERATIN_DTYPE_INT64, {40}, {7});
  }
}

TEST_CASE("scatter_add of many shapes", "[special]") {
  for (int indexType = KERATIN_DTYPE_INT8; indexType <= KERATIN_DTYPE_UINT64; ++indexType)
    checkScatter(KERATIN_DTYPE_FLOAT32, keratin_dtype_t(indexType), {9}, {5, 20});
  for (int64_t width : {1, 3, 16, 64, 100, 128, 1000})
    checkScatter(KERATIN_DTYPE_FLOAT32, KERATIN_DTYPE_INT32, {2, 25}, {11, width});
  checkScatter(KERATIN_DTYPE_FLOAT32, KERATIN_DTYPE_INT32, {3}, {4, 2, 5});
  checkScatter(KERATIN_DTYPE_FLOAT32, KERATIN_DTYPE_INT32, {}, {4, 5});
  checkScatter(KERATIN_DTYPE_FLOAT32, KERATIN_DTYPE_INT32, {0}, {4, 5});
  checkScatter(KERATIN_DTYPE_FLOAT32, KERATIN_DTYPE_INT32, {0}, {1000});
  checkScatter(KERATIN_DTYPE_FLOAT32, KERATIN_DTYPE_INT32, {6}, {4, 0});
  checkScatter(KERATIN_DTYPE_FLOAT32, KERATIN_DTYPE_INT64, {3000}, {500, 256}); // several threads
}

TEST_CASE("scatter_add with sizes known at the call", "[special]") {
  Compiled compiled("scatter_add %0, %1",
                    {typeOf(KERATIN_DTYPE_INT32, {0}, 0), "tensor<?x?xf32, #keratin.dims<d0, d2>>"},
                    "tensor<6x?xf32, #keratin.dims<6, d2>>");
  for (const Dims &sizes :
       {Dims{1, 1}, Dims{10, 5}, Dims{33, 100}, Dims{0, 4}, Dims{7, 0}, Dims{2000, 300}})
    compiled.checkWithinBounds(
        {indicesBelow(KERATIN_DTYPE_INT32, {sizes[0]}, 6), random(KERATIN_DTYPE_FLOAT32, sizes)});
}

TEST_CASE("scatter_add refuses an index outside", "[special]") {
  const std::string message = "scatter_add: an index is outside";
  for (int64_t width : {1, 5, 300, 0}) {
    Dims updates{3, width};
    Compiled compiled("scatter_add %0, %1",
                      {"tensor<3xi32>", typeOf(KERATIN_DTYPE_FLOAT32, updates)},
                      typeOf(KERATIN_DTYPE_FLOAT32, {4, width}));
    HostTensor rows = random(KERATIN_DTYPE_FLOAT32, updates);
    for (double bad : {4.0, -1.0, 2147483647.0, -2147483648.0})
      compiled.checkFails({tensor(KERATIN_DTYPE_INT32, {0, bad, 1}), rows}, message);
    compiled.checkWithinBounds({tensor(KERATIN_DTYPE_INT32, {0, 3, 3}), rows});
  }
  Compiled wide("scatter_add %0, %1", {"tensor<1xui64>", "tensor<1xf32>"}, "tensor<4xf32>");
  wide.checkFails({tensor(KERATIN_DTYPE_UINT64, {-1}), random(KERATIN_DTYPE_FLOAT32, {1})},
                  message);
  Compiled byte("scatter_add %0, %1", {"tensor<1xui8>", "tensor<1xf32>"}, "tensor<300xf32>");
  byte.check({tensor(KERATIN_DTYPE_UINT8, {255}), random(KERATIN_DTYPE_FLOAT32, {1})});
}

//===-- transpose -----------------------------------------------------------------------------===//

TEST_CASE("transposes of every width around the edges of tiles", "[special]") {
  for (auto dtype : {KERATIN_DTYPE_BOOL, KERATIN_DTYPE_INT8, KERATIN_DTYPE_FLOAT16,
                     KERATIN_DTYPE_FLOAT32, KERATIN_DTYPE_INT64})
    for (const Dims &dims : {Dims{32, 32}, Dims{128, 256}, Dims{64, 100}, Dims{33, 31},
                             Dims{65, 130}, Dims{127, 129}, Dims{1000, 4}}) {
      INFO(typeOf(dtype, dims));
      Compiled("transpose %0 permutation = [1, 0]", {typeOf(dtype, dims)},
               typeOf(dtype, {dims[1], dims[0]}))
          .check({random(dtype, dims)});
    }
}

TEST_CASE("transposes of many dimensions", "[special]") {
  for (auto [permutation, dims] : {std::pair(Dims{0, 2, 1}, Dims{3, 40, 33}),
                                   {Dims{0, 2, 1}, Dims{3, 28, 4}},
                                   {Dims{0, 2, 1}, Dims{2, 3, 34}},
                                   {Dims{0, 2, 1}, Dims{2, 7, 6}},
                                   {Dims{2, 1, 0}, Dims{36, 5, 64}},
                                   {Dims{1, 2, 0}, Dims{20, 6, 31}},
                                   {Dims{0, 2, 1, 3}, Dims{2, 5, 7, 12}},
                                   {Dims{3, 1, 0, 2}, Dims{4, 3, 17, 32}},
                                   {Dims{0, 3, 1, 2}, Dims{2, 16, 8, 24}}}) {
    std::string list;
    Dims result;
    for (int64_t dim : permutation) {
      list += (list.empty() ? "" : ", ") + std::to_string(dim);
      result.push_back(dims[dim]);
    }
    INFO(list);
    Compiled("transpose %0 permutation = [" + list + "]", {typeOf(KERATIN_DTYPE_FLOAT32, dims)},
             typeOf(KERATIN_DTYPE_FLOAT32, result))
        .check({random(KERATIN_DTYPE_FLOAT32, dims)});
  }
}

TEST_CASE("transposes with sizes known at the call", "[special]") {
  for (auto dtype :
       {KERATIN_DTYPE_INT8, KERATIN_DTYPE_FLOAT16, KERATIN_DTYPE_FLOAT32, KERATIN_DTYPE_FLOAT64}) {
    std::string result =
        "tensor<?x?x?x" + std::string(nameOf(dtype)) + ", #keratin.dims<d0, d2, d1>>";
    Compiled compiled("transpose %0 permutation = [0, 2, 1]", {typeOf(dtype, {0, 0, 0}, 0)},
                      result);
    for (const Dims &dims : {Dims{1, 1, 1}, Dims{2, 32, 64}, Dims{1, 128, 128}, Dims{3, 33, 16},
                             Dims{2, 48, 31}, Dims{0, 40, 40}, Dims{2, 0, 40}, Dims{2, 40, 0}}) {
      INFO(typeOf(dtype, dims));
      compiled.check({random(dtype, dims)});
    }
  }
}

//===-- random_bits ---------------------------------------------------------------------------===//

TEST_CASE("random_bits are the interpreter's, bit for bit", "[special]") {
  for (int64_t count : {0, 1, 15, 16, 17, 63, 64, 65, 200, 1024, 100003})
    for (const char *seed : {"4294967298", "-1"}) {
      Compiled compiled("random_bits %0 {seed = " + std::string(seed) + " : i64}", {"tensor<i64>"},
                        typeOf(KERATIN_DTYPE_UINT32, {count}));
      INFO(count);
      for (double draw : {0.0, 1.0, -3.0, 4294967296.0 * 5 + 7}) {
        HostTensor number = tensor(KERATIN_DTYPE_INT64, {draw});
        number.dims = {};
        compiled.check({number});
      }
    }
  HostTensor zero = tensor(KERATIN_DTYPE_INT64, {0});
  zero.dims = {};
  Compiled("random_bits %0 {seed = 7 : i64}", {"tensor<i64>"}, "tensor<3x5x7xui32>").check({zero});
}

//===-- print ---------------------------------------------------------------------------------===//

TEST_CASE("print gives its operand back", "[special]") {
  for (int dtype = KERATIN_DTYPE_BOOL; dtype <= KERATIN_DTYPE_FLOAT64; ++dtype)
    for (const Dims &dims : {Dims{}, Dims{0}, Dims{3, 5}, Dims{70}}) {
      std::string type = typeOf(keratin_dtype_t(dtype), dims);
      Compiled("print \"value\" %0", {type}, type).check({random(keratin_dtype_t(dtype), dims)});
    }
  std::string any = typeOf(KERATIN_DTYPE_FLOAT32, {0, 0}, 0);
  Compiled compiled("print \"value\" %0", {any}, any);
  compiled.check({random(KERATIN_DTYPE_FLOAT32, {2, 3})});
  compiled.check(
      {tensor(KERATIN_DTYPE_FLOAT32, {nan_, -infinite, -0.0, std::ldexp(1.0, -149)}, {2, 2})});
}
