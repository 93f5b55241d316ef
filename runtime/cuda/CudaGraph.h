// What one call of a function has put into its stream, and, once the same call comes again, the
// graph of it: one thing for the driver to do instead of many.
#ifndef KERATIN_RUNTIME_CUDA_CUDAGRAPH_H
#define KERATIN_RUNTIME_CUDA_CUDAGRAPH_H

#include "runtime/cuda/CudaNotes.h"
#include "runtime/cuda/CudaStep.h"

namespace keratin::cuda {

// What is asked while the host waits for forked work (keratin_stream_work_t).
struct CudaWatch {
  decltype(keratin_stream_work_t::watch) ask = nullptr;
  void *user = nullptr;
};

// All with the device's context current, from one thread at a time.
class CudaGraph {
public:
  explicit CudaGraph(CudaDevice &device) : device(device) {}
  CudaGraph(const CudaGraph &) = delete;
  ~CudaGraph() { clear(); }

  enum class State {
    Empty,    // nothing is known
    Recorded, // the steps are those of a whole call
    Ready,    // and are a graph
    Refused   // a call like this waits for what the device computes, or is very long
  };
  State state() const { return now; }
  // Whether it has the steps of calls with this key of which the same is sent and fetched. That is
  // no part of the key: a tensor of the caller's on the device is not sent, and a block that the
  // runtime makes for the next call may lie where it was.
  bool isFor(const keratin_device_call_t &call) const;

  // Forgets everything, and begins to take down the steps of a call like this. False where there
  // is no memory.
  bool record(const keratin_device_call_t &call);
  // What was sent from memory that will not stay as it is, unless it is null, is kept with the
  // step.
  void add(const CudaStep &step, const void *sent);
  // A fork, which adds to the digest; the queue waits for what it started with the last one's
  // watch.
  void add(const keratin_stream_work_t &work);
  void finish();
  void refuse();
  void clear();

  // Makes the graph. What the driver refuses is no failure of the call, which goes on without;
  // calls like this are not tried again.
  void build(CudaLanes &capturing);
  Code launch(CUstream stream, keratin_status_t *status);

  // Of the forked work; not 0.
  uint64_t digest() const { return forked; }
  const CudaWatch &watch() const { return watcher; }

  // When it was used last.
  uint64_t age = 0;

private:
  static constexpr int32_t maxSteps = 8192;
  static constexpr size_t maxSentBytes = size_t(1) << 20;
  bool capture(CudaLanes &lanes, CUgraph &graph);
  bool putSteps(CudaLanes &lanes);

  CudaDevice &device;
  State now = State::Empty;
  CudaNotes key, steps; // the key: that of the call, and what is sent and fetched
  int32_t numSteps = 0;
  size_t sentBytes = 0;
  char *sent = nullptr; // pinned, what copies of the graph read
  CUgraphExec executable = nullptr;
  static constexpr uint64_t noForks = 1;
  uint64_t forked = noForks;
  CudaWatch watcher;
};

// The graphs of a queue, by the keys of calls.
class CudaGraphs {
public:
  explicit CudaGraphs(CudaDevice &device);
  // The one for calls like this, or an empty one in the place of that which was not used for
  // longest.
  CudaGraph &find(const keratin_device_call_t &call);
  // Where addresses have changed that graphs hold.
  void clear();

private:
  static constexpr int maxGraphs = 8;
  CudaGraph graphs[maxGraphs];
  uint64_t clock = 0;
};

} // namespace keratin::cuda

#endif // KERATIN_RUNTIME_CUDA_CUDAGRAPH_H
