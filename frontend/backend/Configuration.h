// The settings that K functions read when a node is made.
#ifndef KERATIN_FRONTEND_BACKEND_CONFIGURATION_H
#define KERATIN_FRONTEND_BACKEND_CONFIGURATION_H

#include "keratin/dtype.h"

#include <string>

namespace keratin::frontend {

// Read from keras.json and the environment at first use (spec 1). Thread-compatible, as building a
// graph is.
struct Configuration {
  static DType floatx();
  static double epsilon();
  static bool channelsFirst();
};

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_CONFIGURATION_H
