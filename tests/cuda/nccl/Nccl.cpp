// A library that looks like NCCL, for ranks that are threads of one process, over the memory and
// the streams of the driver's look-alike. A message is two things in a stream: the rank gives what
// it sends, and, once all have, takes the result. Sums begin with rank 1, in the elements' own
// format: what depends on the order shows.
#include "runtime/comm/NcclLibrary.h"
#include "runtime/core/Half.h"
#include "tests/cuda/driver/Control.h"
#include "tests/cuda/nccl/Control.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

using namespace keratin::comm;

namespace {

struct Kind {
  size_t count = 0;
  ncclDataType_t type = 0;
  ncclRedOp_t op = 0;
  bool operator==(const Kind &) const = default;
};

// What the ranks have given for one.
struct Message {
  Kind kind;
  std::vector<std::vector<char>> parts;
  size_t given = 0, taken = 0;
};

struct Clique {
  std::vector<ncclComm *> ranks;
  size_t joined = 0;
  std::map<int64_t, Message> messages; // by number
};

} // namespace

namespace keratin::comm {
struct ncclComm {
  std::shared_ptr<Clique> clique;
  int rank = 0, device = 0;
  int64_t given = 0, taken = 0;
  bool isOver = false; // aborted or destroyed
  int held = 0;        // calls that streams and graphs have
  ncclResult_t error = ncclSuccess;
  std::string lastError;
};
} // namespace keratin::comm

