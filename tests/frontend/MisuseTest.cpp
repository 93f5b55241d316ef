// Values that hold nothing, numbers that are no dtype, functions that are none: a ValueError or
// TypeError that names the call, never more.
#include "FrontendTest.h"

#include "tests/support/TemporaryFile.h"

#include <sys/stat.h>

using keratin::SparseMatrix;
using keratin::TypeError;
using keratin::ValueError;

namespace {

template <typename Kind, typename Callable>
void refuses(const std::string &text, Callable &&callable) {
  std::string message = errorOf<Kind>(callable);
  INFO(message);
  CHECK(message.find(text) != std::string::npos);
}

// One made by default, and one moved from.
template <typename T> std::vector<T> empties(T full) {
  T taken = std::move(full);
  return {T(), full}; // NOLINT: what is left is what is tested
}

Array vectorOf(std::vector<float> values) { return Array(values); }

} // namespace

TEST_CASE("An empty Function refuses all that is asked of it", "[misuse]") {
  Tensor x = K::placeholder({2});
  for (keratin::Function &f : empties(K::function({x}, {K::square(x)}))) {
    CHECK(f.isEmpty());
    std::vector<Array> outputs;
    Array value = vectorOf({1, 2});
    refuses<ValueError>("Function::inputs: the Function is empty", [&] { f.inputs(); });
    refuses<ValueError>("Function::outputs: ", [&] { f.outputs(); });
    refuses<ValueError>("Function::name: ", [&] { f.name(); });
    refuses<ValueError>("Function::compileMilliseconds: ", [&] { f.compileMilliseconds(); });
    refuses<ValueError>("Function::compileReport: ", [&] { f.compileReport(); });
    refuses<ValueError>("Function::kernelCount: ", [&] { f.kernelCount(); });
    refuses<ValueError>("Function::memoryPlan: ", [&] { f.memoryPlan(); });
    refuses<ValueError>("Function::arenaBytes: ", [&] { f.arenaBytes(); });
    refuses<ValueError>("Function::maxLiveBytes: ", [&] { f.maxLiveBytes(); });
    refuses<ValueError>("Function::call: ", [&] { f.call(&value, 1, outputs); });
    refuses<ValueError>("Function::operator(): ", [&] { f({value}); });
    refuses<ValueError>("Function::operator(): ",
                        [&] { f(std::vector<keratin::Feed>{keratin::Feed(value)}); });
    refuses<ValueError>("save_function: a Function is empty", [&] { K::save_function(f, "f"); });
    refuses<ValueError>("save_functions: a Function is empty",
                        [&] { K::save_functions({f}, "f"); });
  }
}

TEST_CASE("An empty SparseMatrix refuses all that is asked of it", "[misuse]") {
  SparseMatrix full = SparseMatrix::coo(2, 2, {0}, {1}, vectorOf({3}));
  CHECK_FALSE(full.isEmpty());
  Tensor x = K::placeholder({2, 2}, None, None, /*sparse=*/true);
  keratin::Function f = K::function({x}, {K::to_dense(x)});
  for (SparseMatrix &matrix : empties(full)) {
    CHECK(matrix.isEmpty());
    refuses<ValueError>("SparseMatrix::shape: the SparseMatrix is empty", [&] { matrix.shape(); });
    refuses<ValueError>("SparseMatrix::dtype: ", [&] { matrix.dtype(); });
    refuses<ValueError>("SparseMatrix::size: ", [&] { matrix.size(); });
    refuses<ValueError>("SparseMatrix::rows: ", [&] { matrix.rows(); });
    refuses<ValueError>("SparseMatrix::columns: ", [&] { matrix.columns(); });
    refuses<ValueError>("SparseMatrix::values: ", [&] { matrix.values(); });
    refuses<ValueError>("SparseMatrix::astype: ", [&] { matrix.astype(DType::Float64); });
    refuses<ValueError>("SparseMatrix::toDense: ", [&] { matrix.toDense(); });
    refuses<ValueError>("the SparseMatrix is empty", [&] { K::variable(matrix); });
    refuses<ValueError>("the SparseMatrix is empty",
                        [&] { f(std::vector<keratin::Feed>{keratin::Feed(matrix)}); });
  }
  refuses<ValueError>("SparseMatrix: None; needed rank 2",
                      [&] { SparseMatrix::fromDense(Array()); });
  refuses<ValueError>("columns for None as values",
                      [&] { SparseMatrix::coo(2, 2, {0}, {1}, Array()); });
}

