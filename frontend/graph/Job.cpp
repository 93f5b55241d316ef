#include "frontend/graph/Job.h"

#include "frontend/graph/NeededName.h"
#include "frontend/graph/Printable.h"
#include "frontend/graph/RuntimeStatus.h"

#include "runtime/comm/Axis.h"
#include "runtime/comm/Mesh.h"

#include <atomic>
#include <cstdlib>
#include <mutex>

using namespace keratin;
using namespace keratin::frontend;

static std::mutex mutex;
static std::atomic<keratin_group_t *> group{nullptr};
static std::atomic<bool> hasParts{false};

keratin_group_t *frontend::jobGroup() { return group.load(std::memory_order_acquire); }

static comm::Members membersOf(const keratin_group_t &joined, keratin_axis_t along) {
  return comm::membersOf(along, keratin_group_rank(&joined), keratin_group_size(&joined));
}

int frontend::jobRank(keratin_axis_t along) {
  const keratin_group_t *joined = jobGroup();
  return joined ? membersOf(*joined, along).placeOf(keratin_group_rank(joined)) : 0;
}

int frontend::jobSize(keratin_axis_t along) {
  const keratin_group_t *joined = jobGroup();
  return joined ? membersOf(*joined, along).count : 1;
}

void frontend::checkAxisNames(const char *caller, const std::vector<MeshAxis> &mesh,
                              SourceLocation location) {
  for (const MeshAxis &axis : mesh)
    if (!ir::SizeNames::isName(axis.name))
      throw ValueError(withPlace(std::string(caller) + ": an axis is named '" +
                                     printable(axis.name, 80) + "'; needed " + neededName(),
                                 location));
}

void frontend::joinJob(keratin_comm_t *engine, const std::vector<MeshAxis> &mesh,
                       SourceLocation location) {
  std::lock_guard lock(mutex);
  if (jobGroup())
    throw RuntimeError("distributed.init: this process has joined its ranks already");
  checkAxisNames("distributed.init", mesh, location); // a group looks at the rest
  keratin_status_t status = {};
  keratin_group_t *joined = nullptr;
  if (!engine)
    keratin_comm_open(&engine, &status);
  if (status.code == KERATIN_OK)
    keratin_group_create(engine, &joined, &status);
  if (status.code != KERATIN_OK)
    throwRankFailure("distributed.init", status);
  std::vector<keratin_mesh_axis_t> axes;
  for (const auto &[name, size] : mesh)
    axes.push_back({name.c_str(), size});
  if (!axes.empty() &&
      keratin_group_arrange(joined, axes.data(), int32_t(axes.size()), &status) != KERATIN_OK) {
    keratin_group_destroy(joined);
    throwFailure("distributed.init", status, location);
  }
  group.store(joined, std::memory_order_release);
  // Before what outlives main() is gone; an engine may wait for the other ranks to leave, too.
  std::atexit(leaveJob);
}

// The group itself stays: functions may know it.
void frontend::leaveJob() {
  if (keratin_group_t *joined = jobGroup())
    keratin_group_leave(joined);
}

void frontend::noteParts() { hasParts.store(true, std::memory_order_relaxed); }

void frontend::shrinkJob() {
  std::lock_guard lock(mutex);
  keratin_group_t *joined = jobGroup();
  if (!joined)
    return;
  if (hasParts.load(std::memory_order_relaxed))
    throw NotImplementedError(
        "distributed.shrink: not implemented: ranks that have parts of variables or of states, of "
        "which those of the lost rank are nowhere else; needed a new start, from a checkpoint");
  keratin_status_t status = {};
  keratin_group_shrink(joined, &status);
  if (status.code != KERATIN_OK)
    throwRankFailure("distributed.shrink", status);
}

// Null: the ranks are in none.
static const comm::Mesh *jobMesh() {
  const keratin_group_t *joined = jobGroup();
  return joined && comm::meshOf(*joined).isArranged() ? &comm::meshOf(*joined) : nullptr;
}

std::optional<keratin_axis_t> frontend::jobAxis(const std::string &name) {
  keratin_axis_t axis = {};
  const comm::Mesh *mesh = jobMesh();
  return mesh && mesh->find(name.c_str(), axis) ? std::optional(axis) : std::nullopt;
}

std::string frontend::axisInJob(const Mesh &among) { return jobMesh() ? among.axis() : ""; }

std::string frontend::axisInFile(const Mesh &among) {
  return among.isNamed() ? among.axis() : axisInJob(among);
}

std::string frontend::noSuchAxis(const std::string &name) {
  const comm::Mesh *mesh = jobMesh();
  return "the mesh has no axis '" + name + "'; " +
         (mesh ? std::string("there are ") + mesh->names().text()
               : "the ranks are in none (distributed.init)");
}

keratin_status_code_t frontend::callWithJob(keratin_executable_t *executable,
                                            keratin_status_t *status) {
  keratin_group_t *joined = jobGroup();
  return joined ? keratin_executable_set_group(executable, joined, status) : KERATIN_OK;
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

void frontend::gatherWithJob(const char *function, const char *name, const Array &own, Array &all,
                             keratin_axis_t along) {
  keratin_collective_t wanted = collective(KERATIN_ALL_GATHER, name);
  wanted.dtype = int32_t(own.dtype());
  wanted.send = own.rawData();
  wanted.send_elements = own.size();
  wanted.receive = all.rawData();
  wanted.receive_elements = all.size();
  wanted.axis = along;
  runWithJob(function, wanted);
}

int64_t frontend::takeFromFirst(const char *function, const char *name, int64_t number) {
  keratin_collective_t wanted = collective(KERATIN_BROADCAST, name);
  wanted.dtype = KERATIN_DTYPE_INT64;
  wanted.send = wanted.receive = &number;
  wanted.send_elements = wanted.receive_elements = 1;
  runWithJob(function, wanted);
  return number;
}

Array frontend::emptyInJob(DType dtype, const std::vector<int64_t> &dims) {
  return aloneInJob([&] { return Array::empty(dtype, dims); });
}
