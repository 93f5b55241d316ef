// A call of all ranks of a job: what they tell each other during it, and that it succeeds or fails
// on all of them.
#include "runtime/core/Executable.h"
#include "runtime/core/Invocation.h"

#include "runtime/core/DType.h"
#include "runtime/include/keratin/comm.h"

#include <string.h>

namespace keratin::runtime {

void Invocation::collective(keratin_context_t *context, const keratin_rank_reduction_t *wanted) {
  Invocation &self = of(context);
  if (self.hasRanks()) {
    self.reduce(wanted);
    (void)self.stopIfRefused(context);
    return;
  }
  if (!wanted)
    return;
  // Of one rank, before which there is none.
  auto bytes = size_t(wanted->elements * dtypeSize(int32_t(wanted->dtype)));
  if (wanted->reduction == KERATIN_REDUCE_BEFORE)
    memset(wanted->receive, 0, bytes);
  else if (wanted->send != wanted->receive)
    memcpy(wanted->receive, wanted->send, bytes);
}

// What a kernel before this has found is told in the place of what the others want.
void Invocation::reduce(const keratin_rank_reduction_t *wanted) {
  if (ranksKnow)
    return;
  if (!isSound()) {
    tellFailure();
    return;
  }
  // "all_reduce; at net.py:12"
  const char *name = function();
  if (wanted && wanted->site >= 0 && wanted->site < descriptor.num_sites)
    if (const char *place = strstr(descriptor.sites[wanted->site].message, "; at "))
      name = place + strlen("; at ");
  keratin_status_t why = {};
  const Ranks &ranks = executable.ranks;
  if (Code failure = ranks.functions->reduce(ranks.group, wanted, name, &why)) {
    ranksKnow = true;
    // Not what the caller of this rank has done wrong.
    refuse(failure == KERATIN_RESOURCE_EXHAUSTED ? failure : KERATIN_INTERNAL, "%s", why.message);
  }
}

bool Invocation::agree() {
  reduce(nullptr);
  return code == KERATIN_OK;
}

void Invocation::tellFailure() {
  if (ranksKnow)
    return;
  ranksKnow = true;
  const Ranks &ranks = executable.ranks;
  ranks.functions->fail(ranks.group, status ? status->message : "a call has failed");
}

} // namespace keratin::runtime
