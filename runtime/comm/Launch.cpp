// The engine of a job: what the variables of its launcher say.
#include "runtime/comm/Engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

using namespace keratin::runtime;

namespace {

// How long ranks of one machine wait for each other to start.
constexpr double startSeconds = 120;

const char *read(const char *name) {
  const char *text = getenv(name);
  return text && *text ? text : nullptr;
}

// A number of 0 or more; -1 where the variable is not set, -2 where it is something else.
int32_t readNumber(const char *name) {
  const char *text = read(name);
  if (!text)
    return -1;
  char *end;
  long value = strtol(text, &end, 10);
  return *end == '\0' && value >= 0 && value < INT32_MAX ? int32_t(value) : -2;
}

struct Place {
  int32_t rank, size;
};

// The two variables of a launcher; found if both are there.
Code readPlace(const char *rankName, const char *sizeName, Place &place, bool &found,
               keratin_status_t *status) {
  place = {readNumber(rankName), readNumber(sizeName)};
  found = place.rank != -1 && place.size != -1;
  if (found && (place.rank < 0 || place.rank >= place.size))
    return fail(status, KERATIN_FAILED_PRECONDITION,
                "%s is '%s' and %s is '%s'; needed are a rank from 0 on, and a larger number of "
                "ranks",
                rankName, getenv(rankName), sizeName, getenv(sizeName));
  return KERATIN_OK;
}

// MPI knows the rank and the size; but a library that is not the launcher's takes its process for a
// job of one rank. What a batch job says of tasks may be of no launcher, so one rank is right
// there.
Code openMpi(const char *launcher, int32_t size, keratin_comm_t **comm, keratin_status_t *status) {
  if (Code code = keratin_comm_open_mpi(comm, status))
    return code;
  if (!launcher || (*comm)->size > 1)
    return KERATIN_OK;
  fail(status, KERATIN_FAILED_PRECONDITION,
       "%s has started %d ranks, and %s knows of this one alone: needed is the library of that "
       "launcher (KERATIN_MPI_LIBRARY)",
       launcher, size, (*comm)->name);
  (*comm)->close((*comm)->user);
  return KERATIN_FAILED_PRECONDITION;
}

// A name of the job from what is the same on all its ranks: what names may not have becomes '_'.
ShortText jobName(const char *kind, const char *first, const char *second) {
  char text[101];
  snprintf(text, sizeof(text), "%s-%s-%s", kind, first ? first : "", second ? second : "");
  for (char *c = text; *c; ++c)
    if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *c))
      *c = '_';
  return ShortText().add("%s", text);
}

// A job of one rank: nothing is ever moved to somebody else.
keratin_status_code_t moveAlone(void *, const keratin_move_t *move, keratin_status_t *) {
  int64_t bytes = move->kind == KERATIN_MOVE_SHIFT && move->from < 0 ? 0 : move->parts[0];
  if (bytes)
    memmove(move->receive, move->send, size_t(bytes));
  return KERATIN_OK;
}

// Nobody else can be lost.
keratin_status_code_t shrinkAlone(void *, int64_t, keratin_status_t *) { return KERATIN_OK; }

keratin_comm_t alone = {.bytes = sizeof(keratin_comm_t),
                        .abi_version = KERATIN_COMM_ABI_VERSION,
                        .name = "one rank",
                        .user = nullptr,
                        .rank = 0,
                        .size = 1,
                        .move = moveAlone,
                        .close = nullptr,
                        .gathers_at_once = 1,
                        .reserved = 0,
                        .split = nullptr,
                        .shrink = shrinkAlone};

} // namespace

extern "C" keratin_status_code_t keratin_comm_open(keratin_comm_t **comm,
                                                   keratin_status_t *status) {
  if (Code code = checkPointers(status, "keratin_comm_open", {{comm, "comm"}}))
    return code;
  Place place;
  bool found;
  if (Code code = readPlace("KERATIN_RANK", "KERATIN_RANKS", place, found, status))
    return code;
  if (found) {
    const char *job = read("KERATIN_JOB");
    if (!job)
      return fail(status, KERATIN_FAILED_PRECONDITION,
                  "KERATIN_RANK and KERATIN_RANKS are set and KERATIN_JOB is not; needed is a name "
                  "that all ranks of the job have in common");
    return keratin_comm_open_shared(job, place.rank, place.size, startSeconds, comm, status);
  }
  // mpirun of Open MPI and of MPICH, and srun.
  struct Launcher {
    const char *rank, *size, *name;
  };
  constexpr Launcher launchers[] = {
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "mpirun of Open MPI"},
      {"PMI_RANK", "PMI_SIZE", "mpirun of MPICH"},
      {"PMIX_RANK", "SLURM_NTASKS", nullptr},
      {"SLURM_PROCID", "SLURM_NTASKS", nullptr}};
  for (const Launcher &launcher : launchers) {
    if (Code code = readPlace(launcher.rank, launcher.size, place, found, status))
      return code;
    if (found && place.size > 1)
      return openMpi(launcher.name, place.size, comm, status);
  }
  // torchrun.
  if (Code code = readPlace("RANK", "WORLD_SIZE", place, found, status))
    return code;
  if (found && place.size > 1) {
    if (readNumber("LOCAL_WORLD_SIZE") != place.size)
      return fail(status, KERATIN_UNIMPLEMENTED,
                  "torchrun has started %d ranks, %s of them on this machine; not implemented: "
                  "ranks of several machines without MPI (start them by mpirun)",
                  place.size, read("LOCAL_WORLD_SIZE") ? read("LOCAL_WORLD_SIZE") : "some");
    return keratin_comm_open_shared(
        jobName(read("TORCHELASTIC_RUN_ID") ? read("TORCHELASTIC_RUN_ID") : "run",
                read("MASTER_ADDR"), read("MASTER_PORT"))
            .text(),
        place.rank, place.size, startSeconds, comm, status);
  }
  *comm = &alone;
  return succeed(status);
}
