// The training loop.
#include "keratin/training.h"

#include "frontend/training/ProgressLine.h"
#include "frontend/training/TrainingRanks.h"
#include "frontend/values/ValueError.h"
#include "keratin/distributed.h"

#include "compiler/arrays/SafetensorsSet.h"

#include <algorithm>
#include <filesystem>
#include <numeric>

using namespace keratin;
using namespace keratin::training;
namespace K = keratin::backend;

//===-- Epochs --------------------------------------------------------------------------------===//

double Epoch::operator[](const std::string &name) const {
  std::string names;
  for (const auto &[known, value] : values) {
    if (known == name)
      return value;
    names += (names.empty() ? "'" : ", '") + known + "'";
  }
  throw ValueError("Epoch: no value is named '" + name + "'; there are " +
                   (names.empty() ? "none" : names));
}

EarlyStopping::EarlyStopping(std::string monitor, EarlyStoppingOptions options)
    : monitor(std::move(monitor)), options(options) {}

bool EarlyStopping::operator()(const Epoch &epoch) {
  const double value = epoch[monitor];
  if (!least || value < *least - options.min_delta) {
    least = value;
    waited = 0;
    return true;
  }
  return ++waited <= options.patience;
}

//===-- Calls on batches ----------------------------------------------------------------------===//

namespace {

// A function with scalar outputs, called on batches.
class Batches {
public:
  Batches(const char *caller, const char *what, const Function &function, const Dataset &data,
          int64_t batchSize, bool isTraining, SourceLocation location);

  // Calls it on the rows in this order. After each call what has come out so far stands in the
  // epoch, which `show` sees.
  template <typename Show>
  void run(const std::vector<int64_t> &rows, Epoch &epoch, const Show &show);

  int64_t rows() const { return count; }

private:
  void take(const std::vector<int64_t> &rows);
  void addPhase();

  const Function &function;
  const Dataset &data;
  const int64_t batchSize;
  const bool isTraining;
  RowParts parts;
  int64_t count = 0;
  std::vector<std::string> names;
  std::vector<Array> batch, results;
};

} // namespace

Batches::Batches(const char *caller, const char *what, const Function &function,
                 const Dataset &data, int64_t batchSize, bool isTraining, SourceLocation location)
    : function(function), data(data), batchSize(batchSize), isTraining(isTraining) {
  if (function.isEmpty())
    frontend::valueError(std::string(caller) + ": " + what + " is an empty Function", location);
  if (batchSize < 1)
    frontend::valueError(std::string(caller) + ": batch_size is " + std::to_string(batchSize) +
                             "; needed at least 1",
                         location);
  count = data.size();
  if (count < 1)
    frontend::valueError(std::string(caller) + ": the data of " + what + " has no rows", location);
  for (size_t i = 0; i < function.outputs().size(); ++i) {
    const std::string &given = function.outputNames()[i];
    names.push_back(given.empty() ? "output " + std::to_string(i) : given);
    if (function.outputs()[i].ndim() != 0)
      frontend::valueError(std::string(caller) + ": " + what + ": '" + names.back() +
                               "' has shape " + toString(function.outputs()[i].shape()) +
                               "; needed scalars",
                           location);
  }
  parts = RowParts::of(function, caller, what, location);
}

// Fills the batch with those of the rows that this rank feeds. Where it cannot, the others do not
// wait for it.
void Batches::take(const std::vector<int64_t> &rows) {
  try {
    data.take(partOf(rows, parts.index, parts.count), batch);
  } catch (const std::exception &failure) {
    function.refuse(failure.what());
    throw;
  }
  addPhase();
}

// An input for the learning phase has no array in the data.
void Batches::addPhase() {
  const std::vector<Tensor> &inputs = function.inputs();
  if (batch.size() >= inputs.size())
    return;
  const Operand phase = K::learning_phase();
  for (size_t i = 0; i < inputs.size() && i <= batch.size(); ++i)
    if (phase.isTensor() && K::is_same(inputs[i], phase.tensor()))
      batch.insert(batch.begin() + int64_t(i), Array(int32_t(isTraining)));
}

template <typename Show>
void Batches::run(const std::vector<int64_t> &rows, Epoch &epoch, const Show &show) {
  const Stopwatch whole;
  std::vector<double> sums(names.size());
  const size_t first = epoch.values.size();
  for (const std::string &name : names)
    epoch.values.emplace_back(name, 0.0);
  std::vector<int64_t> chosen;
  for (size_t at = 0; at < rows.size(); at += chosen.size()) {
    const size_t end = std::min(rows.size(), at + size_t(batchSize));
    chosen.assign(rows.begin() + int64_t(at), rows.begin() + int64_t(end));
    take(chosen);
    const Stopwatch call;
    function.call(batch.data(), batch.size(), results);
    epoch.stepSeconds += call.seconds();
    ++epoch.steps;
    for (size_t i = 0; i < names.size(); ++i) {
      const double value = results[i].item();
      sums[i] += value * double(chosen.size());
      epoch.values[first + i].second = names[i] == "learning_rate" ? value : sums[i] / double(end);
    }
    epoch.seconds = whole.seconds();
    show(int64_t(end));
  }
}

