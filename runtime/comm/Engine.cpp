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

Code Engine::checkWorks(keratin_status_t *status) const {
  if (!comm)
    return runtime::fail(status, KERATIN_FAILED_PRECONDITION, "this process has left the group");
  if (broken.code == KERATIN_OK)
    return KERATIN_OK;
  return runtime::fail(status, Code(broken.code),
                       "the group is broken since an earlier collective: %s", broken.message);
}

Code Engine::move(keratin_move_t &move, keratin_status_t *status) {
  move.bytes = sizeof(move);
  move.deadline = deadlineIn(seconds.load(std::memory_order_relaxed));
  if (comm->move(comm->user, &move, &broken) == KERATIN_OK) {
    broken.code = KERATIN_OK;
    return KERATIN_OK;
  }
  if (broken.code == KERATIN_OK) // an engine that fails and does not say why
    runtime::fail(&broken, KERATIN_INTERNAL, "%s failed", comm->name);
  return runtime::fail(status, Code(broken.code), "%s", broken.message);
}

Code Engine::gather(const void *send, void *receive, const int64_t *parts,
                    keratin_status_t *status) {
  keratin_move_t wanted = {};
  wanted.kind = KERATIN_MOVE_GATHER;
  wanted.send = send;
  wanted.receive = receive;
  wanted.parts = parts;
  return move(wanted, status);
}

Code Engine::exchange(const void *send, void *receive, const int64_t *parts,
                      keratin_status_t *status) {
  keratin_move_t wanted = {};
  wanted.kind = KERATIN_MOVE_EXCHANGE;
  wanted.send = send;
  wanted.receive = receive;
  wanted.parts = parts;
  return move(wanted, status);
}

Code Engine::broadcast(const void *send, void *receive, int64_t bytes, int32_t from,
                       keratin_status_t *status) {
  keratin_move_t wanted = {};
  wanted.kind = KERATIN_MOVE_BROADCAST;
  wanted.send = send;
  wanted.receive = receive;
  wanted.parts = &bytes;
  wanted.from = from;
  return move(wanted, status);
}

Code Engine::shift(const void *send, int64_t sendBytes, int32_t to, void *receive,
                   int64_t receiveBytes, int32_t from, keratin_status_t *status) {
  const int64_t parts[] = {sendBytes, receiveBytes};
  keratin_move_t wanted = {};
  wanted.kind = KERATIN_MOVE_SHIFT;
  wanted.send = send;
  wanted.receive = receive;
  wanted.parts = parts;
  wanted.to = to;
  wanted.from = from;
  return move(wanted, status);
}

} // namespace keratin::comm
