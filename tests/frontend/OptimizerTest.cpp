// Optimisers as Keras writes them on the backend, against the same rules in plain numbers. Slots,
// counters and parameters are read as they were before the call.
#include "tests/frontend/FrontendTest.h"

#include <functional>

using keratin::Function;
using keratin::Shape;
using keratin::Update;

namespace {

constexpr double rate = 0.1, decay = 0.25, epsilon = 1e-7;

// What get_updates of Keras has to work with.
struct Symbols {
  Tensor parameter, gradient, lr, iterations, t;
  std::vector<Update> updates;

  // A slot of zeros beside the parameter.
  Tensor slot() { return K::zeros(K::int_shape(parameter), K::dtype(parameter)); }
  void set(const Tensor &variable, const Tensor &value) {
    updates.push_back(K::update(variable, value));
  }
};

// The same for one element: its parameter, its slots, all of which start as 0, and the step's
// number from 1.
struct Element {
  double p, slots[4] = {};

  double &operator[](size_t i) { return slots[i]; }
};

struct Rule {
  const char *name;
  std::function<Tensor(Symbols &)> symbolic; // the new parameter
  std::function<void(Element &, double g, double lr, double t)> plain;
};

} // namespace

static const Array start{{1.0, -2.0, 0.5}, {0.0, 3.0, -0.25}};

static const Rule rules[] = {
    {"SGD", [](Symbols &s) { return s.parameter - s.lr * s.gradient; },
     [](Element &e, double g, double lr, double) { e.p -= lr * g; }},
    {"SGD with Nesterov's momentum",
     [](Symbols &s) {
       Tensor m = s.slot(), v = 0.9 * m - s.lr * s.gradient;
       s.set(m, v);
       return s.parameter + 0.9 * v - s.lr * s.gradient;
     },
     [](Element &e, double g, double lr, double) {
       e[0] = 0.9 * e[0] - lr * g;
       e.p += 0.9 * e[0] - lr * g;
     }},
    {"RMSprop",
     [](Symbols &s) {
       Tensor a = s.slot(), next = 0.9 * a + 0.1 * K::square(s.gradient);
       s.set(a, next);
       return s.parameter - s.lr * s.gradient / (K::sqrt(next) + epsilon);
     },
     [](Element &e, double g, double lr, double) {
       e[0] = 0.9 * e[0] + 0.1 * g * g;
       e.p -= lr * g / (std::sqrt(e[0]) + epsilon);
     }},
    {"Adagrad",
     [](Symbols &s) {
       Tensor a = s.slot(), next = a + K::square(s.gradient);
       s.set(a, next);
       return s.parameter - s.lr * s.gradient / (K::sqrt(next) + epsilon);
     },
     [](Element &e, double g, double lr, double) {
       e[0] += g * g;
       e.p -= lr * g / (std::sqrt(e[0]) + epsilon);
     }},
    {"Adadelta",
     [](Symbols &s) {
       Tensor a = s.slot(), d = s.slot(), next = 0.95 * a + 0.05 * K::square(s.gradient);
       s.set(a, next);
       Tensor step = s.gradient * K::sqrt(d + epsilon) / K::sqrt(next + epsilon);
       s.set(d, 0.95 * d + 0.05 * K::square(step));
       return s.parameter - s.lr * step;
     },
     [](Element &e, double g, double lr, double) {
       e[0] = 0.95 * e[0] + 0.05 * g * g;
       double step = g * std::sqrt(e[1] + epsilon) / std::sqrt(e[0] + epsilon);
       e[1] = 0.95 * e[1] + 0.05 * step * step;
       e.p -= lr * step;
     }},
    {"Adam with amsgrad",
     [](Symbols &s) {
       // The powers have a variable for their base.
       Tensor beta1 = K::variable(0.9), beta2 = K::variable(0.999);
       Tensor m = s.slot(), v = s.slot(), most = s.slot();
       Tensor lr = s.lr * (K::sqrt(1.0 - K::pow(beta2, s.t)) / (1.0 - K::pow(beta1, s.t)));
       Tensor nextM = beta1 * m + (1.0 - beta1) * s.gradient;
       Tensor nextV = beta2 * v + (1.0 - beta2) * K::square(s.gradient);
       Tensor nextMost = K::maximum(most, nextV);
       s.set(m, nextM);
       s.set(v, nextV);
       s.set(most, nextMost);
       return s.parameter - lr * nextM / (K::sqrt(nextMost) + epsilon);
     },
     [](Element &e, double g, double lr, double t) {
       e[0] = 0.9 * e[0] + 0.1 * g;
       e[1] = 0.999 * e[1] + 0.001 * g * g;
       e[2] = std::max(e[2], e[1]);
       lr *= std::sqrt(1 - std::pow(0.999, t)) / (1 - std::pow(0.9, t));
       e.p -= lr * e[0] / (std::sqrt(e[2]) + epsilon);
     }},
    {"Adamax",
     [](Symbols &s) {
       Tensor m = s.slot(), u = s.slot();
       Tensor nextM = 0.9 * m + 0.1 * s.gradient, nextU = K::maximum(0.999 * u, K::abs(s.gradient));
       s.set(m, nextM);
       s.set(u, nextU);
       return s.parameter - s.lr / (1.0 - K::pow(0.9, s.t)) * nextM / (nextU + epsilon);
     },
     [](Element &e, double g, double lr, double t) {
       e[0] = 0.9 * e[0] + 0.1 * g;
       e[1] = std::max(0.999 * e[1], std::abs(g));
       e.p -= lr / (1 - std::pow(0.9, t)) * e[0] / (e[1] + epsilon);
     }},
    {"Nadam",
     [](Symbols &s) {
       // The first argument of the power is no tensor.
       auto cache = [&](const Tensor &t) {
         return 0.9 * (1.0 - 0.5 * K::pow(K::cast_to_floatx(0.96), t * 0.004));
       };
       Tensor schedule = K::variable(1.0), m = s.slot(), v = s.slot();
       Tensor now = cache(s.t), after = cache(s.t + 1.0);
       Tensor scheduleNow = schedule * now, scheduleAfter = schedule * now * after;
       s.updates.push_back(Update(schedule, scheduleNow));
       Tensor g = s.gradient / (1.0 - scheduleNow);
       Tensor nextM = 0.9 * m + 0.1 * s.gradient, nextV = 0.999 * v + 0.001 * K::square(s.gradient);
       s.set(m, nextM);
       s.set(v, nextV);
       Tensor corrected = nextV / (1.0 - K::pow(0.999, s.t));
       Tensor bar = (1.0 - now) * g + after * (nextM / (1.0 - scheduleAfter));
       return s.parameter - s.lr * bar / (K::sqrt(corrected) + epsilon);
     },
     [](Element &e, double g, double lr, double t) {
       auto cache = [](double t) { return 0.9 * (1 - 0.5 * std::pow(0.96, t * 0.004)); };
       // The product of the caches so far, kept as its distance from 1.
       double schedule = (1 + e[2]) * cache(t);
       e[2] = schedule - 1;
       e[0] = 0.9 * e[0] + 0.1 * g;
       e[1] = 0.999 * e[1] + 0.001 * g * g;
       double bar = (1 - cache(t)) * g / (1 - schedule) +
                    cache(t + 1) * e[0] / (1 - schedule * cache(t + 1));
       e.p -= lr * bar / (std::sqrt(e[1] / (1 - std::pow(0.999, t))) + epsilon);
     }},
};

