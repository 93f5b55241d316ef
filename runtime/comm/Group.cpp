// Groups: collectives in the order of their start, by the thread that waits for one or by the
// group's own, whichever comes first.
#include "runtime/comm/DeviceMessages.h"
#include "runtime/comm/Mesh.h"
#include "runtime/comm/Shrink.h"

#include "runtime/core/DType.h"
#include "runtime/core/Descriptor.h"
#include "runtime/core/Executable.h"
#include "runtime/core/SymbolSource.h"
#include "runtime/core/WorkerSignals.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

using keratin::comm::Code;
using keratin::comm::CollectiveRunner;
using keratin::comm::DeviceMessages;
using keratin::comm::Engine;
using namespace keratin::runtime;

struct keratin_request_t {
  keratin_collective_t collective;
  keratin_status_t status;
  bool isDone;
  keratin_request_t *next;
  RankMessages *call;        // that it is of; null: of none
  keratin_request_t *behind; // the next of the call
};

struct keratin_group_t {
  explicit keratin_group_t(keratin_comm_t *comm)
      : engine(comm), runner(engine), devices(engine, runner, mesh) {}

  Engine engine;
  CollectiveRunner runner;
  keratin::comm::Mesh mesh;
  DeviceMessages devices;
  const pid_t process = getpid();

  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  // Under the mutex.
  keratin_request_t *first = nullptr, *last = nullptr; // not begun
  bool isBusy = false;                                 // somebody runs a collective
  bool hasWorker = false, isEnding = false;
  pthread_t worker;

  bool isOurs(const char *function, keratin_status_t *status) const {
    if (getpid() == process)
      return true;
    fail(status, KERATIN_FAILED_PRECONDITION,
         "%s: the group belongs to process %d, of which this one, %d, is a child", function,
         int(process), int(getpid()));
    return false;
  }

  // Precondition: the mutex is held, somebody waits in line and nobody is busy.
  void runFirst() {
    keratin_request_t *request = first;
    first = request->next;
    if (!first)
      last = nullptr;
    RankMessages *call = request->call;
    if (call && call->hasFailed) {
      request->status.code = KERATIN_ABORTED; // why, the one that failed says
    } else {
      isBusy = true;
      pthread_mutex_unlock(&mutex);
      keratin_status_t status = {};
      runner.run(request->collective, &status);
      pthread_mutex_lock(&mutex);
      request->status = status;
      if (call)
        call->hasFailed = status.code != KERATIN_OK;
      isBusy = false;
    }
    request->isDone = true;
    pthread_cond_broadcast(&changed);
  }

  void work() {
    pthread_mutex_lock(&mutex);
    while (!isEnding || first) {
      if (first && !isBusy)
        runFirst();
      else
        pthread_cond_wait(&changed, &mutex);
    }
    pthread_mutex_unlock(&mutex);
  }

  void startWorker() {
    if (hasWorker)
      return;
    // Without a thread, whoever waits does the work.
    WorkerSignals own;
    hasWorker = pthread_create(
                    &worker, nullptr,
                    [](void *group) -> void * {
                      static_cast<keratin_group_t *>(group)->work();
                      return nullptr;
                    },
                    this) == 0;
  }

  void enqueue(keratin_request_t *request) {
    pthread_mutex_lock(&mutex);
    (last ? last->next : first) = request;
    last = request;
  }

  // Does the work when all that was started is over, and nothing else meanwhile.
  template <typename Work> void alone(Work work) {
    pthread_mutex_lock(&mutex);
    while (first || isBusy) {
      if (!isBusy)
        runFirst();
      else
        pthread_cond_wait(&changed, &mutex);
    }
    isBusy = true;
    pthread_mutex_unlock(&mutex);
    work();
    pthread_mutex_lock(&mutex);
    isBusy = false;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
  }

  // Unlocks.
  void waitFor(keratin_request_t *request) {
    while (!request->isDone) {
      if (first && !isBusy)
        runFirst();
      else
        pthread_cond_wait(&changed, &mutex);
    }
    pthread_mutex_unlock(&mutex);
  }
};

static constexpr double defaultTimeout = 300;

// Of KERATIN_COLLECTIVE_TIMEOUT; false where it is no number of seconds.
static bool readTimeout(double &seconds) {
  const char *text = getenv("KERATIN_COLLECTIVE_TIMEOUT");
  seconds = defaultTimeout;
  if (!text || !*text)
    return true;
  char *end;
  seconds = strtod(text, &end);
  return *end == '\0' && seconds > 0;
}

// Of a caller who may know less of it.
static keratin_collective_t copyOf(const keratin_collective_t &given) {
  keratin_collective_t whole = {};
  constexpr size_t shortest = offsetof(keratin_collective_t, axis);
  memcpy(&whole, &given, given.bytes < sizeof(whole) ? shortest : sizeof(whole));
  return whole;
}

