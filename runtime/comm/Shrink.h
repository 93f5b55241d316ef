// Going on without the ranks that are lost, and without those that have no place in a mesh by it.
#ifndef KERATIN_RUNTIME_COMM_SHRINK_H
#define KERATIN_RUNTIME_COMM_SHRINK_H

#include "runtime/comm/Engine.h"
#include "runtime/comm/Mesh.h"

namespace keratin::comm {

// The engine, and the first axis of the mesh, are of those ranks that are left. A mesh of several
// axes keeps the places along the first one of which no rank is lost, so that all other axes are as
// long as they were; a rank at another place leaves, and is told so.
Code shrink(Engine &engine, Mesh &mesh, keratin_status_t *status);

} // namespace keratin::comm

#endif // KERATIN_RUNTIME_COMM_SHRINK_H
