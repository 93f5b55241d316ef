// Captured work and graphs.
#include "tests/cuda/driver/TestModule.h"

#include <thread>

using namespace keratin::cuda;
using namespace keratin::tests;

namespace {

struct TestGraph {
  explicit TestGraph(const Driver &driver) : driver(driver) {}
  ~TestGraph() {
    if (executable)
      driver.cuGraphExecDestroy(executable);
    if (graph)
      driver.cuGraphDestroy(graph);
  }
  void end(CUstream stream) { REQUIRE(driver.cuStreamEndCapture(stream, &graph) == CUDA_SUCCESS); }
  void instantiate() {
    REQUIRE(driver.cuGraphInstantiateWithFlags(&executable, graph, 0) == CUDA_SUCCESS);
  }

  const Driver &driver;
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
};

} // namespace

TEST_CASE("captured work is not done, and a graph of it does it each time") {
  EmulatedContext context;
  const Driver &driver = context.driver;
  TestModule module(driver);
  TestMemory memory(driver, 256);
  TestStream stream(driver);
  TestGraph graph(driver);
  REQUIRE(driver.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) ==
          CUDA_SUCCESS);
  CHECK(module.launch("increment", stream, {memory.address, 3}, 64) == CUDA_SUCCESS);
  CHECK(module.launch("increment", stream, {memory.address, 4}, 64) == CUDA_SUCCESS);
  graph.end(stream);
  CHECK(driver.cuStreamSynchronize(stream) == CUDA_SUCCESS);
  CHECK(memory.read<int>(63) == 0);
  graph.instantiate();
  for (int i = 1; i <= 3; ++i) {
    CHECK(driver.cuGraphLaunch(graph.executable, stream) == CUDA_SUCCESS);
    CHECK(driver.cuStreamSynchronize(stream) == CUDA_SUCCESS);
    CHECK(memory.read<int>(63) == 7 * i);
  }
  CHECK(emulator().counts().graph_launches >= 3);
}

TEST_CASE("a graph is changed to another of the same form") {
  EmulatedContext context;
  const Driver &driver = context.driver;
  TestMemory memory(driver, 8);
  TestStream stream(driver);
  auto capture = [&](TestGraph &graph, unsigned value, int count) {
    REQUIRE(driver.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS);
    for (int i = 0; i < count; ++i)
      CHECK(driver.cuMemsetD32Async(memory.address, value, 2, stream) == CUDA_SUCCESS);
    graph.end(stream);
  };
  TestGraph first(driver), second(driver), longer(driver);
  capture(first, 1, 1);
  capture(second, 2, 1);
  capture(longer, 3, 2);
  first.instantiate();
  CUgraphExecUpdateResultInfo info;
  CHECK(driver.cuGraphExecUpdate_v2(first.executable, second.graph, &info) == CUDA_SUCCESS);
  CHECK(info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
  CHECK(driver.cuGraphLaunch(first.executable, stream) == CUDA_SUCCESS);
  CHECK(driver.cuStreamSynchronize(stream) == CUDA_SUCCESS);
  CHECK(memory.read<int>() == 2);
  CHECK(driver.cuGraphExecUpdate_v2(first.executable, longer.graph, &info) ==
        CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  CHECK(info.result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
}

TEST_CASE("a second stream joins a capture by an event, and has to come back") {
  EmulatedContext context;
  const Driver &driver = context.driver;
  TestMemory memory(driver, 4);
  TestStream first(driver), second(driver);
  TestEvent fork(driver), join(driver);
  for (bool comesBack : {true, false}) {
    TestGraph graph(driver);
    REQUIRE(driver.cuStreamBeginCapture_v2(first, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) ==
            CUDA_SUCCESS);
    CHECK(driver.cuMemsetD32Async(memory.address, 1, 1, first) == CUDA_SUCCESS);
    CHECK(driver.cuEventRecord(fork, first) == CUDA_SUCCESS);
    CHECK(driver.cuStreamWaitEvent(second, fork, 0) == CUDA_SUCCESS);
    CHECK(driver.cuMemsetD32Async(memory.address, 2, 1, second) == CUDA_SUCCESS);
    CHECK(driver.cuEventRecord(join, second) == CUDA_SUCCESS);
    CHECK(driver.cuEventQuery(join) == CUDA_ERROR_CAPTURED_EVENT);
    if (comesBack)
      CHECK(driver.cuStreamWaitEvent(first, join, 0) == CUDA_SUCCESS);
    CHECK(driver.cuStreamEndCapture(first, &graph.graph) ==
          (comesBack ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNJOINED));
    if (!comesBack)
      continue;
    graph.instantiate();
    CHECK(driver.cuGraphLaunch(graph.executable, first) == CUDA_SUCCESS);
    CHECK(driver.cuStreamSynchronize(first) == CUDA_SUCCESS);
    CHECK(memory.read<int>() == 2);
  }
}

TEST_CASE("what cannot be captured ends the capture") {
  EmulatedContext context;
  const Driver &driver = context.driver;
  TestMemory memory(driver, 4);
  TestStream stream(driver), blocking(driver, CU_STREAM_DEFAULT);
  CUgraph graph = nullptr;
  CUdeviceptr address = 0;
  auto begin = [&](CUstream captured) {
    REQUIRE(driver.cuStreamBeginCapture_v2(captured, CU_STREAM_CAPTURE_MODE_GLOBAL) ==
            CUDA_SUCCESS);
  };
  begin(stream);
  CHECK(driver.cuStreamSynchronize(stream) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CHECK(driver.cuMemsetD32Async(memory.address, 1, 1, stream) ==
        CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  CHECK(driver.cuStreamEndCapture(stream, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  CHECK(graph == nullptr);
  begin(stream);
  CHECK(driver.cuMemAlloc_v2(&address, 16) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CHECK(driver.cuStreamEndCapture(stream, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  begin(blocking);
  CHECK(driver.cuMemsetD32Async(memory.address, 1, 1, nullptr) ==
        CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  CHECK(driver.cuStreamEndCapture(blocking, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  CHECK(driver.cuStreamBeginCapture_v2(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL) ==
        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CHECK(driver.cuStreamEndCapture(stream, &graph) == CUDA_ERROR_ILLEGAL_STATE);
}

TEST_CASE("another thread's calls do not end a capture of one thread") {
  EmulatedContext context;
  const Driver &driver = context.driver;
  TestStream stream(driver);
  CUgraph graph = nullptr;
  REQUIRE(driver.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) ==
          CUDA_SUCCESS);
  std::thread([&] {
    CUdeviceptr address = 0;
    CHECK(driver.cuCtxSetCurrent(context.context) == CUDA_SUCCESS);
    CHECK(driver.cuMemAlloc_v2(&address, 16) == CUDA_SUCCESS);
    CHECK(driver.cuMemFree_v2(address) == CUDA_SUCCESS);
    CHECK(driver.cuStreamEndCapture(stream, &graph) == CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  }).join();
  CHECK(driver.cuStreamEndCapture(stream, &graph) == CUDA_SUCCESS);
  CHECK(driver.cuGraphDestroy(graph) == CUDA_SUCCESS);
  CHECK(driver.cuGraphDestroy(graph) == CUDA_ERROR_INVALID_HANDLE);
}
