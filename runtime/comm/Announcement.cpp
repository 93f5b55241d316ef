#include "runtime/comm/Announcement.h"

#include "runtime/core/DType.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

namespace keratin::comm {

using runtime::dtypeName;
using runtime::fail;
using runtime::ShortText;

static constexpr uint32_t announcementVersion = 2;

static constexpr int32_t callKind = KERATIN_BARRIER + 1;

static const char *kindName(int32_t kind) {
  static const char *const names[] = {"all_reduce", "all_gather", "reduce_scatter", "broadcast",
                                      "all_to_all", "permute",    "barrier",        "call"};
  return kind >= 0 && kind <= callKind ? names[kind] : "collective";
}

// FNV-1a.
static uint64_t hash(const void *data, size_t length) {
  uint64_t value = 0xcbf29ce484222325u;
  for (const auto *byte = static_cast<const uint8_t *>(data); length; ++byte, --length)
    value = (value ^ *byte) * 0x100000001b3u;
  return value;
}

// What is wrong with the arguments, whatever the other ranks do; nothing: ok is set.
static ShortText findMistake(const keratin_collective_t &c, int32_t ownRank, int32_t ranks,
                             bool &ok) {
  ShortText text;
  ok = false;
  if (c.kind < 0 || c.kind > KERATIN_BARRIER)
    return text.add("there is no collective of the kind %d", c.kind);
  ok = true;
  if (c.kind == KERATIN_BARRIER)
    return text;
  ok = false;
  if (!isAxisOf(c.axis, ranks))
    return text.add("%d ranks, %d apart; the %d ranks are not arranged so", c.axis.count,
                    c.axis.stride, ranks);
  const Members members = membersOf(c.axis, ownRank, ranks);
  const int32_t rank = members.placeOf(ownRank), size = members.count;
  if (!runtime::isDType(c.dtype))
    return text.add("%d is no dtype", c.dtype);
  int64_t largest = INT64_MAX / runtime::dtypeSize(c.dtype) / size;
  if (c.send_elements < 0 || c.receive_elements < 0 || c.send_elements > largest ||
      c.receive_elements > largest)
    return text.add("%" PRId64 " elements to send and %" PRId64
                    " to receive; both must be from 0 to %" PRId64,
                    c.send_elements, c.receive_elements, largest);
  bool isRoot = c.kind == KERATIN_BROADCAST && c.from == rank;
  bool sends = c.kind == KERATIN_BROADCAST ? isRoot : c.kind != KERATIN_PERMUTE || c.to >= 0;
  bool receives = c.kind != KERATIN_PERMUTE || c.from >= 0;
  if ((sends && c.send_elements && !c.send) || (receives && c.receive_elements && !c.receive))
    return text.add("%s is NULL", sends && c.send_elements && !c.send ? "send" : "receive");
  bool reduces = c.kind == KERATIN_ALL_REDUCE || c.kind == KERATIN_REDUCE_SCATTER;
  bool isKnown = c.reduction >= KERATIN_REDUCE_SUM && c.reduction <= KERATIN_REDUCE_MEAN &&
                 (c.kind == KERATIN_ALL_REDUCE || c.reduction != KERATIN_REDUCE_BEFORE);
  if (reduces && !isKnown)
    return text.add("there is no reduction of the number %d", c.reduction);
  if (reduces && c.reduction == KERATIN_REDUCE_MEAN && c.dtype < KERATIN_DTYPE_FLOAT16)
    return text.add("the mean of %s; needed floats", dtypeName(c.dtype));
  if (reduces && c.dtype >= KERATIN_DTYPE_COMPLEX64)
    return text.add("a reduction of %s; needed the parts, as floats", dtypeName(c.dtype));
  if (c.kind == KERATIN_BROADCAST && (c.from < 0 || c.from >= size))
    return text.add("from rank %d; there are ranks 0 to %d", c.from, size - 1);
  if (c.kind == KERATIN_PERMUTE && (c.from < -1 || c.from >= size || c.to < -1 || c.to >= size))
    return text.add("from rank %d to rank %d; there are ranks 0 to %d, and -1 for none", c.from,
                    c.to, size - 1);
  bool isEqual = c.kind == KERATIN_ALL_REDUCE || c.kind == KERATIN_ALL_TO_ALL || isRoot;
  if (isEqual && c.send_elements != c.receive_elements)
    return text.add("%" PRId64 " elements to send and %" PRId64 " to receive; they must be as many",
                    c.send_elements, c.receive_elements);
  if (c.kind == KERATIN_ALL_TO_ALL && c.send_elements % size != 0)
    return text.add("%" PRId64 " elements are not %d equal parts", c.send_elements, size);
  ok = true;
  return text;
}

Announcement announceFailure(const char *message, bool isBroken) {
  Announcement made = {};
  made.version = announcementVersion;
  made.failed = isBroken ? 2 : 1;
  snprintf(made.text, sizeof(made.text), "%s", message ? message : "");
  return made;
}

static Announcement announceName(const char *name) {
  Announcement made = {};
  made.version = announcementVersion;
  made.nameHash = hash(name, strlen(name));
  snprintf(made.text, sizeof(made.text), "%s", name);
  return made;
}

Announcement announceCall(const char *name, bool isDirect, uint64_t digest) {
  Announcement made = announceName(name);
  made.kind = callKind;
  made.from = isDirect;
  made.receiveElements = int64_t(digest);
  return made;
}

uint64_t digestOf(const Announcements &all) {
  uint64_t digest = all[0].nameHash;
  auto add = [&](int64_t part) { digest = (digest ^ uint64_t(part)) * 0x100000001b3u; };
  for (int32_t part : {all[0].kind, all[0].dtype, all[0].reduction, all[0].count, all[0].stride})
    add(part);
  for (int32_t rank = 0; rank < all.size; ++rank)
    add(all[rank].sendElements);
  return digest;
}

uint64_t hash(const Announcement &announcement) {
  return hash(&announcement, sizeof(announcement));
}

Announcement announce(const keratin_collective_t &collective, int32_t rank, int32_t size) {
  bool isOk;
  ShortText mistake = findMistake(collective, rank, size, isOk);
  const char *name = collective.name ? collective.name : "";
  Announcement made = announceName(name);
  made.kind = collective.kind;
  made.dtype = collective.kind == KERATIN_BARRIER ? 0 : collective.dtype;
  made.reduction = collective.reduction;
  made.from = collective.from;
  made.to = collective.to;
  if (made.kind != KERATIN_BARRIER && collective.axis.count) {
    made.count = collective.axis.count;
    made.stride = collective.axis.stride;
  }
  made.sendElements = collective.send_elements;
  made.receiveElements = collective.receive_elements;
  if (!isOk)
    return announceFailure(ShortText().add("%s: %s", describe(made).text(), mistake.text()).text());
  return made;
}

ShortText describe(const Announcement &announcement) {
  ShortText text;
  text.add("%s", kindName(announcement.kind));
  if (announcement.text[0])
    text.add(" '%s'", announcement.text);
  return text;
}

namespace {

// The announcements of all, and what a message says of two of them that do not fit.
class Comparison {
public:
  Comparison(const Announcements &all, keratin_status_t *status)
      : all(all), size(all.size), status(status) {}

