// Ranks of one axis of a mesh, and the engines among them.
#ifndef KERATIN_RUNTIME_COMM_AXIS_H
#define KERATIN_RUNTIME_COMM_AXIS_H

#include "runtime/comm/Engine.h"

namespace keratin::comm {

// Numbers of the ranks of an axis that one rank belongs to, in the order of their places.
struct Members {
  int32_t first, stride, count;

  int32_t operator[](int32_t place) const { return first + place * stride; }
  int32_t placeOf(int32_t rank) const { return (rank - first) / stride; }
};

// Whether so many ranks can be arranged with such an axis.
inline bool isAxisOf(keratin_axis_t axis, int32_t size) {
  return axis.count == 0 ||
         (axis.count > 0 && axis.stride > 0 && size % (int64_t(axis.count) * axis.stride) == 0);
}

// Precondition: isAxisOf.
inline Members membersOf(keratin_axis_t axis, int32_t rank, int32_t size) {
  if (axis.count == 0)
    return {0, 1, size};
  return {rank - rank / axis.stride % axis.count * axis.stride, axis.stride, axis.count};
}

// The engines of the axes that collectives have had.
class AxisEngines {
public:
  AxisEngines() = default;
  AxisEngines(const AxisEngines &) = delete;
  AxisEngines &operator=(const AxisEngines &) = delete;
  ~AxisEngines() { close(); }

  // nullptr: it has none yet.
  Engine *find(keratin_axis_t axis) const;
  Code open(Engine &whole, keratin_axis_t axis, keratin_status_t *status);
  void close();

private:
  struct Entry;
  Entry *first = nullptr;
};

} // namespace keratin::comm

#endif // KERATIN_RUNTIME_COMM_AXIS_H
