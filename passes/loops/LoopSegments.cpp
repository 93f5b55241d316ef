#include "passes/loops/LoopSegments.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

namespace {

// Loops in loops with the segments that they have so far.
class DividedLoops {
public:
  DividedLoops(std::vector<LoopMemory> given, double bytes)
      : loops(std::move(given)), room(bytes), segments(loops.size()), whole(loops.size()),
        isDone(loops.size(), false) {
    measure();
    for (size_t i = 0; i < loops.size(); ++i)
      unknown += isUnknown(i);
    if (unknown > 0)
      room /= 3;
  }

  // Loops of known length, until all fit or nothing more can be saved; then the others.
  void divideKnown();
  void divideUnknown();
  std::vector<Segments> take() { return std::move(segments); }

private:
  // While a gradient is computed: what stays from the loop until its gradient, and what is there
  // while that does steps again.
  struct Kept {
    double always = 0, again = 0;
    double sum() const { return always + again; }
  };

  // Of those of which nothing is kept nothing is asked either.
  bool isUnknown(size_t i) const { return !loops[i].steps && whole[i].bytes > 0; }
  double measure();
  bool saveMost(size_t outermost);
  bool isInside(size_t loop, size_t other) const;
  LoopMemory withInside(size_t i) const;

  std::vector<LoopMemory> loops;
  double room;
  int64_t unknown = 0;
  std::vector<Segments> segments;
  struct Step {
    double bytes = 0; // with what loops inside keep
    Kept kept;
  };
  std::vector<Step> whole;
  std::vector<bool> isDone;
  int64_t triesLeft = 4096; // each takes time in the number of loops
};

} // namespace

bool DividedLoops::isInside(size_t loop, size_t other) const {
  while (loop != other && loops[loop].around >= 0)
    loop = size_t(loops[loop].around);
  return loop == other;
}

// The loop as if it had none inside.
LoopMemory DividedLoops::withInside(size_t i) const {
  LoopMemory loop = loops[i];
  loop.stepBytes = int64_t(std::min(whole[i].bytes, 0x1p62));
  return loop;
}

// What all keep. Loops are differentiated one after the other.
double DividedLoops::measure() {
  double always = 0, again = 0;
  for (size_t i = 0; i < loops.size(); ++i)
    whole[i] = {double(loops[i].stepBytes), {}};
  for (size_t i = 0; i < loops.size(); ++i) {
    Step &step = whole[i];
    int64_t steps = loops[i].steps.value_or(kLeastUnknownSegment);
    if (!loops[i].steps) {
      step.kept.again += double(steps) * step.bytes;
    } else if (segments[i].empty()) {
      step.kept.always = double(steps) * step.bytes;
    } else {
      step.kept.always = double(steps / segments[i].front()) * double(loops[i].stateBytes);
      step.kept.again += bytesKept(withInside(i), segments[i]) - step.kept.always;
    }
    if (int64_t around = loops[i].around; around >= 0) {
      whole[around].bytes += step.kept.always;
      whole[around].kept.again = std::max(whole[around].kept.again, step.kept.again);
    } else {
      always += step.kept.always;
      again = std::max(again, step.kept.again);
    }
  }
  return always + again;
}

// Divides the loop or one inside once more, whichever saves most. False if nothing is saved.
bool DividedLoops::saveMost(size_t outermost) {
  double before = whole[outermost].kept.sum(), least = before;
  std::optional<size_t> best;
  Segments chosen;
  for (size_t i = 0; i <= outermost; ++i) {
    if (!loops[i].steps || segments[i].size() >= kMostLevels || !isInside(i, outermost) ||
        --triesLeft < 0)
      continue;
    Segments more = divide(withInside(i), unsigned(segments[i].size()) + 1);
    if (more.size() <= segments[i].size())
      continue;
    std::swap(segments[i], more);
    measure();
    if (whole[outermost].kept.sum() < least) {
      least = whole[outermost].kept.sum();
      best = i;
      chosen = segments[i];
    }
    std::swap(segments[i], more);
    measure();
  }
  if (best)
    segments[*best] = std::move(chosen);
  return best.has_value();
}

void DividedLoops::divideKnown() {
  while (measure() > room) {
    std::optional<size_t> largest;
    for (size_t i = 0; i < loops.size(); ++i)
      if (loops[i].around < 0 && !isDone[i] &&
          (!largest || whole[i].kept.sum() > whole[*largest].kept.sum()))
        largest = i;
    if (!largest)
      return;
    isDone[*largest] = !saveMost(*largest);
  }
}

void DividedLoops::divideUnknown() {
  measure();
  for (size_t i = 0; i < loops.size(); ++i)
    if (isUnknown(i)) {
      double most = std::min(room / double(unknown) / whole[i].bytes, 0x1p62);
      segments[i] = {std::max(int64_t(most), kLeastUnknownSegment)};
    }
}

std::vector<Segments> keratin::passes::divideWithin(std::vector<LoopMemory> loops, int64_t bytes) {
  DividedLoops divided(std::move(loops), double(bytes));
  divided.divideKnown();
  divided.divideUnknown();
  return divided.take();
}
