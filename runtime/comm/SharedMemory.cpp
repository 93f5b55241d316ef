// The engine of one machine: what ranks have for each other goes through windows of memory that
// they share, a window at a time.
#include "runtime/comm/Axis.h"
#include "runtime/comm/Parts.h"
#include "runtime/comm/SharedSegment.h"

#include "runtime/core/Allocator.h"

#include <stdio.h>
#include <string.h>

namespace keratin::comm {

namespace {

class SharedMemory {
public:
  SharedMemory(int32_t rank, int32_t size) : table(tableOf(this, "shared memory", rank, size)) {
    table.gathers_at_once = 1; // a barrier, as every move
    table.split = [](void *user, int32_t first, int32_t stride, int32_t count, int64_t deadline,
                     keratin_comm_t **part, keratin_status_t *status) {
      return static_cast<SharedMemory *>(user)->split({first, stride, count}, deadline, part,
                                                      status);
    };
    table.shrink = [](void *user, int64_t deadline, keratin_status_t *status) {
      return static_cast<SharedMemory *>(user)->shrink(deadline, status);
    };
  }

  keratin_comm_t table;
  SharedSegment segment;
  char name[140] = ""; // of the job

  Code run(const keratin_move_t &move, keratin_status_t *status) {
    return runMove(*this, move, status);
  }
  void close() { runtime::destroyObject(this); }

  Code join(const char *job, int64_t window, int64_t deadline, keratin_status_t *status) {
    snprintf(name, sizeof(name), "%s", job);
    return segment.join(job, table.rank, table.size, window, deadline, status);
  }

  // A segment of its own, whose name no job can have, nor one before a shrink.
  Code split(const Members &members, int64_t deadline, keratin_comm_t **part,
             keratin_status_t *status) const {
    auto *made = runtime::makeObject<SharedMemory>(members.placeOf(table.rank), members.count);
    if (!made)
      return runtime::fail(status, KERATIN_RESOURCE_EXHAUSTED, "%s: no memory", table.name);
    runtime::ShortText job;
    job.add("%s+%u+%d+%d+%d", name, segment.timesShrunk(), members.first, members.stride,
            members.count);
    if (Code code =
            made->join(job.text(), SharedSegment::windowOfPart(table.size), deadline, status)) {
      runtime::destroyObject(made);
      return code;
    }
    *part = &made->table;
    return KERATIN_OK;
  }

  Code shrink(int64_t deadline, keratin_status_t *status) {
    if (Code code = segment.shrink(deadline, status))
      return code;
    table.rank = segment.rank();
    table.size = segment.size();
    return KERATIN_OK;
  }

  Code gather(const keratin_move_t &move, keratin_status_t *status) {
    const auto *send = static_cast<const char *>(move.send);
    auto *receive = static_cast<char *>(move.receive);
    int64_t room = segment.windowBytes(), longest = longestPart(move, table.size);
    for (int64_t begin = 0; begin < longest; begin += room) {
      if (int64_t bytes = bytesOfStep(move.parts[table.rank], begin, room))
        memcpy(segment.own(), send + begin, size_t(bytes));
      if (Code code = segment.barrier(move.deadline, status))
        return code;
      char *part = receive;
      for (int32_t rank = 0; rank < table.size; part += move.parts[rank++])
        if (int64_t bytes = bytesOfStep(move.parts[rank], begin, room))
          memcpy(part + begin, segment.of(rank), size_t(bytes));
    }
    return KERATIN_OK;
  }

  // The window has a piece for each rank.
  Code exchange(const keratin_move_t &move, keratin_status_t *status) {
    const auto *send = static_cast<const char *>(move.send);
    auto *receive = static_cast<char *>(move.receive);
    int64_t room = segment.windowBytes() / table.size, longest = longestPart(move, table.size);
    int64_t own = move.parts[table.rank];
    for (int64_t begin = 0; begin < longest; begin += room) {
      const char *part = send;
      for (int32_t rank = 0; rank < table.size; part += move.parts[rank++])
        if (int64_t bytes = bytesOfStep(move.parts[rank], begin, room))
          memcpy(segment.own() + rank * room, part + begin, size_t(bytes));
      if (Code code = segment.barrier(move.deadline, status))
        return code;
      if (int64_t bytes = bytesOfStep(own, begin, room))
        for (int32_t rank = 0; rank < table.size; ++rank)
          memcpy(receive + rank * own + begin, segment.of(rank) + table.rank * room, size_t(bytes));
    }
    return KERATIN_OK;
  }

