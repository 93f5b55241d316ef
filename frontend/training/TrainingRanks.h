// Ranks of a job that train together: each is given all rows, and feeds its part of every batch.
#ifndef KERATIN_FRONTEND_TRAINING_TRAININGRANKS_H
#define KERATIN_FRONTEND_TRAINING_TRAININGRANKS_H

#include "frontend/graph/Job.h"
#include "keratin/training.h"

namespace keratin::training {

// Of `rows`, those that a rank has: the index-th of `count` parts as even as may be.
std::vector<int64_t> partOf(const std::vector<int64_t> &rows, int index, int count);

// Which rows of a batch this rank feeds to a function.
struct RowParts {
  int index = 0, count = 1;

  // By FunctionOptions::shard. ValueError unless all inputs that are fed rows are sharded along
  // these, and in one way, or none is. `caller` and `what` name the function in messages.
  static RowParts of(const Function &function, const std::string &caller, const std::string &what,
                     SourceLocation location);
};

// What ranks that call fit together say to each other. Of a step without shards, and of one rank,
// nothing: the process trains by itself.
class TrainingRanks {
public:
  TrainingRanks(const Function &step, SourceLocation location);

  bool areSeveral() const { return several; }
  // One of them, which shows what all have.
  bool isFirst() const;
  // RankError on all of them where they are given different numbers of these.
  void compare(const std::vector<std::pair<std::string, int64_t>> &given) const;
  // What the first has.
  bool ofFirst(bool own) const;
  bool ofAll(bool own) const;
  // As aloneInJob, where there are several.
  template <typename Work> auto alone(Work work) const {
    return several ? frontend::aloneInJob(work) : work();
  }

private:
  std::vector<int64_t> gather(std::vector<int64_t> own) const;

  bool several;
  SourceLocation location;
};

} // namespace keratin::training

#endif // KERATIN_FRONTEND_TRAINING_TRAININGRANKS_H
