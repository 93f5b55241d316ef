// What braces mean, the same for every compiler and standard: built with each of them.
#include <keratin/backend.h>
#include <keratin/layers.h>
#include <keratin/optimizers.h>
#include <keratin/training.h>

#include <cstdio>
#include <cstdlib>

namespace K = keratin::backend;
using keratin::Array;
using keratin::Operand;
using Shape = std::vector<int64_t>;

static int failures = 0;

static void check(int line, const Array &array, const Shape &shape) {
  if (array.shape() == shape)
    return;
  std::fprintf(stderr, "line %d: shape %s; needed %s\n", line,
               keratin::toString(array.shape()).c_str(), keratin::toString(shape).c_str());
  ++failures;
}
#define CHECK(array, ...) check(__LINE__, array, Shape __VA_ARGS__)

static Array valueOf(const Operand &operand) { return operand.array(); }
static Array arrayOf(const Array &array) { return array; }

// Optional arguments by place and by name, lists of one, and what has a name.
static void checkForms() {
  K::Tensor x = K::placeholder({2, 3}), named = K::placeholder({2, 3}, {.name = "x"});
  K::Tensor none = K::placeholder({2}, {}), w = K::variable(Array{{1.0, 2.0, 3.0}}, {.name = "w"});
  CHECK(K::eval(K::sum(w, {0, 1})), {});
  CHECK(K::eval(K::sum(w, {1})), {1});
  CHECK(K::eval(K::sum(w, {.axis = 1, .keepdims = true})), {1, 1});
  CHECK(K::eval(K::sum(w, 1, true)), {1, 1});
  CHECK(K::eval(K::zeros({2}, {.dtype = "int8"})), {2});
  Array image = Array::zeros(keratin::DType::Float32, {1, 4, 4, 1});
  Array kernel = Array::zeros(keratin::DType::Float32, {2, 2, 1, 1});
  CHECK(K::eval(K::conv2d(image, kernel, {2, 2})), {1, 2, 2, 1});
  CHECK(K::eval(K::conv2d(image, kernel, {.padding = "same"})), {1, 4, 4, 1});
  CHECK(K::eval(K::pool2d(image, {2, 2}, K::PoolOptions{.strides = {2, 2}})), {1, 2, 2, 1});
  CHECK(K::eval(K::dropout(w, 0.5, K::DropoutOptions{.seed = 3})), {1, 3});
  CHECK(K::eval(K::dropout(w, 0.5, {1, 3})), {1, 3});

  K::Tensor loss = K::sum(named * w), gradient = K::gradients(loss, w)[0];
  gradient = 0.1 * K::gradients(loss, {named, w})[1];
  K::Function f = K::function({named}, {{"loss", loss}, named}, {{w, w - gradient}});
  const Array feed = {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}};
  CHECK(f({feed})["loss"], {});
  CHECK(f({{"x", feed}})[1], {2, 3});
  CHECK(f({{{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}})[1], {2, 3});
  CHECK(f({{"x", {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}}})[1], {2, 3});
  K::Function g =
      K::function(named, loss, K::update_sub(w, gradient), K::FunctionOptions{.name = "step"});
  CHECK(g({feed})[0], {});
  K::Function scalar = K::function({}, w);
  CHECK(scalar({})[0], {1, 3});
  CHECK((feed[{0, K::Slice(1, 3)}]), {2});
  CHECK(feed[1], {3});
}

// Layers with options, as parts of a model and one after another; an optimizer of the user's.
struct Net : keratin::layers::Layer {
  keratin::layers::Sequential first = add(keratin::layers::Sequential{
      keratin::layers::Dense(3, 4, {.activation = "relu", .seed = 1}),
      [](const K::Tensor &x) { return K::expand_dims(x, 1); },
      keratin::layers::LSTM(4, 4, {.return_sequences = true}), keratin::layers::Dropout(0.5)});
  keratin::layers::MultiHeadAttention last = add(keratin::layers::MultiHeadAttention(4, 2));