static Code start(keratin_group_t *group, const keratin_collective_t &collective,
                  RankMessages *call, keratin_request_t *&request, keratin_status_t *status) {
  if (!group->isOurs("keratin_group_start", status))
    return KERATIN_FAILED_PRECONDITION;
  request = makeObject<keratin_request_t>();
  if (!request)
    return fail(status, KERATIN_RESOURCE_EXHAUSTED, "keratin_group_start: no memory");
  *request = {};
  request->collective = collective;
  request->call = call;
  group->enqueue(request);
  group->startWorker();
  pthread_cond_broadcast(&group->changed);
  pthread_mutex_unlock(&group->mutex);
  return succeed(status);
}

// Whom this rank sends to and receives from, by places in the axis. One that there is not stays, on
// all ranks: the collective's own check finds it.
static void takeRanks(keratin_collective_t &collective, const keratin_rank_message_t &wanted,
                      const keratin::comm::Members &members, int32_t ownRank) {
  const int32_t rank = members.placeOf(ownRank), size = members.count;
  auto number = [&](int64_t named) { return named < size ? int32_t(named) : size; };
  if (wanted.kind == KERATIN_MESSAGE_BROADCAST) {
    collective.from = number(wanted.ranks[0]);
    return;
  }
  collective.from = collective.to = -1;
  for (int64_t i = 0; i < wanted.num_ranks; i += 2) {
    const int32_t from = number(wanted.ranks[i]), to = number(wanted.ranks[i + 1]);
    if (to == rank || from == size)
      collective.from = from;
    if (from == rank || to == size)
      collective.to = to;
    if (from == size || to == size)
      return;
  }
}

static keratin_collective_t collectiveOf(const keratin_group_t *group,
                                         const keratin_rank_message_t &wanted, const char *axis,
                                         const char *name) {
  keratin_collective_t collective = {};
  collective.bytes = sizeof(collective);
  collective.kind = int32_t(wanted.kind);
  collective.name = name;
  collective.dtype = int32_t(wanted.dtype);
  collective.reduction = int32_t(wanted.reduction);
  collective.send = wanted.send;
  collective.receive = wanted.receive;
  collective.send_elements = wanted.send_elements;
  collective.receive_elements = wanted.receive_elements;
  if (axis)
    (void)group->mesh.find(axis, collective.axis); // else this rank is alone
  const int32_t rank = group->engine.rank();
  if (namesRanks(wanted.kind))
    takeRanks(collective, wanted,
              keratin::comm::membersOf(collective.axis, rank, group->engine.size()), rank);
  return collective;
}

static Code startOfCall(keratin_group_t *group, RankMessages &messages,
                        const keratin_rank_message_t &wanted, const char *axis, const char *name,
                        keratin_status_t *status) {
  keratin_request_t *request;
  const keratin_collective_t collective = collectiveOf(group, wanted, axis, name);
  if (collective.kind == KERATIN_PERMUTE && collective.from < 0)
    memset(collective.receive, 0,
           size_t(collective.receive_elements * dtypeSize(collective.dtype)));
  if (Code code = start(group, collective, &messages, request, status))
    return code;
  (messages.last ? messages.last->behind : messages.first) = request;
  messages.last = request;
  return KERATIN_OK;
}

static Code waitOfCall(keratin_group_t *group, RankMessages &messages, keratin_status_t *status) {
  keratin_request_t *request = messages.first;
  messages.first = request->behind;
  if (!messages.first)
    messages.last = nullptr;
  return keratin_group_wait(group, request, status);
}

static Code meet(keratin_group_t *group, const char *name, keratin_status_t *status) {
  keratin_collective_t collective = {};
  collective.bytes = sizeof(collective);
  collective.kind = KERATIN_BARRIER;
  collective.name = name;
  return keratin_group_run(group, &collective, status);
}

//===-- Calls on devices ----------------------------------------------------------------------===//

static Code beginOnDevice(keratin_group_t *group, const keratin_device_t &device,
                          const keratin_function_desc_t &function, uint64_t digest, DeviceWay &way,
                          keratin_status_t *status) {
  Code code = KERATIN_OK;
  group->alone([&] { code = group->devices.begin(device, function, digest, way, status); });
  return code;
}

static Code putIntoStream(void *group, const int64_t *words, void *stream,
                          keratin_status_t *status) {
  return static_cast<keratin_group_t *>(group)->devices.putIntoStream(words, stream, status);
}