  Code run() const {
    for (int32_t rank = 0; rank < size; ++rank)
      if (all[rank].version != announcementVersion)
        return fail(status, KERATIN_ABORTED,
                    "rank %d speaks version %u of this protocol, which is version %u here: all "
                    "ranks need the same Keratin",
                    rank, all[rank].version, announcementVersion);
    for (int32_t rank = 0; rank < size; ++rank)
      if (all[rank].failed)
        return fail(status, KERATIN_ABORTED, "rank %d has failed: %s", rank, text(rank).text());
    for (int32_t rank = 1; rank < size; ++rank)
      if (all[rank].kind != all[0].kind || all[rank].nameHash != all[0].nameHash)
        return fail(status, KERATIN_ABORTED,
                    "rank 0 is at %s and rank %d at %s: all ranks start the same collectives in "
                    "the same order",
                    describe(all[0]).text(), rank, describe(all[rank]).text());
    for (int32_t rank = 1; rank < size; ++rank)
      if (all[rank].dtype != all[0].dtype)
        return fail(status, KERATIN_ABORTED, "%s: rank 0 has %s and rank %d has %s",
                    describe(all[0]).text(), dtypeName(all[0].dtype), rank,
                    dtypeName(all[rank].dtype));
    for (int32_t rank = 1; rank < size; ++rank)
      if (isReduction() && all[rank].reduction != all[0].reduction)
        return fail(status, KERATIN_ABORTED, "%s: rank 0 asks for the %s and rank %d for the %s",
                    describe(all[0]).text(), reductionName(0), rank, reductionName(rank));
    for (int32_t rank = 1; rank < size; ++rank)
      if (all[rank].count != all[0].count || all[rank].stride != all[0].stride)
        return fail(status, KERATIN_ABORTED,
                    "%s: rank 0 means %s and rank %d means %s; an axis is the same for all",
                    describe(all[0]).text(), axisName(0).text(), rank, axisName(rank).text());
    for (int32_t rank = 0; rank < size; ++rank)
      if (Members members = membersOf(axis(), rank, size); members.first == rank)
        if (Code code = compareSizes(members))
          return code;
    return KERATIN_OK;
  }

private:
  bool isReduction() const {
    return all[0].kind == KERATIN_ALL_REDUCE || all[0].kind == KERATIN_REDUCE_SCATTER;
  }
  const char *reductionName(int32_t rank) const {
    static const char *const names[] = {"sum", "max", "min", "sum before it", "mean"};
    return names[all[rank].reduction];
  }
  ShortText text(int32_t rank) const {
    return ShortText().add("%.*s", int(sizeof(Announcement::text)) - 1, all[rank].text);
  }

