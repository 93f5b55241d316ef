// Recorded calls in Chrome's trace format, for chrome://tracing and ui.perfetto.dev.
#ifndef KERATIN_TOOLS_KERATINRUN_PROFILETRACE_H
#define KERATIN_TOOLS_KERATINRUN_PROFILETRACE_H

#include <keratin/runtime.h>

#include <string>
#include <vector>

namespace keratin::tools {

// One track a thread: calls, in them kernels, in them the thread's chunks. Kernels are called as
// their descriptions say, with the source line in "args". Times begin at 0.
std::string profileTrace(std::vector<keratin_profile_event_t> events);

} // namespace keratin::tools

#endif // KERATIN_TOOLS_KERATINRUN_PROFILETRACE_H
