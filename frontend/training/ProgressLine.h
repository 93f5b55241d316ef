// What a training shows while it runs.
#ifndef KERATIN_FRONTEND_TRAINING_PROGRESSLINE_H
#define KERATIN_FRONTEND_TRAINING_PROGRESSLINE_H

#include "keratin/training.h"

#include <chrono>

namespace keratin::training {

// Steady time since it was made.
class Stopwatch {
public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

private:
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

class ProgressLine {
public:
  ProgressLine(Progress progress, std::ostream *output, int64_t epochs, int64_t rows,
               int64_t batchSize);

  // That the training goes on behind an epoch.
  void resume(int64_t epoch, const std::string &path);
  // After a step: the bar, where one is due.
  void show(const Epoch &soFar, int64_t rowsDone);
  // After an epoch: its line, in the place of the bar.
  void finish(const Epoch &epoch);

private:
  std::string head(const Epoch &epoch) const;

  Progress progress;
  std::ostream &output;
  const int64_t epochs, rows, steps;
  size_t width = 0; // of the terminal; 0: not known
  double shownAt = 0;
};

} // namespace keratin::training

#endif // KERATIN_FRONTEND_TRAINING_PROGRESSLINE_H
