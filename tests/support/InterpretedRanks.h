// Several ranks of the reference interpreter in one process, each a thread.
#ifndef KERATIN_TESTS_SUPPORT_INTERPRETEDRANKS_H
#define KERATIN_TESTS_SUPPORT_INTERPRETEDRANKS_H

#include "ir/dialect/Keratin.h"
#include "ir/reference/EvaluationContext.h"
#include "ir/reference/HostTensor.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace keratin::tests {

// What ranks do together: the last that comes does it.
class InterpretedRanks {
public:
  explicit InterpretedRanks(int size) : tensors(size) {}

  class Rank : public ir::RankExchange {
  public:
    Rank(InterpretedRanks &all, int number) : all(all), number(number) {}
    bool reduce(int64_t reduction, ir::HostTensor &tensor) override {
      return all.meet(number, tensor, [&] { return all.combine(ir::RankReduction(reduction)); });
    }
    bool gather(ir::HostTensor &tensor) override {
      return all.meet(number, tensor, [&] { return all.gather(); });
    }

  private:
    InterpretedRanks &all;
    int number;
  };

private:
  template <typename Work> bool meet(int rank, ir::HostTensor &tensor, Work work) {
    std::unique_lock lock(mutex);
    tensors[rank] = &tensor;
    const int64_t mine = round;
    if (++arrived == int(tensors.size())) {
      isGood &= work();
      arrived = 0;
      ++round;
      changed.notify_all();
    }
    // A rank that has failed does not come.
    return changed.wait_for(lock, std::chrono::seconds(20), [&] { return round > mine; }) && isGood;
  }

  bool combine(ir::RankReduction reduction) {
    if (reduction == ir::RankReduction::Before)
      return addBefore();
    ir::HostTensor result = *tensors[0];
    for (size_t rank = 1; rank < tensors.size(); ++rank) {
      const ir::HostTensor &other = *tensors[rank];
      if (other.dims != result.dims || other.dtype != result.dtype)
        return false;
      auto isLess = [&](auto a, auto b) {
        return result.dtype == KERATIN_DTYPE_UINT64 ? uint64_t(a) < uint64_t(b) : a < b;
      };
      auto fold = [&](auto &into, const auto &from) {
        for (size_t i = 0; i < into.size(); ++i)
          into[i] = reduction == ir::RankReduction::Sum   ? into[i] + from[i]
                    : into[i] != into[i]                  ? into[i] // NaN stays
                    : from[i] != from[i]                  ? from[i]
                    : reduction == ir::RankReduction::Max ? std::max(into[i], from[i], isLess)
                                                          : std::min(into[i], from[i], isLess);
      };
      fold(result.floats, other.floats);
      fold(result.ints, other.ints);
    }
    for (ir::HostTensor *tensor : tensors)
      *tensor = result;
    return true;
  }

  bool gather() {
    ir::HostTensor whole = *tensors[0];
    for (size_t rank = 1; rank < tensors.size(); ++rank) {
      const ir::HostTensor &other = *tensors[rank];
      if (other.dtype != whole.dtype || other.dims.size() != whole.dims.size() ||
          !std::equal(other.dims.begin() + 1, other.dims.end(), whole.dims.begin() + 1))
        return false;
      whole.dims[0] += other.dims[0];
      whole.floats.insert(whole.floats.end(), other.floats.begin(), other.floats.end());
      whole.ints.insert(whole.ints.end(), other.ints.begin(), other.ints.end());
    }
    for (ir::HostTensor *tensor : tensors)
      *tensor = whole;
    return true;
  }

  // Each gets the sum of those before.
  bool addBefore() {
    ir::HostTensor sum = *tensors[0];
    for (double &element : sum.floats)
      element = 0;
    for (int64_t &element : sum.ints)
      element = 0;
    for (ir::HostTensor *tensor : tensors) {
      if (tensor->dims != sum.dims)
        return false;
      ir::HostTensor own = *tensor;
      *tensor = sum;
      for (size_t i = 0; i < sum.floats.size(); ++i)
        sum.floats[i] += own.floats[i];
      for (size_t i = 0; i < sum.ints.size(); ++i)
        sum.ints[i] += own.ints[i];
    }
    return true;
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<ir::HostTensor *> tensors;
  int arrived = 0;
  int64_t round = 0;
  bool isGood = true;
};

} // namespace keratin::tests

#endif // KERATIN_TESTS_SUPPORT_INTERPRETEDRANKS_H
