// Anchors the generated declarations, so that a mistake in a Passes.td is found here first.
#include "passes/Passes.h"
