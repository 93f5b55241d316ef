// Arrays as the runtime sees them.
#ifndef KERATIN_FRONTEND_GRAPH_RUNTIMEVIEW_H
#define KERATIN_FRONTEND_GRAPH_RUNTIMEVIEW_H

#include "keratin/array.h"

#include "keratin_types.h"

namespace keratin::frontend {

// To read, as long as the array lives and keeps its shape.
inline keratin_tensor_t viewOf(const Array &array) {
  return {const_cast<void *>(array.origin()),
          int32_t(array.dtype()),
          int32_t(array.ndim()),
          array.shape().data(),
          array.viewStrides(),
          array.place()};
}

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_RUNTIMEVIEW_H
