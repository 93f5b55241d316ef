// Several ranks in one process: threads with a group each, over memory that they share.
#ifndef KERATIN_TESTS_RUNTIME_COMM_RANKS_H
#define KERATIN_TESTS_RUNTIME_COMM_RANKS_H

#include "runtime/include/keratin/comm.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace keratin::tests {

inline std::string newJob() {
  static std::atomic<int> count{0};
  return "test-" + std::to_string(getpid()) + "-" + std::to_string(count++);
}

struct Outcome {
  int32_t code = KERATIN_OK;
  std::string message;
};
inline Outcome outcome(const keratin_status_t &status) { return {status.code, status.message}; }

// An engine that asks another and counts, by kind, the moves; not said of it is that it gathers at
// once, so announcements go from neighbour to neighbour.
class CountingEngine {
public:
  explicit CountingEngine(keratin_comm_t *inner) : inner(inner) {
    table.bytes = offsetof(keratin_comm_t, gathers_at_once); // as tables were before
    table.abi_version = KERATIN_COMM_ABI_VERSION;
    table.name = "counting";
    table.user = this;
    table.rank = inner->rank;
    table.size = inner->size;
    table.move = [](void *user, const keratin_move_t *move, keratin_status_t *status) {
      auto *self = static_cast<CountingEngine *>(user);
      ++self->moves[move->kind];
      return self->inner->move(self->inner->user, move, status);
    };
    table.close = [](void *user) {
      keratin_comm_t *engine = static_cast<CountingEngine *>(user)->inner;
      engine->close(engine->user);
    };
  }

  keratin_comm_t table = {};
  int moves[KERATIN_MOVE_SHIFT + 1] = {};

private:
  keratin_comm_t *inner;
};

// The group of a rank of a job; null where it cannot be joined.
inline keratin_group_t *join(const std::string &job, int rank, int size, double seconds = 60,
                             Outcome *why = nullptr) {
  keratin_status_t status = {};
  keratin_comm_t *comm = nullptr;
  keratin_group_t *group = nullptr;
  if (keratin_comm_open_shared(job.c_str(), rank, size, seconds, &comm, &status) == KERATIN_OK)
    keratin_group_create(comm, &group, &status);
  if (why)
    *why = outcome(status);
  return group;
}

// What each rank returns.
template <typename Result>
std::vector<Result> onRanks(int size, const std::function<Result(keratin_group_t *, int)> &work) {
  std::string job = newJob();
  std::vector<Result> results(size);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      keratin_group_t *group = join(job, rank, size);
      if (group)
        results[rank] = work(group, rank);
      keratin_group_destroy(group);
    });
  for (std::thread &thread : threads)
    thread.join();
  return results;
}

// The same over counting engines.
template <typename Result>
std::vector<Result>
onCountedRanks(int size,
               const std::function<Result(keratin_group_t *, int, CountingEngine &)> &work) {
  std::string job = newJob();
  std::vector<Result> results(size);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      keratin_comm_t *comm = nullptr;
      if (keratin_comm_open_shared(job.c_str(), rank, size, 60, &comm, nullptr) != KERATIN_OK)
        return;
      CountingEngine engine(comm);
      keratin_group_t *group = nullptr;
      keratin_group_create(&engine.table, &group, nullptr);
      results[rank] = work(group, rank, engine);
      keratin_group_destroy(group);
    });
  for (std::thread &thread : threads)
    thread.join();
  return results;
}

inline keratin_collective_t collective(int32_t kind, int32_t dtype, const void *send,
                                       int64_t sendElements, void *receive, int64_t receiveElements,
                                       const char *name = nullptr) {
  keratin_collective_t made = {};
  made.bytes = sizeof(made);
  made.kind = kind;
  made.dtype = dtype;
  made.send = send;
  made.send_elements = sendElements;
  made.receive = receive;
  made.receive_elements = receiveElements;
  made.name = name;
  return made;
}

inline Outcome run(keratin_group_t *group, const keratin_collective_t &wanted) {
  keratin_status_t status = {};
  keratin_group_run(group, &wanted, &status);
  return outcome(status);
}

inline Outcome barrier(keratin_group_t *group) {
  return run(group, collective(KERATIN_BARRIER, 0, nullptr, 0, nullptr, 0));
}

} // namespace keratin::tests

#endif // KERATIN_TESTS_RUNTIME_COMM_RANKS_H