TEST_CASE("An Array that is None refuses all that is asked of it", "[misuse]") {
  for (Array &array : empties(vectorOf({1, 2, 3}))) {
    CHECK(array.isNone());
    const Array &constant = array;
    refuses<ValueError>("Array::dtype: the Array is None", [&] { array.dtype(); });
    refuses<ValueError>("Array::shape: ", [&] { array.shape(); });
    refuses<ValueError>("Array::ndim: ", [&] { array.ndim(); });
    refuses<ValueError>("Array::size: ", [&] { array.size(); });
    refuses<ValueError>("Array::bytes: ", [&] { array.bytes(); });
    refuses<ValueError>("Array::rawData: ", [&] { array.rawData(); });
    refuses<ValueError>("Array::rawData: ", [&] { constant.rawData(); });
    refuses<TypeError>("Array: elements are None; asked for float32", [&] { array.data<float>(); });
    refuses<ValueError>("Array: item() needs exactly one element; found None",
                        [&] { array.item(); });
    refuses<ValueError>("Array: index 0 is outside 0 elements", [&] { array.item<int>(0); });
    refuses<ValueError>("Array::toVector: ", [&] { array.toVector(); });
    refuses<ValueError>("Array::astype: ", [&] { array.astype(DType::Float64); });
    refuses<ValueError>("Array::reshape: ", [&] { array.reshape({0}); });
    int64_t none = 0;
    array.shrink(&none);
    CHECK(Array(array).isNone());
    refuses<ValueError>("Array: None cannot be an element", [&] { Array{array, array}; });
    refuses<ValueError>("cast_to_floatx: the value is None", [&] { K::cast_to_floatx(array); });
    refuses<ValueError>("square: an argument is None", [&] { K::square(array); });
    refuses<ValueError>("set_value: the value is None",
                        [&] { K::set_value(K::variable(1.0f), array); });
  }
  refuses<ValueError>("Array::copyOf: the elements are NULL",
                      [&] { Array::copyOf(DType::Float32, {2}, nullptr); });
  CHECK(Array::copyOf(DType::Float32, {0}, nullptr).size() == 0);
  refuses<ValueError>("stackArrays: the rows are NULL", [&] { keratin::stackArrays(nullptr, 2); });
}

