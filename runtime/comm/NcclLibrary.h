// NCCL, opened by name: no header and no library of it is needed to build this. Types and numbers
// are those of nccl.h of versions 2.18 and later, which only add to them.
#ifndef KERATIN_RUNTIME_COMM_NCCLLIBRARY_H
#define KERATIN_RUNTIME_COMM_NCCLLIBRARY_H

#include "runtime/comm/NamedLibrary.h"

#include <limits.h>

namespace keratin::comm {

using ncclComm_t = struct ncclComm *;
using ncclStream = void *; // cudaStream_t, which is a CUstream
struct ncclUniqueId {
  char internal[128];
};

using ncclResult_t = int;
enum : ncclResult_t {
  ncclSuccess = 0,
  ncclUnhandledCudaError = 1,
  ncclSystemError = 2,
  ncclInternalError = 3,
  ncclInvalidArgument = 4,
  ncclInvalidUsage = 5,
  ncclRemoteError = 6,
  ncclInProgress = 7
};

using ncclDataType_t = int;
enum : ncclDataType_t {
  ncclInt8 = 0,
  ncclUint8 = 1,
  ncclInt32 = 2,
  ncclUint32 = 3,
  ncclInt64 = 4,
  ncclUint64 = 5,
  ncclFloat16 = 6,
  ncclFloat32 = 7,
  ncclFloat64 = 8,
  ncclBfloat16 = 9
};

using ncclRedOp_t = int;
enum : ncclRedOp_t { ncclSum = 0, ncclProd = 1, ncclMax = 2, ncclMin = 3 };

// As of 2.18: a later library takes the rest to be undefined.
struct ncclConfig_t {
  size_t size = sizeof(ncclConfig_t);
  unsigned magic = 0xcafebeef;
  unsigned version = 21800;
  int blocking = INT_MIN; // undefined, as the others
  int cgaClusterSize = INT_MIN;
  int minCTAs = INT_MIN;
  int maxCTAs = INT_MIN;
  const char *netName = nullptr;
  int splitShare = INT_MIN;
};

// All return a result but the last two.
#define KERATIN_NCCL_FUNCTIONS(F)                                                                  \
  F(ncclResult_t, ncclGetVersion, (int *version))                                                  \
  F(ncclResult_t, ncclGetUniqueId, (ncclUniqueId * id))                                            \
  F(ncclResult_t, ncclCommInitRankConfig,                                                          \
    (ncclComm_t * comm, int size, ncclUniqueId id, int rank, ncclConfig_t *config))                \
  F(ncclResult_t, ncclCommGetAsyncError, (ncclComm_t comm, ncclResult_t * result))                 \
  F(ncclResult_t, ncclCommAbort, (ncclComm_t comm))                                                \
  F(ncclResult_t, ncclCommDestroy, (ncclComm_t comm))                                              \
  F(ncclResult_t, ncclAllReduce,                                                                   \
    (const void *send, void *receive, size_t count, ncclDataType_t type, ncclRedOp_t op,           \
     ncclComm_t comm, ncclStream stream))                                                          \
  F(const char *, ncclGetErrorString, (ncclResult_t result))                                       \
  F(const char *, ncclGetLastError, (ncclComm_t comm))

inline constexpr int oldestNccl = 21800;

struct NcclLibrary {
  KERATIN_FUNCTION_TABLE(KERATIN_NCCL_FUNCTIONS)

  // libnccl.so.2, or what KERATIN_NCCL_LIBRARY names.
  Code open(keratin_status_t *status);
  // OK, or what the library says of the result of a function.
  Code check(ncclResult_t result, const char *function, ncclComm_t comm,
             keratin_status_t *status) const;
};

Code findNccl(const NcclLibrary **library, keratin_status_t *status);

} // namespace keratin::comm

#endif // KERATIN_RUNTIME_COMM_NCCLLIBRARY_H
