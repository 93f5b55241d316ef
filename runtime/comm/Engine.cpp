#include "runtime/comm/Engine.h"

#include <time.h>

namespace keratin::comm {

int64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

int64_t deadlineIn(double seconds) {
  constexpr double longest = 1e9; // thirty years
  return now() + int64_t((seconds < longest ? seconds : longest) * 1e9);
}

void Engine::leave() {
  if (comm && comm->close)
    comm->close(comm->user);
  comm = nullptr;
}

// A move that there is not fails, and behind a failure no engine waits for the others to close,
// too.
void Engine::breakOff() {
  constexpr int32_t none = -1;
  keratin_status_t ignored = {};
  (void)move(none, nullptr, nullptr, nullptr, -1, -1, &ignored);
  leave();
}

Code Engine::checkWorks(keratin_status_t *status) const {
  if (!comm)
    return runtime::fail(status, KERATIN_FAILED_PRECONDITION, "this process has left the group");
  if (broken.code == KERATIN_OK)
    return KERATIN_OK;
  return runtime::fail(status, Code(broken.code),
                       "the group is broken since an earlier collective: %s", broken.message);
}

Code Engine::split(int32_t first, int32_t stride, int32_t count, keratin_comm_t **part,
                   keratin_status_t *status) {
  if (comm->bytes <= offsetof(keratin_comm_t, split) || !comm->split)
    return runtime::fail(status, KERATIN_UNIMPLEMENTED,
                         "%s: not implemented: messages among some of the ranks "
                         "(keratin_comm_t::split)",
                         ownName);
  return comm->split(comm->user, first, stride, count, deadlineIn(timeout()), part, status);
}

Code Engine::shrink(keratin_status_t *status) {
  if (!comm) // says why
    return checkWorks(status);
  if (comm->bytes <= offsetof(keratin_comm_t, shrink) || !comm->shrink)
    return runtime::fail(status, KERATIN_UNIMPLEMENTED,
                         "%s: not implemented: going on without ranks that are lost "
                         "(keratin_comm_t::shrink)",
                         ownName);
  if (Code code = comm->shrink(comm->user, deadlineIn(timeout()), status))
    return code;
  ownRank = comm->rank;
  numRanks = comm->size;
  broken = {};
  return KERATIN_OK;
}

Code Engine::move(int32_t kind, const void *send, void *receive, const int64_t *parts, int32_t from,
                  int32_t to, keratin_status_t *status) {
  keratin_move_t move = {};
  move.bytes = sizeof(move);
  move.kind = kind;
  move.send = send;
  move.receive = receive;
  move.parts = parts;
  move.from = from;
  move.to = to;
  move.deadline = deadlineIn(timeout());
  if (comm->move(comm->user, &move, &broken) == KERATIN_OK) {
    broken.code = KERATIN_OK;
    return KERATIN_OK;
  }
  if (broken.code == KERATIN_OK) // an engine that fails and does not say why
    runtime::fail(&broken, KERATIN_UNAVAILABLE, "%s failed", ownName);
  broken.code = KERATIN_UNAVAILABLE; // whatever the engine calls it
  return runtime::fail(status, KERATIN_UNAVAILABLE, "%s", broken.message);
}

} // namespace keratin::comm
