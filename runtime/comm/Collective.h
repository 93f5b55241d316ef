// Collectives, made of an engine's moves.
#ifndef KERATIN_RUNTIME_COMM_COLLECTIVE_H
#define KERATIN_RUNTIME_COMM_COLLECTIVE_H

#include "runtime/comm/Announcement.h"
#include "runtime/core/Allocator.h"

namespace keratin::comm {

// Memory that collectives of a group use, one after the other.
class CollectiveRunner {
public:
  explicit CollectiveRunner(Engine &engine) : engine(engine) {}

  // False where there is no memory for what every collective needs.
  [[nodiscard]] bool prepare();

  // Announces what is wanted, and does it where all ranks want the same.
  Code run(const keratin_collective_t &collective, keratin_status_t *status);
  // Announces it alone; the rest is done elsewhere.
  Code announce(const keratin_collective_t &collective, keratin_status_t *status);
  Code announceCall(const char *name, bool isDirect, uint64_t digest, keratin_status_t *status);
  // What a rank has announced last.
  const Announcement &announced(int32_t rank) const { return all[rank]; }
  // Of what all have announced last.
  uint64_t digest() const { return digestOf(all); }
  // Takes part in whatever the others want, so that it fails.
  void fail(const char *message) { tell(announceFailure(message)); }
  // Before the engine is left.
  void closeAxes() { axes.close(); }
  // The same as fail(), and the group is broken on all of them.
  void breakGroup(const keratin_status_t &why);

private:
  // Memory for all that the collective needs, before it is announced: who lacks it later is lost to
  // the others.
  [[nodiscard]] bool reserve(const keratin_collective_t &collective);
  Code agree(const Announcement &own, keratin_status_t *status);
  Code exchange(const Announcement &own, keratin_status_t *status);
  Code findSame(const Announcement &own, bool &areSame, keratin_status_t *status);
  Code findMover(keratin_axis_t axis, const Announcement &own, keratin_status_t *status);
  Code move(const keratin_collective_t &collective, keratin_status_t *status);
  void tell(const Announcement &failure);
  Code announce(const Announcement &own, keratin_status_t *status);
  Code refuse(const Announcement &own, Code code, const char *why, keratin_status_t *status) const;
  Code allReduce(const keratin_collective_t &collective, keratin_status_t *status);
  Code allGather(const keratin_collective_t &collective, keratin_status_t *status);
  Code reduceScatter(const keratin_collective_t &collective, keratin_status_t *status);
  Code allToAll(const keratin_collective_t &collective, keratin_status_t *status);
  Code reducePiece(const keratin_collective_t &collective, int64_t begin, int64_t elements,
                   keratin_status_t *status);

  Announcement *announcements() const { return static_cast<Announcement *>(announcedBytes.data()); }
  int64_t *parts() const { return static_cast<int64_t *>(partBytes.data()); }

  Engine &engine;
  AxisEngines axes;
  // Of the collective under way.
  Members members = {};
  Engine *mover = nullptr; // among its members
  Announcements all = {};
  bool hasMet = false; // all ranks speak the same version
  runtime::Block announcedBytes, partBytes;
  runtime::Block gathered, reduced; // pieces of reductions
};

} // namespace keratin::comm

#endif // KERATIN_RUNTIME_COMM_COLLECTIVE_H