TEST_CASE("An empty Tensor is refused by name wherever it stands", "[misuse]") {
  Tensor x = K::placeholder({2});
  for (Tensor &t : empties(K::square(x))) {
    CHECK(t.isEmpty());
    const std::string text = ": an empty Tensor stands for no value";
    refuses<ValueError>("Tensor::dtype" + text, [&] { t.dtype(); });
    refuses<ValueError>("Tensor::shape" + text, [&] { t.shape(); });
    refuses<ValueError>("Tensor::ndim" + text, [&] { t.ndim(); });
    refuses<ValueError>("Tensor::name" + text, [&] { t.name(); });
    refuses<ValueError>("Tensor::usesLearningPhase" + text, [&] { t.usesLearningPhase(); });
    refuses<ValueError>("Tensor::setUsesLearningPhase" + text,
                        [&] { t.setUsesLearningPhase(true); });
    refuses<ValueError>("Tensor::constraint" + text, [&] { t.constraint(); });
    refuses<ValueError>("Tensor::trainable" + text, [&] { t.trainable(); });
    refuses<ValueError>("Tensor::setTrainable" + text, [&] { t.setTrainable(true); });
    refuses<ValueError>("eval", [&] { t.eval(); });
    refuses<ValueError>("an argument is an empty Tensor", [&] { t[0]; });
    refuses<ValueError>("int_shape" + text, [&] { K::int_shape(t); });
    refuses<ValueError>("get_variable_shape" + text, [&] { K::get_variable_shape(t); });
    refuses<ValueError>("ndim" + text, [&] { K::ndim(t); });
    refuses<ValueError>("dtype" + text, [&] { K::dtype(t); });
    refuses<ValueError>("count_params" + text, [&] { K::count_params(t); });
    refuses<ValueError>("shape: an argument is an empty Tensor", [&] { K::shape(t); });
    refuses<ValueError>("size: an argument is an empty Tensor", [&] { K::size(t); });
    CHECK_FALSE(K::is_tensor(t));
    CHECK_FALSE(K::is_variable(t));
    CHECK_FALSE(K::is_placeholder(t));
    CHECK_FALSE(K::is_sparse(t));
    refuses<ValueError>("is_keras_tensor", [&] { K::is_keras_tensor(t); });
    refuses<ValueError>("control_dependencies" + text, [&] { K::control_dependencies scope({t}); });
    refuses<ValueError>("eval", [&] { K::eval(t); });
    refuses<ValueError>("get_value: ", [&] { K::get_value(t); });
    refuses<ValueError>("batch_get_value: ", [&] { K::batch_get_value({t}); });
    refuses<ValueError>("set_value", [&] { K::set_value(t, 1.0f); });
    refuses<ValueError>("batch_set_value", [&] { K::batch_set_value({{t, 1.0f}}); });
    refuses<ValueError>("Session::run", [&] { keratin::Session().run(t); });
    refuses<ValueError>("Session::run", [&] { keratin::Session().run(K::square(x), {{t, 1.0f}}); });
    refuses<ValueError>("an argument is an empty Tensor", [&] { K::function({t}, {x}); });
    refuses<ValueError>("an argument is an empty Tensor", [&] { K::function({x}, {t}); });
    refuses<ValueError>("an argument is an empty Tensor", [&] { K::function({x}, {x}, {t}); });
    refuses<ValueError>("gradients: ", [&] { K::gradients(t, {x}); });
    refuses<ValueError>("gradients: ", [&] { K::gradients(K::sum(x), {t}); });
    refuses<ValueError>("an argument is an empty Tensor",
                        [&] { K::stop_gradient(std::vector<Tensor>{x, t}); });
    refuses<ValueError>("an argument is an empty Tensor", [&] { K::concatenate({x, t}); });
    refuses<ValueError>("an argument is an empty Tensor", [&] { K::stack({x, t}); });
    refuses<ValueError>("an argument is an empty Tensor", [&] { K::square({x, t}); });
    refuses<ValueError>("an argument is an empty Tensor", [&] { K::update(t, 1.0); });
    refuses<ValueError>("an argument is an empty Tensor", [&] { K::update(K::variable(1.0), t); });
    refuses<ValueError>("dropout: an argument is an empty Tensor", [&] { K::dropout(t, 0.0); });
    refuses<ValueError>("to_dense: an argument is an empty Tensor", [&] { K::to_dense(t); });
    refuses<ValueError>("in_train_phase: an argument is an empty Tensor",
                        [&] { K::in_train_phase(t, x, 1); });
    refuses<ValueError>("an argument is an empty Tensor", [&] { K::switch_(true, t, x); });
    refuses<ValueError>("an argument is an empty Tensor",
                        [&] { K::reshape(x, keratin::Shape{keratin::Size(t)}); });
    refuses<ValueError>("an argument is an empty Tensor", [&] { K::reshape(x, t); });
    refuses<ValueError>("an argument is an empty Tensor",
                        [&] { K::map_fn([](const Tensor &) { return Tensor(); }, x); });
    refuses<ValueError>("an argument is an empty Tensor", [&] {
      K::foldl([](const Tensor &, const Tensor &) { return Tensor(); }, x);
    });
    refuses<ValueError>("an argument is an empty Tensor", [&] {
      K::while_loop([](const Tensor &) { return Tensor(); }, [](const Tensor &a) { return a; },
                    {K::sum(x)});
    });
    refuses<ValueError>("an argument is an empty Tensor", [&] {
      K::while_loop([](const Tensor &a) { return a < 1; }, [](const Tensor &) { return Tensor(); },
                    {K::sum(x)});
    });
    refuses<ValueError>("an argument is an empty Tensor", [&] {
      Tensor inputs = K::placeholder({2, 3, 4});
      K::rnn([](const Tensor &in,
                const std::vector<Tensor> &) { return keratin::RnnStepResult(in, {Tensor()}); },
             inputs, {K::zeros({2, 4})});
    });
    refuses<ValueError>("an argument is an empty Tensor", [&] {
      K::rnn([](const Tensor &in, const std::vector<Tensor> &) { return in; },
             K::placeholder({2, 3, 4}), {t});
    });
  }
}

TEST_CASE("Parameters of another kind than asked for", "[misuse]") {
  refuses<ValueError>("Size::number: the Size is no number",
                      [&] { (void)keratin::Size(None).number(); });
  refuses<ValueError>("Size::tensor: the Size is no tensor",
                      [&] { (void)keratin::Size(3).tensor(); });
  refuses<ValueError>("Shape::tensor: the Shape is no tensor",
                      [&] { (void)keratin::Shape{1, 2}.tensor(); });
  refuses<ValueError>("Axes::axes: the Axes are None", [&] { (void)keratin::Axes(None).axes(); });
  CHECK(keratin::Operand(None).tensor().isEmpty());
  CHECK(keratin::Operand(None).list().empty());
  refuses<ValueError>("found None", [&] { (void)keratin::Operand(None).number(); });
  keratin::Operand number(2.0f), taken = std::move(number);
  refuses<ValueError>("Array::", [&] { K::square(number); }); // NOLINT
  keratin::Operand array(std::vector<float>{1, 2}), other = std::move(array);
  refuses<ValueError>("Array::", [&] { K::square(array); }); // NOLINT
}

