// What newcomers get wrong, and what they are told: one line that names the function and the
// argument as they wrote it, what was found, what is needed, and where. (The tools and the C API:
// tests/tools/wrong_uses.py.)
#include "tests/frontend/FrontendTest.h"

#include "tests/support/TemporaryFile.h"

#include <cstdlib>
#include <fstream>
#include <functional>
#include <regex>

namespace {

struct Use {
  const char *what;
  std::function<void()> use;
  // "{}" stands for the path of a file, "; at HERE" for the place of the call.
  std::string message;
};

// A graph such as one has in the first hour.
struct Model {
  Tensor x = K::placeholder({None, 3}, {.name = "wrong_x"}),
         y = K::placeholder({None, 4}, {.name = "wrong_y"});
  Tensor n = K::placeholder({2}, {.dtype = "int32", .name = "wrong_n"});
  Tensor w = K::variable(Array{{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}}, {.name = "wrong_w"});
  Tensor b = K::variable(Array{0.0, 0.0}, {.name = "wrong_b"});
  Tensor out = K::dot(x, w) + b;
  Tensor image = K::placeholder({None, 8, 8, 3}, {.name = "image"});
  Tensor filter = K::variable(Array::zeros(DType::Float32, {3, 3, 3, 16}), {.name = "filter"});
  Tensor other = K::variable(Array::zeros(DType::Float32, {3, 3, 4, 16}), {.name = "other"});
  K::Function predict = K::function({x, n}, {{"out", out}, {"count", n + 1}}, {}, "predict");
  K::Function step = K::function(x, {{"loss", K::sum(out)}}, K::update_sub(w, 0.1), "step");
  Array rows = Array::zeros(DType::Float32, {5, 3}), two = Array{1, 2};
};

// One for all, so that nothing is called "wrong_x_1". It lives as long as the process.
const Model &model() {
  static const auto *made = new Model;
  return *made;
}

std::string replaced(std::string text, const std::string &what, const std::string &by) {
  if (size_t at = text.find(what); at != std::string::npos)
    text.replace(at, what.size(), by);
  return text;
}

// " (WrongUsesTest.cpp:12)", with the folders before it, becomes " (THERE)".
std::string withoutPlaceholder(const std::string &text) {
  static const std::regex place(R"( \([^()]*WrongUsesTest\.cpp:\d+\))");
  return std::regex_replace(text, place, " (THERE)");
}

// The message of the error, without where this file stands and which line it was.
std::string told(const std::function<void()> &use) {
  try {
    use();
  } catch (const keratin::Error &error) {
    std::string text = withoutPlaceholder(error.what());
    const std::string mark = "; at ", file = "WrongUsesTest.cpp:";
    size_t at = text.rfind(mark), end = text.find(file);
    if (at == std::string::npos || end == std::string::npos ||
        text.find_first_not_of("0123456789", end + file.size()) != std::string::npos)
      return text;
    return text.substr(0, at) + "; at HERE";
  }
  return "nothing";
}

void check(const std::vector<Use> &uses, const std::string &path = "") {
  for (const Use &use : uses) {
    INFO(use.what);
    const std::string message = told(use.use);
    CHECK(message == replaced(use.message, "{}", path));
    CHECK(message.find('\n') == std::string::npos);
  }
}

} // namespace

TEST_CASE("wrong values for the inputs of a function", "[wrong]") {
  const Model &m = model();
  check({
      {"too few values", [&] { m.predict({m.rows}); },
       "predict: 1 value; needed one for each of 2 inputs: 'wrong_x', 'wrong_n'"},
      {"too many values", [&] { m.predict({m.rows, m.two, m.two}); },
       "predict: 3 values; needed one for each of 2 inputs: 'wrong_x', 'wrong_n'"},
      {"a name that no input has", [&] { m.predict({{"wrong_x", m.rows}, {"m", m.two}}); },
       "predict: no input is named 'm'; there are 'wrong_x', 'wrong_n'"},
      {"a name left out", [&] { m.predict({{"wrong_x", m.rows}}); },
       "predict: the value for 'wrong_n' (THERE) is None; needed an array"},
      {"a name twice",
       [&] { m.predict({{"wrong_x", m.rows}, {"wrong_x", m.rows}, {"wrong_n", m.two}}); },
       "predict: 'wrong_x' is given twice"},
      {"another size", [&] { m.predict({Array::zeros(DType::Float32, {5, 4}), m.two}); },
       "predict: the value for 'wrong_x' (THERE) has shape (5, 4); needed (None, 3)"},
      {"another rank", [&] { m.predict({Array::zeros(DType::Float32, {3}), m.two}); },
       "predict: the value for 'wrong_x' (THERE) has shape (3,); needed (None, 3)"},
      {"no array", [&] { m.predict({Array(), m.two}); },
       "predict: the value for 'wrong_x' (THERE) is None; needed an array"},
      {"a function without code", [&] { K::Function()({m.rows}); },
       "Function::operator(): the Function is empty"},
  });
}

