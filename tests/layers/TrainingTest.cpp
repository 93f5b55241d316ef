// The training loop and its checkpoints.
#include "tests/layers/LayersTest.h"

#include "tests/support/TemporaryFile.h"
#include "tests/support/TemporaryFolder.h"

#include <fstream>
#include <sstream>

// Sees which rows are fed: the loss is their mean, the sum of all rows an update.
struct Sums {
  Tensor x = K::placeholder({None, 2}), total = K::variable(0.0);
  K::Function step = K::function(x, {{"loss", K::mean(x)}, {"learning_rate", total}},
                                 K::update_add(total, K::sum(x)));
};

static const training::FitOptions silent{.progress = training::Progress::Silent};

TEST_CASE("fit goes over all rows and averages by their number", "[training]") {
  const Doubles doubles;
  Sums sums;
  const Array data = wave(0, {10, 2});
  training::FitOptions options = silent;
  options.epochs = 2;
  options.batch_size = 4;
  training::History history = training::fit(sums.step, data, options);
  REQUIRE(history.size() == 2);
  CHECK(history[1].number == 2);
  CHECK(history[1].steps == 3);
  double sum = 0;
  for (double x : data.toVector())
    sum += x;
  CHECK(history[0]["loss"] == Approx(sum / 20).margin(1e-12));
  CHECK(K::get_value(sums.total).item() == Approx(2 * sum).margin(1e-12));
  CHECK(training::evaluate(sums.step, data, 3)["loss"] == Approx(sum / 20).margin(1e-12));
  CHECK(has(errorOf<K::ValueError>([&] { history[0]["accuracy"]; }),
            "Epoch: no value is named 'accuracy'; there are 'loss', 'learning_rate'"));
}

// The order of rows in each epoch, from what a Dataset is asked for.
static std::vector<std::vector<int64_t>> orders(uint64_t seed, bool shuffle) {
  Sums sums;
  std::vector<std::vector<int64_t>> epochs(1);
  training::Dataset data(5, [&](const std::vector<int64_t> &rows) {
    if (epochs.back().size() == 5)
      epochs.emplace_back();
    epochs.back().insert(epochs.back().end(), rows.begin(), rows.end());
    std::vector<Array> batch;
    batch.push_back(Array::zeros(DType::Float64, {int64_t(rows.size()), 2}));
    return batch;
  });
  training::FitOptions options = silent;
  options.epochs = 3;
  options.batch_size = 2;
  options.seed = seed;
  options.shuffle = shuffle;
  training::fit(sums.step, data, options);
  return epochs;
}

TEST_CASE("rows are shuffled by seed and epoch", "[training]") {
  const Doubles doubles;
  auto first = orders(1, true);
  CHECK(first == orders(1, true));
  CHECK(first != orders(2, true));
  CHECK(first[0] != first[1]);
  const std::vector<int64_t> inOrder = {0, 1, 2, 3, 4};
  for (std::vector<int64_t> epoch : first) {
    std::sort(epoch.begin(), epoch.end());
    CHECK(epoch == inOrder);
  }
  CHECK(orders(1, false)[2] == inOrder);
}

TEST_CASE("fit validates, calls back and ends early", "[training]") {
  const Doubles doubles;
  Sums sums;
  // Its loss falls twice, then rises.
  Tensor count = K::variable(0.0);
  Tensor phase = K::learning_phase().tensor();
  K::Function validate = K::function(
      {sums.x, phase}, {{"loss", K::abs(count - 2.0)}, {"phase", K::cast(phase, "float64")}},
      K::update_add(count, 1.0));
  std::vector<int64_t> seen;
  training::FitOptions options = silent;
  options.epochs = 10;
  options.validate = validate;
  options.validation = wave(0, {3, 2});
  options.callbacks = {training::EarlyStopping("val_loss", {.patience = 1}),
                       [&](const training::Epoch &epoch) {
                         seen.push_back(epoch.number);
                         return true;
                       }};
  training::History history = training::fit(sums.step, wave(0, {3, 2}), options);
  CHECK(seen == std::vector<int64_t>{1, 2, 3, 4, 5});
  CHECK(history.back()["val_loss"] == 2);
  CHECK(history.back()["val_phase"] == 0);
  // The learning phase is an input that the data has nothing for: 1 in training.
  K::Function step = K::function({sums.x, phase}, {{"phase", K::cast(phase, "float64")}});
  CHECK(training::fit(step, wave(0, {3, 2}), silent)[0]["phase"] == 1);
}

TEST_CASE("fit tells of each epoch by a line, or by a bar that moves", "[training]") {
  const Doubles doubles;
  Sums sums;
  std::ostringstream text;
  training::FitOptions options{.epochs = 2, .batch_size = 2, .output = &text};
  training::fit(sums.step, Array::zeros(DType::Float64, {4, 2}), options);
  CHECK(has(text.str(), "epoch 1/2  loss 0  learning_rate 0  2 steps  0"));
  CHECK(has(text.str(), " rows/s\nepoch 2/2  loss 0"));
  CHECK_FALSE(has(text.str(), "\r"));
  text.str("");
  options.progress = training::Progress::Bar;
  training::fit(sums.step, Array::zeros(DType::Float64, {4, 2}), options);
  CHECK(has(text.str(), "\r\033[Kepoch 1/2 [==========>         ] 1/2  loss 0"));
  CHECK(has(text.str(), " rows/s  eta "));
  CHECK(has(text.str(), "[====================] 2/2"));
}

