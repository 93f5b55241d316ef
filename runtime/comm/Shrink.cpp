#include "runtime/comm/Shrink.h"

namespace keratin::comm {

namespace {

// Of ranks that are left, in the order of their numbers in the mesh as it was arranged: how many
// places along the first axis have all their ranks, and how many ranks there are at this rank's.
struct PlacesLeft {
  PlacesLeft(const int32_t *numbers, int32_t count, int32_t ownNumber, int32_t ranksAtPlace) {
    for (int32_t i = 0, next = 0; i < count; i = next) {
      const int32_t place = numbers[i] / ranksAtPlace;
      for (next = i; next < count && numbers[next] / ranksAtPlace == place;)
        ++next;
      whole += next - i == ranksAtPlace;
      if (place == ownNumber / ranksAtPlace)
        ranksAtOwn = next - i;
    }
  }

  int32_t whole = 0, ranksAtOwn = 0;
};

} // namespace

static Code leave(Engine &engine, const Mesh &mesh, const PlacesLeft &left,
                  keratin_status_t *status) {
  const int32_t ranks = mesh.ranksAtPlace();
  engine.breakOff();
  return runtime::fail(
      status, KERATIN_UNAVAILABLE,
      "this rank leaves the job: of the %d ranks at its place along the axis '%s' %d are lost; %s",
      ranks, mesh.firstName(), ranks - left.ranksAtOwn,
      left.whole ? "those at other places go on"
                 : "and at each other one, too: needed a new start");
}

Code shrink(Engine &engine, Mesh &mesh, keratin_status_t *status) {
  const int32_t before = engine.size();
  const int32_t ranksAtPlace = mesh.hasSeveralAxes() ? mesh.ranksAtPlace() : 1;
  runtime::Block lengths, numbers;
  if (ranksAtPlace > 1 && (!lengths.reserve(size_t(before) * sizeof(int64_t)) ||
                           !numbers.reserve(size_t(before) * sizeof(int32_t))))
    return runtime::fail(status, KERATIN_RESOURCE_EXHAUSTED,
                         "no memory for the numbers of %d ranks", before);
  // Each time at least one rank less is there: one that is lost meanwhile, or that leaves.
  for (int32_t turn = 0; turn <= before; ++turn) {
    if (Code code = engine.shrink(status))
      return code;
    const int32_t size = engine.size(), own = mesh.number();
    if (ranksAtPlace == 1) {
      mesh.resize(size);
      return KERATIN_OK;
    }
    for (int32_t i = 0; i < size; ++i)
      static_cast<int64_t *>(lengths.data())[i] = sizeof(own);
    if (engine.gather(&own, numbers.data(), static_cast<const int64_t *>(lengths.data()), status))
      continue;
    const PlacesLeft left(static_cast<const int32_t *>(numbers.data()), size, own, ranksAtPlace);
    if (left.whole * ranksAtPlace == size) {
      mesh.resize(size);
      return KERATIN_OK;
    }
    if (left.ranksAtOwn != ranksAtPlace)
      return leave(engine, mesh, left, status);
  }
  return KERATIN_UNAVAILABLE; // what the last gather has said
}

} // namespace keratin::comm