namespace {

// Communicators live as long as the process: a stream may still have something of one.
struct Library {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<Clique>> cliques;
  std::vector<std::unique_ptr<ncclComm>> communicators;
  keratin_nccl_counts_t counts = {};
  std::string failing;
  int onlyOn = -1;         // this rank's device
  int nth = 0;             // the call that fails
  int faulty = -1;         // the rank that sends no more
  int64_t fromMessage = 0; // counted from 1
  bool tells = false;      // the others
  // Since a fault was set, of each device: how often functions were called, what was sent.
  std::map<std::pair<int, std::string>, int> calls;
  std::map<int, int64_t> sent;
  int version = 22304;
  int lastId = 0;
};

Library &library() {
  static Library *made = new Library;
  return *made;
}

ncclResult_t refuse(ncclComm &comm, ncclResult_t result, std::string why) {
  comm.lastError = std::move(why);
  return result;
}

size_t bytesOf(ncclDataType_t type) {
  constexpr size_t bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return bytes[type];
}

struct Float16 {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};

template <typename T> T combine(T a, T b, ncclRedOp_t op) {
  if (op == ncclSum) {
    if constexpr (std::is_integral_v<T>)
      return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
    else
      return a + b;
  }
  return op == ncclMax ? std::max(a, b) : std::min(a, b);
}

Float16 combine(Float16 a, Float16 b, ncclRedOp_t op) {
  using namespace keratin::runtime;
  return {float16FromDouble(combine(doubleFromFloat16(a.bits), doubleFromFloat16(b.bits), op))};
}

BFloat16 combine(BFloat16 a, BFloat16 b, ncclRedOp_t op) {
  using namespace keratin::runtime;
  return {bfloat16FromDouble(combine(doubleFromBfloat16(a.bits), doubleFromBfloat16(b.bits), op))};
}

template <typename T> void reduceAs(const Message &message, char *out) {
  const size_t ranks = message.parts.size();
  auto *results = reinterpret_cast<T *>(out);
  auto of = [&](size_t rank) {
    return reinterpret_cast<const T *>(message.parts[rank % ranks].data());
  };
  for (size_t i = 0; i < message.kind.count; ++i) {
    T value = of(1)[i];
    for (size_t rank = 2; rank <= ranks; ++rank)
      value = combine(value, of(rank)[i], message.kind.op);
    results[i] = value;
  }
}

void reduce(const Message &message, char *out) {
  switch (message.kind.type) {
  case ncclInt8:
    return reduceAs<int8_t>(message, out);
  case ncclUint8:
    return reduceAs<uint8_t>(message, out);
  case ncclInt32:
    return reduceAs<int32_t>(message, out);
  case ncclUint32:
    return reduceAs<uint32_t>(message, out);
  case ncclInt64:
    return reduceAs<int64_t>(message, out);
  case ncclUint64:
    return reduceAs<uint64_t>(message, out);
  case ncclFloat16:
    return reduceAs<Float16>(message, out);
  case ncclFloat32:
    return reduceAs<float>(message, out);
  case ncclFloat64:
    return reduceAs<double>(message, out);
  case ncclBfloat16:
    return reduceAs<BFloat16>(message, out);
  }
}

// One call of ncclAllReduce, which a graph may do again and again.
struct Call {
  ncclComm &comm;
  Kind kind;
  uint64_t send, receive;
  size_t bytes() const { return kind.count * bytesOf(kind.type); }
};

void breakAll(Clique &clique, ncclResult_t result, const std::string &why) {
  for (ncclComm *comm : clique.ranks)
    if (comm)
      comm->error = refuse(*comm, result, why);
}

bool isSilent(const ncclComm &comm) {
  return comm.device == library().faulty &&
         library().sent[comm.device] + 1 >= library().fromMessage;
}

// In all its communicators.
void tellLoss(int device) {
  for (const auto &each : library().communicators)
    if (each->device == device && !each->isOver)
      breakAll(*each->clique, ncclRemoteError, "rank " + std::to_string(each->rank) + " is lost");
}

int mayGive(void *user) {
  std::lock_guard guard(library().mutex);
  auto &call = *static_cast<Call *>(user);
  if (call.comm.isOver || !isSilent(call.comm))
    return 1;
  if (library().tells)
    tellLoss(call.comm.device);
  return 0;
}

void give(void *user) {
  std::lock_guard guard(library().mutex);
  auto &call = *static_cast<Call *>(user);
  ncclComm &comm = call.comm;
  if (comm.isOver)
    return;
  Message &message = comm.clique->messages[comm.given++];
  ++library().sent[comm.device];
  message.parts.resize(comm.clique->ranks.size());
  auto *sent = static_cast<char *>(keratin_emulator_bytes(comm.device, call.send, call.bytes(), 0));
  if (!sent)
    return breakAll(*comm.clique, ncclUnhandledCudaError, "what is sent is not there");
  if (message.given++ == 0)
    message.kind = call.kind;
  else if (message.kind != call.kind)
    return breakAll(*comm.clique, ncclInvalidUsage, "ranks want different things");
  message.parts[size_t(comm.rank)].assign(sent, sent + call.bytes());
}

int mayTake(void *user) {
  std::lock_guard guard(library().mutex);
  auto &call = *static_cast<Call *>(user);
  const Clique &clique = *call.comm.clique;
  if (call.comm.isOver)
    return 1;
  auto found = clique.messages.find(call.comm.taken);
  return call.comm.error == ncclSuccess && found != clique.messages.end() &&
         found->second.given == clique.ranks.size();
}

void take(void *user) {
  std::lock_guard guard(library().mutex);
  auto &call = *static_cast<Call *>(user);
  ncclComm &comm = call.comm;
  if (comm.isOver)
    return;
  auto *received =
      static_cast<char *>(keratin_emulator_bytes(comm.device, call.receive, call.bytes(), 1));
  if (!received)
    return breakAll(*comm.clique, ncclUnhandledCudaError, "there is no room for what is received");
  const int64_t number = comm.taken++;
  Message &message = comm.clique->messages[number];
  reduce(message, received);
  if (++message.taken == comm.clique->ranks.size())
    comm.clique->messages.erase(number);
  ++library().counts.messages;
}

// Whether this call of the function is one that fails.
bool fails(const ncclComm &comm, const char *function) {
  Library &all = library();
  return ++all.calls[{comm.device, function}] == all.nth && all.failing == function &&
         (all.onlyOn < 0 || all.onlyOn == comm.device);
}

bool isUsable(const ncclComm *comm) { return comm && !comm->isOver; }

void release(void *user) {
  std::lock_guard guard(library().mutex);
  auto *call = static_cast<Call *>(user);
  --call->comm.held;
  delete call;
}

// Waits, as NCCL does, until no graph has a message of it.
ncclResult_t end(ncclComm_t comm, std::unique_lock<std::mutex> &lock) {
  if (!isUsable(comm))
    return ncclInvalidArgument;
  comm->isOver = true;
  while (comm->held) {
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    lock.lock();
  }
  --library().counts.communicators;
  return ncclSuccess;
}

} // namespace

