// Models compiled ahead of time: K::compile_model and keratin::Model. tests/python/models_test.py
// has what files and calls may be wrong about.
#include "tests/frontend/FrontendTest.h"

#include "keratin/model.h"
#include "tests/support/TemporaryFile.h"

#include <atomic>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

using keratin::Function;
using keratin::Model;
using keratin::ObjectOptions;
using keratin::ValueError;

namespace {

struct Named : keratin::tests::TemporaryFile {
  explicit Named(const char *end) { path += end; }
};

// A training step and a prediction that share w.
std::vector<Function> makeFunctions() {
  K::clear_session(); // names begin anew
  Tensor x = K::placeholder({K::None, 2}, {.name = "x"});
  Tensor w = K::variable(Array{1.0, -1.0}, {.name = "w"});
  Tensor y = K::sum(x * w, -1);
  return {K::function({x}, {{"y", y}}, {K::update_add(w, K::sum(x, 0))}, "step"),
          K::function({x}, {{"y", y}}, {}, "predict")};
}

} // namespace

TEST_CASE("a compiled model computes and trains as its functions do", "[model]") {
  Named file(".so"), header(".h");
  ObjectOptions options;
  options.name = "sums";
  options.header = header.path;
  K::compile_model(makeFunctions(), file.path, options);
  std::ifstream stream(header.path);
  CHECK(has({std::istreambuf_iterator<char>(stream), {}}, "sums_predict_run("));

  Model model(file.path);
  CHECK(model.name() == "sums");
  CHECK(model.device() == "cpu");
  REQUIRE(model.functions().size() == 2);
  CHECK(model.functions()[0].updates == std::vector<std::string>{"w"});
  CHECK(model.functions()[1].inputs[0].shape == StaticShape{std::nullopt, 2});
  CHECK(has(model.metadata(), R"("model": "sums")"));
  CHECK(has(toString(model), "\n  function step(x float32 (None, 2)) -> (y float32 (None,)), "
                             "updates 1 variables\n"));

  const Array x = {{3.0, 1.0}, {0.0, 2.0}};
  checkArray(model.call("predict", {x})[0], {2.0, -2.0});
  const Model copy = model.copy();
  checkArray(model.call("step", {{"x", x.astype(DType::Float64)}})["y"], {2.0, -2.0});
  checkArray(model.getValue("w"), {4.0, 2.0});
  CHECK(model.getValues({}).empty());
  checkArray(copy.getValue("w"), {1.0, -1.0});
  model.setValues({{"w", {2, 0}}});
  checkArray(model.call("predict", {x})[0], {6.0, 0.0});
}

TEST_CASE("weights of functions and of models are the same files", "[model]") {
  Named file(".so"), weights(".safetensors"), state(".state");
  std::vector<Function> functions = makeFunctions();
  K::compile_model(functions, file.path);
  Model model(file.path);
  model.setValues({{"w", {0.25, 8.0}}});
  model.saveWeights(weights.path);
  K::load_weights(functions[0], weights.path);
  checkArray(K::get_value(functions[0].variables()[0]), {0.25, 8.0});
  model.saveState(state.path);
  model.setValues({{"w", {0.0, 0.0}}});
  model.loadWeights(weights.path);
  checkArray(model.getValue("w"), {0.25, 8.0});
  model.setValues({{"w", {0.0, 0.0}}});
  model.loadState(state.path);
  checkArray(model.getValue("w"), {0.25, 8.0});
}

TEST_CASE("values of several variables are those between two calls of another thread", "[model]") {
  Named file(".so"), start(".safetensors"), beside(".npz");
  K::clear_session();
  // Equal, and all their elements too, after every call.
  Tensor v = K::zeros({64, 64}, "float32", "v"), w = K::zeros({64, 64}, "float32", "w");
  K::compile_model(
      {K::function({}, {}, {K::update_add(v, K::ones_like(v)), K::update_add(w, K::ones_like(w))},
                   "step")},
      file.path);
  Model model(file.path), other = model.copy();
  model.saveWeights(start.path);
  const Array zeros = Array::zeros(DType::Float32, {64, 64});
  std::atomic<bool> isOver = false;
  std::thread trainer([&] {
    while (!isOver)
      model.call("step", std::vector<Array>());
  });
  auto areEqual = [](const Model &of) {
    const std::vector<Array> values = of.getValues({"w", "v"});
    return std::memcmp(values[0].rawData(), values[1].rawData(), values[0].bytes()) == 0;
  };
  int64_t torn = 0;
  for (int round = 0; round < 500; ++round)
    torn += !areEqual(model);
  CHECK(torn == 0);
  for (int round = 0; round < 500; ++round) {
    model.setValues({{"w", zeros}, {"v", zeros}});
    torn += !areEqual(model);
  }
  CHECK(torn == 0);
  for (int round = 0; round < 100; ++round) {
    model.saveWeights(beside.path);
    other.loadWeights(beside.path);
    torn += !areEqual(other);
  }
  CHECK(torn == 0);
  for (int round = 0; round < 100; ++round) {
    model.loadWeights(start.path);
    torn += !areEqual(model);
  }
  CHECK(torn == 0);
  isOver = true;
  trainer.join();
}