  K::Tensor operator()(const K::Tensor &x, const K::Operand &training = K::None) const {
    return last(first(x, training), {.causal = true, .training = training});
  }
};

struct SignDescent : keratin::optimizers::Optimizer {
  SignDescent() : Optimizer("sign", 0.5, {.norm = 1.0}, K::SourceLocation::current()) {}
  K::Tensor next(const Step &step) override {
    return step.parameter - step.rate * K::sign(step.gradient);
  }
};

static void checkLayers() {
  Net net;
  K::Tensor x = K::placeholder({K::None, 3}), loss = K::mean(net(x, true));
  SignDescent descent;
  keratin::optimizers::AdamW adam(
      keratin::optimizers::CosineDecay(1e-3, 10, {.warmup_steps = 2}),
      {.clip = {.global_norm = 1.0}, .exclude_from_weight_decay = {"bias"}});
  K::Function step = K::function(x, {{"loss", loss}}, adam.minimize(loss, net));
  K::Function other = K::function(x, loss, descent.minimize(loss, net.trainable().front()));
  const Array rows = Array::zeros(keratin::DType::Float32, {5, 3});
  auto history = keratin::training::fit(step, {rows},
                                        {.epochs = 2,
                                         .batch_size = 2,
                                         .validate = other,
                                         .validation = rows,
                                         .callbacks = {keratin::training::EarlyStopping("loss")},
                                         .progress = keratin::training::Progress::Silent});
  CHECK(Array(history.front()["val_output 0"]), {});
  CHECK(K::get_value(net.variables().front()), {3, 4});
}

int main() {
  checkLayers();
  checkForms();
  const Array row = {1.0, 2.0};
  const std::vector<float> numbers = {1, 2, 3};
  CHECK(row, {2});
  // Braces around one Array copy it, in any form.
  CHECK(Array{row}, {2});
  CHECK(Array({row}), {2});
  CHECK(arrayOf({row}), {2});
  Array copied = {row}, moved{Array{1, 2}};
  CHECK(copied, {2});
  CHECK(moved, {2});
  CHECK(std::vector<Array>{Array{row}}.front(), {2});
  // Anything else is a list.
  CHECK((Array{row, row}), {2, 2});
  CHECK((Array{{row}}), {1, 1, 2});
  CHECK((Array{{row, row}}), {1, 2, 2});
  CHECK((Array{row, {3.0, 4.0}}), {2, 2});
  CHECK(Array{1.0}, {1});
  CHECK(Array{{1.0}}, {1, 1});
  CHECK((Array{{1, 2}}), {1, 2});
  CHECK((Array{{{1, 2}}}), {1, 1, 2});
  CHECK((Array{{1, 2}, {3, 4}, {5, 6}}), {3, 2});
  CHECK(Array{numbers}, {1, 3});
  CHECK((Array{numbers, numbers}), {2, 3});
  CHECK(Array(numbers), {3});
  CHECK(Array{true}, {1});
  CHECK(Array(7), {});
  CHECK(keratin::stackArrays(&row, 1), {1, 2});
  // So it is with operands.
  const Operand operand = {{1.0, 2.0}, {3.0, 4.0}};
  CHECK(valueOf(operand), {2, 2});
  CHECK(valueOf(Operand{operand}), {2, 2});
  CHECK(valueOf(Operand({operand})), {2, 2});
  CHECK(valueOf(Operand{operand, operand}), {2, 2, 2});
  CHECK(valueOf(Operand{row}), {1, 2});
  CHECK(valueOf(Operand{1, 2}), {2});
  CHECK(valueOf(Operand{{1, 2}}), {1, 2});
  // The deepest that an array may be, and then some.
  CHECK((Array{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{1, 2}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}),
        {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2});
  CHECK(valueOf(Operand{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{1, 2}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}),
        {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2});
  if (!failures)
    std::puts("all passed");
  return failures != 0;
}
