// K::control_dependencies with all that takes a choice, a loop or a size: what is made inside reads
// what the update ops assign, and each of these happens once a call.
#include "tests/frontend/FrontendTest.h"

#include "tests/support/TemporaryFile.h"

#include <functional>

using keratin::Function;
using keratin::Shape;

namespace {

// What a stateful metric is: variables, their updates for a batch, and a result made after these.
struct Metric {
  std::vector<Tensor> state, updates;
  std::function<Tensor()> result;

  // The result includes the batch; the updates are mentioned again, as Keras does.
  Function call(const std::vector<Tensor> &inputs) {
    K::control_dependencies after(updates);
    Tensor value = result();
    std::vector<keratin::Update> again(updates.begin(), updates.end());
    again.insert(again.end(), updates.begin(), updates.end());
    return K::function(inputs, {value}, again);
  }
};

} // namespace

static Tensor scalarFed(const char *dtype = "float32") {
  return K::placeholder(Shape{}, None, dtype);
}

TEST_CASE("a weighted mean of what was seen", "[control]") {
  Tensor values = K::placeholder({None}), weights = K::placeholder({None});
  Tensor total = K::zeros(Shape{}), count = K::zeros(Shape{});
  Metric mean;
  mean.updates = {K::update_add(total, K::sum(values * weights)),
                  K::update_add(count, K::sum(weights))};
  SECTION("with tensors") {
    mean.result = [&] { return K::switch_(K::equal(count, 0.0), 0.0, total / count); };
  }
  SECTION("with functions") {
    mean.result = [&] {
      return K::switch_(
          K::greater(count, 0.0), [&] { return total / count; },
          [&] { return K::zeros_like(total); });
    };
  }
  SECTION("with one of each, nested") {
    mean.result = [&] {
      Tensor quotient = total / count;
      return K::switch_(K::equal(count, 0.0), K::zeros_like(total),
                        [&] { return K::switch_(total > 1e9, K::sqrt(quotient), quotient); });
    };
  }
  Function f = mean.call({values, weights});
  checkArray(f({Array{5.0, 7.0}, Array{0.0, 0.0}})[0], 0.0);
  checkArray(f({Array{1.0, 2.0, 3.0}, Array{1.0, 0.0, 1.0}})[0], 2.0);
  checkArray(f({Array{8.0}, Array{2.0}})[0], 5.0);
  checkArray(K::get_value(count), 4.0);
  checkArray(K::get_value(total), 20.0);
}

// Confidences that thresholds are compared to (Keras: SensitivityAtSpecificity).
TEST_CASE("sensitivity at a specificity", "[control]") {
  Tensor truth = K::placeholder({None}, None, "bool"), predicted = K::placeholder({None});
  Tensor thresholds = K::constant({0.0, 0.25, 0.5, 0.75, 1.0});
  Metric metric;
  for (int i = 0; i < 4; ++i)
    metric.state.push_back(K::zeros({5}));
  const Tensor &tp = metric.state[0], &tn = metric.state[1], &fp = metric.state[2],
               &fn = metric.state[3];
  Tensor above = K::greater(K::expand_dims(predicted, 0), K::expand_dims(thresholds, 1));
  Tensor isTrue = K::expand_dims(truth, 0);
  auto counted = [](const Tensor &hits) { return K::sum(K::cast(hits, "float32"), 1); };
  metric.updates = {
      K::update_add(tp, counted(above & isTrue)), K::update_add(tn, counted(~above & ~isTrue)),
      K::update_add(fp, counted(above & ~isTrue)), K::update_add(fn, counted(~above & isTrue))};
  metric.result = [&] {
    Tensor specificities =
        K::switch_(K::greater(tn + fp, 0.0), tn / (tn + fp), K::zeros_like(thresholds));
    Tensor best = K::cast(K::argmin(K::abs(specificities - 0.6), 0), "int32");
    return K::switch_(K::greater(tp[best] + fn[best], 0.0), tp[best] / (tp[best] + fn[best]),
                      K::zeros_like(thresholds[best]));
  };
  Function f = metric.call({truth, predicted});
  // Specificities 0, 1/3, 2/3, 2/3, 1; of the true ones 0.6 and 0.9 are above 0.5.
  checkArray(
      f({Array{false, false, false, true, true, true}, Array{0.1, 0.3, 0.8, 0.2, 0.6, 0.9}})[0],
      2.0 / 3.0);
  // Of the six true ones by then, all of the second batch are below.
  checkArray(f({Array{true, true, true}, Array{0.1, 0.2, 0.3}})[0], 2.0 / 6.0);
  checkArray(K::get_value(fn), Array{0.0, 3.0, 4.0, 5.0, 6.0});
}

