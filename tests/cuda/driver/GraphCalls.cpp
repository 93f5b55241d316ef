// The driver's functions about graphs.
#include "tests/cuda/driver/Machine.h"

using namespace keratin;
using namespace keratin::emulator;

// A graph in a stream: its first nodes come after what the stream does already, its end after all
// of them.
static CUresult launch(Machine &machine, const Graph &graph, Stream &stream) {
  if (stream.capture)
    return CUDA_ERROR_NOT_SUPPORTED;
  std::vector<TaskRef> tasks, begin = machine.before(stream);
  for (const Node &node : graph.nodes) {
    std::vector<TaskRef> after;
    for (size_t earlier : node.after)
      after.push_back(tasks[earlier]);
    tasks.push_back(machine.schedules.submit(*stream.context, node.operation,
                                             node.after.empty() ? begin : std::move(after)));
  }
  tasks.insert(tasks.end(), begin.begin(), begin.end());
  stream.last = machine.schedules.submit(*stream.context, {Operation::Kind::GraphEnd, nullptr},
                                         std::move(tasks));
  ++machine.counts.graph_launches;
  return CUDA_SUCCESS;
}

static CUgraphExecUpdateResult compare(const Graph &now, const Graph &wanted) {
  if (now.nodes.size() != wanted.nodes.size())
    return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  for (size_t i = 0; i < now.nodes.size(); ++i) {
    if (now.nodes[i].after != wanted.nodes[i].after)
      return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    if (now.nodes[i].operation.kind != wanted.nodes[i].operation.kind)
      return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
  }
  return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

extern "C" {

CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph,
                                     unsigned long long flags) {
  return call("cuGraphInstantiateWithFlags", Needs::Context,
              [&](Machine &machine, Context *now) -> CUresult {
                Graph *found = machine.graphs.find(graph);
                if (!found || found->context != now)
                  return CUDA_ERROR_INVALID_HANDLE;
                if (!executable || flags)
                  return CUDA_ERROR_INVALID_VALUE;
                *executable = machine.executables.add(
                    std::make_unique<GraphExecutable>(GraphExecutable{now, *found}));
                return CUDA_SUCCESS;
              });
}
KERATIN_EMULATED(cuGraphInstantiateWithFlags);

CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  return call("cuGraphLaunch", Needs::Context, [&](Machine &machine, Context *now) -> CUresult {
    GraphExecutable *found = machine.executables.find(executable);
    Stream *into = machine.streamOf(stream, *now);
    return found && into && found->context == now ? launch(machine, found->graph, *into)
                                                  : CUDA_ERROR_INVALID_HANDLE;
  });
}
KERATIN_EMULATED(cuGraphLaunch);

CUresult cuGraphExecUpdate_v2(CUgraphExec executable, CUgraph graph,
                              CUgraphExecUpdateResultInfo *info) {
  return call("cuGraphExecUpdate_v2", Needs::Context, [&](Machine &machine, Context *) -> CUresult {
    GraphExecutable *updated = machine.executables.find(executable);
    Graph *found = machine.graphs.find(graph);
    if (!updated || !found)
      return CUDA_ERROR_INVALID_HANDLE;
    if (!info)
      return CUDA_ERROR_INVALID_VALUE;
    *info = {compare(updated->graph, *found), nullptr, nullptr};
    if (info->result != CU_GRAPH_EXEC_UPDATE_SUCCESS)
      return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    updated->graph = *found;
    return CUDA_SUCCESS;
  });
}
KERATIN_EMULATED(cuGraphExecUpdate_v2);

CUresult cuGraphExecDestroy(CUgraphExec executable) {
  return call("cuGraphExecDestroy", Needs::Context, [&](Machine &machine, Context *) -> CUresult {
    if (!machine.executables.find(executable))
      return CUDA_ERROR_INVALID_HANDLE;
    machine.executables.erase(executable);
    return CUDA_SUCCESS;
  });
}
KERATIN_EMULATED(cuGraphExecDestroy);

CUresult cuGraphDestroy(CUgraph graph) {
  return call("cuGraphDestroy", Needs::Context, [&](Machine &machine, Context *) -> CUresult {
    if (!machine.graphs.find(graph))
      return CUDA_ERROR_INVALID_HANDLE;
    machine.graphs.erase(graph);
    return CUDA_SUCCESS;
  });
}
KERATIN_EMULATED(cuGraphDestroy);

} // extern "C"
