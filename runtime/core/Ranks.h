// The ranks that call a function together, as the runtime sees them: a group (<keratin/comm.h>),
// whose code comes with whoever makes one known to an executable.
#ifndef KERATIN_RUNTIME_CORE_RANKS_H
#define KERATIN_RUNTIME_CORE_RANKS_H

#include "runtime/core/Status.h"
#include "runtime/include/keratin/comm.h"
#include "runtime/include/keratin/device.h"

namespace keratin::runtime {

// Whether a message of the kind has `ranks`: code of older versions has no such field.
inline bool namesRanks(int64_t kind) {
  return kind == KERATIN_MESSAGE_BROADCAST || kind == KERATIN_MESSAGE_PERMUTE;
}

// What a call has started and not waited for. When one fails, none behind it is told to the other
// ranks any more: they know as well as this one that the call has failed.
struct RankMessages {
  keratin_request_t *first = nullptr, *last = nullptr;
  bool hasFailed = false; // the group's own
};

// Where what a call on a device sends is put.
struct DevicePlace {
  const keratin_device_t &device;
  void *queue;
};

// How it goes to the other ranks.
struct DeviceWay {
  bool isDirect = false; // from device to device, if it fits; else through the host
  bool replays = false;  // the device may do the call without being told each message
};

struct RankFunctions {
  // Names are the same on all ranks. `axis`, by its name, is one that the group has; null: all
  // ranks.
  Code (*start)(keratin_group_t *group, RankMessages &messages,
                const keratin_rank_message_t &wanted, const char *axis, const char *name,
                keratin_status_t *status);
  // For the first that was started.
  Code (*wait)(keratin_group_t *group, RankMessages &messages, keratin_status_t *status);
  // Precondition: nothing is under way.
  Code (*meet)(keratin_group_t *group, const char *name, keratin_status_t *status);
  // A call of a function on a device begins, on all ranks, before anything that others wait for;
  // the digest says which messages the device would send without being told
  // (keratin_device_call_t::replays), 0: none.
  Code (*begin)(keratin_group_t *group, const keratin_device_t &device,
                const keratin_function_desc_t &function, uint64_t digest, DeviceWay &way,
                keratin_status_t *status);
  // Whether a message can go from device to device.
  bool (*fits)(const keratin_rank_message_t &wanted);
  // Forks it in the queue: it lies in the device's memory.
  Code (*put)(keratin_group_t *group, const DevicePlace &place,
              const keratin_rank_message_t &wanted, const char *axis, const char *name,
              keratin_status_t *status);
  // Which rank this is, of those along the axis.
  int64_t (*place)(const keratin_group_t *group, const char *axis);
  // How many there are along it.
  int64_t (*count)(const keratin_group_t *group, const char *axis);
  // Takes part in what the others want, so that it fails on all of them.
  void (*fail)(keratin_group_t *group, const char *message);
};

struct Ranks {
  const RankFunctions *functions = nullptr; // none: this process is alone
  keratin_group_t *group = nullptr;         // outlives the executable
};

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_RANKS_H