TEST_CASE("an object file is made where the path asks for one", "[model]") {
  Named file(".o");
  ObjectOptions options;
  options.name = "sums";
  K::compile_model(makeFunctions(), file.path, options);
  CHECK(has(errorOf<ValueError>([&] { Model model(file.path); }), "this is not a shared object"));
}

TEST_CASE("a model tells the names of sizes", "[model]") {
  Named file(".so");
  K::clear_session();
  Tensor x = K::placeholder({"batch", K::None, 2}, {.name = "x"});
  Tensor y = K::placeholder({K::None}, {.name = "y"});
  const std::string line = __FILE__ ":" + std::to_string(__LINE__ - 2);
  const std::string next = __FILE__ ":" + std::to_string(__LINE__ - 2);
  K::compile_model({K::function({x, y}, {{"z", K::sum(x) + K::sum(y)}}, {}, "f")}, file.path);
  Model model(file.path);
  CHECK(errorOf<ValueError>([&] { model.call("f", {Array{{1.0, 2.0}}, Array{1.0}}); }) ==
        "f: the value for 'x' (" + line + ") has shape (1, 2); needed (batch, None, 2)");
  CHECK(errorOf<ValueError>([&] { model.call("f", {Array{{{1.0, 2.0}}}, Array(1.0)}); }) ==
        "f: the value for 'y' (" + next + ") has shape (); needed (None,)");
}

TEST_CASE("memory that is not there is a MemoryError, and a full disk none", "[model]") {
  using K::MemoryError;
  Named file(".so");
  K::clear_session();
  // More bytes than addresses have.
  Tensor x = K::placeholder({K::None, 1}, {.dtype = "int8", .name = "x"}),
         y = K::placeholder({1, K::None}, {.dtype = "int8", .name = "y"});
  const Array column = Array::empty(DType::Int8, {1 << 24, 1}),
              row = Array::empty(DType::Int8, {1, 1 << 24});
  Function sum = K::function({x, y}, x + y, {}, "sum");
  CHECK(has(errorOf<MemoryError>([&] { sum({column, row}); }),
            "no memory for shape (16777216, 16777216)"));
  K::compile_model({sum}, file.path);
  Model model(file.path);
  CHECK(has(errorOf<MemoryError>([&] { model.call("sum", {column, row}); }), "no memory for"));
  checkArray(
      K::function({x, y}, x + y)({Array({3}).reshape({1, 1}), Array({4}).reshape({1, 1})})[0],
      Array({7}).reshape({1, 1}));
  try {
    model.saveState("/dev/full");
    FAIL("the disk is not full");
  } catch (const MemoryError &) {
    FAIL("a disk is no memory");
  } catch (const K::RuntimeError &error) {
    CHECK(has(error.what(), "cannot write '/dev/full'"));
  }
}

TEST_CASE("what a model has not is an error", "[model]") {
  Named file(".so");
  K::compile_model(makeFunctions(), file.path);
  Model model(file.path);
  CHECK(has(errorOf<ValueError>([&] { model.call("", {Array{{1.0, 2.0}}}); }),
            "there are several functions; needed the name of one: 'step', 'predict'"));
  CHECK(has(errorOf<ValueError>([&] { model.call("fit", {Array{{1.0, 2.0}}}); }),
            "there is no function 'fit'; needed the name of one: 'step', 'predict'"));
  CHECK(errorOf<ValueError>([&] {
          model.call("step", {{"x", {{1.0, 2.0}}}, {"x", {{1.0, 2.0}}}});
        }) == "step: 'x' is given twice");
  CHECK(has(errorOf<ValueError>([&] { model.setValues({{"w", None}}); }),
            ": the value for 'w' is None; needed an array"));
  CHECK(has(errorOf<ValueError>([&] { Model other(file.path, "abacus"); }), "abacus"));
  Model moved = std::move(model);
  CHECK(errorOf<ValueError>([&] { model.name(); }) == "Model::name: the Model is empty");
}
