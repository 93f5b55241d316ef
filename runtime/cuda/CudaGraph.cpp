#include "runtime/cuda/CudaGraph.h"

#include <string.h>

namespace keratin::cuda {

static size_t roundUp(size_t bytes) { return CudaNotes::roundUp(bytes); }

//===-- Recording -----------------------------------------------------------------------------===//

// A step as it is noted down. Behind it come the parameters of a launch, or what is sent.
struct NotedStep {
  CudaStep step;
  bool isSent;
  size_t behind() const {
    return roundUp(isSent ? step.bytes : size_t(step.numParameters) * sizeof(*step.parameters));
  }
};

// Calls each(data, bytes) for the parts of the key, as long as it returns true. How a graph copies
// tensors follows from their addresses, which are in the call's own key, and their bytes.
template <typename Each> static bool forEachPart(const keratin_device_call_t &call, Each each) {
  if (!each(call.key, size_t(call.key_words) * sizeof(*call.key)))
    return false;
  for (int32_t i = 0; i < call.num_inputs; ++i)
    if (!each(&call.inputs[i].bytes, sizeof(call.inputs[i].bytes)))
      return false;
  for (int32_t i = 0; i < call.num_outputs; ++i)
    if (!each(&call.outputs[i].bytes, sizeof(call.outputs[i].bytes)))
      return false;
  return true;
}

bool CudaGraph::isFor(const keratin_device_call_t &call) const {
  size_t done = 0;
  return now != State::Empty && forEachPart(call, [&](const void *data, size_t bytes) {
           const char *known = key.data() + done;
           done += bytes;
           return done <= key.bytes() && memcmp(known, data, bytes) == 0;
         });
}

bool CudaGraph::record(const keratin_device_call_t &call) {
  clear();
  return forEachPart(call, [&](const void *data, size_t bytes) { return key.add(data, bytes); });
}

void CudaGraph::add(const CudaStep &step, const void *data) {
  if (now == State::Refused)
    return;
  NotedStep noted = {step, data != nullptr};
  const void *behind = data ? data : step.parameters;
  sentBytes += data ? roundUp(step.bytes) : 0;
  if (++numSteps > maxSteps || sentBytes > maxSentBytes || !steps.add(&noted, sizeof(noted)) ||
      !steps.add(behind, noted.behind()))
    refuse();
}

void CudaGraph::add(const keratin_stream_work_t &work) {
  add(CudaStep::fork(work), nullptr);
  forked = forked * 0x100000001b3u ^ work.digest;
  forked |= noForks;
  watcher = {work.watch, work.user};
}

void CudaGraph::finish() {
  if (now == State::Empty)
    now = State::Recorded;
}

// The key stays.
void CudaGraph::refuse() {
  now = State::Refused;
  steps.clear();
}

void CudaGraph::clear() {
  if (executable)
    (void)device.driver.cuGraphExecDestroy(executable);
  if (sent)
    (void)device.driver.cuMemFreeHost(sent);
  executable = nullptr;
  sent = nullptr;
  now = State::Empty;
  numSteps = 0;
  sentBytes = 0;
  forked = noForks;
  watcher = {};
  key.clear();
  steps.clear();
}

//===-- The graph -----------------------------------------------------------------------------===//

bool CudaGraph::putSteps(CudaLanes &lanes) {
  const char *next = steps.data();
  char *place = sent;
  for (int32_t i = 0; i < numSteps; ++i) {
    NotedStep noted;
    memcpy(&noted, next, sizeof(noted));
    next += roundUp(sizeof(noted));
    if (noted.isSent) {
      memcpy(place, next, noted.step.bytes);
      noted.step.host = place;
      place += noted.behind();
    } else {
      noted.step.parameters = reinterpret_cast<const int64_t *>(next);
    }
    next += noted.behind();
    if (putIntoStream(device, lanes, noted.step, nullptr) != KERATIN_OK)
      return false;
  }
  return true;
}

// A capture that has begun is always ended: the stream is of use again.
bool CudaGraph::capture(CudaLanes &lanes, CUgraph &graph) {
  const Driver &driver = device.driver;
  CUstream stream = lanes.main();
  if (device.check(driver.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED),
                   "cuStreamBeginCapture", nullptr) != KERATIN_OK)
    return false;
  bool isWhole = putSteps(lanes);
  lanes.forgetForks();
  return device.check(driver.cuStreamEndCapture(stream, &graph), "cuStreamEndCapture", nullptr) ==
             KERATIN_OK &&
         isWhole;
}

void CudaGraph::build(CudaLanes &capturing) {
  const Driver &driver = device.driver;
  void *pinned = nullptr;
  CUgraph graph = nullptr;
  bool isMade = sentBytes == 0 || device.check(driver.cuMemHostAlloc(&pinned, sentBytes, 0),
                                               "cuMemHostAlloc", nullptr) == KERATIN_OK;
  sent = static_cast<char *>(pinned);
  isMade = isMade && capture(capturing, graph) &&
           device.check(driver.cuGraphInstantiateWithFlags(&executable, graph, 0),
                        "cuGraphInstantiateWithFlags", nullptr) == KERATIN_OK;
  if (graph)
    (void)device.check(driver.cuGraphDestroy(graph), "cuGraphDestroy", nullptr);
  now = isMade ? State::Ready : State::Refused;
  steps.clear();
}

Code CudaGraph::launch(CUstream stream, keratin_status_t *status) {
  return device.check(device.driver.cuGraphLaunch(executable, stream), "cuGraphLaunch", status);
}

//===-- The graphs of a queue -----------------------------------------------------------------===//

static_assert(sizeof(NotedStep) % 8 == 0);

CudaGraphs::CudaGraphs(CudaDevice &device)
    : graphs{CudaGraph(device), CudaGraph(device), CudaGraph(device), CudaGraph(device),
             CudaGraph(device), CudaGraph(device), CudaGraph(device), CudaGraph(device)} {}

CudaGraph &CudaGraphs::find(const keratin_device_call_t &call) {
  CudaGraph *found = nullptr;
  for (CudaGraph &graph : graphs) {
    if (graph.isFor(call)) {
      found = &graph;
      break;
    }
    if (!found || graph.age < found->age)
      found = &graph;
  }
  if (!found->isFor(call))
    found->clear();
  found->age = ++clock;
  return *found;
}

void CudaGraphs::clear() {
  for (CudaGraph &graph : graphs)
    graph.clear();
}

} // namespace keratin::cuda