TEST_CASE("wrong questions to results and arrays", "[wrong]") {
  const Model &m = model();
  check({
      {"an output that is not there", [&] { m.predict({m.rows, m.two})["loss"]; },
       "Results: no output is named 'loss'; there are 'out', 'count'"},
      {"many elements as one", [&] { m.rows.item(); },
       "Array: item() needs exactly one element; found shape (5, 3)"},
      {"an element beyond", [&] { m.rows.item(100); }, "Array: index 100 is outside 15 elements"},
      {"elements of another type", [&] { m.rows.data<double>(); },
       "Array: elements are float32; asked for float64"},
      {"too many values", [&] { Array(std::vector<float>{1, 2, 3}, {2, 1}); },
       "Array: 3 values for shape (2, 1); needed 2"},
      {"rows of different lengths", [&] { Array ragged{{1.0, 2.0}, {3.0}}; },
       "Array: rows have shapes (2,) and (1,); they must be equal"},
      {"an index beyond", [&] { m.rows[{0, 3}]; },
       "Array::operator[]: index 3 is outside axis 1 of size 3; at HERE"},
  });
}

TEST_CASE("wrong inputs, outputs and updates of K::function", "[wrong]") {
  const Model &m = model();
  check({
      {"an input forgotten", [&] { K::function(m.x, m.y * 2.0, {}, "f"); },
       "f: placeholder 'wrong_y' is needed but not fed; needed it among the inputs of a "
       "K::function; at "
       "HERE"},
      {"an input twice", [&] { K::function({m.x, m.x}, m.out); },
       "function: input 'wrong_x:0' is listed twice; at HERE"},
      {"outputs of one name", [&] { K::function(m.x, {{"p", m.out}, {"p", m.out + 1.0}}); },
       "function: two outputs are named 'p'; at HERE"},
      {"an update of no variable", [&] { K::update(m.x, m.x * 2.0); },
       "update: the first argument must be a variable; found wrong_x:0; at HERE"},
      {"an update of another shape", [&] { K::update(m.b, m.w); },
       "update: the new value has shape (3, 2); needed the variable's shape (2,); at HERE"},
      {"a gradient that is not there",
       [&] { K::function(m.x, m.out, K::update_sub(m.b, K::gradients(K::sum(m.x), m.b)[0])); },
       "gradients: the loss does not depend on 'wrong_b' in a differentiable way, so there is no "
       "gradient; needed has_value(); at HERE"},
      {"a gradient by integers",
       [&] { K::Tensor g = K::gradients(K::sum(K::cast(m.n, "float32")), m.n)[0]; },
       "gradients: the loss does not depend on 'wrong_n' in a differentiable way, so there is no "
       "gradient; needed has_value(); at HERE"},
      {"a tensor of a step used later",
       [&] {
         Tensor kept;
         K::map_fn([&](const Tensor &row) { return kept = row * 2.0; }, m.x);
         K::function(m.x, kept);
       },
       "function: an argument was made in the function of map_fn, which has returned; needed a "
       "tensor that it returns, or one made outside of it; at HERE"},
      {"a value without a function", [&] { K::eval(m.out); },
       "eval: placeholder 'wrong_x' is needed but not fed; needed it among the inputs of a "
       "K::function; "
       "at HERE"},
      {"a value that depends on inputs", [&] { K::get_value(m.out); },
       "get_value: placeholder 'wrong_x' is needed but not fed; needed it among the inputs of a "
       "K::function; at HERE"},
      {"an empty tensor", [&] { K::function(m.x, K::Tensor()); },
       "function: an argument is an empty Tensor; at HERE"},
  });
}

