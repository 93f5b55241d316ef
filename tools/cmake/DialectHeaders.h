// Precompiled for every source above the dialect; no source relies on it, each includes what it
// names. The classes of the ops are what takes long.
#include "ir/builder/GraphMath.h"
#include "ir/dialect/Keratin.h"
#include "tools/cmake/MlirHeaders.h"
