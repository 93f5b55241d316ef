#include "ir/interfaces/OpProperties.h"

#include "ir/dialect/Keratin.h"

using namespace keratin::ir;

#include "ir/interfaces/OpProperties.cpp.inc"
