// Whole calls: what goes to the device before and comes back behind, and the graph of a call that
// was made before.
#include "runtime/cuda/CudaQueue.h"

#include <string.h>

namespace keratin::cuda {

//===-- Small tensors -------------------------------------------------------------------------===//

// Of each direction so many bytes go through the parcel, which the device reads and writes in the
// order of the graph. What is larger is copied before or behind it, in pieces.
static constexpr size_t parcelLimit = size_t(1) << 20;
static constexpr size_t alignment = 64;

static size_t alignUp(size_t offset) { return (offset + alignment - 1) / alignment * alignment; }

static CUdeviceptr addressOf(const keratin_transfer_t &tensor) {
  return reinterpret_cast<CUdeviceptr>(tensor.device_data);
}

// Calls each(tensor, place, joins) for every tensor with elements: where in the parcel it lies, or
// -1 for one that goes by the chunks, and whether it lies behind the one before as it does on the
// device, so that one copy does for both. Returns where the next tensor would lie.
template <typename Each>
static size_t layOut(const keratin_transfer_t *tensors, int32_t count, size_t begin, Each each) {
  size_t end = alignUp(begin);
  const size_t limit = end + parcelLimit;
  CUdeviceptr behind = 0;
  for (int32_t i = 0; i < count; ++i) {
    const keratin_transfer_t &tensor = tensors[i];
    if (!tensor.bytes)
      continue;
    CUdeviceptr address = addressOf(tensor);
    bool joins = behind && address >= behind && address - behind < alignment;
    size_t place = joins ? end + size_t(address - behind) : alignUp(end);
    if (tensor.bytes > parcelLimit || place + tensor.bytes > limit) {
      each(tensor, ptrdiff_t(-1), false);
      behind = 0;
      continue;
    }
    each(tensor, ptrdiff_t(place), joins);
    end = place + tensor.bytes;
    behind = address + tensor.bytes;
  }
  return end;
}

// Calls copy(address, place, bytes) for each piece that lies in the parcel as it does on the
// device.
template <typename Copy>
static Code forEachPiece(const keratin_transfer_t *tensors, int32_t count, size_t begin,
                         Copy copy) {
  Code code = KERATIN_OK;
  CUdeviceptr from = 0;
  size_t place = 0, bytes = 0;
  auto flush = [&] {
    if (bytes && code == KERATIN_OK)
      code = copy(from, place, bytes);
    bytes = 0;
  };
  layOut(tensors, count, begin, [&](const keratin_transfer_t &tensor, ptrdiff_t at, bool joins) {
    if (!joins)
      flush();
    if (at < 0)
      return;
    if (!joins) {
      from = addressOf(tensor);
      place = size_t(at);
    }
    bytes = size_t(at) + tensor.bytes - place;
  });
  flush();
  return code;
}

// Outputs lie behind the inputs.
static size_t endOfInputs(const keratin_device_call_t &call) {
  return layOut(call.inputs, call.num_inputs, 0,
                [](const keratin_transfer_t &, ptrdiff_t, bool) {});
}

static size_t endOfOutputs(const keratin_device_call_t &call) {
  return layOut(call.outputs, call.num_outputs, endOfInputs(call),
                [](const keratin_transfer_t &, ptrdiff_t, bool) {});
}

Code CudaQueue::reserveParcel(size_t bytes, keratin_status_t *status) {
  if (bytes <= parcelBytes)
    return KERATIN_OK;
  if (char *old = parcel) {
    if (Code code = synchronize(status))
      return code;
    forgetGraphs();
    parcel = nullptr;
    parcelBytes = 0;
    if (Code code = check(device.driver.cuMemFreeHost(old), "cuMemFreeHost", status))
      return code;
  }
  size_t wanted = 4096;
  while (wanted < bytes)
    wanted *= 2;
  void *data = nullptr;
  if (Code code = check(device.driver.cuMemHostAlloc(&data, wanted, 0), "cuMemHostAlloc", status))
    return code;
  parcel = static_cast<char *>(data);
  parcelBytes = wanted;
  return KERATIN_OK;
}

// The large ones to the device, the small ones into the parcel.
Code CudaQueue::sendInputs(const keratin_device_call_t &call, keratin_status_t *status) {
  Code code = KERATIN_OK;
  layOut(call.inputs, call.num_inputs, 0,
         [&](const keratin_transfer_t &tensor, ptrdiff_t place, bool) {
           if (place >= 0)
             memcpy(parcel + place, tensor.host_data, tensor.bytes);
           else if (code == KERATIN_OK)
             code = copyIn(addressOf(tensor), tensor.host_data, tensor.bytes, status);
         });
  return code;
}

Code CudaQueue::putCopiesIn(const keratin_device_call_t &call, keratin_status_t *status) {
  return forEachPiece(call.inputs, call.num_inputs, 0,
                      [&](CUdeviceptr to, size_t place, size_t bytes) {
                        return put(CudaStep::copyIn(to, parcel + place, bytes), status);
                      });
}

Code CudaQueue::putCopiesOut(const keratin_device_call_t &call, keratin_status_t *status) {
  if (Code code = forEachPiece(call.outputs, call.num_outputs, endOfInputs(call),
                               [&](CUdeviceptr from, size_t place, size_t bytes) {
                                 return put(CudaStep::copyOut(parcel + place, from, bytes), status);
                               }))
    return code;
  return isRead ? KERATIN_OK : put(CudaStep::copyOut(wordsRead, words, sizeof(*wordsRead)), status);
}

Code CudaQueue::fetchOutputs(const keratin_device_call_t &call, keratin_status_t *status) {
  Code code = KERATIN_OK;
  layOut(call.outputs, call.num_outputs, endOfInputs(call),
         [&](const keratin_transfer_t &tensor, ptrdiff_t place, bool) {
           if (place >= 0)
             memcpy(tensor.host_data, parcel + place, tensor.bytes);
           else if (code == KERATIN_OK)
             code = copyOut(tensor.host_data, addressOf(tensor), tensor.bytes, status);
         });
  return code;
}

//===-- Graphs --------------------------------------------------------------------------------===//

// A call is taken down when it comes first, and becomes a graph when it comes again: what is called
// once only costs no more than notes.
bool CudaQueue::isGraphReady(CudaGraph &graph) {
  if (graph.state() == CudaGraph::State::Recorded) {
    if (capturing.start(nullptr) == KERATIN_OK)
      graph.build(capturing);
  }
  return graph.state() == CudaGraph::State::Ready;
}

Code CudaQueue::launchGraph(CudaGraph &graph, keratin_status_t *status) {
  if (Code code = clearCounters(status))
    return code;
  isBusy.store(true, std::memory_order_relaxed);
  isFresh = isRead = false;
  watch = graph.watch();
  return graph.launch(lanes.main(), status);
}

// Step by step, with the host's part, into the notes for a graph unless that is null.
Code CudaQueue::runSteps(const keratin_device_call_t &call, CudaGraph *graph, bool &isRefused,
                         keratin_status_t *status) {
  if (graph && graph->state() == CudaGraph::State::Empty && graph->record(call))
    recording = graph;
  if (Code code = putCopiesIn(call, status))
    return code;
  isRefused = call.host(call.user) != 0;
  if (isRefused)
    return KERATIN_OK;
  if (recording)
    isRead = false; // the graph reads them
  if (Code code = putCopiesOut(call, status))
    return code;
  if (recording)
    recording->finish();
  recording = nullptr;
  return KERATIN_OK;
}

// Others may have a say in whether the graph is taken. False: the call ends.
static bool mayBegin(const keratin_device_call_t &call, uint64_t digest, bool &isReady) {
  if (call.bytes <= offsetof(keratin_device_call_t, replays) || !call.replays)
    return true;
  int32_t answer = call.replays(call.user, digest);
  isReady = isReady && answer > 0;
  return answer >= 0;
}

Code CudaQueue::runCall(const keratin_device_call_t &call, int32_t *failedSite,
                        keratin_status_t *status) {
  if (Code code = begin(status))
    return code;
  if (Code code = reserveParcel(endOfOutputs(call), status))
    return code;
  if (Code code = sendInputs(call, status))
    return code;
  CudaGraph *graph = call.key_words ? &graphs.find(call) : nullptr;
  bool isReady = graph && isGraphReady(*graph);
  bool isRefused = !mayBegin(call, isReady ? graph->digest() : 0, isReady);
  if (!isRefused)
    if (Code code =
            isReady ? launchGraph(*graph, status) : runSteps(call, graph, isRefused, status))
      return code;
  if (isRefused) { // the host knows why
    (void)synchronize(nullptr);
    return KERATIN_OK;
  }
  if (Code code = synchronize(status))
    return code;
  understandWords();
  *failedSite = siteOf(*wordsRead);
  return *failedSite ? KERATIN_OK : fetchOutputs(call, status);
}

Code CudaQueue::run(const keratin_device_call_t &call, int32_t *failedSite,
                    keratin_status_t *status) {
  inCall = true;
  *failedSite = 0;
  Code code = runCall(call, failedSite, status);
  inCall = false;
  isGuarded = false;
  recording = nullptr;
  // Nothing of the call is under way when it is over.
  if (code != KERATIN_OK)
    (void)synchronize(nullptr);
  return code;
}

} // namespace keratin::cuda
