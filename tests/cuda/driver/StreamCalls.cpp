// The driver's functions about streams and events.
#include "tests/cuda/driver/Machine.h"

#include <chrono>

using namespace keratin;
using namespace keratin::emulator;

static double millisecondsNow() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

// Waiting for a stream that is captured ends the capture.
static CUresult refuseCaptured(Stream &stream) {
  if (!stream.capture)
    return CUDA_SUCCESS;
  stream.capture->isInvalid = true;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

static CUresult record(Machine &machine, Event &event, Stream &stream) {
  event.capture = stream.capture;
  event.captureTail = stream.captureTail;
  if (stream.capture)
    return stream.capture->isInvalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
  auto reached = std::make_shared<double>(0);
  if (CUresult result = machine.submit(stream, {Operation::Kind::Marker, [reached]() -> CUresult {
                                                  *reached = millisecondsNow();
                                                  return CUDA_SUCCESS;
                                                }}))
    return result;
  event.recorded = stream.last;
  event.milliseconds = reached;
  return CUDA_SUCCESS;
}

// A stream that waits for an event of a captured stream is captured with it.
static CUresult joinCapture(Stream &stream, const Event &event) {
  if (stream.capture && stream.capture != event.capture)
    return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  if (event.capture->isInvalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  stream.capture = event.capture;
  for (size_t node : event.captureTail)
    stream.captureTail.push_back(node);
  return CUDA_SUCCESS;
}

static CUresult waitFor(Machine &machine, Stream &stream, const Event &event) {
  if (event.capture)
    return joinCapture(stream, event);
  if (stream.capture) {
    stream.capture->isInvalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  }
  return event.recorded ? machine.submit(stream, {Operation::Kind::Marker, nullptr}, event.recorded)
                        : CUDA_SUCCESS;
}

static CUresult beginCapture(Stream &stream, CUstreamCaptureMode mode) {
  if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL || mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  if (&stream == &stream.context->zero)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (stream.capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  stream.capture = std::make_shared<Capture>();
  stream.capture->mode = mode;
  stream.capture->thread = std::this_thread::get_id();
  stream.capture->origin = &stream;
  stream.capture->graph.context = stream.context;
  stream.captureTail.clear();
  return CUDA_SUCCESS;
}

// What other streams did must have been waited for by the one where the capture began.
static bool isJoined(const Capture &capture, const std::vector<size_t> &ends) {
  std::vector<bool> isReached(capture.graph.nodes.size());
  std::vector<size_t> open = ends;
  while (!open.empty()) {
    size_t node = open.back();
    open.pop_back();
    if (isReached[node])
      continue;
    isReached[node] = true;
    open.insert(open.end(), capture.graph.nodes[node].after.begin(),
                capture.graph.nodes[node].after.end());
  }
  return std::find(isReached.begin(), isReached.end(), false) == isReached.end();
}

static CUresult endCapture(Machine &machine, Stream &stream, CUgraph *graph) {
  *graph = nullptr;
  std::shared_ptr<Capture> capture = stream.capture;
  if (!capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  if (capture->origin != &stream)
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
      capture->thread != std::this_thread::get_id())
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  bool isWhole = isJoined(*capture, stream.captureTail);
  machine.streams.forEach([&](Stream &each) {
    if (each.capture == capture) {
      each.capture = nullptr;
      each.captureTail.clear();
    }
  });
  if (capture->isInvalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (!isWhole)
    return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  *graph = machine.graphs.add(std::make_unique<Graph>(std::move(capture->graph)));
  return CUDA_SUCCESS;
}

// Calls `action` with the stream of the handle.
static CUresult withStream(const char *function, CUstream handle,
                           const std::function<CUresult(Machine &, Stream &)> &action) {
  return call(function, Needs::Context, [&](Machine &machine, Context *now) {
    Stream *stream = machine.streamOf(handle, *now);
    return stream ? action(machine, *stream) : CUDA_ERROR_INVALID_HANDLE;
  });
}

// Calls `action` with the event of the handle.
static CUresult withEvent(const char *function, CUevent handle,
                          const std::function<CUresult(Machine &, Event &)> &action) {
  return call(function, Needs::Context, [&](Machine &machine, Context *now) {
    Event *event = machine.events.find(handle);
    return event && event->context == now ? action(machine, *event) : CUDA_ERROR_INVALID_HANDLE;
  });
}

extern "C" {

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  return call("cuStreamCreate", Needs::Context, [&](Machine &machine, Context *now) -> CUresult {
    if (!stream || flags > CU_STREAM_NON_BLOCKING)
      return CUDA_ERROR_INVALID_VALUE;
    auto made = std::make_unique<Stream>();
    made->context = now;
    made->isBlocking = flags == CU_STREAM_DEFAULT;
    *stream = machine.streams.add(std::move(made));
    return CUDA_SUCCESS;
  });
}
KERATIN_EMULATED(cuStreamCreate);

// What is in it is still done, as with the driver.
CUresult cuStreamDestroy_v2(CUstream stream) {
  return call("cuStreamDestroy_v2", Needs::Context, [&](Machine &machine, Context *now) {
    if (!stream || !machine.streamOf(stream, *now))
      return CUDA_ERROR_INVALID_HANDLE;
    machine.streams.erase(stream);
    return CUDA_SUCCESS;
  });
}
KERATIN_EMULATED(cuStreamDestroy_v2);

// What is in it may wait for another thread.
CUresult cuStreamSynchronize(CUstream stream) {
  for (bool isFirst = true;; isFirst = false) {
    bool isOver = true;
    CUresult result = withStream("cuStreamSynchronize", stream,
                                 [&](Machine &machine, Stream &waitedFor) -> CUresult {
                                   if (CUresult refused = refuseCaptured(waitedFor))
                                     return refused;
                                   machine.counts.waits += isFirst;
                                   for (const TaskRef &task : machine.before(waitedFor)) {
                                     machine.schedules.finish(task, machine.options);
                                     isOver = isOver && (!task || task->isDone);
                                   }
                                   return waitedFor.context->lost;
                                 });
    if (isOver || result)
      return result;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}
KERATIN_EMULATED(cuStreamSynchronize);

CUresult cuStreamQuery(CUstream stream) {
  return withStream("cuStreamQuery", stream, [](Machine &machine, Stream &asked) -> CUresult {
    if (CUresult result = refuseCaptured(asked))
      return result;
    if (!asked.last || asked.last->isDone)
      return asked.context->lost;
    machine.schedules.advance(asked.last, machine.options);
    return asked.context->lost ? asked.context->lost : CUDA_ERROR_NOT_READY;
  });
}
KERATIN_EMULATED(cuStreamQuery);

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return withStream(
      "cuStreamWaitEvent", stream, [&](Machine &machine, Stream &waiting) -> CUresult {
        Event *awaited = machine.events.find(event);
        if (!awaited)
          return CUDA_ERROR_INVALID_HANDLE;
        return flags > 1 ? CUDA_ERROR_INVALID_VALUE : waitFor(machine, waiting, *awaited);
      });
}
KERATIN_EMULATED(cuStreamWaitEvent);

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  return withStream("cuStreamBeginCapture_v2", stream,
                    [&](Machine &, Stream &captured) { return beginCapture(captured, mode); });
}
KERATIN_EMULATED(cuStreamBeginCapture_v2);

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  return withStream("cuStreamEndCapture", stream, [&](Machine &machine, Stream &captured) {
    return graph ? endCapture(machine, captured, graph) : CUDA_ERROR_INVALID_VALUE;
  });
}
KERATIN_EMULATED(cuStreamEndCapture);

CUresult cuEventCreate(CUevent *event, unsigned flags) {
  return call("cuEventCreate", Needs::Context, [&](Machine &machine, Context *now) -> CUresult {
    if (!event || flags > 7)
      return CUDA_ERROR_INVALID_VALUE;
    auto made = std::make_unique<Event>();
    made->context = now;
    made->isTimed = !(flags & CU_EVENT_DISABLE_TIMING);
    *event = machine.events.add(std::move(made));
    return CUDA_SUCCESS;
  });
}
KERATIN_EMULATED(cuEventCreate);

CUresult cuEventDestroy_v2(CUevent event) {
  return withEvent("cuEventDestroy_v2", event, [&](Machine &machine, Event &) {
    machine.events.erase(event);
    return CUDA_SUCCESS;
  });
}
KERATIN_EMULATED(cuEventDestroy_v2);

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return withEvent("cuEventRecord", event, [&](Machine &machine, Event &recorded) {
    Stream *found = machine.streamOf(stream, *recorded.context);
    return found ? record(machine, recorded, *found) : CUDA_ERROR_INVALID_HANDLE;
  });
}
KERATIN_EMULATED(cuEventRecord);

CUresult cuEventSynchronize(CUevent event) {
  return withEvent("cuEventSynchronize", event, [](Machine &machine, Event &awaited) -> CUresult {
    if (awaited.capture)
      return CUDA_ERROR_CAPTURED_EVENT;
    ++machine.counts.waits;
    machine.schedules.finish(awaited.recorded, machine.options);
    return awaited.context->lost;
  });
}
KERATIN_EMULATED(cuEventSynchronize);

CUresult cuEventQuery(CUevent event) {
  return withEvent("cuEventQuery", event, [](Machine &machine, Event &asked) -> CUresult {
    if (asked.capture)
      return CUDA_ERROR_CAPTURED_EVENT;
    if (!asked.recorded || asked.recorded->isDone)
      return CUDA_SUCCESS;
    machine.schedules.advance(asked.recorded, machine.options);
    return asked.context->lost ? asked.context->lost : CUDA_ERROR_NOT_READY;
  });
}
KERATIN_EMULATED(cuEventQuery);

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  return withEvent("cuEventElapsedTime", start, [&](Machine &machine, Event &first) -> CUresult {
    Event *second = machine.events.find(end);
    if (!second || !first.recorded || !second->recorded || !first.isTimed || !second->isTimed)
      return CUDA_ERROR_INVALID_HANDLE;
    if (!milliseconds)
      return CUDA_ERROR_INVALID_VALUE;
    if (!first.recorded->isDone || !second->recorded->isDone)
      return CUDA_ERROR_NOT_READY;
    *milliseconds = float(*second->milliseconds - *first.milliseconds);
    return CUDA_SUCCESS;
  });
}
KERATIN_EMULATED(cuEventElapsedTime);

} // extern "C"