// Metrics as Keras writes them: what divides is not 0, or the result is.
static Tensor divided(const Tensor &a, const Tensor &b) {
  return K::switch_(K::greater(b, 0.0), a / b, K::zeros_like(b));
}

TEST_CASE("metrics of what was seen", "[control]") {
  Tensor truth = K::placeholder(None, 1), predicted = K::placeholder({None});
  Tensor mask = K::cast(K::greater(predicted, 0.5), "float32");
  Tensor tp = K::zeros({1}), fp = K::zeros({1}), fn = K::zeros({1});
  Tensor total = K::zeros(Shape{}), count = K::zeros(Shape{});
  Metric metric;
  auto counts = [&](const Tensor &variable, const Tensor &hits) {
    metric.updates.push_back(K::update_add(variable, K::sum(hits, None, true)));
  };
  auto averages = [&](const Tensor &values) {
    metric.updates.push_back(K::update_add(total, K::sum(values)));
    metric.updates.push_back(K::update_add(count, K::cast(K::size(values), "float32")));
  };
  auto mean = [&] { return K::switch_(K::equal(count, 0.0), 0.0, total / count); };
  double first = 0, second = 0;
  SECTION("precision") {
    counts(tp, truth * mask);
    counts(fp, (1.0 - truth) * mask);
    metric.result = [&] { return divided(tp, tp + fp)[0]; };
    first = 2.0 / 3.0;
    second = 3.0 / 5.0;
  }
  SECTION("recall, by a condition that is a scalar") {
    counts(tp, truth * mask);
    counts(fn, truth * (1.0 - mask));
    metric.result = [&] {
      return K::switch_(
          K::greater(tp[0] + fn[0], 0.0), [&] { return (tp / (tp + fn))[0]; },
          [&] { return K::constant(0.0); });
    };
    first = 2.0 / 2.0;
    second = 3.0 / 4.0;
  }
  SECTION("root mean squared error") {
    averages(K::square(predicted - truth));
    metric.result = [&] { return K::sqrt(mean()); };
    first = std::sqrt((0.01 + 0.09 + 0.04 + 0.64) / 4);
    second = std::sqrt((0.01 + 0.09 + 0.04 + 0.64 + 0.01 + 0.64 + 0.36) / 7);
  }
  SECTION("mean relative error") {
    Tensor normalizer = K::abs(truth);
    averages(K::switch_(K::equal(normalizer, K::zeros_like(normalizer)), K::zeros_like(normalizer),
                        K::abs(truth - predicted) / normalizer));
    metric.result = mean;
    first = 0.4 / 4;
    second = (0.4 + 0.1 + 0.8) / 7;
  }
  SECTION("cosine similarity") {
    averages(K::sum(K::l2_normalize(truth, -1) * K::l2_normalize(predicted, -1), -1));
    metric.result = mean;
    first = 1.6 / std::sqrt(2.0 * (0.81 + 0.49 + 0.04 + 0.64));
    second = (first + 1.1 / std::sqrt(2.0 * (0.81 + 0.04 + 0.36))) / 2;
  }
  SECTION("accuracy of what a mask leaves") {
    Tensor weights = K::cast(K::not_equal(truth, -1.0), K::floatx());
    Tensor hits = K::cast(K::equal(truth, K::round(predicted)), K::floatx()) * weights;
    averages(hits / K::mean(weights));
    metric.result = mean;
    first = 3.0 / 4.0;
    second = 4.0 / 7.0;
  }
  Function f = metric.call({truth, predicted});
  // Inputs, sums of up to seven terms, quotients and roots are rounded, most by half an ulp each.
  const double rounding = 8 * float32Ulp;
  checkArray(f({Array{1.0, 1.0, 0.0, 0.0}, Array{0.9, 0.7, 0.2, 0.8}})[0], first, rounding);
  checkArray(f({Array{1.0, 1.0, 0.0}, Array{0.9, 0.2, 0.6}})[0], second, rounding);
}

TEST_CASE("phases choose among what follows updates", "[control]") {
  K::clear_session();
  Tensor v = K::variable(1.0), x = scalarFed(), phase = K::learning_phase().tensor();
  Tensor update = K::update_add(v, x);
  K::control_dependencies after({update});
  Tensor doubled = v * 2.0;
  Tensor lazy = K::in_train_phase([&] { return v * 10.0; }, doubled);
  Tensor tensors = K::in_test_phase(doubled, v + 1.0);
  Tensor fixed = K::in_train_phase([&] { return v * 10.0; }, doubled, 1);
  Function f = K::function({x, phase}, {lazy, tensors, fixed});
  std::vector<Array> training = f({2.0, 1}), testing = f({1.0, 0});
  checkArray(training[0], 30.0);
  checkArray(training[1], 4.0);
  checkArray(training[2], 30.0);
  checkArray(testing[0], 8.0);
  checkArray(testing[1], 8.0);
  checkArray(testing[2], 40.0);
  checkArray(K::get_value(v), 4.0);
}

