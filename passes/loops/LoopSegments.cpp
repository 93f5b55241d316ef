#include "passes/loops/LoopSegments.h"

#include <algorithm>
#include <cmath>

using namespace keratin::passes;

namespace {

// Four runs of a loop in place of one keep about T^(1/4) steps: six of a thousand, ten of ten
// thousand. Nobody waits for more.
constexpr unsigned kMostLevels = 3;
// A division is worth a run of the loop if what is kept falls to this part.
constexpr double kWorthwhile = 0.75;
// Shorter segments cost more in calls and code than their states are worth.
constexpr int64_t kLeastUnknownSegment = 8;

} // namespace

double keratin::passes::bytesKept(const LoopMemory &loop, const Segments &segments) {
  double bytes = 0;
  int64_t steps = *loop.steps;
  for (int64_t segment : segments) {
    bytes += double(steps / segment) * double(loop.stateBytes);
    steps = segment;
  }
  return bytes + double(steps) * double(loop.stepBytes);
}

// A length near the best one, which divides the steps if there is such a one.
static int64_t roundSegment(int64_t steps, double best) {
  int64_t rounded = std::clamp<int64_t>(std::llround(best), 1, std::max<int64_t>(steps / 2, 1));
  // What is kept grows by an eighth at a distance of 1.6 from the best length.
  constexpr double farthest = 1.6;
  int64_t found = rounded;
  double nearest = farthest;
  for (int64_t length = std::max<int64_t>(1, int64_t(best / farthest));
       length <= steps / 2 && double(length) <= best * farthest; ++length) {
    double distance = std::max(double(length) / best, best / double(length));
    if (steps % length == 0 && distance < nearest) {
      nearest = distance;
      found = length;
    }
  }
  return found;
}

static Segments divideExactly(const LoopMemory &loop, unsigned levels) {
  Segments segments;
  int64_t steps = *loop.steps;
  // With L levels of m segments each, s*m of each and b*k in the last are equal where least is
  // kept.
  double state = std::max<double>(loop.stateBytes, 1), step = std::max<double>(loop.stepBytes, 1);
  for (unsigned left = levels; left > 0 && steps > 3; --left) {
    double share = std::pow(std::pow(state, left) * step * double(steps), 1.0 / (left + 1));
    double count = std::max(share / state, 2.0);
    segments.push_back(roundSegment(steps, std::max(double(steps) / count, 1.0)));
    steps = segments.back();
  }
  return segments;
}

Segments keratin::passes::divide(const LoopMemory &loop, unsigned levels) {
  Segments best;
  for (unsigned level = 1; level <= levels; ++level) {
    Segments more = divideExactly(loop, level);
    if (more.size() < level || bytesKept(loop, more) > kWorthwhile * bytesKept(loop, best))
      break;
    best = std::move(more);
  }
  return best;
}

std::vector<Segments> keratin::passes::divideWithin(const std::vector<LoopMemory> &loops,
                                                    int64_t bytes) {
  std::vector<Segments> result(loops.size());
  int64_t unknown =
      std::count_if(loops.begin(), loops.end(), [](const LoopMemory &loop) { return !loop.steps; });
  double room = double(bytes);
  if (unknown > 0)
    room /= 3;
  for (size_t i = 0; i < loops.size(); ++i)
    if (!loops[i].steps) {
      double most = room / double(unknown) / double(std::max<int64_t>(loops[i].stepBytes, 1));
      result[i] = {std::max<int64_t>(int64_t(most), kLeastUnknownSegment)};
    }

  std::vector<bool> isDone(loops.size(), false);
  for (;;) {
    double sum = 0, most = 0;
    size_t largest = loops.size();
    for (size_t i = 0; i < loops.size(); ++i) {
      if (!loops[i].steps)
        continue;
      double kept = bytesKept(loops[i], result[i]);
      sum += kept;
      if (!isDone[i] && kept > most) {
        most = kept;
        largest = i;
      }
    }
    if (sum <= room || largest == loops.size())
      return result;
    Segments more = divide(loops[largest], unsigned(result[largest].size()) + 1);
    isDone[largest] = more.size() <= result[largest].size() || more.size() == kMostLevels;
    result[largest] = std::move(more);
  }
}