TEST_CASE("Functions that are none are refused", "[misuse]") {
  Tensor x = K::placeholder({3, 4, 5});
  std::function<Tensor(const Tensor &, const Tensor &)> none;
  Tensor (*pointer)(const Tensor &) = nullptr;
  std::function<Tensor(const Tensor &)> noElement;
  std::function<keratin::RnnStepResult(const Tensor &, const std::vector<Tensor> &)> noStep;
  refuses<ValueError>("foldl: fn is empty; needed a function of two tensors",
                      [&] { K::foldl(none, x); });
  refuses<ValueError>("foldr: fn is empty", [&] { K::foldr(nullptr, x); });
  refuses<ValueError>("rnn: the step function is empty", [&] { K::rnn(noStep, x, {}); });
  refuses<ValueError>("a function of elements is empty", [&] { K::map_fn(noElement, x); });
  refuses<ValueError>("a function of elements is empty", [&] { K::map_fn(pointer, x); });
  refuses<ValueError>("while_loop: the body is empty", [&] {
    K::while_loop([](const Tensor &a) { return K::sum(a) < 1; }, noElement, {x});
  });
  refuses<ValueError>("Branch::evaluate: the function is empty",
                      [&] { K::switch_(K::sum(x) > 0, std::function<Tensor()>(), x); });
  refuses<ValueError>("Branch::evaluate: the function is empty",
                      [&] { K::in_train_phase(std::function<Tensor()>(), x, 1); });
}

TEST_CASE("Numbers and names that are no dtype are refused", "[misuse]") {
  Tensor x = K::placeholder({2});
  const char *null = nullptr;
  for (int number : {200, 16, 0, -1, INT32_MIN, INT32_MAX}) {
    const DType dtype = static_cast<DType>(number);
    const std::string text = "dtype: no DType has the number " + std::to_string(number);
    CHECK(std::string(keratin::dtypeName(dtype)) == "invalid");
    CHECK(keratin::dtypeSize(dtype) == 0);
    CHECK_FALSE(keratin::isFloating(dtype));
    CHECK_FALSE(keratin::isInteger(dtype));
    refuses<TypeError>(text, [&] { keratin::checkedDType(dtype); });
    refuses<TypeError>(text, [&] { Array::zeros(dtype, {2}); });
    refuses<TypeError>(text, [&] { Array::empty(dtype, {}); });
    refuses<TypeError>(text, [&] { Array::copyOf(dtype, {2}, &dtype); });
    refuses<TypeError>(text, [&] { Array(1.0).astype(dtype); });
    refuses<TypeError>(text, [&] { Array(1.0).reset(dtype, {}); });
    refuses<TypeError>(text, [&] { K::cast(x, dtype); });
    refuses<TypeError>(text, [&] { K::zeros({2}, dtype); });
    refuses<TypeError>(text, [&] { K::placeholder({2}, None, dtype); });
    refuses<TypeError>(text, [&] { K::variable(1.0, dtype); });
    refuses<TypeError>(text, [&] { K::arange(0, 5, 1, dtype); });
    refuses<TypeError>(text, [&] { K::random_uniform({2}, 0, 1, dtype); });
    refuses<TypeError>(text,
                       [&] { SparseMatrix::coo(2, 2, {0}, {1}, vectorOf({3})).astype(dtype); });
  }
  refuses<TypeError>("dtype: the name is NULL", [&] { K::zeros({2}, null); });
  refuses<TypeError>("dtype: the name is NULL", [&] { keratin::dtypeFromName(null); });
  refuses<ValueError>("data_format: the name is NULL", [&] { K::normalize_data_format(null); });
}

