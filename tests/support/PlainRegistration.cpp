// In programs that hold this, the targets of tests and their device are known from the start.
#include "tests/support/PtxTarget.h"

static const bool isRegistered = (keratin::tests::registerPtxTarget(), true);