  Code broadcast(const keratin_move_t &move, keratin_status_t *status) {
    const auto *send = static_cast<const char *>(move.send);
    auto *receive = static_cast<char *>(move.receive);
    int64_t room = segment.windowBytes();
    for (int64_t begin = 0; begin < move.parts[0]; begin += room) {
      int64_t bytes = bytesOfStep(move.parts[0], begin, room);
      if (table.rank == move.from)
        memcpy(segment.own(), send + begin, size_t(bytes));
      if (Code code = segment.barrier(move.deadline, status))
        return code;
      memcpy(receive + begin, segment.of(move.from), size_t(bytes));
    }
    return KERATIN_OK;
  }

  // Nobody knows how much the others have; so each says what it has left, and all go on until
  // nobody has anything.
  Code shift(const keratin_move_t &move, keratin_status_t *status) {
    const auto *send = static_cast<const char *>(move.send);
    auto *receive = static_cast<char *>(move.receive);
    int64_t room = segment.windowBytes();
    int64_t sent = move.to >= 0 ? move.parts[0] : 0, received = move.from >= 0 ? move.parts[1] : 0;
    bool isLeft = true;
    for (int64_t begin = 0; isLeft; begin += room) {
      int64_t bytes = bytesOfStep(sent, begin, room);
      if (bytes)
        memcpy(segment.own(), send + begin, size_t(bytes));
      segment.say(sent - begin - bytes);
      if (Code code = segment.barrier(move.deadline, status))
        return code;
      if (int64_t arrived = bytesOfStep(received, begin, room))
        memcpy(receive + begin, segment.of(move.from), size_t(arrived));
      isLeft = false;
      for (int32_t rank = 0; rank < table.size; ++rank)
        isLeft |= segment.said(rank) > 0;
    }
    return KERATIN_OK;
  }
};

bool isJobName(const char *job) {
  size_t length = strlen(job);
  if (length == 0 || length > 100)
    return false;
  return strspn(job, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == length;
}

} // namespace
} // namespace keratin::comm

using namespace keratin::comm;

extern "C" keratin_status_code_t keratin_comm_open_shared(const char *job, int32_t rank,
                                                          int32_t size, double seconds,
                                                          keratin_comm_t **comm,
                                                          keratin_status_t *status) {
  using namespace keratin::runtime;
  constexpr const char *function = "keratin_comm_open_shared";
  constexpr int32_t mostRanks = 1024;
  if (keratin::comm::Code code = checkPointers(status, function, {{job, "job"}, {comm, "comm"}}))
    return code;
  if (!isJobName(job))
    return fail(status, KERATIN_INVALID_ARGUMENT,
                "%s: job is '%.120s'; needed are 1 to 100 letters, digits, '.', '_' and '-'",
                function, job);
  if (size < 1 || size > mostRanks || rank < 0 || rank >= size)
    return fail(status, KERATIN_INVALID_ARGUMENT,
                "%s: rank %d of %d; there may be 1 to %d ranks, from 0 on", function, rank, size,
                mostRanks);
  if (!(seconds > 0))
    return fail(status, KERATIN_INVALID_ARGUMENT, "%s: seconds must be above 0", function);
  auto *made = makeObject<SharedMemory>(rank, size);
  if (!made)
    return fail(status, KERATIN_RESOURCE_EXHAUSTED, "%s: no memory", function);
  if (keratin::comm::Code code =
          made->join(job, SharedSegment::windowOfAll(size), deadlineIn(seconds), status)) {
    destroyObject(made);
    return code;
  }
  *comm = &made->table;
  return succeed(status);
}
