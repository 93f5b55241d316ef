// keratin.distributed: the ranks of a job.
#include "keratin/distributed.h"
#include "frontend/python/native/Register.h"
#include "frontend/python/native/Subjects.h"

namespace D = keratin::backend::distributed;
using namespace keratin;
using namespace keratin::python;

static void init(nb::handle mesh, SourceLocation place) {
  const std::vector<MeshAxis> axes = meshOf(mesh, {"distributed.init", 0, place});
  ReleasedGil release;
  D::init(axes, place);
}

// None: among all ranks.
static int64_t rank(nb::handle axis, SourceLocation place) {
  if (axis.is_none())
    return D::rank();
  return D::rank(fromPython<std::string>(axis, {"distributed.rank", 0, place}), place);
}

static int64_t size(nb::handle axis, SourceLocation place) {
  if (axis.is_none())
    return D::size();
  return D::size(fromPython<std::string>(axis, {"distributed.size", 0, place}), place);
}

static nb::object allGather(nb::handle part, SourceLocation place) {
  const Array own = fromPython<Array>(part, {"distributed.all_gather", 0, place});
  Array whole;
  {
    ReleasedGil release;
    whole = D::allGather(own, place);
  }
  return toPython(std::move(whole));
}

static Tensor permute(const Tensor &x, const std::vector<int64_t> &senders,
                      const std::vector<int64_t> &receivers, const std::string &along,
                      SourceLocation place) {
  std::vector<std::pair<int, int>> pairs;
  for (size_t i = 0; i < senders.size(); ++i)
    pairs.emplace_back(nearestInt(senders[i]), nearestInt(receivers[i]));
  return D::permute(x, pairs, along, place);
}

void keratin::python::registerDistributed(nb::module_ &m) {
  add<&init>(m, "distributed_init");
  add<&D::isInitialized>(m, "distributed_is_initialized");
  add<&D::shrink>(m, "distributed_shrink");
  add<&D::finalize>(m, "distributed_finalize");
  add<&rank>(m, "distributed_rank");
  add<&size>(m, "distributed_size");
  add<&D::engine>(m, "distributed_engine");
  add<&D::barrier>(m, "distributed_barrier");
  add<&D::broadcast>(m, "distributed_broadcast");
  add<&allGather>(m, "distributed_all_gather_array");
  add<&D::allReduce>(m, "distributed_all_reduce");
  add<exactly<Tensor(const Tensor &, int64_t, const std::string &, SourceLocation)>(&D::allGather)>(
      m, "distributed_all_gather");
  add<&D::reduceScatter>(m, "distributed_reduce_scatter");
  add<&D::broadcastFrom>(m, "distributed_broadcast_from");
  add<&D::allToAll>(m, "distributed_all_to_all");
  add<&permute>(m, "distributed_permute");
  add<&D::rankIndex>(m, "distributed_rank_index");
  add<&D::rankCount>(m, "distributed_rank_count");
  add<&D::axisOf>(m, "distributed_axis_of");
}