  keratin_axis_t axis() const { return {all[0].count, all[0].stride}; }
  ShortText axisName(int32_t rank) const {
    if (!all[rank].count)
      return ShortText().add("all ranks");
    return ShortText().add("%d ranks, %d apart", all[rank].count, all[rank].stride);
  }

  // What the members of an axis, or all ranks, have for each other.
  Code compareSizes(const Members &members) const {
    int64_t sent = 0, received = 0; // by all; none is more than INT64_MAX / size
    for (int32_t place = 0; place < members.count; ++place) {
      sent += all[members[place]].sendElements;
      received += all[members[place]].receiveElements;
    }
    const int32_t first = members.first;
    for (int32_t place = 0; place < members.count; ++place) {
      const int32_t rank = members[place];
      switch (all[0].kind) {
      case KERATIN_ALL_REDUCE:
      case KERATIN_ALL_TO_ALL:
        if (all[rank].sendElements != all[first].sendElements)
          return differ(first, all[first].sendElements, rank, all[rank].sendElements);
        break;
      case KERATIN_ALL_GATHER:
        if (all[rank].receiveElements != sent)
          return misses(rank, "has room for", all[rank].receiveElements, "send", sent);
        break;
      case KERATIN_REDUCE_SCATTER:
        if (all[rank].sendElements != received)
          return misses(rank, "sends", all[rank].sendElements, "receive", received);
        break;
      case KERATIN_BROADCAST:
        if (all[rank].from != all[first].from)
          return fail(status, KERATIN_ABORTED,
                      "%s: from rank %d for rank %d, from rank %d for rank %d",
                      describe(all[0]).text(), members[all[first].from], first,
                      members[all[rank].from], rank);
        if (all[rank].receiveElements != all[first].receiveElements)
          return differ(first, all[first].receiveElements, rank, all[rank].receiveElements);
        break;
      case KERATIN_PERMUTE:
        if (Code code = comparePair(members, place))
          return code;
        break;
      default:
        break;
      }
    }
    return KERATIN_OK;
  }

  // What a member sends is received as such, and the other way round.
  Code comparePair(const Members &members, int32_t place) const {
    auto numberOf = [&](int32_t other) { return other < 0 ? other : members[other]; };
    auto at = [&](int32_t other) -> const Announcement & { return all[members[other]]; };
    const int32_t to = at(place).to, from = at(place).from, rank = members[place];
    if (to >= 0 && at(to).from != place)
      return fail(status, KERATIN_ABORTED,
                  "%s: rank %d sends to rank %d, which receives from rank %d",
                  describe(all[0]).text(), rank, numberOf(to), numberOf(at(to).from));
    if (from >= 0 && at(from).to != place)
      return fail(status, KERATIN_ABORTED,
                  "%s: rank %d receives from rank %d, which sends to rank %d",
                  describe(all[0]).text(), rank, numberOf(from), numberOf(at(from).to));
    if (to >= 0 && at(to).receiveElements != at(place).sendElements)
      return fail(status, KERATIN_ABORTED,
                  "%s: rank %d sends %" PRId64 " elements to rank %d, which receives %" PRId64,
                  describe(all[0]).text(), rank, at(place).sendElements, numberOf(to),
                  at(to).receiveElements);
    return KERATIN_OK;
  }

  Code differ(int32_t first, int64_t elements, int32_t rank, int64_t other) const {
    return fail(status, KERATIN_ABORTED,
                "%s: rank %d has %" PRId64 " elements and rank %d has %" PRId64,
                describe(all[0]).text(), first, elements, rank, other);
  }
  Code misses(int32_t rank, const char *does, int64_t elements, const char *others,
              int64_t total) const {
    return fail(status, KERATIN_ABORTED,
                "%s: rank %d %s %" PRId64 " elements; all ranks%s together %s %" PRId64,
                describe(all[0]).text(), rank, does, elements, all[0].count ? " of its axis" : "",
                others, total);
  }

  const Announcements &all;
  const int32_t size;
  keratin_status_t *status;
};

} // namespace

Code compare(const Announcements &all, keratin_status_t *status) {
  return Comparison(all, status).run();
}

} // namespace keratin::comm