TEST_CASE("wrong values for variables", "[wrong]") {
  const Model &m = model();
  check({
      {"another shape", [&] { K::set_value(m.w, Array{1.0}); },
       "set_value: the value has shape (1,); needed the shape (3, 2) of variable 'wrong_w:0'; at "
       "HERE"},
      {"no variable", [&] { K::set_value(m.x, m.rows); },
       "set_value: wrong_x:0 is not a variable; needed one that K::variable made; at HERE"},
      {"no value", [&] { K::set_value(m.w, Array()); },
       "set_value: the value is None; needed an array for variable 'wrong_w:0'; at HERE"},
      {"a number beyond",
       [&] { K::set_value(K::variable(1, {.dtype = "int8", .name = "i8"}), 300); },
       "set_value: the number 300 does not fit int8, the dtype of variable 'i8:0'; at HERE"},
      {"a size that is not known",
       [&] { K::random_normal_variable({None, 3}, 0, 1, {.name = "v"}); },
       "random_normal_variable: entry 0 of shape is None; needed a number or an integer scalar; at "
       "HERE"},
      {"another shape for a constant", [&] { K::constant(Array{1.0, 2.0}, {.shape = {3}}); },
       "constant: cannot give a value of shape (2,) the shape (3,); needed as many elements; at "
       "HERE"},
  });
}

TEST_CASE("wrong shapes, axes and dtypes", "[wrong]") {
  const Model &m = model();
  check({
      {"shapes that do not broadcast", [&] { m.x + m.y; },
       "add: shapes cannot be broadcast; found (None, 3) and (None, 4); needed sizes that are "
       "equal "
       "or 1, aligned at the right; at HERE"},
      {"an axis beyond", [&] { K::sum(m.x, 2); },
       "sum: axis 2 is outside the rank; needed -2 to 1; at HERE"},
      {"a negative axis beyond", [&] { K::sum(m.x, -3); },
       "sum: axis -3 is outside the rank; needed -2 to 1; at HERE"},
      {"other elements", [&] { K::reshape(m.w, {4, 2}); },
       "reshape: cannot give shape (3, 2) the shape (4, 2); found 6 elements for 8; at HERE"},
      {"axes that are no permutation", [&] { K::permute_dimensions(m.w, {0, 0}); },
       "permute_dimensions: pattern (0, 0) is no permutation; needed one of the 2 axes of x; at "
       "HERE"},
      {"pieces that do not fit", [&] { K::concatenate({m.w, K::transpose(m.w)}, 0); },
       "concatenate: sizes of dimension 1 must be equal; found 2 and 3; at HERE"},
      {"an index beyond", [&] { m.w[{3, 0}]; },
       "getitem: index 3 is outside axis 0 of size 3; at HERE"},
      {"too many indices", [&] { m.w[{0, 0, 0}]; },
       "getitem: the key has 3 items; needed at most 2 for shape (3, 2); at HERE"},
      {"a negative size", [&] { K::placeholder({-2, 3}); },
       "placeholder: the shape must hold None, names and sizes of 0 or more; found -2; at HERE"},
      {"a dtype that there is not", [&] { K::placeholder({2}, {.dtype = "float23"}); },
       "dtype: unknown name 'float23'; needed float16, bfloat16, float32, float64, int8 to int64, "
       "uint8 to uint64, complex64, complex128 or bool"},
      {"indices that are no integers", [&] { K::gather(m.w, m.x); },
       "gather: indices have dtype float32; needed integers; at HERE"},
      {"a condition that is no bool",
       [&] {
         using Values = std::vector<Tensor>;
         K::while_loop([](const Values &v) { return v[0]; }, [](const Values &v) { return v; },
                       {m.x});
       },
       "while_loop: the condition must be a bool scalar; found (None, 3) of dtype float32; at "
       "HERE"},
  });
}

TEST_CASE("wrong arguments of layers", "[wrong]") {
  const Model &m = model();
  check({
      {"a kernel for other channels", [&] { K::conv2d(m.image, m.other); },
       "conv2d: x has 3 channels; needed the 4 of the kernel, whose shape is (3, 3, 4, 16); at "
       "HERE"},
      {"a padding that there is not", [&] { K::conv2d(m.image, m.filter, {.padding = "full"}); },
       "conv2d: unknown padding 'full'; needed valid or same; at HERE"},
      {"strides of 0", [&] { K::conv2d(m.image, m.filter, {.strides = 0}); },
       "conv2d: strides (0,) has an entry outside 1 to 2147483647; at HERE"},
      {"another framework's word", [&] { K::conv2d(m.image, m.filter, {.data_format = "NHWC"}); },
       "conv2d: unknown data_format 'NHWC'; needed channels_last or channels_first; at HERE"},
      {"no image", [&] { K::conv2d(m.x, m.filter); },
       "conv2d: x has shape (None, 3); needed rank 4; at HERE"},
      {"a level of 150 %", [&] { K::dropout(m.x, 1.5); },
       "dropout: level is 1.500000; needed at least 0 and below 1; at HERE"},
      {"a sequence without time",
       [&] {
         K::rnn([](const Tensor &x, const std::vector<Tensor> &) { return K::RnnStepResult{x}; },
                m.b, {});
       },
       "rnn: inputs has rank 1; needed 3 or more, with samples and time first; at HERE"},
  });
}

