// Searches for label sequences, as api/spec.md 16.3 has them, prefix by prefix.
#include "ir/reference/Evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

using namespace keratin::ir;
using namespace keratin::ir::reference;
using namespace mlir;

namespace {

constexpr double minusInfinity = -std::numeric_limits<double>::infinity();

double logAdd(double a, double b) {
  double high = std::max(a, b), low = std::min(a, b);
  return low == minusInfinity ? high : high + std::log1p(std::exp(low - high));
}

using Prefix = std::vector<int64_t>;

// Log probabilities of ending in a blank, in the last label, and of either.
struct Beliefs {
  double blank, label, total;
  int64_t found; // between equals, who came into the beam first
};

class BeamSearch {
public:
  BeamSearch(int64_t width, int64_t classes) : width(width), blank(classes - 1) {
    beam[{}] = {0, minusInfinity, 0, found++};
  }

  // d: log probabilities of the classes in this frame.
  void step(const std::vector<double> &d) {
    std::map<Prefix, Beliefs> old = beam;
    std::vector<Prefix> order = best();
    for (const Prefix &prefix : order) {
      Beliefs &now = beam[prefix];
      if (!prefix.empty()) {
        Prefix parent(prefix.begin(), prefix.end() - 1);
        if (auto before = old.find(parent); before != old.end()) {
          bool repeats = !parent.empty() && parent.back() == prefix.back();
          now.label = logAdd(now.label, repeats ? before->second.blank : before->second.total);
        }
        now.label += d[prefix.back()];
      }
      now.blank = old[prefix].total + d[blank];
      now.total = logAdd(now.blank, now.label);
    }
    for (const Prefix &prefix : order)
      if (enters(old[prefix].total))
        for (int64_t c = 0; c < blank; ++c)
          extend(prefix, c, d[c], old[prefix]);
  }

  // The best first.
  std::vector<Prefix> best() const {
    std::vector<Prefix> prefixes;
    for (const auto &[prefix, beliefs] : beam)
      prefixes.push_back(prefix);
    std::sort(prefixes.begin(), prefixes.end(), [&](const Prefix &a, const Prefix &b) {
      const Beliefs &x = beam.at(a), &y = beam.at(b);
      return x.total > y.total || (x.total == y.total && x.found < y.found);
    });
    return prefixes;
  }
  double total(const Prefix &prefix) const { return beam.at(prefix).total; }

private:
  bool enters(double total) const {
    return std::isfinite(total) &&
           (int64_t(beam.size()) < width || total > beam.at(best().back()).total);
  }

  void extend(Prefix prefix, int64_t c, double probability, const Beliefs &before) {
    bool repeats = !prefix.empty() && prefix.back() == c;
    double total = probability + (repeats ? before.blank : before.total);
    prefix.push_back(c);
    if (beam.count(prefix) || !enters(total))
      return;
    if (int64_t(beam.size()) == width)
      beam.erase(best().back());
    beam[prefix] = {minusInfinity, total, total, found++};
  }

  int64_t width, blank, found = 0;
  std::map<Prefix, Beliefs> beam;
};

// The frame's logits as log probabilities.
std::vector<double> normalized(const double *logits, int64_t classes) {
  std::vector<double> d(logits, logits + classes);
  double high = *std::max_element(d.begin(), d.end()), sum = 0;
  for (double x : d)
    sum += std::exp(x - high);
  for (double &x : d)
    x -= high + std::log1p(sum - 1);
  return d;
}

} // namespace

LogicalResult CtcBeamSearchOp::evaluate(EvaluationContext &context, Operands operands,
                                        Results results) {
  const HostTensor &logits = *operands[0], &lengths = *operands[1];
  int64_t time = logits.dims[1], classes = logits.dims[2], paths = results[0].dims[1];
  for (int64_t sample = 0; sample < logits.dims[0]; ++sample) {
    int64_t length = lengths.ints[sample];
    if (classes < 1 || length < 0 || length > time)
      return fail(context, "ctc_decode: an input length is outside [0, time]");
    BeamSearch search(getBeamWidth(), classes);
    for (int64_t frame = 0; frame < length; ++frame)
      search.step(normalized(&logits.floats[size_t((sample * time + frame) * classes)], classes));
    std::vector<Prefix> best = search.best();
    if (int64_t(best.size()) < paths)
      return fail(context, "ctc_decode: there are fewer sequences than top_paths");
    for (int64_t path = 0; path < paths; ++path) {
      int64_t place = sample * paths + path;
      const Prefix &prefix = best[path];
      for (int64_t i = 0; i < time; ++i)
        results[0].ints[place * time + i] = i < int64_t(prefix.size()) ? prefix[i] : -1;
      results[1].ints[place] = prefix.size();
      results[2].floats[place] = search.total(prefix);
    }
  }
  return success();
}
