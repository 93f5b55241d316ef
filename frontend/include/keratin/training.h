// The training loop: epochs of shuffled batches, what they came to, checkpoints.
//
//   training::History history = training::fit(step, {images, labels}, {.epochs = 30});
#ifndef KERATIN_TRAINING_H
#define KERATIN_TRAINING_H

#include "keratin/backend.h"

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace keratin::training {

// Rows that are fed together: arrays with as many rows (along axis 0) each, or what a function
// makes of the numbers of rows, for data that is read or made when it is needed.
class Dataset {
public:
  using Maker = std::function<std::vector<Array>(const std::vector<int64_t> &rows)>;

  Dataset() = default;
  Dataset(std::vector<Array> columns) {
    for (Array &array : columns)
      add(std::move(array));
  }
  // A template, so that arrays which are moved are not copied.
  template <typename... T,
            typename = std::enable_if_t<(sizeof...(T) > 0 &&
                                         (std::is_same_v<std::decay_t<T>, Array> && ...))>>
  Dataset(T &&...columns) {
    (add(std::forward<T>(columns)), ...);
  }
  Dataset(int64_t rows, Maker make) : count(rows), maker(std::move(make)) {}

  // The number of rows. ValueError unless all arrays have it.
  int64_t size() const;
  // One array for each input; the memory of those of `batch` is used again.
  void take(const std::vector<int64_t> &rows, std::vector<Array> &batch) const;

private:
  void add(Array array);

  int64_t count = 0;
  std::vector<Array> arrays;
  Maker maker;
};

// What an epoch came to.
struct Epoch {
  int64_t number = 0; // from 1
  int64_t steps = 0;
  double seconds = 0;     // in all
  double stepSeconds = 0; // in calls of the step
  // The means over the rows of the step's outputs, of one named "learning_rate" the last value;
  // then of those of the validation, as "val_loss".
  std::vector<std::pair<std::string, double>> values;

  // ValueError, which lists the names that there are, for any other.
  double operator[](const std::string &name) const;
};
using History = std::vector<Epoch>;

// Called after each epoch; false ends the training.
using Callback = std::function<bool(const Epoch &)>;

struct EarlyStoppingOptions {
  double min_delta = 0;
  int64_t patience = 0;
};
// A callback: ends when `monitor` has not fallen by more than min_delta below its least for more
// than `patience` epochs.
class EarlyStopping {
public:
  explicit EarlyStopping(std::string monitor = "val_loss", EarlyStoppingOptions options = {});
  bool operator()(const Epoch &epoch);

private:
  std::string monitor;
  EarlyStoppingOptions options;
  std::optional<double> least = None;
  int64_t waited = 0;
};

// What is shown: a bar that moves (epoch, step, means so far, rows a second, time that is left), a
// line an epoch, or nothing. Auto: the bar where the output is a terminal, else lines.
enum class Progress { Auto, Bar, Lines, Silent };

struct FitOptions {
  int64_t epochs = 1;
  int64_t batch_size = 32;
  bool shuffle = true;
  // Of the order of rows, which follows from the seed and the epoch's number.
  uint64_t seed = 0;
  // Called on batches of the validation's rows after each epoch.
  Function validate = {};
  Dataset validation = {};
  std::vector<Callback> callbacks = {};
  // Written after each epoch: the state of the step (stateOf) and the number of epochs done. Of
  // several ranks a set of files (K::distributed::saveCheckpoint),
  // "run/net.safetensors.index.json".
  std::string checkpoint = "";
  // Begin where the checkpoint stands, if it is there: the results are those of a training that was
  // never interrupted, bit by bit.
  bool resume = false;
  Progress progress = Progress::Auto;
  std::ostream *output = nullptr; // null: standard output
};

// Calls the step on all rows of the data, epoch by epoch; the last batch has what is left. The step
// has an input for each array, and scalars as outputs. Returns an entry for each epoch done.
// Where a size of the step is sharded (FunctionOptions::shard) all ranks of the job call it, with
// the same data and options: each feeds its part of the rows of every batch, all begin with rank
// 0's values, rank 0 shows the progress, and what ends the training on one ends it on all.
// ValueError where only some inputs are in parts, or not along their rows; RankError where ranks
// are given other numbers of rows, or another rank fails.
History fit(const Function &step, const Dataset &data, const FitOptions &options = {},
            SourceLocation location = SourceLocation::current());

// The means over the rows of the scalar outputs of f. The epoch's number is 0. Sharded as in fit.
Epoch evaluate(const Function &f, const Dataset &data, int64_t batch_size = 32,
               SourceLocation location = SourceLocation::current());

// All that calls of the step change and read beside inputs and outputs: its variables
// (Function::variables), and what its random functions count their draws with.
std::vector<Tensor> stateOf(const Function &step);
// A file of K::save_weights with that state and the number of epochs; K::load_weights(predict,
// path) takes the weights from it. "….safetensors.index.json": a set of them, by all ranks.
void saveCheckpoint(const Function &step, const std::string &path, int64_t epochs,
                    SourceLocation location = SourceLocation::current());
// Returns the number of epochs.
int64_t loadCheckpoint(const Function &step, const std::string &path,
                       SourceLocation location = SourceLocation::current());

} // namespace keratin::training

#endif // KERATIN_TRAINING_H
