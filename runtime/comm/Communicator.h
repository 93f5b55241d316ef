// A communicator of NCCL: all ranks of a group, or those along an axis of their mesh.
#ifndef KERATIN_RUNTIME_COMM_COMMUNICATOR_H
#define KERATIN_RUNTIME_COMM_COMMUNICATOR_H

#include "runtime/comm/Axis.h"
#include "runtime/comm/NcclLibrary.h"

#include <pthread.h>

namespace keratin::comm {

// A reduction of what lies in the memory of devices.
struct DeviceReduction {
  const void *send;
  void *receive;
  size_t elements;
  ncclDataType_t type;
  ncclRedOp_t op;
};

// With the device's context current, but for check().
class Communicator {
public:
  // In a list.
  Communicator(const NcclLibrary &library, const Engine &engine, keratin_axis_t axis,
               Communicator *next)
      : axis(axis), next(next), library(library), engine(engine) {}
  Communicator(const Communicator &) = delete;
  // Waits for the end of what abort() has begun.
  ~Communicator();

  // Waits until it is open. The ranks that have the id open it, each with its place along the axis.
  Code open(const ncclUniqueId &id, keratin_status_t *status);
  bool isOpen() const { return comm; }
  // An axis that all ranks are along is none beside them.
  bool isAlong(keratin_axis_t other) const {
    return countOf(axis) == countOf(other) &&
           (axis.stride == other.stride || countOf(axis) == engine.size());
  }
  // Into a stream, without waiting for it.
  Code put(const DeviceReduction &wanted, void *stream, keratin_status_t *status) const;
  // What NCCL has found since; from any thread.
  Code check(keratin_status_t *status) const;
  // Ends what is under way, at once, and is closed.
  void abort();

  const keratin_axis_t axis;
  Communicator *const next;

private:
  int32_t countOf(keratin_axis_t of) const { return of.count ? of.count : engine.size(); }
  // Until the library has done what it was told to do beside.
  Code settle(const char *function, double seconds, keratin_status_t *status) const;
  void waitForAbort();

  const NcclLibrary &library;
  const Engine &engine;
  ncclComm_t comm = nullptr;
  // The one that a thread ends.
  ncclComm_t ending = nullptr;
  pthread_t ender;
  bool hasEnder = false;
};

} // namespace keratin::comm

#endif // KERATIN_RUNTIME_COMM_COMMUNICATOR_H
