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
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace keratin::tests {

// The axes of a mesh, and how many ranks there are along each; none: they are in no mesh.
using Mesh = std::vector<std::pair<std::string, int32_t>>;

// What ranks do together: the last that comes does it.
class InterpretedRanks {
public:
  explicit InterpretedRanks(int size, Mesh mesh = {}) : mesh(std::move(mesh)), tensors(size) {}

  class Rank : public ir::RankExchange {
  public:
    Rank(InterpretedRanks &all, int number) : all(all), number(number) {}
    bool reduce(std::string_view axis, int64_t reduction, ir::HostTensor &tensor) override {
      return all.meet(number, axis, tensor, [&](const Tensors &tensors) {
        return combine(tensors, ir::RankReduction(reduction));
      });
    }
    bool gather(std::string_view axis, ir::HostTensor &tensor) override {
      return all.meet(number, axis, tensor, joinRows);
    }
    std::optional<int64_t> rank(std::string_view axis) override {
      if (axis.empty())
        return number;
      const Line line = all.lineOf(axis);
      if (line.count == 0)
        return std::nullopt;
      return int64_t(size_t(number) / line.stride % line.count);
    }

  private:
    InterpretedRanks &all;
    int number;
  };

private:
  using Tensors = std::vector<ir::HostTensor *>;

  template <typename Work>
  bool meet(int rank, std::string_view axis, ir::HostTensor &tensor, Work work) {
    std::unique_lock lock(mutex);
    tensors[rank] = &tensor;
    const int64_t mine = round;
    if (++arrived == int(tensors.size())) {
      for (const Tensors &members : alongAxis(axis))
        isGood &= work(members);
      arrived = 0;
      ++round;
      changed.notify_all();
    }
    // A rank that has failed does not come.
    return changed.wait_for(lock, std::chrono::seconds(20), [&] { return round > mine; }) && isGood;
  }

  // How many ranks there are along an axis, 0 where the mesh has none such, and how far apart.
  struct Line {
    size_t count = 0, stride = 1;
  };
  Line lineOf(std::string_view axis) const {
    Line line;
    for (auto each = mesh.rbegin(); each != mesh.rend() && !line.count; ++each)
      if (each->first == axis)
        line.count = size_t(each->second);
      else
        line.stride *= size_t(each->second);
    return line;
  }

  // Of those that meet along the axis, the ones of each line.
  std::vector<Tensors> alongAxis(std::string_view axis) {
    if (axis.empty())
      return {tensors};
    const auto [count, stride] = lineOf(axis);
    isGood &= count != 0;
    std::vector<Tensors> lines;
    for (size_t rank = 0; rank < tensors.size() && count; ++rank)
      if (rank / stride % count == 0) {
        Tensors &line = lines.emplace_back();
        for (size_t place = 0; place < count; ++place)
          line.push_back(tensors[rank + place * stride]);
      }
    return lines;
  }

  static bool combine(const Tensors &tensors, ir::RankReduction reduction) {
    if (reduction == ir::RankReduction::Before)
      return addBefore(tensors);
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

  static bool joinRows(const Tensors &tensors) {
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
  static bool addBefore(const Tensors &tensors) {
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
  const Mesh mesh;
  Tensors tensors;
  int arrived = 0;
  int64_t round = 0;
  bool isGood = true;
};

} // namespace keratin::tests

#endif // KERATIN_TESTS_SUPPORT_INTERPRETEDRANKS_H
