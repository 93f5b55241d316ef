#include "runtime/comm/Axis.h"

#include "runtime/core/Allocator.h"

namespace keratin::comm {

struct AxisEngines::Entry {
  Entry(keratin_axis_t axis, keratin_comm_t *comm, Entry *next)
      : axis(axis), engine(comm), next(next) {}

  keratin_axis_t axis;
  Engine engine;
  Entry *next;
};

Engine *AxisEngines::find(keratin_axis_t axis) const {
  for (Entry *each = first; each; each = each->next)
    if (each->axis.count == axis.count && each->axis.stride == axis.stride)
      return &each->engine;
  return nullptr;
}

Code AxisEngines::open(Engine &whole, keratin_axis_t axis, keratin_status_t *status) {
  keratin_comm_t *comm = nullptr;
  const Members members = membersOf(axis, whole.rank(), whole.size());
  if (Code code = whole.split(members.first, members.stride, members.count, &comm, status))
    return code;
  auto *made = runtime::makeObject<Entry>(axis, comm, first);
  if (!made) {
    if (comm->close)
      comm->close(comm->user);
    return runtime::fail(status, KERATIN_RESOURCE_EXHAUSTED, "no memory for an axis of ranks");
  }
  first = made;
  return KERATIN_OK;
}

void AxisEngines::close() {
  while (Entry *each = first) {
    first = each->next;
    runtime::destroyObject(each);
  }
}

} // namespace keratin::comm
