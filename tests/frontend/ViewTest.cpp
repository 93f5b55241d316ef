// Arrays of memory that somebody else owns, as values, feeds and results.
#include "tests/frontend/FrontendTest.h"

#include <cstdlib>
#include <limits>

using keratin::Function;
using keratin::SparseMatrix;
using keratin::ValueError;

// (row, column) = 10 * row + column, in three rows of four, of which the last column is padding.
static std::vector<float> paddedRows() { return {0, 1, 2, -1, 10, 11, 12, -1, 20, 21, 22, -1}; }

static Array padded(const std::vector<float> &memory) {
  return Array::constView(memory.data(), DType::Float32, {3, 3}, {4, 1});
}

TEST_CASE("a view reads and writes where the elements lie", "[view]") {
  std::vector<float> memory = {1, 2, 3, 4, 5, 6};
  Array view = Array::view(memory.data(), DType::Float32, {2, 3});
  CHECK(view.isView());
  CHECK_FALSE(view.isReadOnly());
  CHECK(view.isRowMajor());
  CHECK(view.strides() == std::vector<int64_t>{3, 1});
  CHECK(view.viewStrides() == nullptr);
  CHECK(view.rawData() == memory.data());
  CHECK(view.item(4) == 5.0);
  memory[4] = 50;
  CHECK(view.item(4) == 50.0);
  view.data<float>()[0] = 10;
  CHECK(memory[0] == 10);
}

TEST_CASE("strides lead to the elements", "[view]") {
  std::vector<float> memory = paddedRows();
  CHECK(padded(memory).toVector<int>() == std::vector<int>{0, 1, 2, 10, 11, 12, 20, 21, 22});
  auto transposed = Array::constView(memory.data(), DType::Float32, {3, 3}, {1, 4});
  CHECK(transposed.toVector<int>() == std::vector<int>{0, 10, 20, 1, 11, 21, 2, 12, 22});
  auto reversed = Array::constView(&memory[10], DType::Float32, {3, 3}, {-4, -1});
  CHECK(reversed.toVector<int>() == std::vector<int>{22, 21, 20, 12, 11, 10, 2, 1, 0});
  auto repeated = Array::constView(memory.data(), DType::Float32, {2, 3}, {0, 1});
  CHECK(repeated.toVector<int>() == std::vector<int>{0, 1, 2, 0, 1, 2});
  auto cube = Array::constView(memory.data(), DType::Float32, {2, 1, 2}, {8, 77, 2});
  CHECK(cube.toVector<int>() == std::vector<int>{0, 2, 20, 22});
}

TEST_CASE("strides that say nothing leave a view row-major", "[view]") {
  std::vector<float> memory = paddedRows();
  auto data = memory.data();
  CHECK(Array::view(data, DType::Float32, {3, 4}, {4, 1}).isRowMajor());
  CHECK(Array::view(data, DType::Float32, {1, 4}, {99, 1}).isRowMajor());
  CHECK(Array::view(data, DType::Float32, {0, 4}, {7, 7}).isRowMajor());
  CHECK(Array::view(data, DType::Float32, {}).isRowMajor());
  CHECK_FALSE(Array::view(data, DType::Float32, {3, 3}, {4, 1}).isRowMajor());
  CHECK_FALSE(Array::view(data, DType::Float32, {3, 4}, {0, 1}).isRowMajor());
}

TEST_CASE("a copy of a view owns row-major elements", "[view]") {
  std::vector<float> memory = paddedRows();
  Array view = padded(memory), copy = view;
  CHECK_FALSE(copy.isView());
  CHECK_FALSE(copy.isReadOnly());
  copy.data<float>()[8] += 1;
  CHECK(copy.toVector<int>() == std::vector<int>{0, 1, 2, 10, 11, 12, 20, 21, 23});
  CHECK(memory[10] == 22);
  CHECK(view.reshape({9}).toVector<int>() == std::vector<int>{0, 1, 2, 10, 11, 12, 20, 21, 22});
  CHECK(view.astype(DType::Int8).toVector<int>() ==
        std::vector<int>{0, 1, 2, 10, 11, 12, 20, 21, 22});
  CHECK(Array{padded(memory), padded(memory)}.item(17) == 22.0);
}

