// Variables and functions on a device (tests/support/PlainTarget.h).
#include "keratin/dlpack.h"
#include "tests/frontend/FrontendTest.h"
#include "tests/support/PlainTarget.h"
#include "tests/support/TemporaryFile.h"

#include <atomic>
#include <cstdlib>
#include <functional>
#include <set>
#include <thread>

using namespace keratin;
using keratin::tests::plainDeviceCounts;
using keratin::tests::PlainDeviceCounts;

namespace {

// The current device, for a scope.
class OnDevice {
public:
  explicit OnDevice(const std::string &name) { K::set_device(name); }
  ~OnDevice() { K::set_device(before); }

private:
  const std::string before = K::device();
};

// What the plain device was asked for since this was made.
class Since {
public:
  int64_t copiesIn() const { return plainDeviceCounts().copiesIn - before.copiesIn; }
  int64_t copiesOut() const { return plainDeviceCounts().copiesOut - before.copiesOut; }
  int64_t bytesIn() const { return plainDeviceCounts().bytesIn - before.bytesIn; }
  int64_t bytesOut() const { return plainDeviceCounts().bytesOut - before.bytesOut; }
  int64_t launches() const { return plainDeviceCounts().launches - before.launches; }

private:
  const PlainDeviceCounts before = plainDeviceCounts();
};

FunctionOptions onPlain() {
  FunctionOptions options;
  options.device = "plain";
  return options;
}

} // namespace

// Nothing is compiled, so nothing runs on a device.
static bool isInterpreted() { return std::getenv("KERATIN_TEST_PROGRAM"); }

TEST_CASE("a device is known by name, and the names are listed for any other", "[device]") {
  const char *first = std::getenv("KERATIN_DEVICE");
  CHECK(K::device() == (first ? first : "cpu"));
  std::string known = "unknown device 'abacus'; known devices: cpu, plain";
  CHECK(errorOf<ValueError>([] { K::set_device("abacus"); }) == "set_device: " + known);
  CHECK(K::device() == (first ? first : "cpu"));
  Tensor x = K::placeholder({3});
  FunctionOptions options;
  options.device = "abacus";
  auto make = [&] { return K::function({x}, {K::tanh(x)}, {}, "", options); };
  CHECK(errorOf<ValueError>(make).find("function: " + known + "; at ") == 0);
  options = onPlain();
  options.target = "cpu";
  CHECK(errorOf<ValueError>(make).find(
            "function: the target is 'cpu'; device 'plain' needs target 'plain'; at ") == 0);
}

TEST_CASE("a training step on a device sends what is fed and fetches what is asked for",
          "[device]") {
  if (isInterpreted())
    return;
  OnDevice here("plain");
  Tensor x = K::placeholder({K::None, 2}), target = K::placeholder({K::None, 1});
  Tensor w = K::variable(Array{{0.5}, {-0.25}}), b = K::zeros({1}), velocity = K::zeros({2, 1}),
         steps = K::variable(0, "int64");
  Tensor y = K::dot(K::dropout(x, 0.0), w) + b + 0.0 * K::random_uniform({1});
  Tensor loss = K::mean(K::square(y - target));
  std::vector<K::Gradient> gradients = K::gradients(loss, {w, b});
  Tensor v = 0.5 * velocity - 0.125 * *gradients[0];
  Function step = K::function({x, target}, {loss},
                              {Update(velocity, v), K::update_add(w, v),
                               K::update_sub(b, 0.125 * *gradients[1]), K::update_add(steps, 1)},
                              "step");
  Array inputs{{1.0, 2.0}, {-1.0, 0.5}, {0.0, -1.0}}, wanted{{1.0}, {0.0}, {2.0}};
  std::vector<Array> outputs;
  const Array feeds[] = {inputs, wanted};
  step.call(feeds, 2, outputs); // what there is once for all
  double w0 = 0.5, w1 = -0.25, bias = 0, v0 = 0, v1 = 0;
  auto stepInNumbers = [&] {
    double g0 = 0, g1 = 0, gb = 0, sum = 0;
    for (int64_t row = 0; row < 3; ++row) {
      double x0 = inputs.item(row * 2), x1 = inputs.item(row * 2 + 1);
      double error = x0 * w0 + x1 * w1 + bias - wanted.item(row);
      sum += error * error / 3;
      g0 += 2 * error * x0 / 3, g1 += 2 * error * x1 / 3, gb += 2 * error / 3;
    }
    v0 = 0.5 * v0 - 0.125 * g0, v1 = 0.5 * v1 - 0.125 * g1;
    w0 += v0, w1 += v1, bias -= 0.125 * gb;
    return sum;
  };
  checkArray(outputs[0], stepInNumbers(), 1e-6);
  for (int i = 0; i < 10; ++i) {
    Since before;
    step.call(feeds, 2, outputs);
    CHECK(before.launches() > 0);
    CHECK(before.copiesIn() == 2);
    CHECK(before.bytesIn() ==
          int64_t(inputs.astype(DType::Float32).bytes() + wanted.astype(DType::Float32).bytes()));
    CHECK(before.copiesOut() == 1);
    CHECK(before.bytesOut() == 4);
    checkArray(outputs[0], stepInNumbers(), 1e-5);
  }
  checkArray(K::get_value(w), Array{{w0}, {w1}}, 1e-5);
  checkArray(K::get_value(b), Array{bias}, 1e-5);
  checkArray(K::get_value(steps), 11);
}

