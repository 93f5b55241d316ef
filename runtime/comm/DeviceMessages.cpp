#include "runtime/comm/DeviceMessages.h"

#include "runtime/core/Device.h"
#include "runtime/core/WorkerSignals.h"

#include <sched.h>
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
  if (comm && engine.isBroken())
    abort();
  waitForAbort();
  if (comm)
    (void)library->ncclCommDestroy(comm);
}

// Ends at once what is under way. But then NCCL waits until there is no graph with a message of the
// communicator any more, and those of a call are there until that is over.
void DeviceMessages::abort() {
  waitForAbort();
  ending = comm;
  comm = nullptr;
  runtime::WorkerSignals own;
  hasEnder = pthread_create(
                 &ender, nullptr,
                 [](void *user) -> void * {
                   auto &self = *static_cast<DeviceMessages *>(user);
                   (void)self.library->ncclCommAbort(self.ending);
                   return nullptr;
                 },
                 this) == 0;
  if (!hasEnder)
    (void)library->ncclCommAbort(ending);
}

void DeviceMessages::waitForAbort() {
  if (hasEnder)
    pthread_join(ender, nullptr);
  hasEnder = false;
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

Code DeviceMessages::begin(const keratin_device_t &device, const char *name, uint64_t digest,
                           DeviceWay &way, keratin_status_t *status) {
  way = {};
  if (isHostOnly)
    return KERATIN_OK;
  bool isReady = false;
  keratin_status_t why = {};
  if (prepare(device, isReady, &why))
    return fail(why, status);
  if (Code code = runner.announceCall(name, isReady, digest, status))
    return code;
  way = {true, true};
  for (int32_t rank = 0; rank < engine.size(); ++rank) {
    const Announcement &other = runner.announced(rank);
    way.isDirect = way.isDirect && other.from;
    way.replays = way.replays && digest && uint64_t(other.receiveElements) == digest;
  }
  way.replays = way.replays && way.isDirect;
  isHostOnly = !way.isDirect && !connected;
  return way.isDirect && !comm ? connect(device, status) : KERATIN_OK;
}

Code DeviceMessages::connect(const keratin_device_t &device, keratin_status_t *status) {
  keratin_status_t why = {};
  ncclUniqueId id = {};
  if (engine.rank() == 0 &&
      library->check(library->ncclGetUniqueId(&id), "ncclGetUniqueId", nullptr, &why))
    return fail(why, status);
  keratin_collective_t spread = {};
  spread.bytes = sizeof(spread);
  spread.kind = KERATIN_BROADCAST;
  spread.dtype = KERATIN_DTYPE_UINT8;
  spread.send = spread.receive = &id;
  spread.send_elements = spread.receive_elements = sizeof(id);
  spread.name = "NCCL";
  if (Code code = runner.run(spread, status))
    return code;
  Code code = initialise(id, &why);
  if (code == KERATIN_OK) {
    keratin_collective_t meet = {};
    meet.bytes = sizeof(meet);
    meet.kind = KERATIN_BARRIER;
    meet.name = "NCCL";
    code = runner.run(meet, status);
  } else {
    code = fail(why, status);
  }
  if (code != KERATIN_OK && comm)
    abort();
  connected = comm ? &device : nullptr;
  return code;
}

Code DeviceMessages::initialise(const ncclUniqueId &id, keratin_status_t *status) {
  ncclConfig_t config;
  config.blocking = 0;
  ncclResult_t result =
      library->ncclCommInitRankConfig(&comm, engine.size(), id, engine.rank(), &config);
  if (result != ncclSuccess && result != ncclInProgress) {
    comm = nullptr;
    return library->check(result, "ncclCommInitRankConfig", nullptr, status);
  }
  return settle("ncclCommInitRankConfig", status);
}

Code DeviceMessages::settle(const char *function, keratin_status_t *status) const {
  for (const int64_t deadline = deadlineIn(engine.timeout());;) {
    ncclResult_t result = ncclSuccess;
    if (Code code = library->check(library->ncclCommGetAsyncError(comm, &result),
                                   "ncclCommGetAsyncError", comm, status))
      return code;
    if (result != ncclInProgress)
      return library->check(result, function, comm, status);
    if (now() > deadline)
      return runtime::fail(status, KERATIN_UNAVAILABLE,
                           "NCCL: %s was not over in time (KERATIN_COLLECTIVE_TIMEOUT)", function);
    sched_yield();
  }
}

//===-- Messages ------------------------------------------------------------------------------===//

namespace {
enum Word { Send, Receive, Elements, Type, Op, Words };
} // namespace

Code DeviceMessages::put(const DevicePlace &place, const keratin_collective_t &wanted,
                         keratin_stream_work_t &work, keratin_status_t *status) {
  if (Code code = runner.announce(wanted, status))
    return code;
  if (!wanted.send_elements)
    return KERATIN_OK;
  const int64_t words[Words] = {reinterpret_cast<int64_t>(wanted.send),
                                reinterpret_cast<int64_t>(wanted.receive), wanted.send_elements,
                                typeOf(wanted.dtype), opOf(wanted.dtype, wanted.reduction)};
  work.words = words;
  work.num_words = Words;
  work.digest = digestOf(runner.announced(engine.rank()));
  keratin_status_t why = {};
  if (place.device.fork(place.device.user, place.queue, &work, &why) == KERATIN_OK)
    return KERATIN_OK;
  return lose(why, status); // the others have it in their streams
}

Code DeviceMessages::putIntoStream(const int64_t *words, void *stream,
                                   keratin_status_t *status) const {
  if (!comm)
    return engine.checkWorks(status);
  ncclResult_t result = library->ncclAllReduce(
      reinterpret_cast<const void *>(words[Send]), reinterpret_cast<void *>(words[Receive]),
      size_t(words[Elements]), ncclDataType_t(words[Type]), ncclRedOp_t(words[Op]), comm, stream);
  if (result != ncclInProgress)
    return library->check(result, "ncclAllReduce", comm, status);
  return settle("ncclAllReduce", status);
}

Code DeviceMessages::check(int64_t waited, keratin_status_t *status) const {
  if (!comm)
    return engine.checkWorks(status);
  ncclResult_t result = ncclSuccess;
  if (Code code = library->check(library->ncclCommGetAsyncError(comm, &result),
                                 "ncclCommGetAsyncError", comm, status))
    return code;
  if (result != ncclSuccess && result != ncclInProgress)
    return library->check(result, "a message between devices", comm, status);
  if (double(waited) < engine.timeout() * 1e9)
    return KERATIN_OK;
  return runtime::fail(status, KERATIN_UNAVAILABLE,
                       "NCCL: messages between devices were not over in time "
                       "(KERATIN_COLLECTIVE_TIMEOUT)");
}

Code DeviceMessages::lose(const keratin_status_t &why, keratin_status_t *status) {
  if (comm)
    abort();
  runner.breakGroup(why);
  return runtime::fail(status, Code(why.code), "%s", why.message);
}

} // namespace keratin::comm
