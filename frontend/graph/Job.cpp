#include "frontend/graph/Job.h"

#include "frontend/graph/RuntimeStatus.h"

#include "runtime/include/keratin/comm.h"

#include <atomic>
#include <cstdlib>
#include <mutex>

using namespace keratin;
using namespace keratin::frontend;

static std::mutex mutex;
static std::atomic<keratin_group_t *> group{nullptr};

keratin_group_t *frontend::jobGroup() { return group.load(std::memory_order_acquire); }

int frontend::jobRank() { return jobGroup() ? keratin_group_rank(jobGroup()) : 0; }
int frontend::jobSize() { return jobGroup() ? keratin_group_size(jobGroup()) : 1; }

void frontend::joinJob(keratin_comm_t *engine) {
  std::lock_guard lock(mutex);
  if (jobGroup())
    throw RuntimeError("distributed.init: this process has joined its ranks already");
  keratin_status_t status = {};
  keratin_group_t *joined = nullptr;
  if (!engine)
    keratin_comm_open(&engine, &status);
  if (status.code == KERATIN_OK)
    keratin_group_create(engine, &joined, &status);
  if (status.code != KERATIN_OK)
    throwRankFailure("distributed.init", status);
  group.store(joined, std::memory_order_release);
  // Before what outlives main() is gone; an engine may wait for the other ranks to leave, too.
  std::atexit(leaveJob);
}

// The group itself stays: functions may know it.
void frontend::leaveJob() {
  if (keratin_group_t *joined = jobGroup())
    keratin_group_leave(joined);
}

void frontend::callWithJob(keratin_executable_t *executable) {
  if (keratin_group_t *joined = jobGroup())
    keratin_executable_set_group(executable, joined, nullptr);
}

keratin_collective_t frontend::collective(int32_t kind, const char *name) {
  keratin_collective_t made = {};
  made.bytes = sizeof(made);
  made.kind = kind;
  made.name = name;
  return made;
}

void frontend::runWithJob(const char *function, const keratin_collective_t &wanted) {
  keratin_group_t *joined = jobGroup();
  if (!joined)
    return;
  keratin_status_t status = {};
  keratin_group_run(joined, &wanted, &status);
  if (status.code != KERATIN_OK)
    throwRankFailure(function, status);
}