TEST_CASE("elements that do not lie in a row have no address as one", "[view]") {
  std::vector<float> memory = paddedRows();
  Array view = Array::view(memory.data(), DType::Float32, {3, 3}, {4, 1});
  CHECK(errorOf<ValueError>([&] { view.rawData(); }) ==
        "Array::rawData: a view of shape (3, 3) has strides (4, 1); needed row-major elements, "
        "which a copy has");
  CHECK_THROWS_AS(std::as_const(view).data<float>(), ValueError);
  CHECK(view.origin() == memory.data());
  CHECK(view.addressOf(8) == &memory[10]);
}

TEST_CASE("memory that is only read is not given away for writing", "[view]") {
  const std::vector<float> memory = {1, 2};
  Array view = Array::constView(memory.data(), DType::Float32, {2});
  CHECK(view.isReadOnly());
  CHECK(errorOf<ValueError>([&] { view.rawData(); }) ==
        "Array::rawData: the memory is only read; needed Array::view, or a const Array");
  CHECK(std::as_const(view).data<float>() == memory.data());
}

TEST_CASE("a view keeps its owner", "[view]") {
  auto owner = std::make_shared<std::vector<double>>(100, 1.5);
  std::weak_ptr<void> watched = owner;
  Array view = Array::view(owner->data(), DType::Float64, {100}, {}, owner);
  owner.reset();
  Array moved = std::move(view);
  CHECK(view.isNone());
  Array copy = moved;
  CHECK_FALSE(watched.expired());
  CHECK(moved.item(99) == 1.5);
  moved = Array();
  CHECK(watched.expired());
  CHECK(copy.item(99) == 1.5);

  bool isDeleted = false;
  auto deleter = [&](void *memory) {
    isDeleted = true;
    std::free(memory);
  };
  {
    std::shared_ptr<void> memory(std::calloc(4, 4), deleter);
    Array other = Array::view(memory.get(), DType::Int32, {4}, {}, memory);
    memory.reset();
    CHECK(other.item(3) == 0.0);
    CHECK_FALSE(isDeleted);
  }
  CHECK(isDeleted);
}

TEST_CASE("views of what is no memory are refused", "[view]") {
  std::vector<float> memory(8);
  void *data = memory.data(), *none = nullptr;
  auto message = [](auto &&...arguments) {
    return errorOf<ValueError>([&] { Array::view(arguments...); });
  };
  using Dims = std::vector<int64_t>;
  CHECK_THAT(message(none, DType::Float32, Dims{2}),
             Catch::Contains("the data of shape (2,) is NULL"));
  CHECK_THAT(message(data, DType::Float32, Dims{2, -1}), Catch::Contains("negative"));
  CHECK_THAT(message(data, DType::Float64, Dims{int64_t(1) << 61}), Catch::Contains("too large"));
  CHECK_THAT(message(data, DType::Float32, Dims{2, 2}, Dims{1}),
             Catch::Contains("1 strides for shape (2, 2); needed one an axis"));
  CHECK_THAT(
      message(static_cast<char *>(data) + 1, DType::Float32, Dims{1}),
      Catch::Contains("the data is not aligned; needed a multiple of the 4 bytes of float32"));
  constexpr int64_t huge = std::numeric_limits<int64_t>::max();
  for (const Dims &strides : {Dims{huge, 1}, Dims{-huge, 1}, Dims{huge / 8, 1}, Dims{-huge / 8, 1},
                              Dims{std::numeric_limits<int64_t>::min(), 1}})
    CHECK_THAT(message(data, DType::Float32, Dims{3, 2}, strides),
               Catch::Contains("reaches beyond all memory"));
  CHECK_THAT(errorOf<ValueError>([&] { Array::constView(none, DType::Float32, {2}); }),
             Catch::StartsWith("Array::constView: "));
  CHECK(Array::view(none, DType::Float32, {0, 3}, {huge, huge}).size() == 0);
  CHECK(Array::view(data, DType::Float32, {2}, {huge / 16}).dtype() == DType::Float32);
}

