// The ranks that call a function together, as the runtime sees them: a group (<keratin/comm.h>),
// whose code comes with whoever makes one known to an executable.
#ifndef KERATIN_RUNTIME_CORE_RANKS_H
#define KERATIN_RUNTIME_CORE_RANKS_H

#include "runtime/core/Status.h"

struct keratin_group_t;

namespace keratin::runtime {

struct RankFunctions {
  // Of what all ranks have; NULL: they meet. The name is the same on all ranks.
  Code (*reduce)(keratin_group_t *group, const keratin_rank_reduction_t *wanted, const char *name,
                 keratin_status_t *status);
  // Takes part in what the others want, so that it fails on all of them.
  void (*fail)(keratin_group_t *group, const char *message);
};

struct Ranks {
  const RankFunctions *functions = nullptr; // none: this process is alone
  keratin_group_t *group = nullptr;         // outlives the executable
};

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_RANKS_H