TEST_CASE("an update that an expression needs happens whatever is chosen", "[control]") {
  Tensor c = scalarFed("bool"), v = K::variable(1.0), w = K::variable(1.0), x = scalarFed();
  Tensor update = K::update_add(v, K::print_tensor(x, "seen")), other = K::update(w, x * 3.0);
  Tensor y = K::switch_(c, update * 2.0, [&] { return other + 1.0; });
  Function f = K::function({c, x}, {y});
  checkArray(f({true, 2.0})[0], 6.0);
  checkArray(K::get_value(w), 6.0);
  checkArray(f({false, 3.0})[0], 10.0);
  checkArray(K::get_value(v), 6.0);
}

TEST_CASE("several updates of one variable are read as they are committed", "[control]") {
  Tensor v = K::variable(1.0), w = K::variable(100.0), x = scalarFed();
  Tensor add = K::update_add(v, x), more = K::update_sub(v, 10.0), set = K::update(v, x * 50.0);
  auto after = [&](const std::vector<Tensor> &ops) {
    K::control_dependencies scope(ops);
    return K::switch_(x > 0.0, v * 1.0, [&] { return v * 2.0; });
  };
  auto check = [&](const std::vector<Tensor> &ops, double expected) {
    K::set_value(v, 1.0);
    checkArray(K::function({x}, {after(ops)})({2.0})[0], expected);
    checkArray(K::get_value(v), expected);
  };
  check({add}, 3.0);
  check({add, more}, -7.0);
  check({add, add, more, add}, -7.0);
  check({set, add}, 102.0);
  check({add, set}, 102.0);
  {
    K::control_dependencies outer({add});
    check({more}, -7.0);
  }
  // The gradient stops at what they assign.
  CHECK_FALSE(K::gradients(after({add, more}), {x})[0].has_value());

  // An update that is made under others takes them along, whatever it reads.
  K::set_value(v, 1.0);
  Tensor last;
  {
    K::control_dependencies scope({add});
    last = K::update_add(w, 1.0);
  }
  K::function({x}, {}, {last})({2.0});
  checkArray(K::get_value(v), 3.0);
  checkArray(K::get_value(w), 101.0);
}

TEST_CASE("dependencies inside functions that others call", "[control]") {
  Tensor c = scalarFed("bool"), x = scalarFed(), xs = K::placeholder({None});
  Tensor v = K::variable(1.0), w = K::variable(10.0);
  Tensor update = K::update_add(v, x), other = K::update_sub(w, x);
  auto after = [&](const Tensor &op, const std::function<Tensor()> &make) {
    K::control_dependencies scope({op});
    return make();
  };
  Tensor chosen = K::switch_(
      c, [&] { return after(update, [&] { return v * 2.0; }); },
      [&] { return after(other, [&] { return w * 2.0 + v; }); });
  Function f = K::function({c, x}, {chosen});
  checkArray(f({true, 4.0})[0], 10.0);
  // Both are part of the call, whichever branch is taken; v is old in the other branch.
  checkArray(f({false, 1.0})[0], 15.0);
  checkArray(K::get_value(v), 6.0);
  checkArray(K::get_value(w), 5.0);

  // Also where nothing of the block reads the variable.
  Tensor mapped =
      K::map_fn([&](const Tensor &e) { return after(update, [&] { return e * 2.0; }); }, xs);
  Tensor folded = K::foldl(
      [&](const Tensor &a, const Tensor &e) { return after(update, [&] { return a + e * v; }); },
      xs, 0.0);
  Tensor counted = K::while_loop(
      [](const Tensor &i) { return i < 3.0; },
      [&](const Tensor &i) { return after(other, [&] { return i + K::sum(w); }); }, {x})[0];
  auto results = K::function({x, xs}, {mapped, folded, counted})({-1.0, Array{1.0, 2.0}});
  checkArray(results[0], Array{2.0, 4.0});
  checkArray(results[1], 15.0);
  checkArray(results[2], 5.0);
  checkArray(K::get_value(v), 5.0);
  checkArray(K::get_value(w), 6.0);

  // Functions that become no body are no exception.
  Tensor selected =
      K::switch_(xs > 1.0, [&] { return after(update, [&] { return xs * 2.0; }); }, xs);
  Tensor rows = K::reshape(xs, {1, 2, 1});
  auto step = [&](const Tensor &input, const std::vector<Tensor> &) {
    return keratin::RnnStepResult(after(other, [&] { return input * 3.0; }));
  };
  Tensor unrolled = std::get<0>(K::rnn(step, rows, {}, false, None, {}, true, 2));
  results = K::function({x, xs}, {selected, unrolled})({2.0, Array{1.0, 2.0}});
  checkArray(results[0], Array{1.0, 4.0});
  checkArray(results[1], Array{{6.0}});
  checkArray(K::get_value(v), 7.0);
  checkArray(K::get_value(w), 4.0);
  Tensor ends =
      K::while_loop([&](const Tensor &i) { return after(update, [&] { return i < 3.0; }); },
                    [](const Tensor &i) { return i + 1.0; }, {x})[0];
  checkArray(K::function({x}, {ends})({1.0})[0], 3.0);
  checkArray(K::get_value(v), 8.0);
}

