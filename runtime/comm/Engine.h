// The table of an engine as what is built on it sees it: moves with a time limit, of which a failed
// one is the last.
#ifndef KERATIN_RUNTIME_COMM_ENGINE_H
#define KERATIN_RUNTIME_COMM_ENGINE_H

#include "runtime/core/Status.h"
#include "runtime/include/keratin/comm.h"

#include <atomic>
#include <stddef.h>

namespace keratin::comm {

using runtime::Code;

// Nanoseconds of CLOCK_MONOTONIC.
int64_t now();
// So many seconds from now; the end of time where that is later.
int64_t deadlineIn(double seconds);

// Of tables that lack what has been added to them.
inline constexpr size_t shortestTable = offsetof(keratin_comm_t, gathers_at_once);

class Engine {
public:
  explicit Engine(keratin_comm_t *comm)
      : comm(comm), ownRank(comm->rank), numRanks(comm->size), ownName(comm->name),
        isGatherer(comm->bytes > shortestTable && comm->gathers_at_once) {}
  Engine(const Engine &) = delete;
  Engine &operator=(const Engine &) = delete;
  ~Engine() { leave(); }

  // No move is tried any more.
  void leave();
  // The same, while the others go on: they are to miss this rank, as one that is lost.
  void breakOff();
  // keratin_comm_t::shrink: moves are among those that are left, and tried again.
  Code shrink(keratin_status_t *status);

  int32_t rank() const { return ownRank; }
  int32_t size() const { return numRanks; }
  const char *name() const { return ownName; }
  bool gathersAtOnce() const { return isGatherer; }

  // keratin_comm_t::split.
  Code split(int32_t first, int32_t stride, int32_t count, keratin_comm_t **part,
             keratin_status_t *status);

  void setTimeout(double value) { seconds.store(value, std::memory_order_relaxed); }
  double timeout() const { return seconds.load(std::memory_order_relaxed); }

  // Each as its keratin_move_kind_t says.
  Code gather(const void *send, void *receive, const int64_t *parts, keratin_status_t *status) {
    return move(KERATIN_MOVE_GATHER, send, receive, parts, -1, -1, status);
  }
  Code exchange(const void *send, void *receive, const int64_t *parts, keratin_status_t *status) {
    return move(KERATIN_MOVE_EXCHANGE, send, receive, parts, -1, -1, status);
  }
  Code broadcast(const void *send, void *receive, int64_t bytes, int32_t from,
                 keratin_status_t *status) {
    return move(KERATIN_MOVE_BROADCAST, send, receive, &bytes, from, -1, status);
  }
  Code shift(const void *send, int64_t sendBytes, int32_t to, void *receive, int64_t receiveBytes,
             int32_t from, keratin_status_t *status) {
    const int64_t parts[] = {sendBytes, receiveBytes};
    return move(KERATIN_MOVE_SHIFT, send, receive, parts, from, to, status);
  }

  // What is said from here on: something beside the engine has failed, as a move does.
  void breakWith(const keratin_status_t &why) { broken = why; }
  bool isBroken() const { return broken.code != KERATIN_OK; }
  // OK, or what the first failed move has said.
  Code checkWorks(keratin_status_t *status) const;

private:
  Code move(int32_t kind, const void *send, void *receive, const int64_t *parts, int32_t from,
            int32_t to, keratin_status_t *status);

  keratin_comm_t *comm; // null: the group is left
  int32_t ownRank, numRanks;
  const char *ownName;
  bool isGatherer;
  std::atomic<double> seconds{0};
  keratin_status_t broken = {};
};

} // namespace keratin::comm

#endif // KERATIN_RUNTIME_COMM_ENGINE_H