TEST_CASE("reset keeps the memory of a view that fits", "[view]") {
  std::vector<float> memory(4);
  Array view = Array::view(memory.data(), DType::Float32, {4});
  view.reset(DType::Float32, {4});
  CHECK(view.rawData() == memory.data());
  view.reset(DType::Float32, {2});
  CHECK_FALSE(view.isView());
  Array readOnly = Array::constView(memory.data(), DType::Float32, {4});
  readOnly.reset(DType::Float32, {4});
  CHECK_FALSE(readOnly.isView());
}

//===-- Feeds ---------------------------------------------------------------------------------===//

TEST_CASE("functions read views where they lie", "[view]") {
  std::vector<float> memory = paddedRows();
  Tensor x = K::placeholder({None, 3});
  Function f = K::function({x}, {x + 1.0});
  std::vector<Array> feeds, outputs;
  feeds.push_back(padded(memory));
  f.call(feeds.data(), 1, outputs);
  checkArray(outputs[0], Array{{1.0, 2.0, 3.0}, {11.0, 12.0, 13.0}, {21.0, 22.0, 23.0}});
  memory[10] = 7;
  f.call(feeds.data(), 1, outputs);
  CHECK(outputs[0].item(8) == 8.0);
  feeds[0] = Array::constView(memory.data(), DType::Float32, {4, 3}); // row-major
  checkArray(f(feeds)[0].reshape({12}),
             Array{1.0, 2.0, 3.0, 0.0, 11.0, 12.0, 13.0, 0.0, 21.0, 22.0, 8.0, 0.0});
  // Of another dtype.
  std::vector<int> integers = {1, 2, 3, 4, 5, 6};
  feeds[0] = Array::constView(integers.data(), DType::Int32, {2, 3}, {1, 2});
  checkArray(f(feeds)[0], Array{{2.0, 4.0, 6.0}, {3.0, 5.0, 7.0}});
}

TEST_CASE("K functions take views as values", "[view]") {
  std::vector<float> memory = paddedRows();
  const Array expected = padded(memory);
  Tensor constant = K::constant(padded(memory)), v = K::variable(padded(memory));
  Tensor sum = K::zeros({3, 3}) + padded(memory);
  K::set_value(v, padded(memory));
  Tensor x = K::placeholder({3, 3}, None, None, true);
  Function f = K::function({x}, {K::to_dense(x)});
  std::vector<Array> feeds;
  feeds.push_back(padded(memory));
  checkArray(f(feeds)[0], expected);
  checkArray(SparseMatrix::fromDense(padded(memory)).toDense(), expected);
  auto diagonal = Array::constView(memory.data(), DType::Float32, {3}, {5});
  checkArray(SparseMatrix::coo(2, 2, {0, 1, 1}, {0, 0, 1}, diagonal).toDense(),
             Array{{0.0, 0.0}, {11.0, 22.0}});
  // Constants and variables are not of that memory.
  const Array before = expected;
  memory.assign(memory.size(), 99);
  checkValue(constant, before);
  checkValue(v, before);
  checkValue(sum, before);
}

//===-- Results -------------------------------------------------------------------------------===//

TEST_CASE("functions write results into views", "[view]") {
  std::vector<float> memory(6, -1);
  Tensor x = K::placeholder({None});
  Function f = K::function({x}, {x * 2.0, K::sum(x)});
  Array feed{1.0f, 2.0f, 3.0f};
  std::vector<Array> outputs(2);
  outputs[0] = Array::view(&memory[1], DType::Float32, {3});
  outputs[1] = Array::view(&memory[5], DType::Float32, {});
  f.call(&feed, 1, outputs);
  CHECK(memory == std::vector<float>{-1, 2, 4, 6, -1, 6});
  CHECK(outputs[0].isView());
  CHECK(outputs[0].rawData() == &memory[1]);
}