TEST_CASE("loops over what follows updates", "[control]") {
  Tensor v = K::variable(Array{{1.0, 2.0}, {3.0, 4.0}}), x = K::placeholder({2, 2});
  Tensor n = K::variable(0, "int32");
  Tensor update = K::update_add(v, x), counts = K::update_add(n, 1);
  K::control_dependencies after({update, counts});
  Tensor inputs = K::reshape(v, {1, 2, 2}), state = K::zeros_like(v[keratin::Slice(0, 1)]);
  auto step = [&](const Tensor &input, const std::vector<Tensor> &states) {
    Tensor next = input + states[0] + K::sum(v);
    return keratin::RnnStepResult(next, {next});
  };
  Tensor mask = K::any(K::not_equal(inputs, 0.0), -1);
  Tensor last = std::get<0>(K::rnn(step, inputs, {state}, false, mask));
  Tensor unrolled = std::get<0>(K::rnn(step, inputs, {state}, false, mask, {}, true));
  Tensor ordered = K::foldr([&](const Tensor &a, const Tensor &row) { return a * 2.0 + row; }, v);
  Tensor repeated = K::while_loop([](const Tensor &a) { return K::sum(a) < 100.0; },
                                  [&](const Tensor &a) { return a + v; }, {v * 1.0}, n)[0];
  Tensor sized = K::ones({K::minimum(n, 5), 2});
  Tensor gradient = *K::gradients(K::sum(K::square(v * x)), {x})[0];
  Function f = K::function({x}, {last, unrolled, ordered, repeated, sized, gradient});
  auto results = f({Array{{0.0, 1.0}, {2.0, 3.0}}}); // v is {{1, 3}, {5, 7}}
  checkArray(results[0], Array{{38.0, 42.0}});
  checkArray(results[1], Array{{38.0, 42.0}});
  checkArray(results[2], Array{11.0, 17.0});
  checkArray(results[3], Array{{2.0, 6.0}, {10.0, 14.0}});
  checkArray(results[4], Array{{1.0, 1.0}});
  // v is a number to whoever reads it.
  checkArray(results[5], Array{{0.0, 18.0}, {100.0, 294.0}});
  checkArray(f({Array::zeros(DType::Float32, {2, 2})})[4], Array{{1.0, 1.0}, {1.0, 1.0}});
  checkArray(K::get_value(n), 2);
}

TEST_CASE("gradients in functions see the way through dependent values", "[control]") {
  Tensor v = K::variable(2.0), x = K::placeholder({2}), y;
  Tensor update = K::update_add(v, 1.0);
  {
    K::control_dependencies after({update});
    y = K::square(x) * v;
  }
  Tensor mapped =
      K::map_fn([&](const Tensor &e) { return e * K::sum(*K::gradients(K::sum(y), {x})[0]); },
                K::constant({1.0, 2.0}));
  checkArray(K::function({x}, {mapped})({Array{1.0, 2.0}})[0], Array{18.0, 36.0});
  checkArray(K::get_value(v), 3.0);
}

TEST_CASE("a saved function keeps its dependencies", "[control]") {
  Tensor total = K::zeros(Shape{}), count = K::zeros(Shape{}), x = K::placeholder({None});
  Tensor sums = K::update_add(total, K::sum(x)),
         counts = K::update_add(count, K::cast(K::size(x), "float32"));
  Tensor mean;
  {
    K::control_dependencies after({sums, counts});
    mean = K::switch_(K::equal(count, 0.0), 0.0, total / count);
  }
  Function f = K::function({x}, {mean}, {sums, counts}, "metric");
  keratin::tests::TemporaryFile file;
  K::save_function(f, file.path);
  Function g = K::load_function(file.path, "metric");
  for (const Function &function : {f, g}) {
    checkArray(function({Array::zeros(DType::Float32, {0})})[0], 0.0);
    checkArray(function({Array{1.0, 5.0}})[0], 3.0);
    checkArray(function({Array{3.0}})[0], 3.0);
  }
}