// Names are those of a new process.
struct Trained {
  Trained() {
    K::clear_session();
    net.emplace(layers::Sequential{layers::Dense(2, 8, {.activation = "tanh", .seed = 1}),
                                   layers::Dropout(0.5, {.seed = 2}), layers::BatchNorm(8),
                                   layers::Dense(8, 1, {.seed = 3})});
    Tensor x = K::placeholder({None, 2});
    Tensor loss = K::mean(K::square((*net)(x, true) - K::sum(x, 1, true)));
    adam.emplace(optimizers::CosineDecay(0.1, 20, {.warmup_steps = 3}));
    step = K::function(x, {{"loss", loss}}, adam->minimize(loss, *net));
    predict = K::function(x, (*net)(x, false));
  }

  std::optional<layers::Sequential> net;
  std::optional<optimizers::Adam> adam;
  K::Function step, predict;
};

TEST_CASE("a training that is resumed is one that was not interrupted", "[training]") {
  const keratin::tests::TemporaryFile file;
  const std::string path = file.path + ".safetensors";
  const Array data = wave(0, {20, 2}).astype(DType::Float32);
  training::FitOptions options = silent;
  options.epochs = 4;
  options.batch_size = 8;
  Trained whole;
  training::History all = training::fit(whole.step, data, options);

  options.checkpoint = path;
  options.resume = true; // there is none yet
  options.epochs = 2;
  Trained before;
  CHECK(training::fit(before.step, data, options).size() == 2);
  Trained after;
  options.epochs = 4;
  std::ostringstream text;
  options.progress = training::Progress::Lines;
  options.output = &text;
  training::History rest = training::fit(after.step, data, options);
  CHECK(has(text.str(), path + ": goes on after epoch 2\nepoch 3/4"));
  REQUIRE(rest.size() == 2);
  CHECK(rest[1]["loss"] == all[3]["loss"]);
  const std::vector<Tensor> expected = training::stateOf(whole.step),
                            found = training::stateOf(after.step);
  REQUIRE(found.size() == expected.size());
  CHECK(found.size() == after.step.variables().size() + 1); // dropout's draws
  for (size_t i = 0; i < found.size(); ++i) {
    INFO(expected[i].name());
    checkArray(K::get_value(found[i]), K::get_value(expected[i]));
  }
  // Done, it does nothing more; and its weights are for any function with these variables.
  CHECK(training::fit(after.step, data, options).empty());
  Trained fresh;
  K::load_weights(fresh.predict, path);
  checkArray(fresh.predict({data})[0], whole.predict({data})[0]);
  std::remove(path.c_str());
}

TEST_CASE("a checkpoint may be a set of files", "[training]") {
  const keratin::tests::TemporaryFolder folder;
  training::FitOptions options = silent;
  options.checkpoint = folder / "net.safetensors.index.json";
  options.resume = true;
  const Array data = wave(0, {20, 2}).astype(DType::Float32);
  Trained before;
  training::fit(before.step, data, options);
  Trained after;
  CHECK(training::loadCheckpoint(after.step, options.checkpoint) == 1);
  checkArray(K::get_value(after.step.variables()[0]), K::get_value(before.step.variables()[0]));
  CHECK(training::fit(after.step, data, options).empty());
}

TEST_CASE("fit says what it cannot do", "[training]") {
  const Doubles doubles;
  Sums sums;
  const Array data = wave(0, {4, 2});
  auto check = [](auto &&work, const std::string &part) {
    CHECK(has(errorOf<K::ValueError>(work), part));
  };
  check([&] { training::fit(K::Function(), data); }, "fit: the step is an empty Function; at ");
  check([&] { training::fit(sums.step, training::Dataset()); },
        "fit: the data of the step has no rows");
  check([&] { training::fit(sums.step, data, {.batch_size = 0}); },
        "fit: batch_size is 0; needed at least 1; at ");
  check([&] { training::fit(sums.step, {data, wave(0, {3, 2})}); },
        "Dataset: array 1 has shape (3, 2); needed 4 rows, as array 0 has");
  check([&] { training::fit(sums.step, Array(1.0)); },
        "Dataset: array 0 has shape (); needed rows");
  check([&] { training::fit(K::function(sums.x, {{"y", sums.x}}), data); },
        "fit: the step: 'y' has shape (None, 2); needed scalars");
  check([&] { training::fit(sums.step, data, {.validate = sums.step}); },
        "fit: validate and validation go together; found one of them");
  check([&] { training::fit(sums.step, data, {.resume = true}); },
        "fit: resume needs the path of a checkpoint");
  check([&] { training::fit(sums.step, {data, data}, silent); }, "needed one for each of 1 inputs");
  check([&] { training::stateOf(K::Function()); }, "stateOf: the Function is empty");
  // Of sharded steps rows are divided, and of all inputs alike.
  Tensor y = K::placeholder({"batch", 2}, {.name = "y"}), turned = K::placeholder({2, "batch"});
  const std::vector<keratin::Shard> shard = {{"batch"}};
  check([&] { training::fit(K::function(turned, K::sum(turned), {}, {.shard = shard}), data); },
        "along axis 1; needed parts of its rows, along axis 0");
  Tensor whole = K::placeholder({4, 2}, {.name = "whole"});
  K::Function both = K::function({y, whole}, K::sum(y) + K::sum(whole), {}, {.shard = shard});
  check([&] { training::fit(both, {data, data}, silent); },
        "fit: the step: each rank has a part of the rows of some inputs, and all of 'whole'");
}