TEST_CASE("wrong options of functions, and settings", "[wrong]") {
  const Model &m = model();
  auto with = [&](K::FunctionOptions options) { K::function(m.x, m.out, {}, "f", options); };
  check({
      {"a device that there is not", [&] { K::set_device("gpu"); },
       "set_device: unknown device 'gpu'; known devices: cpu, plain"},
      {"a budget below 0",
       [&] { K::function(m.x, m.out, {}, K::FunctionOptions{.memoryBudget = -1}); },
       "function: a memory budget of -1 bytes; needed at least 0 (no budget); at HERE"},
      {"a time below 0", [&] { K::function(m.x, m.out, {}, K::FunctionOptions{.timeLimit = -1}); },
       "function: a time limit of -1.000000 seconds; needed at least 0 (no limit); at HERE"},
      {"a dtype for all floats", [&] { K::set_floatx("int32"); },
       "set_floatx: unknown floatx 'int32'; needed float16, float32 or float64"},
      {"a format for all images", [&] { K::set_image_data_format("NCHW"); },
       "set_image_data_format: unknown data_format 'NCHW'; needed channels_last or "
       "channels_first"},
  });
  if (std::getenv("KERATIN_TEST_PROGRAM")) // nothing is compiled
    return;
  check({
      {"a target that there is not", [&] { with({.target = "tpu"}); },
       "compiling function 'f': unknown target 'tpu'; known targets: cpu, cuda, plain, ptx"},
      {"no time", [&] { with({.timeLimit = 1e-9}); },
       "compiling function 'f' takes longer than 1e-06 ms; stopped before pass "
       "keratin-expand-complex"},
  });
}

TEST_CASE("wrong files", "[wrong]") {
  const Model &m = model();
  keratin::tests::TemporaryFile saved;
  K::save_functions({m.predict, m.step}, saved.path);
  check(
      {
          {"no file", [&] { K::load_function("/nonexistent/model.ktg"); },
           "load_function: '/nonexistent/model.ktg' cannot be read: No such file or directory; at "
           "HERE"},
          {"a folder", [&] { K::load_function("/tmp"); },
           "load_function: '/tmp' cannot be read: this is a folder; at HERE"},
          {"no such function", [&] { K::load_function(saved.path, "train"); },
           "load_function: '{}' has no function named 'train'; it has predict, step; at HERE"},
          {"which function", [&] { K::load_function(saved.path); },
           "load_function: '{}' has several functions; needed the name of one: predict, step; at "
           "HERE"},
          {"a folder that is not there", [&] { K::save_function(m.step, "/nonexistent/m.ktg"); },
           "save_function: '/nonexistent/m.ktg' cannot be written: No such file or directory; at "
           "HERE"},
          {"two functions of one name", [&] { K::save_functions({m.step, m.step}, saved.path); },
           "save_functions: two functions are named 'step'; needed different names; at HERE"},
          {"a kind of file that there is not", [&] { K::save_weights(m.step, "w.h5"); },
           "save_weights: 'w.h5' ends in no known way; needed .safetensors or .npz; at HERE"},
          {"weights that are not there", [&] { K::load_weights(m.step, "/nonexistent/w.npz"); },
           "load_weights: '/nonexistent/w.npz': No such file or directory; at HERE"},
      },
      saved.path);
  keratin::tests::TemporaryFile text;
  std::ofstream(text.path) << "a text";
  check({{"no saved graph", [&] { K::load_function(text.path); },
          "load_function: '{}': not a saved graph: it does not begin like one; at HERE"}},
        text.path);
  keratin::tests::TemporaryFile weights;
  weights.path += ".npz";
  K::save_weights(m.b, weights.path);
  check({{"weights of another model", [&] { K::load_weights(m.step, weights.path); },
          "load_weights: '{}': it has no 'wrong_w'; at HERE"}},
        weights.path);
}
