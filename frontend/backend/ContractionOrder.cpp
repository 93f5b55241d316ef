#include "frontend/backend/ContractionOrder.h"

#include <algorithm>
#include <iterator>
#include <limits>

using namespace keratin::frontend;

using Labels = std::set<Label>;
using PairSteps = std::vector<std::pair<size_t, size_t>>;

namespace {

constexpr size_t mostForAllOrders = 8;

class Ordering {
public:
  Ordering(const std::vector<Labels> &operands, const Labels &result,
           const std::map<Label, double> &sizes)
      : result(result), sizes(sizes), made(operands) {
    for (size_t i = 0; i < operands.size(); ++i)
      open.push_back(i);
  }

  PairSteps run() {
    while (open.size() > mostForAllOrders)
      joinCheapest();
    findBest();
    return steps;
  }

private:
  void joinCheapest();
  void findBest();
  size_t emit(size_t subset);
  size_t join(size_t a, size_t b);

  // Of a product of those of `open` that are inside, once it is summed as far as it can be.
  template <typename F> Labels kept(F isInside) const;
  double multiplications(const Labels &a, const Labels &b) const {
    double count = 1;
    for (const auto &[label, size] : sizes)
      if (a.count(label) || b.count(label))
        count *= size;
    return count;
  }

  const Labels &result;
  const std::map<Label, double> &sizes;
  std::vector<Labels> made;  // operands, then results of steps
  std::vector<size_t> open;  // numbers of what is not yet in a product
  std::vector<size_t> split; // of each subset of `open`: the part that is one side of the last step
  PairSteps steps;
};

template <typename F> Labels Ordering::kept(F isInside) const {
  Labels inside, outside = result;
  for (size_t i = 0; i < open.size(); ++i)
    (isInside(i) ? inside : outside).insert(made[open[i]].begin(), made[open[i]].end());
  Labels both;
  std::set_intersection(inside.begin(), inside.end(), outside.begin(), outside.end(),
                        std::inserter(both, both.end()));
  return both;
}

size_t Ordering::join(size_t a, size_t b) {
  steps.push_back({std::min(a, b), std::max(a, b)});
  return made.size();
}

void Ordering::joinCheapest() {
  size_t first = 0, second = 1;
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < open.size(); ++i)
    for (size_t j = i + 1; j < open.size(); ++j)
      if (double cost = multiplications(made[open[i]], made[open[j]]); cost < least) {
        least = cost;
        first = i;
        second = j;
      }
  Labels labels = kept([&](size_t i) { return i == first || i == second; });
  size_t number = join(open[first], open[second]);
  made.push_back(labels);
  open[first] = number;
  open.erase(open.begin() + ptrdiff_t(second));
}

// The best way to a subset is the best ways to two parts of it, and one more step.
void Ordering::findBest() {
  size_t all = (size_t(1) << open.size()) - 1;
  std::vector<double> cost(all + 1, 0);
  std::vector<Labels> labels(all + 1);
  split.assign(all + 1, 0);
  for (size_t subset = 1; subset <= all; ++subset) {
    bool isSingle = (subset & (subset - 1)) == 0;
    if (isSingle) {
      for (size_t i = 0; i < open.size(); ++i)
        if (subset >> i & 1)
          labels[subset] = made[open[i]];
      continue;
    }
    labels[subset] = kept([&](size_t i) { return subset >> i & 1; });
    cost[subset] = std::numeric_limits<double>::infinity();
    for (size_t part = (subset - 1) & subset; part > 0; part = (part - 1) & subset) {
      size_t rest = subset ^ part;
      if (part < rest)
        continue;
      double whole = cost[part] + cost[rest] + multiplications(labels[part], labels[rest]);
      if (!split[subset] || whole < cost[subset]) {
        cost[subset] = whole;
        split[subset] = part;
      }
    }
  }
  if (open.size() > 1)
    emit(all);
}

size_t Ordering::emit(size_t subset) {
  if (!split[subset]) {
    size_t i = 0;
    while (!(subset >> i & 1))
      ++i;
    return open[i];
  }
  size_t part = split[subset];
  size_t b = emit(part), a = emit(subset ^ part);
  size_t number = join(a, b);
  made.push_back({});
  return number;
}

} // namespace

PairSteps keratin::frontend::contractionOrder(const std::vector<Labels> &operands,
                                              const Labels &result,
                                              const std::map<Label, double> &sizes) {
  return Ordering(operands, result, sizes).run();
}
