// Gradients of loops and branches, and the gradients of those.
#include "tests/frontend/GradientCheck.h"

TEST_CASE("gradients of loops and branches", "[loop]") {
  Tensor w = K::constant({{0.4, -0.3, 0.2}, {0.1, 0.5, -0.6}, {0.7, 0.2, 0.3}}, "float64");
  // x, (2, 3), as two samples of three steps with one feature each.
  auto sequence = [](const Tensor &x) { return K::expand_dims(x, -1); };
  auto step = [&](const Tensor &input, const Tensor &h, const Tensor &c) {
    Tensor gate = K::sigmoid(input + K::dot(h, w)), next = gate * K::tanh(c) + input * h;
    return std::tuple(next * c, next, c * gate + 0.1 * input);
  };
  Tensor h = K::constant({{0.1, 0.2, -0.3}, {0.4, -0.5, 0.6}}, "float64"), c = h * 2.0;
  Tensor mask = K::constant({{1, 0, 1}, {0, 1, 1}}, "int32");
  Tensor yes = K::constant(true, "bool");
  for (const GradientCase &test : std::vector<GradientCase>{
           {"rnn, all outputs",
            [&](auto &x) { return std::get<1>(K::rnn(step, sequence(x), {h, c})); }},
           {"rnn, last output backwards",
            [&](auto &x) { return std::get<0>(K::rnn(step, sequence(x), {h, c}, true)); }},
           {"rnn, masked",
            [&](auto &x) {
              auto [last, outputs, states] = K::rnn(step, sequence(x), {h, c}, false, mask);
              return K::sum(outputs, 1) * last + states[1];
            }},
           {"rnn, masked with zeros, backwards",
            [&](auto &x) {
              auto [last, outputs, states] =
                  K::rnn(step, sequence(x), {h, c}, true, mask, {}, false, None, false, true);
              return K::sum(outputs, 1) * last + states[0];
            }},
           {"rnn, initial state and constant",
            [&](auto &x) {
              auto scaled = [](const Tensor &input, const Tensor &state, const Tensor &scale) {
                Tensor next = K::tanh(input * 0.5 + state * scale);
                return std::pair(next, next);
              };
              return std::get<1>(K::rnn(scaled, sequence(x), {x}, false, None, {x * 0.7}));
            }},
           {"captured outside",
            [&](auto &x) {
              auto captured = [&](const Tensor &input, const Tensor &state) {
                Tensor next = K::tanh(K::dot(state, K::transpose(x)) * input);
                return std::pair(next, K::dot(next, x));
              };
              return std::get<1>(K::rnn(
                  captured, sequence(K::constant({{0.5, -0.2, 0.9}, {0.3, 0.8, -0.4}}, "float64")),
                  {x}));
            }},
           {"rnn, unrolled",
            [&](auto &x) {
              auto [last, outputs, states] = K::rnn(
                  step,
                  x.ndim() == 2 && x.shape()[1] ? sequence(x) : sequence(K::reshape(x, {2, 3})),
                  {h, c}, false, mask, {}, true);
              return K::sum(outputs, 1) * last;
            }},
           {"foldl",
            [](auto &x) { return K::foldl([](auto &a, auto &e) { return a * e + e; }, x); }},
           {"foldr with an initializer",
            [](auto &x) {
              return K::foldr([](auto &a, auto &e) { return K::sin(a) + K::sum(e) * a; }, x, 0.7);
            }},
           {"map_fn",
            [](auto &x) {
              return K::map_fn([&](const Tensor &row) { return row * K::sum(row) * x; }, x);
            }},
           {"fold in map",
            [](auto &x) {
              return K::map_fn(
                  [&](const Tensor &row) {
                    return K::foldl([&](auto &a, auto &e) { return K::tanh(a * row[0] + e) * e; },
                                    row, 0.5);
                  },
                  x);
            }},
           {"branch",
            [&](auto &x) {
              return K::switch_(yes, [&] { return K::square(x) * x; }, [&] { return x; });
            }},
           {"other branch",
            [&](auto &x) {
              return K::switch_(
                  K::constant(0), [&] { return K::log(x - x); }, [&] { return K::sin(x) * x; });
            }},
           {"branch in a loop",
            [&](auto &x) {
              return K::foldl(
                  [&](auto &a, auto &e) {
                    return K::switch_(
                        K::sum(e) > 2.0, [&] { return a * e; },
                        [&] { return K::exp(a * 0.1) * e; });
                  },
                  x, K::constant({1.0, -0.5, 0.25}, "float64"));
            }},
           {"gradient in a loop",
            [](auto &x) {
              return K::foldl(
                  [](auto &a, auto &e) {
                    return a + *K::gradients(K::sum(K::square(a) * e * a), {a})[0];
                  },
                  x * 0.1, K::constant({1.0, -0.5, 0.25}, "float64"));
            }},
       })
    checkGradient(test);
}