TEST_CASE("values are of one moment while their variables move", "[device]") {
  if (isInterpreted())
    return;
  for (int round = 0; round < 10; ++round) {
    std::vector<Tensor> variables, updates;
    {
      OnDevice home("cpu");
      for (int i = 0; i < 40; ++i) {
        variables.push_back(K::zeros({64, 64}));
        updates.push_back(K::update_add(variables.back(), K::ones_like(variables.back())));
      }
    }
    OnDevice here("plain");
    std::atomic<bool> isOver = false;
    std::thread mover([&] {
      Session session;
      session.run(updates);
      isOver = true;
    });
    int64_t torn = 0;
    while (!isOver) {
      std::set<double> numbers;
      for (const Array &value : K::batch_get_value(variables))
        numbers.insert(value.item(0));
      torn += numbers.size() != 1;
    }
    mover.join();
    CHECK(torn == 0);
  }
}

TEST_CASE("the first function that uses a variable decides where it lies", "[device]") {
  if (isInterpreted())
    return;
  OnDevice here("cpu");
  Tensor x = K::placeholder({2});
  Tensor w = K::variable(Array{1.0, 2.0}, "float32", "moved");
  checkValue(w * 2.0, Array{2.0, 4.0}); // a reader decides nothing
  Since before;
  Function add = K::function({x}, {w}, {K::update_add(w, x)}, "add", onPlain());
  CHECK(before.copiesIn() == 1);
  checkArray(add({Array{1.0, 1.0}})[0], Array{1.0, 2.0});
  checkArray(K::get_value(w), Array{2.0, 3.0});
  SECTION("a function of another device is refused, and names both") {
    CHECK(errorOf<ValueError>([&] { K::function({x}, {w * x}, {}, "product"); })
              .find("function: runs on device 'cpu'; variable 'moved' lies on device 'plain'; "
                    "needed one device for both; at ") == 0);
    Tensor other = K::variable(1.0, "float32", "at_home");
    Function home = K::function({x}, {other * x});
    CHECK(errorOf<ValueError>([&] {
            K::function({x}, {w * other}, {}, "both", onPlain());
          }).find("variable 'at_home' lies on device 'cpu'") != std::string::npos);
    CHECK(errorOf<ValueError>([&] { K::eval(other * w); }).find("runs on device 'cpu'; variable") !=
          std::string::npos);
  }
  SECTION("evaluations run where their variables lie") {
    Since evaluated;
    checkArray(K::eval(K::sum(w * 2.0)), 10);
    CHECK(evaluated.launches() > 0);
    checkArray(K::eval(K::update_add(w, Array{1.0, 0.0})), Array{3.0, 3.0});
    Session session;
    checkArray(session.run({w + x}, {{x, Array{1.0, 1.0}}})[0], Array{4.0, 4.0});
    checkArray(K::batch_get_value({w, w * 2.0})[1], Array{6.0, 6.0});
  }
  SECTION("values go in and out") {
    Tensor at = K::variable(5.0);
    K::set_value(w, Array{7.0, 8.0});
    K::batch_set_value({{w, Array{1.5, 2.5}}, {at, Array(6.0)}});
    checkArray(K::get_value(w), Array{1.5, 2.5});
    checkArray(K::get_value(at), 6);
    CHECK_THROWS_AS(K::batch_set_value({{w, Array{9.0, 9.0}}, {at, Array{1.0, 2.0}}}), ValueError);
    checkArray(K::get_value(w), Array{1.5, 2.5});
  }
  SECTION("a function that cannot be made moves nothing") {
    Tensor stays = K::variable(1.0);
    FunctionOptions options = onPlain();
    options.timeLimit = 1e-9;
    CHECK_THROWS_AS(K::function({x}, {stays * x}, {}, "late", options), RuntimeError);
    checkArray(K::function({x}, {stays * x})({Array{1.0, 2.0}})[0], Array{1.0, 2.0});
  }
}

