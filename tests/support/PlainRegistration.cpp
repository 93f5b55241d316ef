// In programs that hold this, the plain target and its device are known from the start.
#include "tests/support/PlainTarget.h"

static const bool isRegistered = (keratin::tests::registerPlainTarget(), true);