TEST_CASE("a view for a result must be like it", "[view]") {
  std::vector<float> memory(16);
  Tensor x = K::placeholder({None});
  Function f = K::function({x}, {x * 2.0}, {}, "double");
  Array feed{1.0f, 2.0f, 3.0f};
  auto message = [&](Array view) {
    std::vector<Array> outputs;
    outputs.push_back(std::move(view));
    return errorOf<ValueError>([&] { f.call(&feed, 1, outputs); });
  };
  CHECK(message(Array::view(memory.data(), DType::Float32, {2})) ==
        "double: an output is float32 of shape (3,); the view given for it is float32 of shape "
        "(2,)");
  CHECK_THAT(message(Array::view(memory.data(), DType::Int32, {3})),
             Catch::EndsWith("the view given for it is int32 of shape (3,)"));
  CHECK(message(Array::constView(memory.data(), DType::Float32, {3})) ==
        "double: the view given for an output, float32 of shape (3,), is only read; needed "
        "row-major memory that may be written");
  CHECK_THAT(message(Array::view(memory.data(), DType::Float32, {3}, {2})),
             Catch::Contains("is not row-major"));
  CHECK(memory == std::vector<float>(16));
}

TEST_CASE("results may overwrite what was fed", "[view]") {
  std::vector<float> memory = {1, 2, 3, 4};
  Tensor x = K::placeholder({None});
  // Every element of the result needs another one of the input.
  Function f = K::function({x}, {K::reverse(x, 0) + 0.0});
  std::vector<Array> feeds, outputs;
  feeds.push_back(Array::view(memory.data(), DType::Float32, {4}));
  outputs.push_back(Array::view(memory.data(), DType::Float32, {4}));
  f.call(feeds.data(), 1, outputs);
  CHECK(memory == std::vector<float>{4, 3, 2, 1});
  // A part of it, backwards.
  feeds[0] = Array::view(&memory[2], DType::Float32, {3}, {-1});
  outputs[0] = Array::view(&memory[1], DType::Float32, {3});
  f.call(feeds.data(), 1, outputs);
  CHECK(memory == std::vector<float>{4, 4, 3, 2});
  // Into an array's own memory, which is fed as a view.
  outputs[0] = Array{1.0f, 2.0f, 3.0f, 4.0f};
  feeds[0] = Array::view(outputs[0].rawData(), DType::Float32, {4});
  f.call(feeds.data(), 1, outputs);
  checkArray(outputs[0], Array{4.0, 3.0, 2.0, 1.0});
  feeds[0] = Array::view(outputs[0].rawData(), DType::Float32, {3});
  f.call(feeds.data(), 1, outputs);
  checkArray(outputs[0], Array{2.0, 3.0, 4.0});
}

TEST_CASE("results do not overwrite each other", "[view]") {
  std::vector<float> memory(4);
  Tensor x = K::placeholder({2});
  Function f = K::function({x}, {x * 2.0, x * 3.0}, {}, "twice");
  Array feed{1.0f, 2.0f};
  std::vector<Array> outputs(2);
  outputs[0] = Array::view(memory.data(), DType::Float32, {2});
  outputs[1] = Array::view(&memory[1], DType::Float32, {2});
  CHECK(errorOf<ValueError>([&] { f.call(&feed, 1, outputs); }) ==
        "twice: the arrays for outputs 0 and 1 overlap; needed memory for each");
  outputs[1] = Array::view(&memory[2], DType::Float32, {2});
  f.call(&feed, 1, outputs);
  CHECK(memory == std::vector<float>{2, 4, 3, 6});
}

TEST_CASE("a result of a computed size fills the first of a view", "[view]") {
  if (std::getenv("KERATIN_TEST_PROGRAM")) // the interpreter asks for memory when it has the size
    return;
  std::vector<float> memory(5, -1);
  Tensor x = K::placeholder({4});
  Tensor count = K::minimum(K::cast(K::sum(x), "int32"), 4);
  Function f = K::function({x}, {x[keratin::Slice(None, count)]});
  Array feed{1.0f, 0.0f, 2.0f, 0.0f};
  std::vector<Array> outputs;
  outputs.push_back(Array::view(memory.data(), DType::Float32, {4}));
  f.call(&feed, 1, outputs);
  CHECK(outputs[0].shape() == std::vector<int64_t>{3});
  CHECK(outputs[0].rawData() == memory.data());
  checkArray(outputs[0], Array{1.0, 0.0, 2.0});
  CHECK(memory[4] == -1);
}
