// The functions of an MPI library, opened by name: no header and no library of any MPI is needed to
// build this. Handles are pointers in Open MPI and in the standard ABI of MPI 5, and ints in MPICH
// and its kin; here they are words that hold either, since all ABIs pass them in a register, and
// write the low bytes of a word.
#ifndef KERATIN_RUNTIME_COMM_MPILIBRARY_H
#define KERATIN_RUNTIME_COMM_MPILIBRARY_H

#include "runtime/comm/NamedLibrary.h"

#include <stdint.h>

namespace keratin::comm {

using MpiHandle = uintptr_t;

// All return 0 on success.
#define KERATIN_MPI_FUNCTIONS(F)                                                                   \
  F(int, MPI_Initialized, (int *flag))                                                             \
  F(int, MPI_Finalized, (int *flag))                                                               \
  F(int, MPI_Init_thread, (int *argc, char ***argv, int required, int *provided))                  \
  F(int, MPI_Query_thread, (int *provided))                                                        \
  F(int, MPI_Finalize, ())                                                                         \
  F(int, MPI_Error_string, (int code, char *text, int *length))                                    \
  F(int, MPI_Comm_dup, (MpiHandle comm, MpiHandle * made))                                         \
  F(int, MPI_Comm_split, (MpiHandle comm, int colour, int key, MpiHandle *made))                   \
  F(int, MPI_Comm_free, (MpiHandle * comm))                                                        \
  F(int, MPI_Comm_rank, (MpiHandle comm, int *rank))                                               \
  F(int, MPI_Comm_size, (MpiHandle comm, int *size))                                               \
  F(int, MPI_Comm_set_errhandler, (MpiHandle comm, MpiHandle handler))                             \
  F(int, MPI_Iallgatherv,                                                                          \
    (const void *send, int count, MpiHandle type, void *receive, const int *counts,                \
     const int *places, MpiHandle receiveType, MpiHandle comm, MpiHandle *request))                \
  F(int, MPI_Ialltoallv,                                                                           \
    (const void *send, const int *sendCounts, const int *sendPlaces, MpiHandle type,               \
     void *receive, const int *counts, const int *places, MpiHandle receiveType, MpiHandle comm,   \
     MpiHandle *request))                                                                          \
  F(int, MPI_Ibcast,                                                                               \
    (void *data, int count, MpiHandle type, int root, MpiHandle comm, MpiHandle *request))         \
  F(int, MPI_Isend,                                                                                \
    (const void *data, int count, MpiHandle type, int to, int tag, MpiHandle comm,                 \
     MpiHandle *request))                                                                          \
  F(int, MPI_Irecv,                                                                                \
    (void *data, int count, MpiHandle type, int from, int tag, MpiHandle comm,                     \
     MpiHandle *request))                                                                          \
  F(int, MPI_Test, (MpiHandle * request, int *flag, void *mpiStatus))

// Of MPI's user level failure mitigation. The communicator is of no use any more, on all ranks; one
// of those of its ranks that are left, who wait for each other; what the flags of those that are
// left have in common; what the library says of itself; who is in a communicator.
#define KERATIN_MPI_RECOVERY_FUNCTIONS(F)                                                          \
  F(int, MPIX_Comm_revoke, (MpiHandle comm))                                                       \
  F(int, MPIX_Comm_shrink, (MpiHandle comm, MpiHandle * made))                                     \
  F(int, MPIX_Comm_iagree, (MpiHandle comm, uint32_t *flag, MpiHandle *request))                   \
  F(int, MPI_Comm_get_attr, (MpiHandle comm, int key, void *value, int *flag))                     \
  F(int, MPI_Comm_group, (MpiHandle comm, MpiHandle * group))                                      \
  F(int, MPI_Group_translate_ranks,                                                                \
    (MpiHandle group, int count, const int *ranks, MpiHandle other, int *others))                  \
  F(int, MPI_Group_free, (MpiHandle * group))

struct MpiRecovery {
  KERATIN_FUNCTION_TABLE(KERATIN_MPI_RECOVERY_FUNCTIONS)
};

struct MpiLibrary {
  KERATIN_FUNCTION_TABLE(KERATIN_MPI_FUNCTIONS)
  // Of Open MPI 5. MPICH has the functions, but its newer devices (ch4) end the process in them.
  MpiRecovery recovery;
  bool hasRecovery = false;
  const char *name = nullptr; // "Open MPI", "MPICH"; "MPI" of others that have the standard ABI
  // Of its ABI.
  MpiHandle world, byte, errorsReturn;
  void *ignoredStatus;
  int threadSerialized;

  // What keratin_comm_open_mpi says of it.
  Code open(keratin_status_t *status);
  // OK, or what the library says of the result of a function.
  Code check(int result, const char *function, keratin_status_t *status) const;
  // The ranks of a communicator and this one among them; its failures are results from here on.
  Code describe(MpiHandle comm, int &rank, int &size, keratin_status_t *status) const;
};

Code findMpi(const MpiLibrary **library, keratin_status_t *status);

} // namespace keratin::comm

#endif // KERATIN_RUNTIME_COMM_MPILIBRARY_H
