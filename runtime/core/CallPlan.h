// From the arguments of a call to everything it needs to know before it starts: sizes, output
// shapes, bytes.
#ifndef KERATIN_RUNTIME_CORE_CALLPLAN_H
#define KERATIN_RUNTIME_CORE_CALLPLAN_H

#include "runtime/core/Executable.h"
#include "runtime/core/Session.h"

namespace keratin::runtime {

struct CallArguments {
  keratin_variable_t *const *variables;
  int32_t numVariables;
  const keratin_tensor_t *inputs;
  int32_t numInputs;
};

// Counts, and that all variables are there and of one session, which is put in `session` (nullptr
// without variables). Touches nothing that the session's lock guards.
Code checkArguments(const keratin_executable_t &executable, const CallArguments &arguments,
                    keratin_session_t *&session, keratin_status_t *status);

// Fills the planned part of the lease, or finds it filled: inputs and variables fit the signature,
// every size is evaluated, every check holds. The session is locked. Evaluates nothing if dims,
// values read and variables are those of the lease's last plan. Without variables (a query that
// needs none) those are not looked at.
Code planCall(const keratin_executable_t &executable, Lease &lease, const CallArguments &arguments,
              keratin_status_t *status);

// The call has computed this size: fills in the slots that are known with it, and makes the checks
// that can now be made. The lease is planned.
Code defineSize(const keratin_executable_t &executable, Lease &lease, int64_t number, int64_t value,
                keratin_status_t *status);

// The dims of an output at the end of a call that computes sizes; planned are what they are at
// most.
Code outputDims(const keratin_executable_t &executable, Lease &lease, int32_t output, int64_t *dims,
                keratin_status_t *status);

// Whether calls may be made in memory of the caller's.
Code checkTakesWorkspace(const keratin_executable_t &executable, keratin_status_t *status);

// What a call by this plan takes of a workspace. False if the number does not fit.
bool workspaceBytes(const keratin_executable_t &executable, const CallArguments &arguments,
                    const Lease &lease, int64_t &bytes);

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_CALLPLAN_H
