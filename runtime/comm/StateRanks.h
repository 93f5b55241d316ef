// States of models compiled ahead of time that join a job, for whoever calls it by another name.
#ifndef KERATIN_RUNTIME_COMM_STATERANKS_H
#define KERATIN_RUNTIME_COMM_STATERANKS_H

#include "runtime/core/Status.h"
#include "runtime/include/keratin/comm.h"

namespace keratin::comm {

// keratin_state_join_mesh, in the caller's name. Without a mesh (null): keratin_state_join.
runtime::Code joinRanks(const char *caller, keratin_state_t *state, keratin_comm_t *engine,
                        const char *mesh, keratin_status_t *status);

} // namespace keratin::comm

#endif // KERATIN_RUNTIME_COMM_STATERANKS_H
