// What a training shows while it runs.
#include "frontend/training/ProgressLine.h"

#include <cmath>
#include <cstdio>
#include <iostream>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace keratin;
using namespace keratin::training;

template <typename... Values> static std::string format(const char *pattern, Values... values) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

// "  loss 0.1234  accuracy 0.98"
static std::string textOf(const Epoch &epoch) {
  std::string text;
  for (const auto &[name, value] : epoch.values)
    text += "  " + name + format(" %.4g", value);
  return text;
}

static std::string duration(double seconds) {
  const auto whole = int64_t(std::ceil(seconds));
  return whole < 60     ? format("%lld s", (long long)whole)
         : whole < 3600 ? format("%lld:%02lld", (long long)(whole / 60), (long long)(whole % 60))
                        : format("%lld:%02lld:%02lld", (long long)(whole / 3600),
                                 (long long)(whole / 60 % 60), (long long)(whole % 60));
}

ProgressLine::ProgressLine(Progress progress, std::ostream *output, int64_t epochs, int64_t rows,
                           int64_t batchSize)
    : progress(progress), output(output ? *output : std::cout), epochs(epochs), rows(rows),
      steps((rows + batchSize - 1) / batchSize) {
  const bool isTerminal = !output && isatty(STDOUT_FILENO);
  if (progress == Progress::Auto)
    this->progress = isTerminal ? Progress::Bar : Progress::Lines;
  winsize size{};
  if (isTerminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
    width = size.ws_col;
}

std::string ProgressLine::head(const Epoch &epoch) const {
  const int digits = int(std::to_string(epochs).size());
  return format("epoch %*lld/%lld", digits, (long long)epoch.number, (long long)epochs);
}

void ProgressLine::resume(int64_t epoch, const std::string &path) {
  if (progress != Progress::Silent)
    output << path << ": goes on after epoch " << epoch << std::endl;
}

void ProgressLine::show(const Epoch &soFar, int64_t rowsDone) {
  if (progress != Progress::Bar)
    return;
  // Often enough for the eye; the first step of an epoch, too, may be long.
  if (soFar.steps > 1 && rowsDone < rows && soFar.seconds - shownAt < 0.05)
    return;
  shownAt = rowsDone < rows ? soFar.seconds : 0;
  const size_t length = 20, done = size_t(int64_t(length) * rowsDone / rows);
  std::string bar(length, ' ');
  std::fill_n(bar.begin(), done, '=');
  if (done < length)
    bar[done] = '>';
  std::string text = head(soFar) + " [" + bar + "] " + std::to_string(soFar.steps) + "/" +
                     std::to_string(steps) + textOf(soFar) +
                     format("  %.0f rows/s", double(rowsDone) / soFar.seconds) + "  eta " +
                     duration(soFar.seconds * double(rows - rowsDone) / double(rowsDone));
  if (width > 1 && text.size() >= width) // a line that breaks could not be written over
    text.resize(width - 1);
  output << "\r\033[K" << text << std::flush;
}

void ProgressLine::finish(const Epoch &epoch) {
  if (progress == Progress::Silent)
    return;
  if (progress == Progress::Bar)
    output << "\r\033[K";
  output << head(epoch) << textOf(epoch) << format("  %lld steps", (long long)epoch.steps)
         << format("  %.2f s", epoch.seconds)
         << format("  %.0f rows/s", double(rows) / epoch.seconds) << std::endl;
}
