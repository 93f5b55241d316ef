#include "frontend/graph/Job.h"

#include "frontend/graph/NeededName.h"
#include "frontend/graph/Printable.h"
#include "frontend/graph/RuntimeStatus.h"

#include "runtime/include/keratin/comm.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>

using namespace keratin;
using namespace keratin::frontend;

static std::mutex mutex;
static std::atomic<keratin_group_t *> group{nullptr};
static std::vector<MeshAxis> arranged; // written once, before the group is known

keratin_group_t *frontend::jobGroup() { return group.load(std::memory_order_acquire); }

int frontend::jobRank() { return jobGroup() ? keratin_group_rank(jobGroup()) : 0; }
int frontend::jobSize() { return jobGroup() ? keratin_group_size(jobGroup()) : 1; }

static void checkMesh(const std::vector<MeshAxis> &mesh, int ranks, SourceLocation location) {
  auto refuse = [&](const std::string &message) {
    throw ValueError(withPlace("distributed.init: " + message, location));
  };
  int64_t product = 1;
  std::string text;
  for (size_t i = 0; i < mesh.size(); ++i) {
    const auto &[name, size] = mesh[i];
    if (!ir::SizeNames::isName(name))
      refuse("an axis is named '" + printable(name, 80) + "'; needed " + neededName());
    if (size < 1)
      refuse("an axis '" + name + "' of " + std::to_string(size) + " ranks; needed at least 1");
    for (size_t before = 0; before < i; ++before)
      if (mesh[before].name == name)
        refuse("two axes are named '" + name + "'");
    product = std::min<int64_t>(product * size, INT32_MAX);
    text += (i ? " x " : "") + name + " " + std::to_string(size);
  }
  if (!mesh.empty() && product != ranks)
    refuse("a mesh of " + text + " is " + std::to_string(product) + " ranks; there are " +
           std::to_string(ranks));
}

void frontend::joinJob(keratin_comm_t *engine, const std::vector<MeshAxis> &mesh,
                       SourceLocation location) {
  std::lock_guard lock(mutex);
  if (jobGroup())
    throw RuntimeError("distributed.init: this process has joined its ranks already");
  keratin_status_t status = {};
  keratin_group_t *joined = nullptr;
  if (!engine)
    keratin_comm_open(&engine, &status);
  if (status.code == KERATIN_OK)
    keratin_group_create(engine, &joined, &status);
  if (status.code != KERATIN_OK)
    throwRankFailure("distributed.init", status);
  try {
    checkMesh(mesh, keratin_group_size(joined), location);
  } catch (const ValueError &) {
    keratin_group_destroy(joined);
    throw;
  }
  arranged = mesh;
  group.store(joined, std::memory_order_release);
  // Before what outlives main() is gone; an engine may wait for the other ranks to leave, too.
  std::atexit(leaveJob);
}

// The group itself stays: functions may know it.
void frontend::leaveJob() {
  if (keratin_group_t *joined = jobGroup())
    keratin_group_leave(joined);
}

std::optional<keratin_axis_t> frontend::jobAxis(const std::string &name) {
  if (!jobGroup() || arranged.empty())
    return keratin_axis_t{};
  int32_t stride = 1;
  for (auto axis = arranged.rbegin(); axis != arranged.rend(); stride *= axis++->size)
    if (axis->name == name)
      return keratin_axis_t{axis->size, stride};
  return std::nullopt;
}

std::string frontend::jobAxisNames() {
  std::string names;
  for (const MeshAxis &axis : arranged)
    names += (names.empty() ? "'" : ", '") + axis.name + "'";
  return names;
}

void frontend::callWithJob(keratin_executable_t *executable, const std::vector<Shard> &shards) {
  keratin_group_t *joined = jobGroup();
  if (!joined)
    return;
  keratin_axis_t axis = {};
  if (!shards.empty())
    axis = jobAxis(shards.front().mesh.axis()).value_or(axis);
  keratin_executable_set_axis(executable, joined, axis, nullptr);
}

keratin_collective_t frontend::collective(int32_t kind, const char *name) {
  keratin_collective_t made = {};
  made.bytes = sizeof(made);
  made.kind = kind;
  made.name = name;
  return made;
}

void frontend::runWithJob(const char *function, const keratin_collective_t &wanted) {
  keratin_group_t *joined = jobGroup();
  if (!joined)
    return;
  keratin_status_t status = {};
  keratin_group_run(joined, &wanted, &status);
  if (status.code != KERATIN_OK)
    throwRankFailure(function, status);
}

void frontend::gatherWithJob(const char *function, const char *name, const Array &own, Array &all) {
  keratin_collective_t wanted = collective(KERATIN_ALL_GATHER, name);
  wanted.dtype = int32_t(own.dtype());
  wanted.send = own.rawData();
  wanted.send_elements = own.size();
  wanted.receive = all.rawData();
  wanted.receive_elements = all.size();
  runWithJob(function, wanted);
}

Array frontend::emptyInJob(DType dtype, const std::vector<int64_t> &dims) {
  try {
    return Array::empty(dtype, dims);
  } catch (const MemoryError &failure) {
    keratin_group_fail(jobGroup(), failure.what());
    throw;
  }
}
