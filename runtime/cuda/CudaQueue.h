// The work of one call after the other on a CUDA device: a stream, the words in which kernels say
// what has failed, and pinned memory for what goes to and fro. CudaQueue.cpp has its life and its
// waits, CudaCopies.cpp copies, CudaLaunch.cpp launches and the memory that they take, CudaCall.cpp
// whole calls and their graphs.
#ifndef KERATIN_RUNTIME_CUDA_CUDAQUEUE_H
#define KERATIN_RUNTIME_CUDA_CUDAQUEUE_H

#include "runtime/abi/keratin_cuda_abi.h"
#include "runtime/cuda/CudaDevice.h"
#include "runtime/cuda/CudaGraph.h"
#include "runtime/cuda/CudaMarks.h"

namespace keratin::cuda {

// Used by one thread at a time, but for waitForWork. All with the device's context current.
class CudaQueue {
public:
  // What the driver refuses to make here it is asked for again by the first call, which can say so.
  static Code create(CudaDevice &device, CudaQueue **queue, keratin_status_t *status);
  static void destroy(CudaQueue *queue);
  explicit CudaQueue(CudaDevice &device)
      : device(device), lanes(device), graphs(device), capturing(device), marks(device) {}
  ~CudaQueue();

  // Makes what the queue has not got yet. The others begin with it.
  Code start(keratin_status_t *status);
  Code begin(keratin_status_t *status);
  Code copyIn(CUdeviceptr to, const void *from, size_t bytes, keratin_status_t *status);
  Code copyOut(void *to, CUdeviceptr from, size_t bytes, keratin_status_t *status);
  Code copyWithin(CUdeviceptr to, CUdeviceptr from, size_t bytes, keratin_status_t *status);
  Code fill(CUdeviceptr to, uint8_t byte, size_t bytes, keratin_status_t *status);
  Code launch(const CudaModule &module, int32_t kernel, const int64_t *argv, int32_t slots,
              int64_t units, int64_t grain, keratin_status_t *status);
  Code wait(int32_t *failedSite, keratin_status_t *status);
  // What is launched from here on does nothing after a failure.
  void guard() { isGuarded = true; }
  // A whole call (keratin_device_t::run).
  Code run(const keratin_device_call_t &call, int32_t *failedSite, keratin_status_t *status);
  Code fork(const keratin_stream_work_t &work, keratin_status_t *status);
  Code join(keratin_status_t *status);
  Code expose(CUdeviceptr &own, CUdeviceptr &all, keratin_status_t *status);
  // What is put into the queue from here on comes after what is in `other` now.
  Code follow(CUstream other, keratin_status_t *status);
  Code mark(int32_t tag, keratin_status_t *status);
  Code readMark(int32_t number, int32_t *tag, int64_t *nanoseconds, keratin_status_t *status) {
    return marks.read(number, tag, nanoseconds, status);
  }
  // Between the beginning and the end of run(): the context is current.
  bool isInCall() const { return inCall; }

  // From any thread.
  void waitForWork();

  // Of the device's list, under its mutex.
  CudaQueue *next = nullptr;

private:
  // Half of the pinned memory: filled while the device reads the other.
  struct Chunk {
    char *data = nullptr;
    size_t used = 0;
    CUevent isRead = nullptr; // recorded behind the last copy out of it
    bool isUnderWay = false;
  };

  // In device memory: what kernels tell, and what has failed on this device when others were told
  // of it; the failed site of the former is then that of all.
  struct Words {
    keratin_cuda_failure_t told;
    uint32_t own;
  };
  static constexpr uint32_t notExposed = KERATIN_CUDA_NO_FAILURE - 1;

  Code make(keratin_status_t *status);
  Code check(CUresult result, const char *function, keratin_status_t *status,
             const char *about = "") {
    return device.check(result, function, status, about);
  }
  // Into the stream, and into the notes of the call that is recorded. `sent` is the memory of a
  // copy to the device, where that will be written again.
  Code put(const CudaStep &step, keratin_status_t *status, const void *sent = nullptr);
  // What the host waits for in the middle of a call cannot be done again without it.
  void stopRecording();
  Code reserveStaging(size_t bytes, keratin_status_t *status);
  Code freeStaging(keratin_status_t *status);
  Code turnChunk(keratin_status_t *status);
  Code synchronize(keratin_status_t *status);
  Code waitForStream(keratin_status_t *status);
  Code resetWords(keratin_status_t *status);
  Code readWords(keratin_status_t *status);
  void understandWords();
  // 0, or 1 + the site.
  static int32_t siteOf(const Words &words);

  // Memory of kernels that grows with them. What was recorded holds its address.
  struct Room {
    CUdeviceptr address = 0;
    size_t bytes = 0;
  };
  Code reserve(Room &room, uint64_t bytes, const char *what, keratin_status_t *status);
  Code reserveParts(const keratin_cuda_kernel_t &shape, uint64_t units, keratin_status_t *status);
  Code clearCounters(keratin_status_t *status);
  void forgetGraphs();

  Code putGuardedCopy(CUdeviceptr to, CUdeviceptr from, size_t bytes, keratin_status_t *status);

  // Of a call: its small inputs and outputs have places in one piece of pinned memory, the large
  // ones go by the chunks.
  Code reserveParcel(size_t bytes, keratin_status_t *status);
  Code sendInputs(const keratin_device_call_t &call, keratin_status_t *status);
  Code putCopiesIn(const keratin_device_call_t &call, keratin_status_t *status);
  Code putCopiesOut(const keratin_device_call_t &call, keratin_status_t *status);
  Code fetchOutputs(const keratin_device_call_t &call, keratin_status_t *status);
  Code runSteps(const keratin_device_call_t &call, CudaGraph *graph, bool &isRefused,
                keratin_status_t *status);
  Code runCall(const keratin_device_call_t &call, int32_t *failedSite, keratin_status_t *status);
  bool isGraphReady(CudaGraph &graph);
  Code launchGraph(CudaGraph &graph, keratin_status_t *status);

  CudaDevice &device;
  bool isStarted = false;
  CudaLanes lanes;
  CudaWatch watch; // of work that was forked in this call
  // Set before anything is put into the stream, cleared after it was waited for.
  std::atomic<bool> isBusy{false};
  bool isGuarded = false;
  bool inCall = false;

  CUdeviceptr words = 0; // Words
  // The same in pinned memory, as it was read last.
  Words *wordsRead = nullptr;
  bool isFresh = false; // the words are as a call finds them
  bool isRead = false;  // wordsRead is what the words are

  Chunk chunks[2];
  int turn = 0;
  size_t chunkBytes = 0;
  char *parcel = nullptr; // pinned
  size_t parcelBytes = 0;

  Room parts, counters, bounce;
  bool areCountersZero = false;

  CUevent reached = nullptr; // where a stream is that this one follows
  CudaGraphs graphs;
  CudaGraph *recording = nullptr;
  CudaLanes capturing; // where graphs are made; nothing is ever done on them
  CudaMarks marks;
};

} // namespace keratin::cuda

#endif // KERATIN_RUNTIME_CUDA_CUDAQUEUE_H
