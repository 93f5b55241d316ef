// Those ranks of an MPI job that are left when others are lost: who they are, and a communicator of
// them that is the same on all.
#ifndef KERATIN_RUNTIME_COMM_MPISURVIVORS_H
#define KERATIN_RUNTIME_COMM_MPISURVIVORS_H

#include "runtime/comm/MpiLibrary.h"

#include "runtime/core/Allocator.h"

namespace keratin::comm {

class MpiSurvivors {
public:
  explicit MpiSurvivors(const MpiLibrary &library) : mpi(library) {}

  // Of all ranks of the communicator, who open it together, before any is lost.
  Code open(MpiHandle comm, keratin_status_t *status);
  void close();
  bool isOpen() const { return numRanks > 0; }

  // Of the ranks of `comm` those that are left: calls the roll, shrinks the communicator, and has
  // all of them agree on who is in the new one, until they do or it is too late. Whoever is left
  // calls it, again where it has failed. Precondition: comm is of those that were found last, it is
  // revoked, and nothing is under way among them.
  Code find(MpiHandle comm, int64_t deadline, MpiHandle &left, keratin_status_t *status);

private:
  struct Rank {
    MpiHandle received, sent; // messages of the roll call that are under way; 0: none
    bool isMember;            // found last
    bool isLost;              // as the roll call says
    bool isFound;             // in the new communicator
  };

  Rank *ranks() const { return static_cast<Rank *>(memory.data()); }
  bool isAwaited(const Rank &rank) const { return rank.received || rank.sent; }
  void beginRollCall();
  Code callRoll(int64_t deadline, keratin_status_t *status);
  bool hasEnded(MpiHandle &request, bool &isLost) const;
  Code shrink(MpiHandle comm, MpiHandle &made, uint32_t &digest, bool &isGood,
              keratin_status_t *status);
  Code agree(MpiHandle comm, bool isGood, uint16_t number, int64_t deadline, bool &isAgreed,
             keratin_status_t *status);
  // "0, 2 and 3" of those that are, by their numbers in the communicator found last.
  template <typename Is> runtime::ShortText names(Is is) const;

  const MpiLibrary &mpi;
  MpiHandle all = 0; // a communicator of all ranks that nobody revokes, for roll calls
  int numRanks = 0, ownRank = 0;
  runtime::Block memory;
  int round = 0; // of roll call, shrink and agreement: all ranks are in the same one
  bool isCalling = false;
  bool isStuck = false; // in an agreement that was not over in time
  uint32_t agreed = 0;  // by one that is under way
};

} // namespace keratin::comm

#endif // KERATIN_RUNTIME_COMM_MPISURVIVORS_H
