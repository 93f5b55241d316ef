// Precompiled for tests; no source relies on it, each includes what it names.
#include "tools/cmake/DialectHeaders.h"

#include <catch2/catch.hpp>
