// Several processes that run one program together.
#include "keratin/distributed.h"

#include "frontend/backend/Variables.h"
#include "frontend/graph/Call.h"
#include "frontend/graph/Job.h"
#include "frontend/graph/RuntimeStatus.h"
#include "frontend/graph/VariableStorage.h"

#include "runtime/include/keratin/comm.h"

using namespace keratin;
using namespace keratin::frontend;

namespace keratin::backend::distributed {

void init() { joinJob(nullptr, {}, {}); }

void init(const std::vector<MeshAxis> &mesh, SourceLocation location) {
  joinJob(nullptr, mesh, location);
}

void init(keratin_comm_t *engine, const std::vector<MeshAxis> &mesh, SourceLocation location) {
  if (!engine)
    throw ValueError("distributed.init: there is no engine; needed a keratin_comm_t");
  joinJob(engine, mesh, location);
}

bool isInitialized() { return jobGroup() != nullptr; }

void shrink() { shrinkJob(); }

void finalize() { leaveJob(); }

int rank() { return jobRank(); }
int size() { return jobSize(); }

static keratin_axis_t axisNamed(const char *function, const std::string &name,
                                SourceLocation location) {
  if (std::optional<keratin_axis_t> axis = jobAxis(name))
    return *axis;
  throw ValueError(withPlace(std::string(function) + ": " + noSuchAxis(name), location));
}

int rank(const std::string &axis, SourceLocation location) {
  return jobRank(axisNamed("distributed.rank", axis, location));
}

int size(const std::string &axis, SourceLocation location) {
  return jobSize(axisNamed("distributed.size", axis, location));
}

std::string engine() { return jobGroup() ? keratin_group_engine(jobGroup()) : "one rank"; }

void barrier() { runWithJob("distributed.barrier", collective(KERATIN_BARRIER, "barrier")); }

// One after the other, so that a message names the variable about which ranks differ.
void broadcast(const std::vector<Tensor> &variables, int from, SourceLocation location) {
  struct Sent {
    std::string name;
    std::shared_ptr<VariableStorage> storage;
  };
  std::vector<Sent> sent;
  {
    Call call("distributed.broadcast", location);
    if (from < 0 || from >= size())
      call.valueError("from rank " + std::to_string(from) + "; needed one of " +
                      std::to_string(size()) + ", from 0 on");
    for (const Tensor &tensor : variables) {
      auto variable = call.raw(tensor).getDefiningOp<ir::VariableOp>();
      if (!variable)
        call.valueError(tensor.name() + " is no variable");
      const VariableInfo &info = call.graph.variables[variable.getId()];
      sent.push_back({info.name, info.storage});
    }
  }
  if (!jobGroup())
    return;
  std::vector<VariableStorage::Assignment> assignments;
  for (const Sent &each : sent) {
    Array value = each.storage->read();
    keratin_collective_t wanted = collective(KERATIN_BROADCAST, each.name.c_str());
    wanted.dtype = int32_t(value.dtype());
    wanted.from = from;
    wanted.send = wanted.receive = value.rawData();
    wanted.send_elements = wanted.receive_elements = value.size();
    runWithJob("distributed.broadcast", wanted);
    assignments.push_back({each.storage, std::move(value)});
  }
  VariableStorage::write("distributed.broadcast", assignments);
}

Array allGather(const Array &part, SourceLocation location) {
  const std::string function = "distributed.all_gather";
  if (part.isNone() || part.ndim() == 0)
    throw ValueError(withPlace(function + ": found " + (part.isNone() ? "None" : "a number") +
                                   "; needed an array with a dimension at least",
                               location));
  Array sent = part.toHost();
  if (!jobGroup())
    return sent;
  auto gather = [&](const Array &own, Array &all) {
    gatherWithJob(function.c_str(), "all_gather", own, all);
  };
  Array rows(sent.shape()[0]), rowsOfAll = Array::empty(DType::Int64, {size()});
  gather(rows, rowsOfAll);
  std::vector<int64_t> dims = sent.shape();
  dims[0] = 0;
  for (int64_t count : rowsOfAll.toVector<int64_t>())
    dims[0] += count;
  Array whole = emptyInJob(sent.dtype(), dims);
  gather(sent, whole);
  return whole;
}

int64_t axisOf(const Tensor &tensor, const std::string &size, SourceLocation location) {
  Call call("distributed.axis_of", location);
  for (auto [axis, dim] : llvm::enumerate(ir::getShape(call.raw(tensor))))
    if (llvm::any_of(dim.symbols(),
                     [&](int64_t symbol) { return call.graph.symbols[symbol].name == size; }))
      return int64_t(axis);
  return -1;
}

} // namespace keratin::backend::distributed