TEST_CASE("The values of a call may lie among its outputs", "[misuse]") {
  Tensor x = K::placeholder({None}), y = K::placeholder({None});
  keratin::Function f =
      K::function({x, y}, {x + y, K::concatenate({x, y}, 0), x - y, K::sum(x), y * y});
  std::vector<Array> values = {vectorOf({1, 2, 3}), vectorOf({10, 20, 30})};
  const std::vector<Array> expected = f(values);
  auto check = [&](const std::vector<Array> &outputs) {
    REQUIRE(outputs.size() == expected.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      CHECK(outputs[i].shape() == expected[i].shape());
      CHECK(outputs[i].toVector() == expected[i].toVector());
    }
  };
  // Too short, so that the vector moves.
  std::vector<Array> outputs = values;
  f.call(outputs.data(), 2, outputs);
  check(outputs);
  // Of its length, and behind the first.
  for (size_t first : {0, 1, 3}) {
    outputs.assign(5, Array());
    outputs[first] = values[0];
    outputs[first + 1] = values[1];
    f.call(outputs.data() + first, 2, outputs);
    check(outputs);
  }
  // Longer: what holds the values is dropped.
  outputs.assign(9, Array());
  outputs[7] = values[0];
  outputs[8] = values[1];
  f.call(outputs.data() + 7, 2, outputs);
  check(outputs);
  refuses<ValueError>(": the values are NULL", [&] { f.call(nullptr, 2, outputs); });
}

TEST_CASE("batch_set_value sets all or none", "[misuse]") {
  Tensor a = K::variable(vectorOf({1, 2})), b = K::variable(vectorOf({3, 4}));
  Tensor sparse = K::variable(SparseMatrix::coo(2, 2, {0}, {1}, vectorOf({3})));
  Tensor x = K::placeholder({2});
  auto unchanged = [&] {
    CHECK(K::get_value(a).toVector<float>() == std::vector<float>{1, 2});
    CHECK(K::get_value(b).toVector<float>() == std::vector<float>{3, 4});
    CHECK(K::get_value(sparse).toVector<float>() == std::vector<float>{0, 3, 0, 0});
  };
  const Array good = vectorOf({7, 8}), bad = vectorOf({7, 8, 9});
  refuses<ValueError>("batch_set_value: the value has shape (3,)",
                      [&] { K::batch_set_value({{a, good}, {b, bad}}); });
  unchanged();
  refuses<ValueError>("batch_set_value: the value is None",
                      [&] { K::batch_set_value({{a, good}, {b, Array()}}); });
  refuses<TypeError>("batch_set_value: ", [&] { K::batch_set_value({{a, good}, {x, good}}); });
  refuses<ValueError>("batch_set_value: ", [&] {
    K::batch_set_value({{a, good}, {sparse, Array{{1.0, 0.0}, {0.0, 0.0}}}});
  });
  refuses<ValueError>("batch_set_value: the value is None",
                      [&] { K::batch_set_value({{a, good}, {sparse, Array()}}); });
  refuses<ValueError>("batch_set_value: the value has shape (2,)",
                      [&] { K::batch_set_value({{a, good}, {sparse, good}}); });
  unchanged();
  K::batch_set_value({{a, good}, {b, 5.0f}, {sparse, Array{{0.0, 6.0}, {0.0, 0.0}}}});
  CHECK(K::get_value(a).toVector<float>() == std::vector<float>{7, 8});
  CHECK(K::get_value(b).toVector<float>() == std::vector<float>{5, 5});
  CHECK(K::get_value(sparse).toVector<float>() == std::vector<float>{0, 6, 0, 0});
}

TEST_CASE("Lists with tensors in them may be nested deeply", "[misuse]") {
  Tensor x = K::placeholder(keratin::Shape{});
  keratin::Operand nested = {x, 1.0};
  for (int depth = 1; depth < 31; ++depth)
    nested = keratin::Operand(std::vector<keratin::Operand>{nested});
  Tensor y = K::square(nested);
  CHECK(y.ndim() == 31);
  CHECK(K::function({x}, {y})({3.0f})[0].toVector<float>() == std::vector<float>{9, 1});
}

TEST_CASE("A saved graph that is no regular file is refused at once", "[misuse]") {
  keratin::tests::TemporaryFile fifo;
  REQUIRE(mkfifo(fifo.path.c_str(), 0600) == 0);
  for (const std::string &path : {fifo.path, std::string("/dev/zero")})
    refuses<keratin::RuntimeError>("is not a regular file", [&] { K::load_functions(path); });
  refuses<keratin::RuntimeError>("is a folder", [&] { K::load_functions("/tmp"); });
}

// A bool where an axis is due is a keepdims in the wrong place.
TEST_CASE("a bool is no axis") {
  STATIC_REQUIRE(std::is_convertible_v<int, K::Axis>);
  STATIC_REQUIRE(std::is_convertible_v<size_t, K::Axes>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<bool, K::Axis>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<bool, K::Axes>);
}
