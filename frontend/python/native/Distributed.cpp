// keratin.distributed: the ranks of a job.
#include "keratin/distributed.h"
#include "frontend/python/native/Register.h"
#include "frontend/python/native/Subjects.h"

namespace D = keratin::backend::distributed;
using namespace keratin;
using namespace keratin::python;

static int64_t rank() { return D::rank(); }
static int64_t size() { return D::size(); }

static nb::object allGather(nb::handle part, SourceLocation place) {
  const Array own = fromPython<Array>(part, {"distributed.all_gather", 0, place});
  Array whole;
  {
    ReleasedGil release;
    whole = D::allGather(own, place);
  }
  return toPython(std::move(whole));
}

void keratin::python::registerDistributed(nb::module_ &m) {
  add<exactly<void()>(&D::init)>(m, "distributed_init");
  add<&D::isInitialized>(m, "distributed_is_initialized");
  add<&D::finalize>(m, "distributed_finalize");
  add<&rank>(m, "distributed_rank");
  add<&size>(m, "distributed_size");
  add<&D::engine>(m, "distributed_engine");
  add<&D::barrier>(m, "distributed_barrier");
  add<&D::broadcast>(m, "distributed_broadcast");
  add<&allGather>(m, "distributed_all_gather");
  add<&D::axisOf>(m, "distributed_axis_of");
}
