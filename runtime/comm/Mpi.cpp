// The engine of MPI: moves are its collectives that do not block, asked again and again whether
// they are over, so that a time limit holds.
#include "runtime/comm/MpiLibrary.h"
#include "runtime/comm/MpiSurvivors.h"
#include "runtime/comm/Parts.h"

#include "runtime/core/Allocator.h"

#include <limits.h>
#include <sched.h>
#include <string.h>
#include <time.h>

namespace keratin::comm {

namespace {

// MPI counts in ints; more goes in pieces.
constexpr int64_t mostBytes = 1 << 30;

class Mpi {
public:
  explicit Mpi(const MpiLibrary &library) : mpi(library), survivors(library) {}

  Code open(keratin_status_t *status) {
    if (Code code = initialise(status))
      return code;
    // Messages of the program's own are apart.
    if (Code code = mpi.check(mpi.MPI_Comm_dup(mpi.world, &comm), "MPI_Comm_dup", status))
      return code;
    if (Code code = describe(status))
      return code;
    return mpi.hasRecovery && isWatched() ? survivors.open(comm, status) : KERATIN_OK;
  }

  // MPI has no way to give up waiting here; all ranks have just said that they come.
  Code split(int32_t first, keratin_comm_t **part, keratin_status_t *status) {
    auto *made = runtime::makeObject<Mpi>(mpi);
    if (!made)
      return runtime::fail(status, KERATIN_RESOURCE_EXHAUSTED, "%s: no memory", mpi.name);
    made->whole = this;
    Code code = mpi.check(mpi.MPI_Comm_split(comm, first, table.rank, &made->comm),
                          "MPI_Comm_split", status);
    if (code == KERATIN_OK)
      code = made->describe(status);
    if (code != KERATIN_OK) {
      made->close();
      return code;
    }
    *part = &made->table;
    return KERATIN_OK;
  }

  // Who waits in a move for a rank that does not come any more is told first.
  Code shrink(int64_t deadline, keratin_status_t *status) {
    if (!mpi.hasRecovery)
      return runtime::fail(status, KERATIN_UNIMPLEMENTED,
                           "%s: not implemented: going on without ranks that are lost; needed is "
                           "Open MPI 5 (MPIX_Comm_shrink)",
                           mpi.name);
    if (!survivors.isOpen())
      return runtime::fail(status, KERATIN_FAILED_PRECONDITION,
                           "%s: in this job nobody looks for ranks that are lost; needed is "
                           "mpirun --with-ft ulfm --mca async_mpi_finalize 1",
                           mpi.name);
    if (Code code = mpi.check(mpi.recovery.MPIX_Comm_revoke(comm), "MPIX_Comm_revoke", status))
      return code;
    if (Code code = settle(deadline, status))
      return code;
    MpiHandle left = 0;
    if (Code code = survivors.find(comm, deadline, left, status))
      return code;
    mpi.MPI_Comm_free(&comm);
    comm = left;
    if (Code code = describe(status))
      return code;
    isBroken = false;
    return KERATIN_OK;
  }

private:
  // Of the communicator that there is now.
  Code describe(keratin_status_t *status) {
    hasComm = true;
    int rank = 0, size = 0;
    if (Code code = mpi.describe(comm, rank, size, status))
      return code;
    table = tableOf(this, mpi.name, rank, size);
    table.split = [](void *user, int32_t first, int32_t, int32_t, int64_t, keratin_comm_t **part,
                     keratin_status_t *why) {
      return static_cast<Mpi *>(user)->split(first, part, why);
    };
    table.shrink = [](void *user, int64_t deadline, keratin_status_t *why) {
      return static_cast<Mpi *>(user)->shrink(deadline, why);
    };
    if (!counts.reserve(4 * sizeof(int) * size_t(size)))
      return runtime::fail(status, KERATIN_RESOURCE_EXHAUSTED, "%s: no memory", mpi.name);
    return KERATIN_OK;
  }

public:
  // After a failure there may be messages that never come, and MPI would wait for them: it is left
  // as it is, and the launcher ends the job with the process. Ranks that wait along an axis for
  // this one, which goes on without a lost one, are told.
  void close() {
    int isFinalized = 0;
    if (whole && whole->isBroken && mpi.hasRecovery)
      mpi.recovery.MPIX_Comm_revoke(comm);
    if (!isBroken && mpi.MPI_Finalized(&isFinalized) == 0 && !isFinalized) {
      survivors.close();
      if (hasComm)
        mpi.MPI_Comm_free(&comm);
      if (isInitialiser)
        mpi.MPI_Finalize();
    }
    runtime::destroyObject(this);
  }

  Code run(const keratin_move_t &move, keratin_status_t *status) {
    Code code = runMove(*this, move, status);
    for (Mpi *each = this; each && code != KERATIN_OK; each = each->whole)
      each->isBroken = true;
    return code;
  }

