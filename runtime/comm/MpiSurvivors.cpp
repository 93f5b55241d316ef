#include "runtime/comm/MpiSurvivors.h"

#include "runtime/comm/Engine.h"

#include <time.h>

namespace keratin::comm {

using runtime::ShortText;

static void rest(int64_t nanoseconds = 200000) {
  timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  nanosleep(&time, nullptr);
}

Code MpiSurvivors::open(MpiHandle comm, keratin_status_t *status) {
  int size = 0;
  if (Code code = mpi.check(mpi.MPI_Comm_dup(comm, &all), "MPI_Comm_dup", status))
    return code;
  if (Code code = mpi.describe(all, ownRank, size, status))
    return code;
  if (!memory.reserve(size_t(size) * sizeof(Rank)))
    return runtime::fail(status, KERATIN_RESOURCE_EXHAUSTED, "%s: no memory", mpi.name);
  for (int i = 0; i < size; ++i)
    ranks()[i] = {0, 0, /*isMember=*/true, false, false};
  numRanks = size;
  return KERATIN_OK;
}

void MpiSurvivors::close() {
  if (isOpen())
    mpi.MPI_Comm_free(&all);
  numRanks = 0;
}

template <typename Is> ShortText MpiSurvivors::names(Is is) const {
  ShortText text;
  int number = 0, count = 0, left = 0;
  for (int i = 0; i < numRanks; ++i)
    left += ranks()[i].isMember && is(i);
  if (!left)
    text.add("none");
  for (int i = 0; i < numRanks; ++i) {
    if (!ranks()[i].isMember)
      continue;
    if (is(i)) {
      text.add("%s%d", count == 0 ? "" : count + 1 == left ? " and " : ", ", number);
      ++count;
    }
    ++number;
  }
  return text;
}

// Messages of no bytes, which need no memory; the tag keeps those of other rounds apart.
void MpiSurvivors::beginRollCall() {
  static char nothing;
  for (int i = 0; i < numRanks; ++i) {
    Rank &rank = ranks()[i];
    rank.received = rank.sent = 0;
    rank.isLost = false;
    if (!rank.isMember || i == ownRank)
      continue;
    // What cannot be posted is for a rank that MPI knows to be lost.
    if (mpi.MPI_Irecv(&nothing, 0, mpi.byte, i, round, all, &rank.received) != 0) {
      rank.received = 0;
      rank.isLost = true;
    }
    if (mpi.MPI_Isend(&nothing, 0, mpi.byte, i, round, all, &rank.sent) != 0) {
      rank.sent = 0;
      rank.isLost = true;
    }
  }
  isCalling = true;
}

bool MpiSurvivors::hasEnded(MpiHandle &request, bool &isLost) const {
  int isOver = 0;
  if (!request)
    return true;
  // An error is the end of it, too.
  const bool hasFailed = mpi.MPI_Test(&request, &isOver, mpi.ignoredStatus) != 0;
  isLost |= hasFailed;
  if (!hasFailed && !isOver)
    return false;
  request = 0;
  return true;
}

// Until each rank has come or is lost. A rank that was late in a call is not asked anew by the
// next one of the same round: it may have come meanwhile, and comes once.
Code MpiSurvivors::callRoll(int64_t deadline, keratin_status_t *status) {
  if (!isCalling)
    beginRollCall();
  for (;;) {
    bool isComplete = true;
    for (int i = 0; i < numRanks; ++i) {
      Rank &rank = ranks()[i];
      const bool isReceived = hasEnded(rank.received, rank.isLost);
      isComplete &= hasEnded(rank.sent, rank.isLost) && isReceived;
    }
    if (isComplete)
      break;
    if (now() > deadline)
      return runtime::fail(status, KERATIN_UNAVAILABLE,
                           "%s: ranks that are to go on without lost ones did not come in time "
                           "(KERATIN_COLLECTIVE_TIMEOUT): %s",
                           mpi.name, names([&](int i) { return isAwaited(ranks()[i]); }).text());
    rest();
  }
  isCalling = false;
  return KERATIN_OK;
}

// Good is a communicator of members, this rank among them, in their order, and of none that the
// roll call has missed. Who is lost since then is for the next call to find.
Code MpiSurvivors::shrink(MpiHandle comm, MpiHandle &made, uint32_t &digest, bool &isGood,
                          keratin_status_t *status) {
  const MpiRecovery &recovery = mpi.recovery;
  isGood = false;
  for (int i = 0; i < numRanks; ++i)
    ranks()[i].isFound = false;
  int size = 0;
  MpiHandle group = 0, allGroup = 0;
  if (recovery.MPIX_Comm_shrink(comm, &made) != 0)
    return KERATIN_OK; // others may be lost meanwhile: the next round is without them
  if (Code code = mpi.check(mpi.MPI_Comm_size(made, &size), "MPI_Comm_size", status))
    return code;
  if (Code code = mpi.check(recovery.MPI_Comm_group(made, &group), "MPI_Comm_group", status))
    return code;
  if (Code code = mpi.check(recovery.MPI_Comm_group(all, &allGroup), "MPI_Comm_group", status))
    return code;
  digest = 2166136261u; // FNV-1a of the ranks' numbers
  isGood = true;
  for (int i = 0, before = -1, which = 0; i < size; ++i, before = which) {
    if (Code code = mpi.check(recovery.MPI_Group_translate_ranks(group, 1, &i, allGroup, &which),
                              "MPI_Group_translate_ranks", status))
      return code;
    isGood &=
        which > before && which < numRanks && ranks()[which].isMember && !ranks()[which].isLost;
    if (which >= 0 && which < numRanks)
      ranks()[which].isFound = true;
    digest = (digest ^ uint32_t(which)) * 16777619u;
  }
  isGood &= ranks()[ownRank].isFound;
  recovery.MPI_Group_free(&group);
  recovery.MPI_Group_free(&allGroup);
  return KERATIN_OK;
}

// Whether all have the same number: an agreement gives what all flags have in common, so each bit
// goes with its opposite. A rank that has none gives no bit.
Code MpiSurvivors::agree(MpiHandle comm, bool isGood, uint16_t number, int64_t deadline,
                         bool &isAgreed, keratin_status_t *status) {
  constexpr int processFailed = 75; // MPI_ERR_PROC_FAILED of Open MPI's mpi.h
  const uint32_t wanted = number | uint32_t(uint16_t(~number)) << 16;
  agreed = isGood ? wanted : 0;
  MpiHandle request = 0;
  if (Code code = mpi.check(mpi.recovery.MPIX_Comm_iagree(comm, &agreed, &request),
                            "MPIX_Comm_iagree", status))
    return code;
  for (int isOver = 0; !isOver; rest()) {
    // An agreement says that ranks are lost, and is one none the less.
    const int result = mpi.MPI_Test(&request, &isOver, mpi.ignoredStatus);
    if (result == processFailed)
      break;
    if (Code code = mpi.check(result, "MPIX_Comm_iagree", status))
      return code;
    if (!isOver && now() > deadline) {
      isStuck = true;
      return runtime::fail(status, KERATIN_UNAVAILABLE,
                           "%s: MPIX_Comm_iagree of ranks %s was not over in time "
                           "(KERATIN_COLLECTIVE_TIMEOUT)",
                           mpi.name, names([&](int i) { return !ranks()[i].isLost; }).text());
    }
  }
  isAgreed = isGood && agreed == wanted;
  return KERATIN_OK;
}

Code MpiSurvivors::find(MpiHandle comm, int64_t deadline, MpiHandle &left,
                        keratin_status_t *status) {
  if (isStuck)
    return runtime::fail(status, KERATIN_UNAVAILABLE,
                         "%s: an earlier MPIX_Comm_iagree is not over; needed a new start",
                         mpi.name);
  constexpr int64_t longestPause = 1000000000;
  for (int64_t pause = 1000000;; pause = pause < longestPause / 2 ? 2 * pause : longestPause) {
    if (Code code = callRoll(deadline, status))
      return code;
    MpiHandle made = 0;
    uint32_t digest = 0;
    bool isGood = false, isAgreed = false, isAgreedToo = false;
    if (Code code = shrink(comm, made, digest, isGood, status))
      return code;
    if (Code code = agree(comm, isGood, uint16_t(digest), deadline, isAgreed, status))
      return code;
    if (Code code = agree(comm, isGood, uint16_t(digest >> 16), deadline, isAgreedToo, status))
      return code;
    ++round;
    if (isAgreed && isAgreedToo) {
      left = made;
      for (int i = 0; i < numRanks; ++i)
        ranks()[i].isMember = ranks()[i].isFound;
      return KERATIN_OK;
    }
    // The communicator stays as it is, since to free it is for ranks that have it in common. MPI
    // has not many, so rounds come less and less often.
    if (now() + pause > deadline)
      return runtime::fail(
          status, KERATIN_UNAVAILABLE,
          "%s: ranks %s have not agreed on who is left in time (KERATIN_COLLECTIVE_TIMEOUT); "
          "MPIX_Comm_shrink has given this one: %s",
          mpi.name, names([&](int i) { return !ranks()[i].isLost; }).text(),
          names([&](int i) { return ranks()[i].isFound; }).text());
    rest(pause);
  }
}

} // namespace keratin::comm