TEST_CASE("random numbers and learning phases are the same on a device", "[device]") {
  if (isInterpreted())
    return;
  auto run = [](const char *device) {
    OnDevice here(device);
    K::set_random_seed(7);
    Tensor x = K::placeholder({4});
    Tensor noise = K::random_uniform({4}, 0.0, 1.0, "float32");
    Tensor y = K::in_train_phase(x + noise, x);
    Function f = K::function({x, K::learning_phase().tensor()}, {y});
    Array fed{1.0, 2.0, 3.0, 4.0};
    std::vector<Array> results = {f({fed, 1})[0], f({fed, 1})[0], f({fed, 0})[0]};
    results.push_back(K::eval(K::random_uniform({3}, 0.0, 1.0, "float32")));
    return results;
  };
  std::vector<Array> expected = run("cpu"), found = run("plain");
  for (size_t i = 0; i < expected.size(); ++i)
    checkArray(found[i], expected[i]);
}

TEST_CASE("functions are saved from a device and loaded onto one", "[device]") {
  if (isInterpreted())
    return;
  tests::TemporaryFile file;
  Array saved;
  {
    OnDevice here("plain");
    Tensor x = K::placeholder({2}), w = K::variable(Array{1.0, 2.0});
    Function step = K::function({x}, {w * x}, {K::update_add(w, x)}, "step");
    step({Array{1.0, 1.0}});
    K::save_function(step, file.path);
  }
  for (const char *device : {"plain", "cpu"}) {
    OnDevice here(device);
    Function step = K::load_function(file.path);
    Since before;
    checkArray(step({Array{1.0, 1.0}})[0], Array{2.0, 3.0});
    checkArray(step({Array{1.0, 1.0}})[0], Array{3.0, 4.0});
    CHECK((before.launches() > 0) == (K::device() == "plain"));
  }
}

TEST_CASE("threads that use a variable for the first time agree where it lies", "[device]") {
  if (isInterpreted())
    return;
  OnDevice here("cpu");
  Tensor w = K::variable(Array{1.0, 2.0});
  // Whether there was a function, and it was right.
  auto makes = [&](const char *device, bool &made, bool &right) {
    FunctionOptions options;
    options.device = device;
    try {
      Function f = K::function({}, {w * 2.0}, {}, "", options);
      made = true;
      right = f({})[0].item(1) == 4;
    } catch (const ValueError &) {
    }
    K::set_value(w, K::get_value(w));
  };
  bool made[2] = {}, right[2] = {};
  std::thread first(makes, "plain", std::ref(made[0]), std::ref(right[0])),
      second(makes, "cpu", std::ref(made[1]), std::ref(right[1]));
  first.join();
  second.join();
  CHECK(made[0] != made[1]);
  CHECK(right[0] != right[1]);
}

//===-- Arrays on devices ---------------------------------------------------------------------===//

TEST_CASE("outputs that stay on a device are read there without copies", "[device]") {
  if (isInterpreted())
    return;
  Tensor x = K::placeholder({K::None, 2}), y = K::placeholder({K::None, 2});
  FunctionOptions keep = onPlain();
  keep.keepOnDevice = true;
  Function twice = K::function({x}, {2.0 * x, K::sum(x)}, {}, "twice", keep);
  Function square = K::function({y}, {K::square(y)}, {}, "square", onPlain());
  std::vector<Array> kept, squares;
  for (int i = 1; i < 4; ++i) {
    const Array fed = Array{{double(i), 2.0}, {3.0, 4.0}}.astype(DType::Float32);
    Since sent;
    twice.call(&fed, 1, kept);
    CHECK(sent.copiesIn() == 1);
    CHECK(sent.copiesOut() == 0);
    CHECK(kept[0].device() == "plain");
    CHECK(kept[0].shape() == std::vector<int64_t>{2, 2});
    Since read;
    square.call(kept.data(), 1, squares);
    CHECK(read.copiesIn() == 0);
    CHECK(read.copiesOut() == 1);
    CHECK(squares[0].device() == "cpu");
    checkArray(squares[0], Array{{4.0 * i * i, 16.0}, {36.0, 64.0}});
    checkArray(kept[1].toHost(), 9.0 + i);
  }
  // An output of one call is the input of the next, and the array for its output as well.
  twice.call(kept.data(), 1, kept);
  checkArray(kept[0].toHost(), Array{{12.0, 8.0}, {12.0, 16.0}});
  // As the output of a function that leaves nothing there it is an array of the host's again.
  std::vector<Array> reused(1, kept[0]);
  CHECK(reused[0].device() == "plain");
  square.call(kept.data(), 1, reused);
  CHECK(reused[0].device() == "cpu");
}