  keratin_comm_t table = {};

private:
  Code initialise(keratin_status_t *status) {
    int isThere = 0, isOver = 0, level = 0;
    if (Code code = mpi.check(mpi.MPI_Initialized(&isThere), "MPI_Initialized", status))
      return code;
    if (Code code = mpi.check(mpi.MPI_Finalized(&isOver), "MPI_Finalized", status))
      return code;
    if (isOver)
      return runtime::fail(status, KERATIN_FAILED_PRECONDITION,
                           "%s: MPI is finalised in this process, and cannot be started again",
                           mpi.name);
    if (isThere) {
      if (Code code = mpi.check(mpi.MPI_Query_thread(&level), "MPI_Query_thread", status))
        return code;
    } else {
      if (Code code = mpi.check(mpi.MPI_Init_thread(nullptr, nullptr, mpi.threadSerialized, &level),
                                "MPI_Init_thread", status))
        return code;
      isInitialiser = true;
    }
    if (level < mpi.threadSerialized)
      return runtime::fail(status, KERATIN_FAILED_PRECONDITION,
                           "%s: MPI was initialised for the threads of level %d; needed is %d "
                           "(MPI_THREAD_SERIALIZED) or more",
                           mpi.name, level, mpi.threadSerialized);
    return KERATIN_OK;
  }

  // Until the request is over: first without giving way, for what takes microseconds.
  Code finish(MpiHandle &request, const char *function, int64_t deadline,
              keratin_status_t *status) {
    for (int64_t round = 0;; ++round) {
      int isOver = 0;
      if (Code code =
              mpi.check(mpi.MPI_Test(&request, &isOver, mpi.ignoredStatus), function, status))
        return code;
      if (isOver) {
        request = 0;
        return KERATIN_OK;
      }
      if (round < 200)
        continue;
      if (now() > deadline)
        return runtime::fail(status, KERATIN_UNAVAILABLE,
                             "%s: %s was not over in time (KERATIN_COLLECTIVE_TIMEOUT)", mpi.name,
                             function);
      if (round < 20000) {
        sched_yield();
      } else {
        timespec time = {0, 50000};
        nanosleep(&time, nullptr);
      }
    }
  }

  // Whether the job was started so that MPI knows who is lost; else it takes what follows for done.
  bool isWatched() const {
    constexpr int attribute = 12; // MPI_FT of Open MPI's mpi.h
    const int *value = nullptr;
    int isThere = 0;
    return mpi.recovery.MPI_Comm_get_attr(mpi.world, attribute, &value, &isThere) == 0 && isThere &&
           *value;
  }

  // What has failed may still be under way, and would write into memory that is somebody else's by
  // then: of a communicator that is revoked all comes to an end.
  Code settle(int64_t deadline, keratin_status_t *status) {
    for (MpiHandle &request : requests)
      for (int isOver = 0; request;) {
        // An error is the end of it, too.
        if (mpi.MPI_Test(&request, &isOver, mpi.ignoredStatus) != 0 || isOver)
          request = 0;
        else if (now() > deadline)
          return runtime::fail(status, KERATIN_UNAVAILABLE,
                               "%s: a message that has failed was not over in time "
                               "(KERATIN_COLLECTIVE_TIMEOUT)",
                               mpi.name);
      }
    return KERATIN_OK;
  }

  static char *at(void *data, int64_t bytes) { return static_cast<char *>(data) + bytes; }
  static const char *at(const void *data, int64_t bytes) {
    return static_cast<const char *>(data) + bytes;
  }
  int *row(int which) const { return static_cast<int *>(counts.data()) + which * table.size; }

  // Bytes of each part in a step, so that all parts of a step are counted by an int.
  int64_t stepBytes() const { return mostBytes / table.size; }

public:
  // Of a step the parts come one behind the other; where that is not where they belong, they are
  // taken there.
  Code gather(const keratin_move_t &move, keratin_status_t *status) {
    int64_t longest = longestPart(move, table.size), step = stepBytes();
    if (longest > step && !staged.reserve(size_t(step * table.size)))
      return runtime::fail(status, KERATIN_RESOURCE_EXHAUSTED, "%s: no memory", mpi.name);
    for (int64_t begin = 0; begin < longest; begin += step) {
      int place = 0;
      for (int32_t rank = 0; rank < table.size; place += row(0)[rank++]) {
        row(0)[rank] = int(bytesOfStep(move.parts[rank], begin, step));
        row(1)[rank] = place;
      }
      void *receive = longest > step ? staged.data() : move.receive;
      if (Code code =
              mpi.check(mpi.MPI_Iallgatherv(at(move.send, begin), row(0)[table.rank], mpi.byte,
                                            receive, row(0), row(1), mpi.byte, comm, &requests[0]),
                        "MPI_Iallgatherv", status))
        return code;
      if (Code code = finish(requests[0], "MPI_Iallgatherv", move.deadline, status))
        return code;
      if (longest <= step)
        break;
      char *part = at(move.receive, 0);
      for (int32_t rank = 0; rank < table.size; part += move.parts[rank++])
        if (row(0)[rank])
          memcpy(part + begin, at(staged.data(), row(1)[rank]), size_t(row(0)[rank]));
    }
    return KERATIN_OK;
  }

