// What the ranks tell each other before a collective: what each is about to do, or that it has
// failed. All see the same announcements, so all come to the same judgement.
#ifndef KERATIN_RUNTIME_COMM_ANNOUNCEMENT_H
#define KERATIN_RUNTIME_COMM_ANNOUNCEMENT_H

#include "runtime/comm/Axis.h"

namespace keratin::comm {

// The same on all ranks, which may run other builds: fixed sizes, and the version first.
struct Announcement {
  uint32_t version;
  int32_t failed; // 1: text is a message; 2: and the group is broken
  int32_t kind, dtype, reduction, from, to;
  int32_t count, stride; // of its axis; 0: all ranks
  char text[196];        // the name, cut to fit
  int64_t sendElements, receiveElements;
  uint64_t nameHash;
};
static_assert(sizeof(Announcement) == 256);

// Of what this rank does; or, where its arguments are wrong, of why it does not.
Announcement announce(const keratin_collective_t &collective, int32_t rank, int32_t size);
Announcement announceFailure(const char *message, bool isBroken = false);
// Of a call on a device (RankFunctions::begin): `from` and `receiveElements` say what this rank can
// do, and need not fit.
Announcement announceCall(const char *name, bool isDirect, uint64_t digest);

// Of all of it.
uint64_t hash(const Announcement &announcement);

// Those of all ranks; where they are all the same there is but one.
struct Announcements {
  const Announcement *first;
  int32_t size;
  bool areSame;

  const Announcement &operator[](int32_t rank) const { return first[areSame ? 0 : rank]; }
};

// Of what they ask for, where they fit: the same on all ranks. Of messages along an axis, too, of
// which others may have other sizes.
uint64_t digestOf(const Announcements &all);

// "all_reduce 'loss'", "barrier".
runtime::ShortText describe(const Announcement &announcement);

// OK where the announcements of all ranks fit.
Code compare(const Announcements &all, keratin_status_t *status);

} // namespace keratin::comm

#endif // KERATIN_RUNTIME_COMM_ANNOUNCEMENT_H