// What a recurrence with these options computes, its gradient, and of some the gradient of that.
static std::vector<Tensor> computed(const Tensor &x, const Tensor &mask, const Tensor &lengths,
                                    const Tensor &w, unsigned options, bool unroll) {
  bool timeMajor = options & 1, backwards = options & 2, zeroOutput = options & 4;
  unsigned masking = options / 8 % 3;
  auto step = [&](const Tensor &input, const Tensor &h, const Tensor &c, const Tensor &scale) {
    Tensor z = K::dot(input, w) + h * scale;
    Tensor next = K::tanh(z) * K::sigmoid(c);
    return std::tuple(K::concatenate({next, z}) * 0.5, next, c * 0.9 + K::square(input));
  };
  Tensor inputs = timeMajor ? K::permute_dimensions(x, {1, 0, 2}) : x;
  Operand keep = masking != 1 ? Operand(None)
                 : timeMajor  ? Operand(K::transpose(mask))
                              : Operand(mask);
  Tensor h = K::sum(x, 1) * 0.1, c = K::square(h) + 0.3;
  auto [last, outputs, states] =
      K::rnn(step, inputs, {h, c}, backwards, keep, {K::sum(w) * 0.2}, unroll,
             masking == 2 ? Operand(lengths) : Operand(None), timeMajor, zeroOutput);
  Tensor value = weighted(outputs) + weighted(last) + weighted(states[0] * states[1]);
  std::vector<Tensor> result = {last, outputs, states[0], states[1], value};
  for (auto &gradient : K::gradients(value, {x, w}))
    result.push_back(*gradient);
  if (options % 5 != 0)
    return result;
  for (auto &gradient : K::gradients(weighted(result[5]) + weighted(result[6]), {x, w}))
    result.push_back(*gradient);
  return result;
}

TEST_CASE("a loop computes what its steps one by one compute", "[loop]") {
  Tensor w = K::placeholder({2, 2}, None, "float64"),
         any = K::placeholder({None, None, 2}, None, "float64");
  Tensor mask = K::placeholder({None, None}, None, "int32");
  Tensor lengths = K::placeholder({None}, None, "int32");
  Array weights{{0.5, -0.4}, {0.3, 0.8}};
  for (unsigned options = 0; options < 24; ++options) {
    INFO("options " << options);
    keratin::Function loop =
        K::function({any, mask, lengths, w}, computed(any, mask, lengths, w, options, false));
    for (int64_t time : {1, 3}) {
      if (time == 1 && options % 3 != 0)
        continue;
      int64_t samples = 1 + options % 3;
      Tensor x = K::placeholder({None, time, 2}, None, "float64");
      keratin::Function steps =
          K::function({x, mask, lengths, w}, computed(x, mask, lengths, w, options, true));
      Array values = Array::zeros(DType::Float64, {samples, time, 2});
      Array keep = Array::zeros(DType::Int32, {samples, time});
      Array counts = Array::zeros(DType::Int32, {samples});
      for (int64_t i = 0; i < values.size(); ++i)
        values.data<double>()[i] = std::sin(1.3 * double(i) + options);
      for (int64_t i = 0; i < keep.size(); ++i)
        keep.data<int32_t>()[i] = (uint64_t(i) * 7 + options) % 3 != 0;
      for (int64_t i = 0; i < samples; ++i)
        counts.data<int32_t>()[i] = int32_t((i + options) % (time + 1));
      std::vector<Array> found = loop({values, keep, counts, weights});
      std::vector<Array> expected = steps({values, keep, counts, weights});
      for (size_t i = 0; i < found.size(); ++i) {
        INFO("result " << i << ", time " << time);
        checkArray(found[i], expected[i], 1e-10);
      }
    }
  }
}

TEST_CASE("a thousand steps differentiate twice", "[loop]") {
  Array values = Array::zeros(DType::Float64, {2, 1000, 3});
  for (int64_t i = 0; i < values.size(); ++i)
    values.data<double>()[i] = std::sin(0.7 * double(i));
  Tensor x = K::constant(values, "float64"), w = K::placeholder({2, 2}, None, "float64");
  Tensor u = K::constant({{0.5, 0.1}, {-0.3, 0.2}, {0.2, 0.6}}, "float64");
  auto step = [&](const Tensor &input, const Tensor &h) {
    Tensor next = K::tanh(K::dot(input, u) + K::dot(h, w));
    return std::pair(next, next);
  };
  auto [last, outputs, states] = K::rnn(step, x, {K::constant(0.0, "float64", {2, 2})});
  Tensor loss = K::mean(K::square(outputs)) + K::sum(last);
  Tensor first = *K::gradients(loss, {w})[0];
  Array at{{0.3, -0.2}, {0.1, 0.4}};
  checkDifferences(K::function({w}, {loss, first}), at, 1e-6);
  Tensor norm = K::sum(K::square(first));
  checkDifferences(K::function({w}, {norm, *K::gradients(norm, {w})[0]}), at, 1e-5);
}

TEST_CASE("what loops give no gradient to", "[loop]") {
  Tensor x = K::placeholder({3}), n = K::placeholder({3}, None, "int32");
  Tensor y = K::placeholder({3}), z = K::placeholder({3});
  Tensor loss = K::foldl(
      [&](const Tensor &a, const Tensor &e) {
        return a + e * K::cast(K::sum(n), "float32") * K::sum(K::stop_gradient(y));
      },
      x, 0.0);
  auto gradients = K::gradients(loss, {x, n, y, z});
  CHECK(gradients[0]);
  CHECK_FALSE(gradients[1]);
  CHECK_FALSE(gradients[2]);
  CHECK_FALSE(gradients[3]);
  // A count beside the sum does not stop it.
  auto [last, outputs, states] =
      K::rnn([](const Tensor &input, const Tensor &count,
                const Tensor &sum) { return std::tuple(sum, count + 1, sum + input); },
             K::reshape(x, {1, 3, 1}), {K::zeros({1}, "int32"), K::zeros({1, 1})});
  auto found = K::gradients(K::sum(last * states[1]), {x});
  REQUIRE(found[0]);
  // last is the sum before the last step.
  checkArray(K::function({x}, {*found[0]})({Array{1.0, 2.0, 3.0}})[0], Array{9.0, 9.0, 3.0});
}
