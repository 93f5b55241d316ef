// A call of all ranks of a job: what they tell each other during it, and that it succeeds or fails
// on all of them.
#include "runtime/core/Executable.h"
#include "runtime/core/Invocation.h"

#include "runtime/core/DType.h"
#include "runtime/include/keratin/comm.h"

#include <inttypes.h>
#include <string.h>

namespace keratin::runtime {

void Invocation::startCollective(keratin_context_t *context, const keratin_rank_message_t *wanted) {
  Invocation &self = of(context);
  if (self.hasRanks()) {
    self.start(*wanted);
    (void)self.stopIfRefused(context);
    return;
  }
  if (!self.fitsOneRank(context, *wanted))
    return;
  // Of one rank, before which there is none.
  auto bytes = size_t(wanted->send_elements * dtypeSize(int32_t(wanted->dtype)));
  if (wanted->kind == KERATIN_MESSAGE_ALL_REDUCE && wanted->reduction == KERATIN_REDUCE_BEFORE)
    memset(wanted->receive, 0, bytes);
  else if (wanted->send != wanted->receive)
    memcpy(wanted->receive, wanted->send, bytes);
}

bool Invocation::fitsOneRank(keratin_context_t *context, const keratin_rank_message_t &wanted) {
  if (namesRanks(wanted.kind))
    for (int64_t i = 0; i < wanted.num_ranks; ++i)
      if (wanted.ranks[i] != 0) {
        refuse(KERATIN_FAILED_PRECONDITION, "%s: there is no rank %" PRId64 "; of one it is 0",
               nameOf(wanted), wanted.ranks[i]);
        (void)stopIfRefused(context);
        return false;
      }
  if (wanted.send_elements == wanted.receive_elements)
    return true;
  refuse(KERATIN_FAILED_PRECONDITION,
         "%s: %" PRId64 " elements to send and %" PRId64
         " to receive; of one rank they must be as many",
         nameOf(wanted), wanted.send_elements, wanted.receive_elements);
  (void)stopIfRefused(context);
  return false;
}

void Invocation::waitCollective(keratin_context_t *context) {
  Invocation &self = of(context);
  if (!self.messages.first)
    return;
  self.waitForFirst();
  (void)self.stopIfRefused(context);
}

void Invocation::agreeBetween(keratin_context_t *context) {
  Invocation &self = of(context);
  if (!self.hasRanks())
    return;
  (void)self.agree();
  (void)self.stopIfRefused(context);
}

// What a kernel before this has found is told in the place of what the others want.
bool Invocation::mayTakePart() {
  if (ranksKnow)
    return false;
  if (isSound())
    return true;
  tellFailure();
  return false;
}

// "all_reduce; at net.py:12"
const char *Invocation::nameOf(const keratin_rank_message_t &wanted) const {
  if (const keratin_site_t *site = executable.sites.find(wanted.site))
    if (const char *place = strstr(site->message, "; at "))
      return place + strlen("; at ");
  return function();
}

const char *Invocation::axisOf(const keratin_rank_message_t &wanted) const {
  return descriptor.axes && wanted.axis ? descriptor.axes->names[wanted.axis - 1] : nullptr;
}

void Invocation::start(const keratin_rank_message_t &wanted) {
  if (!mayTakePart())
    return;
  const Ranks &ranks = executable.ranks;
  code =
      ranks.functions->start(ranks.group, messages, wanted, axisOf(wanted), nameOf(wanted), status);
}

void Invocation::waitForFirst() {
  const Ranks &ranks = executable.ranks;
  keratin_status_t why = {};
  if (Code failure = ranks.functions->wait(ranks.group, messages, &why); failure && !ranksKnow)
    refuseByRanks(failure, why);
}

static bool isOfCaller(Code code) {
  return code == KERATIN_INVALID_ARGUMENT || code == KERATIN_FAILED_PRECONDITION;
}

// Unless something has failed here as well, which says more. Not what the caller of this rank has
// done wrong, whatever the group calls it.
void Invocation::refuseByRanks(Code failure, const keratin_status_t &why) {
  ranksKnow = true;
  if (isSound())
    refuse(isOfCaller(failure) ? KERATIN_INTERNAL : failure, "%s", why.message);
}

bool Invocation::agree() {
  waitForAll();
  if (mayTakePart()) {
    const Ranks &ranks = executable.ranks;
    keratin_status_t why = {};
    if (Code failure = ranks.functions->meet(ranks.group, function(), &why))
      refuseByRanks(failure, why);
  }
  return code == KERATIN_OK;
}

// In the place of what the others want next: what was started is theirs, too, and may tell of
// another failure before.
void Invocation::tellFailure() {
  waitForAll();
  if (ranksKnow)
    return;
  ranksKnow = true;
  const Ranks &ranks = executable.ranks;
  ranks.functions->fail(ranks.group, status ? status->message : "a call has failed");
}

} // namespace keratin::runtime
