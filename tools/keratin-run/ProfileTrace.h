// Recorded calls in Chrome's trace format, for chrome://tracing and ui.perfetto.dev.
#ifndef KERATIN_TOOLS_KERATINRUN_PROFILETRACE_H
#define KERATIN_TOOLS_KERATINRUN_PROFILETRACE_H

#include "tools/keratin-run/Program.h"

#include <string>
#include <vector>

namespace keratin::tools {

// One track a thread: calls, in them kernels, in them the thread's chunks. Kernels are called as
// their descriptions say, with the source line in "args". Times begin at 0.
// A rank of several is a process of its number, and its times are those of the machine's clock, so
// that traces of one machine's ranks fit beside each other. What ranks tell each other has a track
// of its own: from its start to the end of the wait for it, of which the message takes a part.
std::string profileTrace(std::vector<keratin_profile_event_t> events, const Program &program);

} // namespace keratin::tools

#endif // KERATIN_TOOLS_KERATINRUN_PROFILETRACE_H