static std::vector<int64_t> allRows(int64_t count) {
  std::vector<int64_t> rows(static_cast<size_t>(count));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

// Fisher and Yates's shuffle by numbers that follow from the seed and the epoch (Steele, Lea and
// Flood, Fast splittable pseudorandom number generators, OOPSLA 2014): the same everywhere, and for
// an epoch whatever was before it.
static std::vector<int64_t> shuffledRows(int64_t count, uint64_t seed, int64_t epoch) {
  auto mix = [](uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  };
  uint64_t state = mix(seed) + mix(~uint64_t(epoch));
  std::vector<int64_t> rows = allRows(count);
  for (size_t left = rows.size(); left > 1; --left) {
    const uint64_t number = mix(state += 0x9e3779b97f4a7c15);
    const auto place = size_t((static_cast<unsigned __int128>(number) * left) >> 64);
    std::swap(rows[left - 1], rows[place]);
  }
  return rows;
}

//===-- The loop ------------------------------------------------------------------------------===//

Epoch training::evaluate(const Function &f, const Dataset &data, int64_t batch_size,
                         SourceLocation location) {
  Batches batches("evaluate", "the function", f, data, batch_size, /*isTraining=*/false, location);
  Epoch result;
  batches.run(allRows(batches.rows()), result, [](int64_t) {});
  return result;
}

static void checkOptions(const FitOptions &options, const TrainingRanks &ranks,
                         SourceLocation location) {
  if (options.validate.isEmpty() != (options.validation.size() == 0))
    frontend::valueError("fit: validate and validation go together; found one of them", location);
  if (options.resume && options.checkpoint.empty())
    frontend::valueError("fit: resume needs the path of a checkpoint", location);
  if (ranks.areSeveral() && !options.checkpoint.empty() &&
      !compiler::isSafetensorsIndex(options.checkpoint))
    frontend::valueError("fit: the checkpoint of several ranks is '" + options.checkpoint +
                             "'; needed a set of files, .safetensors.index.json",
                         location);
}

// Rank 0 says whether there is one to go on from.
static int64_t resume(const TrainingRanks &ranks, const Function &step, const FitOptions &options,
                      SourceLocation location) {
  if (!options.resume || !ranks.ofFirst(std::filesystem::exists(options.checkpoint)))
    return 0;
  return loadCheckpoint(step, options.checkpoint, location);
}

History training::fit(const Function &step, const Dataset &data, const FitOptions &options,
                      SourceLocation location) {
  const TrainingRanks ranks(step, location);
  Batches batches = ranks.alone([&] {
    checkOptions(options, ranks, location);
    return Batches("fit", "the step", step, data, options.batch_size, /*isTraining=*/true,
                   location);
  });
  ranks.compare({{"rows", batches.rows()},
                 {"epochs", options.epochs},
                 {"rows to validate", options.validation.size()},
                 {"batch_size", options.batch_size},
                 {"seed", int64_t(options.seed)}});
  if (ranks.areSeveral())
    K::distributed::broadcast(stateOf(step), 0, location);
  ProgressLine line(ranks.isFirst() ? options.progress : Progress::Silent, options.output,
                    options.epochs, batches.rows(), options.batch_size);
  int64_t done = resume(ranks, step, options, location);
  if (done)
    line.resume(done, options.checkpoint);
  History history;
  while (done < options.epochs) {
    Epoch epoch;
    epoch.number = ++done;
    batches.run(options.shuffle ? shuffledRows(batches.rows(), options.seed, epoch.number)
                                : allRows(batches.rows()),
                epoch, [&](int64_t rows) { line.show(epoch, rows); });
    if (!options.validate.isEmpty())
      for (auto &[name, value] :
           evaluate(options.validate, options.validation, options.batch_size, location).values)
        epoch.values.emplace_back("val_" + name, value);
    line.finish(epoch);
    if (!options.checkpoint.empty())
      saveCheckpoint(step, options.checkpoint, done, location);
    history.push_back(std::move(epoch));
    const bool goesOn = ranks.alone([&] {
      bool all = true;
      for (const Callback &callback : options.callbacks)
        all &= callback(history.back());
      return all;
    });
    if (!ranks.ofAll(goesOn))
      break;
  }
  return history;
}
