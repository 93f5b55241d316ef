// Messages from device to device, put into the streams of calls: by NCCL, where all ranks have it.
#ifndef KERATIN_RUNTIME_COMM_DEVICEMESSAGES_H
#define KERATIN_RUNTIME_COMM_DEVICEMESSAGES_H

#include "runtime/comm/Collective.h"
#include "runtime/comm/Communicator.h"
#include "runtime/comm/Mesh.h"
#include "runtime/core/Ranks.h"
#include "runtime/include/keratin/device.h"

namespace keratin::comm {

// Of one group, used while nothing else of it is under way, but for check(). All with the device's
// context current.
class DeviceMessages {
public:
  DeviceMessages(Engine &engine, CollectiveRunner &runner, const Mesh &mesh)
      : engine(engine), runner(runner), mesh(mesh) {}
  DeviceMessages(const DeviceMessages &) = delete;
  ~DeviceMessages();

  // RankFunctions::begin.
  Code begin(const keratin_device_t &device, const keratin_function_desc_t &function,
             uint64_t digest, runtime::DeviceWay &way, keratin_status_t *status);
  // Announces it, which waits for no device, and forks it.
  Code put(const runtime::DevicePlace &place, const keratin_collective_t &wanted,
           keratin_stream_work_t &work, keratin_status_t *status);
  // Whether what was put may still come to its end; from any thread.
  Code check(int64_t waited, keratin_status_t *status) const;
  // What is under way is ended, and the group is broken.
  Code lose(const keratin_status_t &why, keratin_status_t *status);
  // The engine is about to be one of other ranks: what devices have is of those before.
  void forget();

  // keratin_stream_work_t::put.
  Code putIntoStream(const int64_t *words, void *stream, keratin_status_t *status) const;
  // Whether NCCL has the like of it, and keeps what comm.h says of it.
  static bool fits(const keratin_rank_message_t &wanted);

private:
  // KERATIN_NCCL: taken where all have it, needed, or not wanted.
  enum class Wish { Any, On, Off };
  Code readWish(Wish &wish, keratin_status_t *status) const;
  // Whether this rank can send from the device; failing says why it must and cannot.
  Code prepare(const keratin_device_t &device, bool &isReady, keratin_status_t *status);
  // Those that the messages of a function are among.
  Code connectAll(const keratin_function_desc_t &function, keratin_status_t *status);
  Code connect(keratin_axis_t axis, keratin_status_t *status);
  Code open(Communicator &made, keratin_status_t *status);
  // The open one; null: there is none.
  const Communicator *find(keratin_axis_t axis) const;
  Code fail(const keratin_status_t &why, keratin_status_t *status);
  void abort();

  Engine &engine;
  CollectiveRunner &runner;
  const Mesh &mesh;
  const NcclLibrary *library = nullptr;
  const keratin_device_t *connected = nullptr;
  Communicator *first = nullptr;
  bool isHostOnly = false; // on all ranks
  uint64_t numForgotten = 0;
};

} // namespace keratin::comm

#endif // KERATIN_RUNTIME_COMM_DEVICEMESSAGES_H