TEST_CASE("a variable is set from an array on its device without the host", "[device]") {
  if (isInterpreted())
    return;
  OnDevice device("plain");
  Tensor v = K::variable(Array{{1.0, 2.0}, {3.0, 4.0}}.astype(DType::Float32)),
         s = K::variable(0.0);
  const Array value = Array{{5.0, 6.0}, {7.0, 8.0}}.astype(DType::Float32);
  const Array there = value.toDevice("plain"), number = Array(9.0).astype(DType::Float32);
  const Array numberThere = number.toDevice("plain");
  Since then;
  K::batch_set_value({{v, there}, {s, numberThere}});
  CHECK(then.copiesIn() == 0);
  CHECK(then.copiesOut() == 0);
  checkArray(K::get_value(v), value);
  checkArray(K::get_value(s), number);
  // What would have to be converted or spread is not.
  const std::string needed = "needed an array on the host, which toHost() makes";
  for (const Array &other : {value.astype(DType::Int32).toDevice("plain"), numberThere})
    CHECK(errorOf<ValueError>([&] { K::set_value(v, other); }).find(needed) != std::string::npos);
  checkArray(K::get_value(v), value);
}

TEST_CASE("elements of an array on a device are read by way of the host", "[device]") {
  if (isInterpreted())
    return;
  const Array host = Array{{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}.astype(DType::Float32);
  Array there = host.toDevice("plain");
  CHECK(host.device() == "cpu");
  CHECK(there.device() == "plain");
  CHECK(there.isRowMajor());
  const std::string needed =
      ": the elements lie on device 'plain'; needed an array on the host, which toHost() makes";
  CHECK(errorOf<ValueError>([&] { there.item(0); }) == "Array::item" + needed);
  CHECK(errorOf<ValueError>([&] { there.toVector(); }) == "Array::item" + needed);
  CHECK(errorOf<ValueError>([&] { there.data<float>(); }) == "Array::rawData" + needed);
  CHECK(errorOf<ValueError>([&] { there.astype(DType::Int32); }) == "Array::rawData" + needed);
  CHECK(errorOf<ValueError>([&] { stackArrays(&there, 1); }) == "Array::rawData" + needed);
  CHECK(errorOf<ValueError>([&] {
          there.toDevice("abacus");
        }).find("Array::toDevice: unknown device 'abacus'") == 0);
  checkArray(there.toHost(), host);
  Array copy = there, shaped = there.reshape({3, 2});
  CHECK(copy.device() == "plain");
  CHECK(copy.origin() != there.origin());
  checkArray(shaped.toHost(), Array{{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}});
  Array columns = Array::deviceView("plain", const_cast<void *>(there.origin()), DType::Float32,
                                    {3, 2}, {1, 3});
  checkArray(columns.toHost(), Array{{1.0, 4.0}, {2.0, 5.0}, {3.0, 6.0}});
  checkArray(columns.toDevice("plain").toHost(), columns.toHost());
  // Where it does not lie it is refused.
  Tensor x = K::placeholder({2, 3});
  FunctionOptions onCpu;
  onCpu.device = "cpu";
  Function home = K::function({x}, {x + 1.0}, {}, "home", onCpu);
  std::string refusal = errorOf<ValueError>([&] { home({there}); });
  CAPTURE(refusal);
  CHECK(refusal.find("runs on the CPU; input ") != std::string::npos);
  CHECK(refusal.find("lies on device 'plain'") != std::string::npos);
  CHECK(errorOf<ValueError>([&] { toDLPack(there); }) ==
        "toDLPack: the elements lie on device 'plain'; needed 'cpu' or a CUDA device");
  OnDevice onHost("cpu");
  Tensor v = K::zeros({2, 3});
  CHECK(errorOf<ValueError>([&] { K::set_value(v, there); }) ==
        "set_value: variable: the new value lies on device 'plain'; needed the host's memory");
}
