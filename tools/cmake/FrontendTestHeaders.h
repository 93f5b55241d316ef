// Precompiled for tests of what users call; no source relies on it, each includes what it names.
#include "tools/cmake/TestHeaders.h"

#include <keratin/backend.h>