TEST_CASE("optimisers make the steps of their rules", "[optimizer]") {
  std::string floatx = K::floatx();
  K::set_floatx("float64");
  for (const Rule &rule : rules) {
    INFO(rule.name);
    Symbols s;
    s.parameter = K::variable(start);
    s.iterations = K::variable(0, "int64", "iterations");
    Tensor x = K::placeholder(None, 2);
    // A gradient that is limited by its norm in some steps and not in others.
    Tensor gradient = *K::gradients(K::sum(K::square(s.parameter - x)) * 0.5, {s.parameter})[0];
    Tensor norm = K::sqrt(K::sum(K::square(gradient)));
    s.gradient = K::switch_(K::greater_equal(norm, 3.0), gradient * 3.0 / norm, gradient);
    Tensor count = K::cast(s.iterations, K::dtype(K::variable(decay)));
    s.lr = K::variable(rate) * (1.0 / (1.0 + decay * count));
    s.t = K::cast(s.iterations, K::floatx()) + 1.0;
    s.updates.push_back(K::update_add(s.iterations, 1));
    Tensor next = K::clip(rule.symbolic(s), -2.5, 2.5); // a constraint
    s.set(s.parameter, next);
    Function step = K::function({x}, {K::mean(K::square(s.parameter - x))}, s.updates, "train");

    std::vector<Element> elements;
    for (int64_t i = 0; i < start.size(); ++i)
      elements.push_back({start.item(i)});
    for (int t = 1; t <= 6; ++t) {
      Array target = Array::zeros(DType::Float64, {2, 3});
      double squares = 0;
      for (int64_t i = 0; i < target.size(); ++i) {
        target.data<double>()[i] =
            t < 4 ? std::sin(double(i * t)) * 3 : elements[size_t(i)].p + 0.1;
        squares += std::pow(elements[size_t(i)].p - target.item(i), 2);
      }
      checkArray(step({target})[0], squares / 6, 1e-12);
      double scale = squares >= 9 ? 3 / std::sqrt(squares) : 1;
      for (int64_t i = 0; i < target.size(); ++i) {
        Element &e = elements[size_t(i)];
        rule.plain(e, scale * (e.p - target.item(i)), rate / (1 + decay * (t - 1)), t);
        e.p = std::max(std::min(e.p, 2.5), -2.5);
        INFO("step " << t << ", element " << i);
        CHECK(K::get_value(s.parameter).item(i) == Approx(e.p).epsilon(1e-11).margin(1e-12));
      }
    }
    checkArray(K::get_value(s.iterations), 6);
  }
  K::set_floatx(floatx);
}