static Code watch(void *user, int64_t waited, keratin_status_t *status) {
  auto *group = static_cast<keratin_group_t *>(user);
  keratin_status_t why = {};
  if (group->devices.check(waited, &why) == KERATIN_OK)
    return KERATIN_OK;
  Code code = KERATIN_OK;
  group->alone([&] { code = group->devices.lose(why, status); });
  return code;
}

static Code putOnDevice(keratin_group_t *group, const DevicePlace &place,
                        const keratin_rank_message_t &wanted, const char *axis, const char *name,
                        keratin_status_t *status) {
  keratin_stream_work_t work = {};
  work.bytes = sizeof(work);
  work.put = putIntoStream;
  work.watch = watch;
  work.user = group;
  Code code = KERATIN_OK;
  group->alone([&] {
    code = group->devices.put(place, collectiveOf(group, wanted, axis, name), work, status);
  });
  return code;
}

static int64_t placeInGroup(const keratin_group_t *group, const char *axis) {
  const int32_t rank = group->engine.rank();
  keratin_axis_t along;
  return axis && group->mesh.find(axis, along) ? rank / along.stride % along.count : rank;
}

static int64_t countInGroup(const keratin_group_t *group, const char *axis) {
  keratin_axis_t along;
  return axis && group->mesh.find(axis, along) ? along.count : group->engine.size();
}

static constinit const RankFunctions rankFunctions = {.start = startOfCall,
                                                      .wait = waitOfCall,
                                                      .meet = meet,
                                                      .begin = beginOnDevice,
                                                      .fits = DeviceMessages::fits,
                                                      .put = putOnDevice,
                                                      .place = placeInGroup,
                                                      .count = countInGroup,
                                                      .fail = keratin_group_fail};

const keratin::comm::Mesh &keratin::comm::meshOf(const keratin_group_t &group) {
  return group.mesh;
}

bool keratin::comm::hasAxis(const keratin_group_t &group, const char *name) {
  keratin_axis_t found;
  return group.mesh.find(name, found) || (!group.mesh.isArranged() && group.engine.size() == 1);
}

// Whether the mesh has all axes that the function names.
static Code checkAxes(const keratin_group_t &group, const keratin_function_desc_t &function,
                      keratin_status_t *status) {
  for (int64_t i = 0; function.axes && i < function.axes->num_axes; ++i)
    if (const char *name = function.axes->names[i]; !keratin::comm::hasAxis(group, name))
      return fail(
          status, KERATIN_INVALID_ARGUMENT,
          "function '%s' has what ranks do along the axis '%s' of a mesh; the axes of the %d "
          "ranks are %s",
          functionName(function), name, group.engine.size(), group.mesh.names().text());
  return KERATIN_OK;
}