extern "C" {

void keratin_nccl_set(const char *fault) {
  std::lock_guard guard(library().mutex);
  Library &all = library();
  char function[64];
  int rank = 0, number = 0;
  all.failing.clear();
  all.faulty = -1;
  all.tells = false;
  all.onlyOn = -1;
  all.calls.clear();
  all.sent.clear();
  if (std::sscanf(fault, "fail=%63[A-Za-z]:%d:%d", function, &number, &all.onlyOn) >= 2) {
    all.failing = function;
    all.nth = number;
  } else if (std::sscanf(fault, "stall=%d:%d", &rank, &number) == 2 ||
             std::sscanf(fault, "lose=%d:%d", &rank, &number) == 2) {
    all.faulty = rank;
    all.fromMessage = number;
    all.tells = fault[0] == 'l';
  } else if (std::sscanf(fault, "version=%d", &number) == 1) {
    all.version = number;
  }
}

void keratin_nccl_counts(keratin_nccl_counts_t *counts) {
  std::lock_guard guard(library().mutex);
  *counts = library().counts;
}

ncclResult_t ncclGetVersion(int *version) {
  *version = library().version;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  std::lock_guard guard(library().mutex);
  *id = {};
  std::snprintf(id->internal, sizeof(id->internal), "clique %d", ++library().lastId);
  return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int size, ncclUniqueId id, int rank,
                                    ncclConfig_t *config) {
  std::lock_guard guard(library().mutex);
  int device = keratin_emulator_device();
  if (device < 0 || rank < 0 || rank >= size || config->magic != 0xcafebeef)
    return ncclInvalidArgument;
  std::shared_ptr<Clique> &clique = library().cliques[id.internal];
  if (!clique)
    clique = std::make_shared<Clique>();
  clique->ranks.resize(size_t(size));
  auto made = std::make_unique<ncclComm>();
  made->clique = clique;
  made->rank = rank;
  made->device = device;
  *comm = nullptr;
  if (fails(*made, "ncclCommInitRankConfig"))
    return ncclSystemError;
  *comm = made.get();
  ++library().counts.communicators;
  for (const ncclComm *other : clique->ranks)
    if (other && other->device == device)
      made->error = ncclInvalidUsage;
  clique->ranks[size_t(rank)] = made.get();
  ++clique->joined;
  library().communicators.push_back(std::move(made));
  if ((*comm)->error)
    breakAll(*clique, ncclInvalidUsage, "two ranks have the same device");
  return config->blocking == 0 ? ncclInProgress : ncclInvalidUsage;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *result) {
  std::lock_guard guard(library().mutex);
  if (!isUsable(comm))
    return ncclInvalidArgument;
  bool isMeeting = comm->clique->joined < comm->clique->ranks.size();
  *result = comm->error ? comm->error : isMeeting ? ncclInProgress : ncclSuccess;
  return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  std::unique_lock lock(library().mutex);
  ++library().counts.aborts;
  return end(comm, lock);
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  std::unique_lock lock(library().mutex);
  if (isUsable(comm) && comm->given != comm->taken)
    return refuse(*comm, ncclInvalidUsage, "a message is under way");
  return end(comm, lock);
}

ncclResult_t ncclAllReduce(const void *send, void *receive, size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, ncclStream stream) {
  {
    std::lock_guard guard(library().mutex);
    if (!isUsable(comm) || type < ncclInt8 || type > ncclBfloat16 ||
        (op != ncclSum && op != ncclMax && op != ncclMin))
      return ncclInvalidArgument;
    if (comm->device != keratin_emulator_device())
      return refuse(*comm, ncclInvalidUsage, "the current device is another");
    if (fails(*comm, "ncclAllReduce"))
      return refuse(*comm, ncclInternalError, "made to fail");
  }
  for (auto [mayRun, run] : {std::pair(&mayGive, &give), std::pair(&mayTake, &take)}) {
    auto *call = new Call{*comm,
                          {count, type, op},
                          reinterpret_cast<uint64_t>(send),
                          reinterpret_cast<uint64_t>(receive)};
    {
      std::lock_guard guard(library().mutex);
      ++comm->held;
    }
    if (keratin_emulator_put(stream, mayRun, run, release, call))
      return ncclUnhandledCudaError;
  }
  return ncclSuccess;
}

const char *ncclGetErrorString(ncclResult_t result) {
  static const char *const texts[] = {"no error",
                                      "unhandled cuda error",
                                      "system error",
                                      "internal error",
                                      "invalid argument",
                                      "invalid usage",
                                      "remote process exited or there was a network error"};
  return result >= 0 && result <= ncclRemoteError ? texts[result] : "unknown";
}

const char *ncclGetLastError(ncclComm_t comm) {
  std::lock_guard guard(library().mutex);
  return comm ? comm->lastError.c_str() : "";
}

} // extern "C"

// Each is of the type that the runtime calls.
#define KERATIN_NCCL_FUNCTION(type, name, parameters)                                              \
  static_assert(std::is_same_v<decltype(&::name), decltype(NcclLibrary::name)>);
KERATIN_NCCL_FUNCTIONS(KERATIN_NCCL_FUNCTION)