  // What is sent in a step is brought together where there are several.
  Code exchange(const keratin_move_t &move, keratin_status_t *status) {
    int64_t longest = longestPart(move, table.size), step = stepBytes(),
            own = move.parts[table.rank];
    bool isStaged = longest > step;
    if (isStaged && !staged.reserve(size_t(2 * step * table.size)))
      return runtime::fail(status, KERATIN_RESOURCE_EXHAUSTED, "%s: no memory", mpi.name);
    for (int64_t begin = 0; begin < longest; begin += step) {
      const char *part = at(move.send, 0);
      int place = 0, arrives = int(bytesOfStep(own, begin, step));
      for (int32_t rank = 0; rank < table.size; ++rank) {
        row(0)[rank] = int(bytesOfStep(move.parts[rank], begin, step));
        row(1)[rank] = place;
        row(2)[rank] = arrives;
        row(3)[rank] = rank * arrives;
        if (isStaged && row(0)[rank])
          memcpy(at(staged.data(), place), part + begin, size_t(row(0)[rank]));
        place += row(0)[rank];
        part += move.parts[rank];
      }
      void *received = isStaged ? at(staged.data(), step * table.size) : move.receive;
      if (Code code = mpi.check(mpi.MPI_Ialltoallv(isStaged ? staged.data() : move.send, row(0),
                                                   row(1), mpi.byte, received, row(2), row(3),
                                                   mpi.byte, comm, &requests[0]),
                                "MPI_Ialltoallv", status))
        return code;
      if (Code code = finish(requests[0], "MPI_Ialltoallv", move.deadline, status))
        return code;
      for (int32_t rank = 0; isStaged && arrives && rank < table.size; ++rank)
        memcpy(at(move.receive, rank * own + begin), at(received, row(3)[rank]), size_t(arrives));
    }
    return KERATIN_OK;
  }

  Code broadcast(const keratin_move_t &move, keratin_status_t *status) {
    if (table.rank == move.from && move.parts[0])
      memmove(move.receive, move.send, size_t(move.parts[0]));
    for (int64_t begin = 0; begin < move.parts[0]; begin += mostBytes) {
      if (Code code = mpi.check(mpi.MPI_Ibcast(at(move.receive, begin),
                                               int(bytesOfStep(move.parts[0], begin, mostBytes)),
                                               mpi.byte, move.from, comm, &requests[0]),
                                "MPI_Ibcast", status))
        return code;
      if (Code code = finish(requests[0], "MPI_Ibcast", move.deadline, status))
        return code;
    }
    return KERATIN_OK;
  }

  Code shift(const keratin_move_t &move, keratin_status_t *status) {
    constexpr int tag = 0;
    int64_t sent = move.to >= 0 ? move.parts[0] : 0, received = move.from >= 0 ? move.parts[1] : 0;
    for (int64_t begin = 0; begin < sent || begin < received; begin += mostBytes) {
      bool receives = begin < received, sends = begin < sent;
      if (receives)
        if (Code code = mpi.check(mpi.MPI_Irecv(at(move.receive, begin),
                                                int(bytesOfStep(received, begin, mostBytes)),
                                                mpi.byte, move.from, tag, comm, &requests[0]),
                                  "MPI_Irecv", status))
          return code;
      if (sends)
        if (Code code = mpi.check(mpi.MPI_Isend(at(move.send, begin),
                                                int(bytesOfStep(sent, begin, mostBytes)), mpi.byte,
                                                move.to, tag, comm, &requests[1]),
                                  "MPI_Isend", status))
          return code;
      if (receives)
        if (Code code = finish(requests[0], "MPI_Irecv", move.deadline, status))
          return code;
      if (sends)
        if (Code code = finish(requests[1], "MPI_Isend", move.deadline, status))
          return code;
    }
    return KERATIN_OK;
  }

private:
  const MpiLibrary &mpi;
  MpiSurvivors survivors; // open where MPI looks for ranks that are lost
  Mpi *whole = nullptr;   // that it is a part of
  MpiHandle comm = 0;
  bool hasComm = false, isInitialiser = false, isBroken = false;
  MpiHandle requests[2] = {}; // under way; 0: none
  runtime::Block counts, staged;
};

} // namespace
} // namespace keratin::comm

extern "C" keratin_status_code_t keratin_comm_open_mpi(keratin_comm_t **comm,
                                                       keratin_status_t *status) {
  using namespace keratin::comm;
  using namespace keratin::runtime;
  if (keratin::comm::Code code = checkPointers(status, "keratin_comm_open_mpi", {{comm, "comm"}}))
    return code;
  const MpiLibrary *library;
  if (keratin::comm::Code code = findMpi(&library, status))
    return code;
  auto *made = makeObject<Mpi>(*library);
  if (!made)
    return fail(status, KERATIN_RESOURCE_EXHAUSTED, "keratin_comm_open_mpi: no memory");
  if (keratin::comm::Code code = made->open(status)) {
    made->close();
    return code;
  }
  *comm = &made->table;
  return succeed(status);
}
