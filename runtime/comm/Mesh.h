// The mesh that the ranks of a group are arranged in.
#ifndef KERATIN_RUNTIME_COMM_MESH_H
#define KERATIN_RUNTIME_COMM_MESH_H

#include "runtime/core/Allocator.h"
#include "runtime/core/Status.h"
#include "runtime/include/keratin/comm.h"

namespace keratin::comm {

class Mesh {
public:
  // keratin_group_arrange, of so many ranks, of which this is the one of a number.
  runtime::Code arrange(const keratin_mesh_axis_t *wanted, int32_t count, int32_t rank,
                        int32_t ranks, keratin_status_t *status);
  // There are so many ranks from here on: the first axis has others.
  void resize(int32_t ranks) {
    if (isArranged())
      axes()[0].members.count = ranks / ranksAtPlace();
  }
  bool isArranged() const { return numAxes > 0; }
  bool hasSeveralAxes() const { return numAxes > 1; }
  // This rank's when they were arranged.
  int32_t number() const { return ownNumber; }
  // Precondition of these: it is arranged.
  const char *firstName() const { return axes()[0].name; }
  int32_t ranksAtPlace() const { return axes()[0].members.stride; } // along the first axis
  // False: it has no axis of this name.
  bool find(const char *name, keratin_axis_t &axis) const;
  // "'data', 'model'"; "none".
  runtime::ShortText names() const;

private:
  struct Axis {
    const char *name;
    keratin_axis_t members;
  };
  Axis *axes() const { return static_cast<Axis *>(memory.data()); }

  runtime::Block memory; // the axes, and behind them their names
  int32_t numAxes = 0, ownNumber = 0;
};

// Axes as users write them: "data:2,model:2".
class MeshText {
public:
  // What is no such text is refused in the caller's name.
  runtime::Code read(const char *caller, const char *text, keratin_status_t *status);

  const keratin_mesh_axis_t *axes() const { return found; }
  int32_t count() const { return numAxes; }

private:
  static constexpr int32_t mostAxes = 16;

  runtime::Block names;
  keratin_mesh_axis_t found[mostAxes];
  int32_t numAxes = 0;
};

// The one that the group's ranks are arranged in.
const Mesh &meshOf(const keratin_group_t &group);

// Whether there are ranks along an axis of this name. A rank alone that is in no mesh is the only
// one along any.
bool hasAxis(const keratin_group_t &group, const char *name);

} // namespace keratin::comm

#endif // KERATIN_RUNTIME_COMM_MESH_H
