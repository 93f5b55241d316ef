#include "runtime/comm/Collective.h"

#include "runtime/comm/Combine.h"
#include "runtime/core/DType.h"

#include <string.h>

namespace keratin::comm {

using runtime::dtypeSize;

// Reductions go piece by piece, so that what they need does not grow with the tensor.
static constexpr int64_t pieceBytes = 8 << 20;
// Of a small piece each rank gets all there is and reduces it for itself: one move in the place of
// two.
static constexpr int64_t smallBytes = 4 << 10;
static bool isSmall(int64_t bytes, int32_t size) { return bytes * size <= smallBytes; }
// Elements of each part in a step of a reduce_scatter.
static int64_t scatteredPiece(int64_t bytes, int32_t size) {
  int64_t piece = pieceBytes / bytes / size;
  return piece ? piece : 1;
}

// Of so many ranks a gather of announcements takes less than rounds of messages: one latency, and a
// message to each of them, in the place of a latency for each round (docs/scale.md).
static constexpr int32_t mostGathered = 16;

static const char *at(const void *data, int64_t bytes) {
  return static_cast<const char *>(data) + bytes;
}
static char *at(void *data, int64_t bytes) { return static_cast<char *>(data) + bytes; }

// Where the share of a rank begins if elements are shared evenly.
static int64_t shareBegin(int64_t elements, int32_t rank, int32_t size) {
  return elements / size * rank + (elements % size < rank ? elements % size : rank);
}

bool CollectiveRunner::prepare() {
  size_t size = size_t(engine.size());
  return announcedBytes.reserve(size * sizeof(Announcement)) &&
         partBytes.reserve(size * sizeof(int64_t));
}

bool CollectiveRunner::reserve(const keratin_collective_t &collective) {
  int64_t bytes = dtypeSize(collective.dtype);
  int32_t size = members.count;
  if (collective.kind == KERATIN_ALL_REDUCE) {
    int64_t longest = pieceBytes / bytes;
    int64_t piece = collective.send_elements < longest ? collective.send_elements : longest;
    int64_t share = (piece + size - 1) / size;
    bool isAll = isSmall(piece * bytes, size) || collective.reduction == KERATIN_REDUCE_BEFORE;
    int64_t parts = isAll ? piece : share;
    // The last piece may be a small one.
    int64_t most = parts * size * bytes;
    return gathered.reserve(size_t(most > smallBytes ? most : smallBytes)) &&
           reduced.reserve(size_t(share * bytes));
  }
  if (collective.kind == KERATIN_REDUCE_SCATTER) {
    int64_t piece = scatteredPiece(bytes, size);
    int64_t room = (collective.send_elements < piece ? collective.send_elements : piece) * bytes;
    return gathered.reserve(size_t(room * size)) && reduced.reserve(size_t(room * size));
  }
  return true;
}

// Whether all ranks announce the same. Each hears it of the ranks before it, in each round of twice
// as many.
Code CollectiveRunner::findSame(const Announcement &own, bool &areSame, keratin_status_t *status) {
  struct Heard {
    uint64_t hash, areSame;
  };
  Heard known = {hash(own), 1}, heard = {};
  const int64_t rank = engine.rank(), size = engine.size();
  for (int64_t distance = 1; distance < size; distance *= 2) {
    if (Code code = engine.shift(&known, sizeof(known), int32_t((rank + distance) % size), &heard,
                                 sizeof(heard), int32_t((rank + size - distance) % size), status))
      return code;
    known.areSame &= heard.areSame & uint64_t(heard.hash == known.hash);
  }
  areSame = known.areSame;
  return KERATIN_OK;
}

// The first are gathered in any case: another version of the protocol may have other rounds.
Code CollectiveRunner::exchange(const Announcement &own, keratin_status_t *status) {
  bool areSame = false;
  if (hasMet && engine.size() > mostGathered && !engine.gathersAtOnce())
    if (Code code = findSame(own, areSame, status))
      return code;
  all = {announcements(), engine.size(), areSame};
  if (areSame) {
    announcements()[0] = own;
    return KERATIN_OK;
  }
  for (int32_t rank = 0; rank < engine.size(); ++rank)
    parts()[rank] = sizeof(Announcement);
  if (Code code = engine.gather(&own, announcements(), parts(), status))
    return code;
  for (int32_t rank = 0; rank < engine.size(); ++rank)
    announcements()[rank].text[sizeof(Announcement::text) - 1] = '\0';
  hasMet = true;
  return KERATIN_OK;
}

Code CollectiveRunner::agree(const Announcement &own, keratin_status_t *status) {
  if (Code code = exchange(own, status))
    return code;
  keratin_status_t why = {};
  Code code = compare(all, &why);
  if (code == KERATIN_OK)
    return code;
  for (int32_t rank = 0; rank < engine.size(); ++rank)
    if (all[rank].failed == 2)
      engine.breakWith(why);
  return runtime::fail(status, code, "%s", why.message);
}

void CollectiveRunner::tell(const Announcement &failure) {
  if (engine.checkWorks(nullptr) == KERATIN_OK)
    (void)agree(failure, nullptr);
}

void CollectiveRunner::breakGroup(const keratin_status_t &why) {
  tell(announceFailure(why.message, /*isBroken=*/true));
  engine.breakWith(why);
}

Code CollectiveRunner::refuse(const Announcement &own, Code code, const char *why,
                              keratin_status_t *status) const {
  if (own.failed)
    return runtime::fail(status, KERATIN_INVALID_ARGUMENT, "%s", own.text);
  return runtime::fail(status, code, "%s on rank %d of %d: %s", describe(own).text(), engine.rank(),
                       engine.size(), why);
}

Code CollectiveRunner::announce(const Announcement &own, keratin_status_t *status) {
  if (Code code = engine.checkWorks(status))
    return code;
  keratin_status_t why = {};
  Code code = agree(own, &why);
  return code == KERATIN_OK ? code : refuse(own, code, why.message, status);
}

Code CollectiveRunner::announce(const keratin_collective_t &collective, keratin_status_t *status) {
  return announce(comm::announce(collective, engine.rank(), engine.size()), status);
}

Code CollectiveRunner::announceCall(const char *name, bool isDirect, uint64_t digest,
                                    keratin_status_t *status) {
  return announce(comm::announceCall(name, isDirect, digest), status);
}

// Of one rank: what it sends is what it gets.
static Code stay(const keratin_collective_t &collective, keratin_status_t *status) {
  const bool receives = collective.kind != KERATIN_BARRIER &&
                        (collective.kind != KERATIN_PERMUTE || collective.from >= 0);
  const auto bytes = size_t(collective.receive_elements * dtypeSize(collective.dtype));
  if (receives && collective.kind == KERATIN_ALL_REDUCE &&
      collective.reduction == KERATIN_REDUCE_BEFORE)
    memset(collective.receive, 0, bytes);
  else if (receives && bytes && collective.send != collective.receive)
    memcpy(collective.receive, collective.send, bytes);
  return runtime::succeed(status);
}

Code CollectiveRunner::run(const keratin_collective_t &collective, keratin_status_t *status) {
  if (Code code = engine.checkWorks(status))
    return code;
  Announcement own = comm::announce(collective, engine.rank(), engine.size());
  const keratin_axis_t axis = {own.count, own.stride};
  if (!own.failed)
    members = membersOf(axis, engine.rank(), engine.size());
  if (!own.failed && !reserve(collective))
    own = announceFailure(
        runtime::ShortText().add("%s: no memory for its pieces", describe(own).text()).text());
  keratin_status_t why = {};
  Code code = agree(own, &why);
  if (code == KERATIN_OK && members.count == 1)
    return stay(collective, status);
  if (code == KERATIN_OK)
    code = findMover(axis, own, &why);
  if (code == KERATIN_OK) {
    code = move(collective, &why);
    if (code != KERATIN_OK && mover != &engine)
      breakGroup(why); // which those of other axes do not see
  }
  return code == KERATIN_OK ? code : refuse(own, code, why.message, status);
}

// At the first collective of an axis all ranks announce once more, when each has its engine or has
// not.
Code CollectiveRunner::findMover(keratin_axis_t axis, const Announcement &own,
                                 keratin_status_t *status) {
  mover = members.count == engine.size() ? &engine : axes.find(axis);
  if (!mover) {
    keratin_status_t why = {};
    Code opened = axes.open(engine, axis, &why);
    Code agreed = agree(opened == KERATIN_OK ? own : announceFailure(why.message), status);
    if (opened != KERATIN_OK)
      agreed = runtime::fail(status, opened, "%s", why.message);
    if (agreed != KERATIN_OK) {
      axes.close(); // on all ranks
      return agreed;
    }
    mover = axes.find(axis);
  }
  mover->setTimeout(engine.timeout());
  return KERATIN_OK;
}

Code CollectiveRunner::move(const keratin_collective_t &collective, keratin_status_t *status) {
  const int64_t bytes = dtypeSize(collective.dtype);
  switch (collective.kind) {
  case KERATIN_ALL_REDUCE:
    return allReduce(collective, status);
  case KERATIN_ALL_GATHER:
    return allGather(collective, status);
  case KERATIN_REDUCE_SCATTER:
    return reduceScatter(collective, status);
  case KERATIN_BROADCAST:
    return mover->broadcast(collective.send, collective.receive,
                            collective.receive_elements * bytes, collective.from, status);
  case KERATIN_ALL_TO_ALL:
    return allToAll(collective, status);
  case KERATIN_PERMUTE:
    return mover->shift(collective.send, collective.send_elements * bytes, collective.to,
                        collective.receive, collective.receive_elements * bytes, collective.from,
                        status);
  default: // a barrier: all have announced it
    return KERATIN_OK;
  }
}

Code CollectiveRunner::allReduce(const keratin_collective_t &collective, keratin_status_t *status) {
  int64_t bytes = dtypeSize(collective.dtype);
  for (int64_t begin = 0; begin < collective.send_elements;) {
    int64_t left = collective.send_elements - begin;
    int64_t piece = left < pieceBytes / bytes ? left : pieceBytes / bytes;
    if (Code code = reducePiece(collective, begin, piece, status))
      return code;
    begin += piece;
  }
  return KERATIN_OK;
}

Code CollectiveRunner::reducePiece(const keratin_collective_t &collective, int64_t begin,
                                   int64_t elements, keratin_status_t *status) {
  int64_t bytes = dtypeSize(collective.dtype);
  int32_t size = members.count;
  const char *send = at(collective.send, begin * bytes);
  char *receive = at(collective.receive, begin * bytes);
  bool isBefore = collective.reduction == KERATIN_REDUCE_BEFORE;
  if (isBefore || isSmall(elements * bytes, size)) {
    for (int32_t rank = 0; rank < size; ++rank)
      parts()[rank] = elements * bytes;
    if (Code code = mover->gather(send, gathered.data(), parts(), status))
      return code;
    int32_t count = isBefore ? mover->rank() : size;
    if (count == 0)
      memset(receive, 0, size_t(elements * bytes));
    else
      combine(collective.dtype, isBefore ? int32_t(KERATIN_REDUCE_SUM) : collective.reduction,
              gathered.data(), count, elements, receive);
    return KERATIN_OK;
  }
  for (int32_t rank = 0; rank < size; ++rank)
    parts()[rank] =
        bytes * (shareBegin(elements, rank + 1, size) - shareBegin(elements, rank, size));
  int64_t own = parts()[mover->rank()];
  if (Code code = mover->exchange(send, gathered.data(), parts(), status))
    return code;
  combine(collective.dtype, collective.reduction, gathered.data(), size, own / bytes,
          reduced.data());
  return mover->gather(reduced.data(), receive, parts(), status);
}

Code CollectiveRunner::allGather(const keratin_collective_t &collective, keratin_status_t *status) {
  for (int32_t rank = 0; rank < members.count; ++rank)
    parts()[rank] = all[members[rank]].sendElements * dtypeSize(collective.dtype);
  return mover->gather(collective.send, collective.receive, parts(), status);
}

// As many steps as the largest part has pieces. What is sent in one is copied together, since the
// pieces of ranks' parts lie apart.
Code CollectiveRunner::reduceScatter(const keratin_collective_t &collective,
                                     keratin_status_t *status) {
  int64_t bytes = dtypeSize(collective.dtype);
  int32_t size = members.count;
  int64_t piece = scatteredPiece(bytes, size);
  int64_t longest = 0;
  for (int32_t rank = 0; rank < size; ++rank)
    if (all[members[rank]].receiveElements > longest)
      longest = all[members[rank]].receiveElements;
  for (int64_t begin = 0; begin < longest; begin += piece) {
    int64_t packed = 0, partBegin = 0;
    for (int32_t rank = 0; rank < size; ++rank) {
      int64_t elements = all[members[rank]].receiveElements;
      int64_t left = elements > begin ? elements - begin : 0;
      parts()[rank] = bytes * (left < piece ? left : piece);
      if (parts()[rank])
        memcpy(at(reduced.data(), packed), at(collective.send, (partBegin + begin) * bytes),
               size_t(parts()[rank]));
      packed += parts()[rank];
      partBegin += elements;
    }
    if (Code code = mover->exchange(reduced.data(), gathered.data(), parts(), status))
      return code;
    if (int64_t own = parts()[mover->rank()])
      combine(collective.dtype, collective.reduction, gathered.data(), size, own / bytes,
              at(collective.receive, begin * bytes));
  }
  return KERATIN_OK;
}

Code CollectiveRunner::allToAll(const keratin_collective_t &collective, keratin_status_t *status) {
  for (int32_t rank = 0; rank < members.count; ++rank)
    parts()[rank] = collective.send_elements / members.count * dtypeSize(collective.dtype);
  return mover->exchange(collective.send, collective.receive, parts(), status);
}

} // namespace keratin::comm