extern "C" {

keratin_status_code_t keratin_executable_set_group(keratin_executable_t *executable,
                                                   keratin_group_t *group,
                                                   keratin_status_t *status) {
  if (Code code = checkPointers(status, __func__, {{executable, "executable"}, {group, "group"}}))
    return code;
  if (Code code = checkAxes(*group, executable->descriptor, status))
    return code;
  for (; executable; executable = executable->general.load(std::memory_order_acquire))
    if (isOfRanks(executable->descriptor))
      executable->ranks = {&rankFunctions, group};
  return succeed(status);
}

keratin_status_code_t keratin_group_arrange(keratin_group_t *group, const keratin_mesh_axis_t *axes,
                                            int32_t num_axes, keratin_status_t *status) {
  if (Code code = checkPointers(status, __func__, {{group, "group"}, {axes, "axes"}}))
    return code;
  return group->mesh.arrange(axes, num_axes, group->engine.rank(), group->engine.size(), status);
}

void keratin_executable_refuse(keratin_executable_t *executable, const char *message) {
  if (executable && executable->meetsRanks())
    keratin_group_fail(executable->ranks.group, message);
}

keratin_status_code_t keratin_group_create(keratin_comm_t *comm, keratin_group_t **group,
                                           keratin_status_t *status) {
  if (Code code = checkPointers(status, "keratin_group_create", {{comm, "comm"}}))
    return code;
  auto close = [&] {
    if (comm->close)
      comm->close(comm->user);
  };
  Code code = checkPointers(status, "keratin_group_create", {{group, "group"}});
  double seconds;
  if (code == KERATIN_OK &&
      (comm->abi_version != KERATIN_COMM_ABI_VERSION || comm->bytes < keratin::comm::shortestTable))
    code = fail(status, KERATIN_INVALID_ARGUMENT,
                "keratin_group_create: the engine has version %u and %u bytes; needed are version "
                "%d and %zu bytes",
                comm->abi_version, comm->bytes, KERATIN_COMM_ABI_VERSION,
                keratin::comm::shortestTable);
  if (code == KERATIN_OK)
    code = checkPointers(status, "keratin_group_create",
                         {{comm->name, "name of the engine"},
                          {reinterpret_cast<const void *>(comm->move), "move of the engine"}});
  if (code == KERATIN_OK && (comm->rank < 0 || comm->rank >= comm->size))
    code =
        fail(status, KERATIN_INVALID_ARGUMENT,
             "keratin_group_create: rank %d of %d ranks; a rank is from 0 to their number less 1",
             comm->rank, comm->size);
  if (code == KERATIN_OK && !readTimeout(seconds))
    code = fail(status, KERATIN_INVALID_ARGUMENT,
                "KERATIN_COLLECTIVE_TIMEOUT is '%s'; needed is a number of seconds above 0",
                getenv("KERATIN_COLLECTIVE_TIMEOUT"));
  if (code != KERATIN_OK) {
    close();
    return code;
  }
  auto *made = makeObject<keratin_group_t>(comm);
  if (!made) {
    close();
    return fail(status, KERATIN_RESOURCE_EXHAUSTED, "keratin_group_create: no memory");
  }
  if (!made->runner.prepare()) {
    destroyObject(made);
    return fail(status, KERATIN_RESOURCE_EXHAUSTED,
                "keratin_group_create: no memory for what %d ranks announce", comm->size);
  }
  made->engine.setTimeout(seconds);
  *group = made;
  return succeed(status);
}

void keratin_group_destroy(keratin_group_t *group) {
  if (!group)
    return;
  if (getpid() != group->process) // the engine is the parent's
    return;
  pthread_mutex_lock(&group->mutex);
  group->isEnding = true;
  pthread_cond_broadcast(&group->changed);
  pthread_mutex_unlock(&group->mutex);
  if (group->hasWorker)
    pthread_join(group->worker, nullptr);
  destroyObject(group);
}

void keratin_group_leave(keratin_group_t *group) {
  if (!group || getpid() != group->process)
    return;
  group->alone([&] {
    group->runner.closeAxes();
    group->engine.leave();
  });
}

keratin_status_code_t keratin_group_shrink(keratin_group_t *group, keratin_status_t *status) {
  if (Code code = checkPointers(status, "keratin_group_shrink", {{group, "group"}}))
    return code;
  if (!group->isOurs("keratin_group_shrink", status))
    return KERATIN_FAILED_PRECONDITION;
  Code code = KERATIN_OK;
  group->alone([&] {
    group->runner.closeAxes();
    group->devices.forget();
    code = keratin::comm::shrink(group->engine, group->mesh, status);
  });
  return code == KERATIN_OK ? succeed(status) : code;
}

int32_t keratin_group_rank(const keratin_group_t *group) { return group->engine.rank(); }
int32_t keratin_group_size(const keratin_group_t *group) { return group->engine.size(); }
const char *keratin_group_engine(const keratin_group_t *group) { return group->engine.name(); }

void keratin_group_set_timeout(keratin_group_t *group, double seconds) {
  group->engine.setTimeout(seconds);
}

keratin_status_code_t keratin_group_start(keratin_group_t *group,
                                          const keratin_collective_t *collective,
                                          keratin_request_t **request, keratin_status_t *status) {
  if (Code code =
          checkPointers(status, "keratin_group_start",
                        {{group, "group"}, {collective, "collective"}, {request, "request"}}))
    return code;
  return start(group, copyOf(*collective), nullptr, *request, status);
}

keratin_status_code_t keratin_group_wait(keratin_group_t *group, keratin_request_t *request,
                                         keratin_status_t *status) {
  if (Code code =
          checkPointers(status, "keratin_group_wait", {{group, "group"}, {request, "request"}}))
    return code;
  if (!group->isOurs("keratin_group_wait", status))
    return KERATIN_FAILED_PRECONDITION;
  pthread_mutex_lock(&group->mutex);
  group->waitFor(request);
  Code code = Code(request->status.code);
  if (status)
    *status = request->status;
  destroyObject(request);
  return code;
}

keratin_status_code_t keratin_group_run(keratin_group_t *group,
                                        const keratin_collective_t *collective,
                                        keratin_status_t *status) {
  if (Code code = checkPointers(status, "keratin_group_run",
                                {{group, "group"}, {collective, "collective"}}))
    return code;
  if (!group->isOurs("keratin_group_run", status))
    return KERATIN_FAILED_PRECONDITION;
  keratin_request_t request = {};
  request.collective = copyOf(*collective);
  group->enqueue(&request);
  group->waitFor(&request);
  if (status)
    *status = request.status;
  return Code(request.status.code);
}

void keratin_group_fail(keratin_group_t *group, const char *message) {
  if (!group || getpid() != group->process)
    return;
  group->alone([&] { group->runner.fail(message); });
}

} // extern "C"
