// The ranks that this process has joined.
#ifndef KERATIN_FRONTEND_GRAPH_JOB_H
#define KERATIN_FRONTEND_GRAPH_JOB_H

#include "keratin/array.h"
#include "keratin/distributed.h"

#include "runtime/include/keratin/comm.h"

#include <exception>
#include <optional>

namespace keratin::frontend {

// Null: it has joined none. The group stays when it is left; then its collectives fail.
keratin_group_t *jobGroup();
// Of those along an axis of the mesh, or of all. 0 and 1 where it has joined none.
int jobRank(keratin_axis_t along = {});
int jobSize(keratin_axis_t along = {});
// Joins by what the launcher says, or over an engine that the program brings. RuntimeError where
// the process has joined already; ValueError where the ranks cannot be arranged so.
void joinJob(keratin_comm_t *engine, const std::vector<MeshAxis> &mesh, SourceLocation location);
// ValueError of the caller for names that users may not give to sizes.
void checkAxisNames(const char *caller, const std::vector<MeshAxis> &mesh, SourceLocation location);
// The axis of the mesh of this name. None: it has no such, or there is no mesh.
std::optional<keratin_axis_t> jobAxis(const std::string &name);
// The name of the axis that is meant; "" where the ranks are in no mesh: all of them are.
std::string axisInJob(const Mesh &among);
// As saved graphs have it; "" where nobody has named one, and the ranks are in no mesh.
std::string axisInFile(const Mesh &among);
// "the mesh has no axis 'rows'; there are 'data', 'model'"
std::string noSuchAxis(const std::string &name);
void leaveJob();
// K::distributed::shrink.
void shrinkJob();
// A function is for this number of ranks alone, each of which has parts of variables.
void noteParts();
// The executable's calls are those of all ranks, if the process has joined any and if it is for
// several.
keratin_status_code_t callWithJob(keratin_executable_t *executable, keratin_status_t *status);
// What the ranks do together; nothing where the process has joined none. RankError, with the name
// of the function, where it fails.
void runWithJob(const char *function, const keratin_collective_t &wanted);
keratin_collective_t collective(int32_t kind, const char *name);
// The elements of all ranks' arrays, or of those along an axis, which have one dtype, in their
// order; `all` has room for them.
void gatherWithJob(const char *function, const char *name, const Array &own, Array &all,
                   keratin_axis_t along = {});
// The number that rank 0 has; `name` as runWithJob's messages call it.
int64_t takeFromFirst(const char *function, const char *name, int64_t number);
// Does what this rank does by itself before all meet: a failure is one on all of them.
template <typename Work> auto aloneInJob(Work work) {
  try {
    return work();
  } catch (const std::exception &failure) {
    keratin_group_fail(jobGroup(), failure.what());
    throw;
  }
}
// An array that a collective is to fill; where there is no memory for it, the other ranks are told.
Array emptyInJob(DType dtype, const std::vector<int64_t> &dims);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_JOB_H
