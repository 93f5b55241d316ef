#include "runtime/comm/DeviceMessages.h"

#include "runtime/core/Descriptor.h"
#include "runtime/core/Device.h"

#include <stdlib.h>
#include <string.h>

namespace keratin::comm {

using runtime::DevicePlace;
using runtime::DeviceWay;

//===-- What NCCL calls them ------------------------------------------------------------------===//

// -1: there is none.
static ncclDataType_t typeOf(int64_t dtype) {
  switch (dtype) {
  case KERATIN_DTYPE_INT8:
    return ncclInt8;
  case KERATIN_DTYPE_BOOL:
  case KERATIN_DTYPE_UINT8:
    return ncclUint8;
  case KERATIN_DTYPE_INT32:
    return ncclInt32;
  case KERATIN_DTYPE_UINT32:
    return ncclUint32;
  case KERATIN_DTYPE_INT64:
    return ncclInt64;
  case KERATIN_DTYPE_UINT64:
    return ncclUint64;
  case KERATIN_DTYPE_FLOAT16:
    return ncclFloat16;
  case KERATIN_DTYPE_BFLOAT16:
    return ncclBfloat16;
  case KERATIN_DTYPE_FLOAT32:
    return ncclFloat32;
  case KERATIN_DTYPE_FLOAT64:
    return ncclFloat64;
  default:
    return -1;
  }
}

// The sum of booleans is "or".
static ncclRedOp_t opOf(int64_t dtype, int64_t reduction) {
  if (reduction == KERATIN_REDUCE_SUM)
    return dtype == KERATIN_DTYPE_BOOL ? ncclMax : ncclSum;
  return reduction == KERATIN_REDUCE_MAX ? ncclMax : ncclMin;
}

// NCCL does not say that the maximum of a number and NaN is NaN.
bool DeviceMessages::fits(const keratin_rank_message_t &wanted) {
  bool isFloat = wanted.dtype >= KERATIN_DTYPE_FLOAT16;
  return wanted.kind == KERATIN_MESSAGE_ALL_REDUCE && typeOf(wanted.dtype) >= 0 &&
         (wanted.reduction == KERATIN_REDUCE_SUM ||
          (!isFloat && wanted.reduction != KERATIN_REDUCE_BEFORE));
}

//===-- Meeting -------------------------------------------------------------------------------===//

DeviceMessages::~DeviceMessages() {
  if (engine.isBroken())
    abort();
  while (Communicator *each = first) {
    first = each->next;
    runtime::destroyObject(each);
  }
}

// All of them before any is waited for: what is under way in one may wait for another.
void DeviceMessages::abort() {
  for (Communicator *each = first; each; each = each->next)
    each->abort();
}

const Communicator *DeviceMessages::find(keratin_axis_t axis) const {
  for (const Communicator *each = first; each; each = each->next)
    if (each->isOpen() && each->isAlong(axis))
      return each;
  return nullptr;
}

// Tells the others, who wait for this rank.
Code DeviceMessages::fail(const keratin_status_t &why, keratin_status_t *status) {
  runner.fail(why.message);
  return runtime::fail(status, Code(why.code), "%s", why.message);
}

Code DeviceMessages::readWish(Wish &wish, keratin_status_t *status) const {
  const char *text = getenv("KERATIN_NCCL");
  wish = !text || !*text ? Wish::Any : strcmp(text, "on") == 0 ? Wish::On : Wish::Off;
  if (wish == Wish::Off && strcmp(text, "off") != 0)
    return runtime::fail(status, KERATIN_INVALID_ARGUMENT,
                         "KERATIN_NCCL is '%s'; needed is on or off", text);
  return KERATIN_OK;
}

Code DeviceMessages::prepare(const keratin_device_t &device, bool &isReady,
                             keratin_status_t *status) {
  Wish wish = Wish::Any;
  isReady = false;
  if (Code code = readWish(wish, status))
    return code;
  if (wish == Wish::Off || !runtime::hasFunction(device, &keratin_device_t::expose))
    return KERATIN_OK;
  Code code = findNccl(&library, status);
  isReady = code == KERATIN_OK && (!connected || connected == &device);
  return wish == Wish::On ? code : KERATIN_OK;
}

Code DeviceMessages::begin(const keratin_device_t &device, const keratin_function_desc_t &function,
                           uint64_t digest, DeviceWay &way, keratin_status_t *status) {
  way = {};
  if (isHostOnly)
    return KERATIN_OK;
  bool isReady = false;
  keratin_status_t why = {};
  if (prepare(device, isReady, &why))
    return fail(why, status);
  if (Code code = runner.announceCall(runtime::functionName(function), isReady, digest, status))
    return code;
  way = {true, true};
  for (int32_t rank = 0; rank < engine.size(); ++rank) {
    const Announcement &other = runner.announced(rank);
    way.isDirect = way.isDirect && other.from;
    way.replays = way.replays && digest && uint64_t(other.receiveElements) == digest;
  }
  way.replays = way.replays && way.isDirect;
  isHostOnly = !way.isDirect && !connected;
  if (!way.isDirect)
    return KERATIN_OK;
  const Code code = connectAll(function, status);
  if (find({}))
    connected = &device;
  return code;
}

// When a call begins nothing is under way on any device, and all hosts are here. Each axis has a
// communicator made as that of all ranks: to split that one would need it, and leave it, sound.
Code DeviceMessages::connectAll(const keratin_function_desc_t &function, keratin_status_t *status) {
  Code code = connect({}, status);
  for (int64_t i = 0; code == KERATIN_OK && function.axes && i < function.axes->num_axes; ++i) {
    keratin_axis_t axis = {};
    (void)mesh.find(function.axes->names[i], axis); // it has it (keratin_executable_set_group)
    code = connect(axis, status);
  }
  return code;
}

Code DeviceMessages::connect(keratin_axis_t axis, keratin_status_t *status) {
  if (find(axis))
    return KERATIN_OK;
  auto *made = runtime::makeObject<Communicator>(*library, engine, axis, first);
  if (!made) {
    keratin_status_t why = {};
    runtime::fail(&why, KERATIN_RESOURCE_EXHAUSTED, "NCCL: no memory for a communicator");
    return fail(why, status);
  }
  first = made; // also where it fails, as its end may take until that of the call
  Code code = open(*made, status);
  if (code != KERATIN_OK)
    made->abort();
  return code;
}

// The first rank along the axis makes the id for those there. Then all ranks meet: it is open on
// all of them or on none.
Code DeviceMessages::open(Communicator &made, keratin_status_t *status) {
  keratin_status_t why = {};
  ncclUniqueId id = {};
  if (membersOf(made.axis, engine.rank(), engine.size()).first == engine.rank() &&
      library->check(library->ncclGetUniqueId(&id), "ncclGetUniqueId", nullptr, &why))
    return fail(why, status);
  keratin_collective_t spread = {};
  spread.bytes = sizeof(spread);
  spread.kind = KERATIN_BROADCAST;
  spread.dtype = KERATIN_DTYPE_UINT8;
  spread.send = spread.receive = &id;
  spread.send_elements = spread.receive_elements = sizeof(id);
  spread.name = "NCCL";
  spread.axis = made.axis;
  if (Code code = runner.run(spread, status))
    return code;
  if (made.open(id, &why) != KERATIN_OK)
    return fail(why, status);
  keratin_collective_t meet = {};
  meet.bytes = sizeof(meet);
  meet.kind = KERATIN_BARRIER;
  meet.name = "NCCL";
  return runner.run(meet, status);
}

//===-- Messages ------------------------------------------------------------------------------===//

namespace {
enum Word { Send, Receive, Elements, Type, Op, AxisCount, AxisStride, Words };
} // namespace

Code DeviceMessages::put(const DevicePlace &place, const keratin_collective_t &wanted,
                         keratin_stream_work_t &work, keratin_status_t *status) {
  if (Code code = runner.announce(wanted, status))
    return code;
  if (!wanted.send_elements)
    return KERATIN_OK;
  const int64_t words[Words] = {reinterpret_cast<int64_t>(wanted.send),
                                reinterpret_cast<int64_t>(wanted.receive),
                                wanted.send_elements,
                                typeOf(wanted.dtype),
                                opOf(wanted.dtype, wanted.reduction),
                                wanted.axis.count,
                                wanted.axis.stride};
  work.words = words;
  work.num_words = Words;
  work.digest = runner.digest() + numForgotten; // a graph of messages among others is none of these
  keratin_status_t why = {};
  if (place.device.fork(place.device.user, place.queue, &work, &why) == KERATIN_OK)
    return KERATIN_OK;
  return lose(why, status); // the others have it in their streams
}

Code DeviceMessages::putIntoStream(const int64_t *words, void *stream,
                                   keratin_status_t *status) const {
  if (Code code = engine.checkWorks(status))
    return code;
  const keratin_axis_t axis = {int32_t(words[AxisCount]), int32_t(words[AxisStride])};
  return find(axis)->put({reinterpret_cast<const void *>(words[Send]),
                          reinterpret_cast<void *>(words[Receive]), size_t(words[Elements]),
                          ncclDataType_t(words[Type]), ncclRedOp_t(words[Op])},
                         stream, status);
}

// Of a broken group nothing comes any more that another rank has not sent yet.
Code DeviceMessages::check(int64_t waited, keratin_status_t *status) const {
  if (Code code = engine.checkWorks(status))
    return code;
  for (const Communicator *each = first; each; each = each->next)
    if (each->isOpen())
      if (Code code = each->check(status))
        return code;
  if (double(waited) < engine.timeout() * 1e9)
    return KERATIN_OK;
  return runtime::fail(status, KERATIN_UNAVAILABLE,
                       "NCCL: messages between devices were not over in time "
                       "(KERATIN_COLLECTIVE_TIMEOUT)");
}

Code DeviceMessages::lose(const keratin_status_t &why, keratin_status_t *status) {
  abort();
  if (!engine.isBroken())
    runner.breakGroup(why);
  return runtime::fail(status, Code(why.code), "%s", why.message);
}

void DeviceMessages::forget() {
  abort();
  connected = nullptr;
  isHostOnly = false;
  ++numForgotten;
}

} // namespace keratin::comm
