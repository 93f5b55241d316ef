#include "runtime/comm/Communicator.h"

#include "runtime/core/WorkerSignals.h"

#include <sched.h>

namespace keratin::comm {

Communicator::~Communicator() {
  waitForAbort();
  if (comm)
    (void)library.ncclCommDestroy(comm);
}

// In half of the time that hosts wait for each other: where one has failed, the others still come
// to where it says so, and all go on.
Code Communicator::open(const ncclUniqueId &id, keratin_status_t *status) {
  const Members members = membersOf(axis, engine.rank(), engine.size());
  ncclConfig_t config;
  config.blocking = 0;
  ncclResult_t result = library.ncclCommInitRankConfig(&comm, members.count, id,
                                                       members.placeOf(engine.rank()), &config);
  if (result != ncclSuccess && result != ncclInProgress) {
    comm = nullptr;
    return library.check(result, "ncclCommInitRankConfig", nullptr, status);
  }
  return settle("ncclCommInitRankConfig", engine.timeout() / 2, status);
}

Code Communicator::settle(const char *function, double seconds, keratin_status_t *status) const {
  for (const int64_t deadline = deadlineIn(seconds);;) {
    ncclResult_t result = ncclSuccess;
    if (Code code = library.check(library.ncclCommGetAsyncError(comm, &result),
                                  "ncclCommGetAsyncError", comm, status))
      return code;
    if (result != ncclInProgress)
      return library.check(result, function, comm, status);
    if (now() > deadline)
      return runtime::fail(status, KERATIN_UNAVAILABLE,
                           "NCCL: %s was not over in time (KERATIN_COLLECTIVE_TIMEOUT)", function);
    sched_yield();
  }
}

Code Communicator::put(const DeviceReduction &wanted, void *stream,
                       keratin_status_t *status) const {
  ncclResult_t result = library.ncclAllReduce(wanted.send, wanted.receive, wanted.elements,
                                              wanted.type, wanted.op, comm, stream);
  if (result != ncclInProgress)
    return library.check(result, "ncclAllReduce", comm, status);
  return settle("ncclAllReduce", engine.timeout(), status);
}

Code Communicator::check(keratin_status_t *status) const {
  ncclResult_t result = ncclSuccess;
  if (Code code = library.check(library.ncclCommGetAsyncError(comm, &result),
                                "ncclCommGetAsyncError", comm, status))
    return code;
  return result == ncclInProgress
             ? KERATIN_OK
             : library.check(result, "a message between devices", comm, status);
}

// NCCL ends what is under way, but then waits until there is no graph with a message of the
// communicator any more, and those of a call are there until that is over.
void Communicator::abort() {
  if (!comm)
    return;
  waitForAbort();
  ending = comm;
  comm = nullptr;
  runtime::WorkerSignals own;
  hasEnder = pthread_create(
                 &ender, nullptr,
                 [](void *user) -> void * {
                   auto &self = *static_cast<Communicator *>(user);
                   (void)self.library.ncclCommAbort(self.ending);
                   return nullptr;
                 },
                 this) == 0;
  if (!hasEnder)
    (void)library.ncclCommAbort(ending);
}

void Communicator::waitForAbort() {
  if (hasEnder)
    pthread_join(ender, nullptr);
  hasEnder = false;
}

} // namespace keratin::comm
