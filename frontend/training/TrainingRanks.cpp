#include "frontend/training/TrainingRanks.h"

#include "frontend/backend/FunctionState.h"
#include "frontend/graph/SourcePlace.h"
#include "frontend/values/ValueError.h"
#include "keratin/distributed.h"

#include "runtime/object/VariablePart.h"

#include <algorithm>

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::training;
namespace K = keratin::backend;

std::vector<int64_t> training::partOf(const std::vector<int64_t> &rows, int index, int count) {
  const auto bound = [&](int part) {
    return rows.begin() + runtime::partBegin(int64_t(rows.size()), part, count);
  };
  return {bound(index), bound(index + 1)};
}

RowParts RowParts::of(const Function &function, const std::string &caller, const std::string &what,
                      SourceLocation location) {
  auto refuse = [&](const std::string &problem) {
    valueError(caller + ": " + what + ": " + problem, location);
  };
  const std::vector<Tensor> &inputs = function.inputs();
  std::string whole, axis; // an input that has no part, and along what the others have theirs
  size_t inParts = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Shard *own = nullptr;
    for (const Shard &shard : FunctionAccess::impl(function)->shard) {
      const int64_t dimension =
          shard.variable.isEmpty() ? K::distributed::axisOf(inputs[i], shard.size, location) : -1;
      if (dimension > 0)
        refuse("each rank has a part of '" + function.inputNames()[i] + "' along axis " +
               std::to_string(dimension) + "; needed parts of its rows, along axis 0");
      own = dimension == 0 ? &shard : own;
    }
    if (!own) {
      if (inputs[i].ndim() != 0)
        whole = function.inputNames()[i];
      continue;
    }
    if (inParts++ && axisInJob(own->mesh) != axis)
      refuse("rows are divided along '" + axis + "' and along '" + axisInJob(own->mesh) +
             "' of the mesh; needed one of them");
    axis = axisInJob(own->mesh);
  }
  if (inParts && !whole.empty())
    refuse("each rank has a part of the rows of some inputs, and all of '" + whole + "'");
  if (!inParts)
    return {};
  const keratin_axis_t along = jobAxis(axis).value_or(keratin_axis_t());
  return {jobRank(along), jobSize(along)};
}

TrainingRanks::TrainingRanks(const Function &step, SourceLocation location)
    : several(K::distributed::size() > 1 && !step.isEmpty() &&
              !FunctionAccess::impl(step)->shard.empty()),
      location(location) {}

bool TrainingRanks::isFirst() const { return !several || K::distributed::rank() == 0; }

// All ranks' numbers, rank by rank.
std::vector<int64_t> TrainingRanks::gather(std::vector<int64_t> own) const {
  return K::distributed::allGather(Array(own), location).toVector<int64_t>();
}

void TrainingRanks::compare(const std::vector<std::pair<std::string, int64_t>> &given) const {
  if (!several)
    return;
  std::vector<int64_t> own;
  for (const auto &[name, number] : given)
    own.push_back(number);
  const std::vector<int64_t> all = gather(own);
  for (size_t i = 0; i < all.size(); ++i)
    if (const size_t item = i % own.size(); all[i] != all[item])
      throw RankError(withPlace("fit: rank 0 has " + given[item].first + ' ' +
                                    std::to_string(all[item]) + ", and rank " +
                                    std::to_string(i / own.size()) + ' ' + std::to_string(all[i]) +
                                    "; needed the same on all ranks",
                                location));
}

bool TrainingRanks::ofFirst(bool own) const {
  return several ? takeFromFirst("fit", "what rank 0 has", own) != 0 : own;
}

bool TrainingRanks::ofAll(bool own) const {
  if (!several)
    return own;
  const std::vector<int64_t> all = gather({own});
  return std::find(all.begin(), all.end(), 0) == all.end();
}
